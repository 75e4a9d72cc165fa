"""All of this package that reaches into numba's internals, and the switch that does without: plain numba.

Two things are done here. Programs give each entry a cache of ours (`attach`, `disk_cache`). The process that compiles
for them, and ends afterwards, changes how numba compiles (`patch`): faster, and to faster code.

``LEGGED_CONTACT_SIM_PLAIN_NUMBA=1`` switches the changes off. Where they no longer fit a numba, the user is told once
and plain numba is used (`give_up`): right results, slower to compile, other last digits.
"""

import os
import sys
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, Protocol

import numba

SWITCH = "LEGGED_CONTACT_SIM_PLAIN_NUMBA"
INLINING = "-inline-threshold=2000"  # LLVM's default is 225

Patch = tuple[Any, str, Callable[..., Any]]  # a class, the name of a method, its replacement


class Cache(Protocol):
    """What numba asks for a compiled function before it compiles it, and gives it to afterwards."""

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature, or None."""

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what was compiled."""


# the switch


def is_plain() -> bool:
    """Return whether plain numba is to be used: the user wishes it, or the changes do not fit."""
    return _given_up or os.environ.get(SWITCH, "0") not in ("", "0")


def give_up(reason: str) -> None:
    """Use plain numba in this process from now on, and tell the user once."""
    global _given_up
    if not _given_up:
        _given_up = True
        print(
            f"legged_contact_sim: WARNING: our changes to numba do not work with numba {numba.__version__} ({reason}); "
            f"plain numba is used: right results, slower to compile, other last digits. {SWITCH}=1 skips the attempt.",
            file=sys.stderr,
            flush=True,
        )


_given_up = False


# entries and their caches


def without_allocation() -> dict[str, bool]:
    """Return the option that leaves out numba's run-time memory.

    A kernel that allocates then does not compile, and references to arrays are not counted, which otherwise takes a
    quarter of a contact step.
    """
    try:
        from numba.core.cpu import CPUTargetOptions

        CPUTargetOptions._nrt  # noqa: B018
    except (ImportError, AttributeError) as error:
        give_up(f"{type(error).__name__}: {error}")
        return {}
    return {"_nrt": False}


def entry_point(entry: Any, signature: tuple[Any, ...]) -> Callable[..., Any]:
    """Return what a compiled entry calls for arguments of these types; without dispatch, 0.5 to 2 us faster."""
    entry.compile(signature)
    try:
        return entry.overloads[signature].entry_point  # type: ignore[no-any-return]
    except (AttributeError, KeyError):
        return entry  # type: ignore[no-any-return]


def attach(entry: Any, cache: Cache) -> None:
    """Give an entry a cache of ours; where that is not possible, numba's own."""
    try:
        from numba.core.caching import FunctionCache  # noqa: F401  (as a check: `disk_cache` needs it)

        entry._cache  # noqa: B018
    except (ImportError, AttributeError) as error:
        give_up(f"{type(error).__name__}: {error}")
        entry.enable_caching()
    else:
        entry._cache = cache


def disk_cache(function: Callable[..., Any], folder: Path) -> Any:
    """Return numba's cache on disk of a function, in a folder of ours; one that keeps nothing for what has no file."""
    from numba.core.caching import FunctionCache, NullCache

    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        return FunctionCache(function) if is_plain() else _prompt_cache(FunctionCache)(function)
    except RuntimeError:
        return NullCache()
    finally:
        numba.config.CACHE_DIR = before


def _prompt_cache(disk: Any) -> Any:
    """Return a class of numba's cache on disk that reads what is there at once.

    Numba gets ready to compile first: it imports all that it can compile for, SciPy's linear algebra too, which is a
    third of the processor time in which a program starts. What is loaded needs none of that (our entries do not
    allocate), and what has to be compiled makes numba ready by itself.
    """
    if not all(hasattr(disk, name) for name in ("_load_overload", "_guard_against_spurious_io_errors")):
        return disk

    class PromptCache(disk):  # type: ignore[misc]
        def load_overload(self, signature: Any, target_context: Any) -> Any:
            """Return what was compiled for a signature, or None."""
            found = None
            with self._guard_against_spurious_io_errors():
                found = self._load_overload(signature, target_context)
            if found is not None:
                found.library._get_module_for_linking = _refuse_linking
            return found

    return PromptCache


def _refuse_linking() -> None:
    """Say that an entry is no part of other functions: of its code only the machine's is kept (`symbols_alone`)."""
    raise RuntimeError("a compiled entry is called from Python alone; functions that are compiled call `inlined` ones")


def dumps_helper(result: Any) -> bytes:
    """Return a compiled helper as bytes."""
    from numba.core import serialize

    return serialize.dumps(result._reduce())  # type: ignore[no-any-return]


def loads_helper(data: bytes, target_context: Any) -> Any:
    """Return a compiled helper from bytes."""
    import pickle

    from numba.core.compiler import CompileResult

    return CompileResult._rebuild(target_context, *pickle.loads(data))


def compile_helper(helper: Callable[..., Any], signature: tuple[Any, ...]) -> None:
    """Compile a helper as a kernel would that calls it."""
    from numba.core.registry import cpu_target

    context = cpu_target.typing_context
    context.refresh()
    context.resolve_value_type(helper).get_call_type(context, signature, {})


# changes to numba, in the process that compiles


def patch(entry_names: set[str], helpers: Collection[Callable[..., Any]], keep: Callable[..., Cache]) -> None:
    """Change numba in this process; an error of any kind means that the changes do not fit.

    Args:
        entry_names: qualified names of the functions that are compiled to machine code; all others are inlined.
        helpers: large helpers that are kept on disk.
        keep: returns the cache of such a helper.
    """
    import llvmlite.binding as llvm

    # Neighbouring scalars, which our small tuples consist of, share vector instructions: steps are faster by 7 %.
    numba.config.SLP_VECTORIZE = 1
    # Inlining more freely than by LLVM's own measure (a call passes tuples through memory): by 10 % more.
    llvm.set_option("legged_contact_sim", INLINING)
    for owner, name, replacement in changes(entry_names, helpers, keep):
        if not hasattr(owner, name):
            raise AttributeError(f"{owner.__name__} has no {name}")
        setattr(owner, name, replacement)


def changes(entry_names: set[str], helpers: Collection[Callable[..., Any]], keep: Callable[..., Cache]) -> list[Patch]:
    """Return all changes; the arguments are those of `patch`."""
    return [*whole_entries(entry_names), *type_memory(), *kept_helpers(helpers, keep), *less_bookkeeping()]


def whole_entries(entry_names: set[str]) -> Iterator[Patch]:
    """Compile an entry as a whole: its helpers stay unoptimised until they are inlined into it.

    Numba optimises every function and turns it into machine code, and does so again for each function that calls it.
    Our helpers are never called from Python, so all of that work but the last is thrown away: leaving it out saves a
    third of the time and, the code being optimised once as a whole, costs nothing at run time.
    """
    from numba.core import codegen, cpu

    library, context, engine = codegen.JITCodeLibrary, cpu.CPUContext, codegen.JITCPUCodegen
    optimise, finalise = library._optimize_final_module, library._finalize_final_module
    serialise, executable, set_environment = (
        library.serialize_using_object_code, context.get_executable, engine.set_env,
    )  # fmt: skip

    def optimise_entry(self):  # type: ignore[no-untyped-def]
        if self.name in entry_names:
            optimise(self)

    def finalise_entry(self):  # type: ignore[no-untyped-def]
        if self.name in entry_names:
            finalise(self)
        else:
            self._finalized = True

    def entry_executable(self, library, fndesc, env):  # type: ignore[no-untyped-def]
        if library.name in entry_names:
            return executable(self, library, fndesc, env)
        return [].append  # numba wants some built-in function of its own for each helper; nothing calls it

    def serialise_entry(self):  # type: ignore[no-untyped-def]
        if self.name not in entry_names:
            return self.serialize_using_bitcode()
        name, kind, (machine_code, _) = serialise(self)
        return name, kind, (machine_code, symbols_alone(self._get_module_for_linking()))

    def set_entry_environment(self, name, environment):  # type: ignore[no-untyped-def]
        if self._engine.get_global_value_address(name):  # helpers have none: nothing of theirs is in memory
            set_environment(self, name, environment)

    yield library, "_optimize_final_module", optimise_entry
    yield library, "_finalize_final_module", finalise_entry
    yield library, "serialize_using_object_code", serialise_entry
    yield context, "get_executable", entry_executable
    yield engine, "set_env", set_entry_environment


def symbols_alone(module: Any) -> bytes:
    """Return bitcode with nothing but the names that a module defines, which is what loading machine code asks for.

    Numba keeps all the code a second time, so that other functions can inline it. Nothing inlines an entry (see
    `_refuse_linking`), and reading that takes most of the time to load one.
    """
    import llvmlite.binding as llvm
    from llvmlite import ir

    names = ir.Module()
    for symbol in (*module.functions, *module.global_variables):
        if not symbol.is_declaration:
            ir.GlobalVariable(names, ir.IntType(8), symbol.name).initializer = ir.IntType(8)(0)
    return llvm.parse_assembly(str(names)).as_bitcode()  # type: ignore[no-any-return]


def type_memory() -> Iterator[Patch]:
    """Find the type of a call once: asked again for the same function and arguments, remember the answer.

    Numba tries a function's templates one after the other at every call that it meets, some forty for an addition, and
    each time types the whole of them anew. Our kernels meet 11,000 calls of which 500 differ: remembering them saves a
    sixth of the time to compile a step. The answer depends on the arguments' types and on the caller's arithmetic,
    which a helper of numba's own inherits.
    """
    from numba.core.targetconfig import ConfigStack
    from numba.core.types.functions import BaseFunction

    find_type = BaseFunction.get_call_type
    known: dict[tuple[Any, ...], tuple[Any, Any]] = {}

    def recall_type(self, context, args, kws):  # type: ignore[no-untyped-def]
        flags = ConfigStack.top_or_none()
        arithmetic = None if flags is None else (str(flags.fastmath), flags.error_model, flags.nrt)
        call = (self, tuple(args), tuple(kws.items()), arithmetic)
        if call not in known:
            signature = find_type(self, context, args, kws)
            known[call] = signature, self.get_impl_key(signature)
        signature, implementation = known[call]
        self._impl_keys[signature.args] = implementation  # where the caller's code will look for it
        return signature

    yield BaseFunction, "get_call_type", recall_type


def kept_helpers(helpers: Collection[Callable[..., Any]], keep: Callable[..., Cache]) -> Iterator[Patch]:
    """Take large helpers from the disk where they are there, and leave them there.

    One that is given a function is compiled with its entry: functions as arguments cannot be kept.
    """
    from numba.core.dispatcher import Dispatcher

    compile_here = Dispatcher.compile

    def compile_or_take(self, signature):  # type: ignore[no-untyped-def]
        given = getattr(signature, "args", signature)
        if self.py_func in helpers and not any(isinstance(each, numba.types.Callable) for each in given):
            self._cache = keep(self.py_func)
        return compile_here(self, signature)

    yield Dispatcher, "compile", compile_or_take


def less_bookkeeping() -> Iterator[Patch]:
    """Do what numba does around its passes with less effort, and to the same end.

    Nine times per function it lists the variables of every instruction, asking of each source line and each number
    whether it is one. At each of thirty passes it tells timers that nobody reads, two for each function that is being
    compiled.
    """
    from numba.core import event, ir

    list_any = ir.Inst._rec_list_vars
    no_variables = {ir.Loc, str, int, float, bool, type(None)}

    def list_variables(self, value):  # type: ignore[no-untyped-def]
        kind = type(value)
        if kind in no_variables:
            return []
        if kind is not dict and kind is not list and kind is not tuple:
            return list_any(self, value)
        found = []
        for each in value.values() if kind is dict else value:
            kind = type(each)
            if kind is ir.Var:
                found.append(each)
            elif kind not in no_variables:
                found += list_variables(self, each)
        return found

    yield ir.Inst, "_rec_list_vars", list_variables
    yield event, "start_event", lambda *_, **__: None
    yield event, "end_event", lambda *_, **__: None
