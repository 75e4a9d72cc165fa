"""Compile an entry as a whole: its helpers stay unoptimised until they are inlined into it.

Numba optimises every function and turns it into machine code, and does so again for each function that calls it. Our
helpers are never called from Python, so all of that work but the last is thrown away: leaving it out saves a third of
the time and, the code being optimised once as a whole, costs nothing at run time.

This reaches into numba, and only a process that ends after compiling should do it (`compilation` forks one).
"""

import llvmlite.binding as llvm
from numba.core import codegen, config, cpu

INLINING = "-inline-threshold=2000"  # LLVM's default is 225


def leave_helpers_to_entries(entry_names: set[str]) -> None:
    """From now on, in this process, optimise and generate machine code for functions of these names only.

    Neighbouring scalars, which our small tuples consist of, are put into vector instructions: steps are faster by 7 %.
    Helpers are inlined more freely than by LLVM's own measure (a call passes tuples through memory): by 10 % more.
    With a numba that is built in another way nothing else is changed; compiling then takes longer.
    """
    config.SLP_VECTORIZE = 1
    llvm.set_option("legged_contact_sim", INLINING)
    library, context, engine = codegen.JITCodeLibrary, cpu.CPUContext, codegen.JITCPUCodegen
    parts = [
        (library, "_optimize_final_module"), (library, "_finalize_final_module"), (context, "get_executable"),
        (library, "serialize_using_object_code"), (engine, "set_env"),
    ]  # fmt: skip
    if not all(hasattr(owner, name) for owner, name in parts):
        return
    optimise, finalise, executable, serialise, set_environment = (getattr(owner, name) for owner, name in parts)

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
        return serialise(self) if self.name in entry_names else self.serialize_using_bitcode()

    def set_entry_environment(self, name, environment):  # type: ignore[no-untyped-def]
        if self._engine.get_global_value_address(name):  # helpers have none: nothing of theirs is in memory
            set_environment(self, name, environment)

    own = (optimise_entry, finalise_entry, entry_executable, serialise_entry, set_entry_environment)
    for (owner, name), replacement in zip(parts, own, strict=True):
        setattr(owner, name, replacement)
