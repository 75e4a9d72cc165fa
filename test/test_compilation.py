"""Compiled kernels are cached, never stale, and the user is told while they are made."""

import ast
import dis
import functools
import os
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import legged_contact_sim.dynamics  # noqa: F401  (so that there are entries)
from legged_contact_sim import RobotModel, Simulator, contact
from legged_contact_sim.dynamics.energy import energy_entry
from legged_contact_sim.dynamics.workspace import workspace
from legged_contact_sim.jit import cache, compilation, sources

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "legged_contact_sim"

# The smallest entry: the height of a slope.
HEIGHT = """
from legged_contact_sim.terrain import Plane
print(Plane(0.25).height(1.0, 2.0))
"""


def copy_of_package(folder):
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(PACKAGE, folder / "legged_contact_sim", ignore=ignored))


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


# keys


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Let the modules look at a copy of the package."""
    copy = copy_of_package(tmp_path)
    monkeypatch.setattr(sources, "PACKAGE", copy)
    return copy


def keys(package, *names):
    """Return the keys of kernels in some modules, as a process finds them that begins now."""
    forget_sources()
    return [cache.source_key(sources.sources_of(package / name)) for name in names]


def forget_sources():
    for remembered in (sources.sources_of, sources.imported, sources._imports, sources._is_file):
        remembered.cache_clear()
    cache._name_and_digest.cache_clear()


ENERGY_MODULE, COMPLIANT, HYBRID = "dynamics/energy.py", "contact/models/compliant.py", "contact/models/hybrid.py"
EXACT = "contact/models/exact_lcp.py"


@pytest.mark.parametrize(
    ("edited", "changed"),
    [
        ("contact/models/compliant.py", [COMPLIANT]),
        ("contact/models/hybrid.py", [HYBRID]),
        ("contact/stepping/time_stepping.py", [COMPLIANT, EXACT]),
        ("contact/records.py", [COMPLIANT, EXACT, HYBRID]),
        ("model/records.py", [ENERGY_MODULE, COMPLIANT, EXACT, HYBRID]),
        ("dynamics/spatial.py", [ENERGY_MODULE, COMPLIANT, EXACT, HYBRID]),
        ("model/robot.py", []),
        ("errors.py", []),
    ],
)
def test_an_edit_reaches_the_kernels_that_are_made_of_it_and_no_others(package, edited, changed):
    modules = [ENERGY_MODULE, COMPLIANT, EXACT, HYBRID]
    before = keys(package, *modules)
    assert before == keys(package, *modules)
    path = package / edited
    path.write_bytes(path.read_bytes() + b"\n")
    after = keys(package, *modules)
    assert [name for name, old, new in zip(modules, before, after) if old != new] == changed


def test_a_renamed_source_changes_the_key(package):
    before = keys(package, ENERGY_MODULE)
    path = package / "dynamics" / "momentum.py"
    path.rename(path.with_name("momenta.py"))
    edit(package / ENERGY_MODULE, "from .momentum import", "from .momenta import")
    assert keys(package, ENERGY_MODULE) != before


def test_an_edit_of_the_compiler_reaches_everything(package):
    before = cache.compiler_key()
    path = package / "jit" / "numba_internals.py"
    path.write_bytes(path.read_bytes() + b"\n")
    assert cache.compiler_key() != before


def test_another_processor_python_or_numba_has_kernels_of_its_own(monkeypatch):
    hashes = {cache.compiler_key()}
    for owner, name, value in (
        (cache.llvm, "get_host_cpu_name", lambda: "abacus"),
        (cache.sys, "version", "4.0"),
        (cache.numba, "__version__", "1.0"),
    ):
        with monkeypatch.context() as other:
            other.setattr(owner, name, value)
            hashes.add(cache.compiler_key())
    assert len(hashes) == 4


def test_the_key_does_not_depend_on_the_place(tmp_path, monkeypatch):
    found = []
    for place in ("here", "there"):
        copy = copy_of_package(tmp_path / place)
        monkeypatch.setattr(sources, "PACKAGE", copy)
        found.append((cache.compiler_key(), *keys(copy, ENERGY_MODULE, EXACT)))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("line", "reached"),
    [
        ("from . import helpers", True),
        ("from .helpers import double", True),
        ("from my_ground.helpers import double", True),
        ("import my_ground.helpers as helpers", True),
        ("from my_ground import double", True),
        ("from .helpers import (  # doubles (everything)\n    double,\n)", True),
        ("from .helpers import \\\n    double", True),
        ("def late():\n    from .helpers import double", True),
        ("import numpy", False),
        ("HELP = '''\nfrom .helpers we take nothing\n'''", False),
    ],
)
def test_imports_of_another_package_are_followed(tmp_path, line, reached):
    package = tmp_path / "my_ground"
    package.mkdir()
    (package / "__init__.py").write_text("from .helpers import double\n")
    (package / "helpers.py").write_text("def double(x):\n    return 2 * x\n")
    (package / "model.py").write_text(f"from legged_contact_sim.jit import inlined\n{line}\n")
    forget_sources()
    found = sources.sources_of(package / "model.py")
    assert package / "model.py" in found
    assert (package / "helpers.py" in found) == reached


def test_everything_that_entries_reach_is_in_their_key():
    """Follow names from the entries to all functions and constants of the package that are compiled into them."""
    for model in contact.MODELS:
        contact.MODELS[model]
    entries = [entry.py_func for entry in compilation.entries]
    entries = [entry for entry in entries if entry.__module__.startswith("legged_contact_sim.")]
    assert len(entries) > 20
    for entry in entries:
        hashed = cache.kernel_sources(entry)
        waiting, reached = [entry], set()
        while waiting:
            function = waiting.pop()
            path = Path(function.__code__.co_filename)
            if function in reached or not path.is_relative_to(PACKAGE):
                continue
            reached.add(function)
            assert path in hashed, f"{entry} calls {function} of {path}"
            module = sys.modules[function.__module__]
            for cell in function.__closure__ or ():
                waiting.append(cell.cell_contents)
            origins = imported_from(module)
            for name in global_names(function.__code__):
                value = module.__dict__.get(name)
                if isinstance(value, types.FunctionType):
                    waiting.append(value)
                elif name in origins:
                    assert origins[name] in hashed, f"{name}, used in {function}, comes from {origins[name]}"


def global_names(code):
    return {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}


@functools.cache
def imported_from(module):
    """Return the file of the package that each name of a module is imported from."""
    origins, folder = {}, Path(module.__file__).parent
    for node in ast.walk(ast.parse(Path(module.__file__).read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = folder if node.level == 1 else folder.parents[node.level - 2]
            target = base.joinpath(*(node.module or "").split("."))
            for alias in node.names:
                places = target / f"{alias.name}.py", target.with_suffix(".py"), target / "__init__.py"
                origins[alias.asname or alias.name] = next(place for place in places if place.is_file())
    return origins


# the cache, in processes of their own


def height_of_ground(folder, prelude="", **environment):
    """Run the smallest entry with the package in a folder; return the number and what the user was told."""
    kept = {key: value for key, value in os.environ.items() if key not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    environment = {**kept, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    command = [sys.executable, "-c", prelude + HEIGHT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    return float(done.stdout), done.stderr


def test_cache_of_a_read_only_package_is_found_again(tmp_path):
    """A file in the place of `__pycache__` stops everybody from writing there, root too."""
    package = copy_of_package(tmp_path)
    (package / "__pycache__").touch()
    user_cache = tmp_path / "user"
    environment = {"XDG_CACHE_HOME": str(user_cache)}

    value, told = height_of_ground(tmp_path, **environment)
    assert value == 0.25
    assert "evaluate_height: compiled" in told
    (folder,) = (user_cache / "legged_contact_sim").iterdir()
    assert folder.name.startswith("kernels-")
    assert str(folder) in told
    assert list(folder.rglob("*.nbi"))

    assert height_of_ground(tmp_path, **environment) == (value, "")


def test_a_program_may_leave_the_folder_that_its_cache_is_relative_to(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    copy_of_package(tmp_path)
    prelude = "import os, legged_contact_sim.terrain\nos.chdir('elsewhere')\n"
    _, told = height_of_ground(tmp_path, prelude, NUMBA_CACHE_DIR="cache")
    assert str(tmp_path / "cache") in told
    assert list((tmp_path / "cache").rglob("*.nbc"))
    assert not list((tmp_path / "elsewhere").iterdir())


# without compiling


@pytest.mark.parametrize("model", ["exact_lcp", "hybrid"])
def test_everything_runs_uncompiled_with_the_same_numbers(model):
    """The hybrid model's arguments hold records within records of arrays."""
    simulator = Simulator("jumping_leg", contact_model=model)
    simulator.run(5e-3)
    text = f"""
from legged_contact_sim import Simulator
simulator = Simulator("jumping_leg", contact_model="{model}")
simulator.run(5e-3)
print(*simulator.state.v)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    np.testing.assert_allclose([float(x) for x in done.stdout.split()], simulator.state.v, rtol=1e-9, atol=1e-9)


# bind


def test_a_bound_call_is_the_entry_on_the_same_arrays():
    robot = RobotModel.from_urdf("double_pendulum")
    q, v, out = robot.home.copy(), np.array([1.0, -2.0]), np.zeros(3)
    arguments = robot.links, workspace(robot), q, v, np.zeros(2), out
    call = compilation.bind(energy_entry, *arguments)
    for angle in (0.0, 0.5, 1.0):
        q[0] = angle
        v[1] = 3.0 * angle
        call()
        found = out.copy()
        energy_entry(*arguments)
        assert np.array_equal(found, out)
        assert found[0] > 0.0
    assert len(energy_entry.signatures) == 1


def test_an_entry_keeps_its_name_and_a_helper_stays_python():
    assert energy_entry.py_func.__name__ == "energy_entry"

    @compilation.inlined
    def double(x):
        return 2.0 * x

    assert double(1.5) == 3.0
    assert isinstance(double, types.FunctionType)


# types of calls, found once


def test_the_type_of_a_call_is_found_once_and_by_the_arithmetic_of_its_caller(tmp_path):
    """A helper without arithmetic of its own takes its caller's: as written, 1e16 swallows 1.0."""
    script = tmp_path / "kernels.py"
    script.write_text("""
import os
import numba
from numba.core.types.functions import BaseFunction
from numba.extending import register_jitable
from legged_contact_sim.jit import compilation, numba_internals

@register_jitable
def there_and_back(x):
    return (x + 1e16) - 1e16

@compilation.inlined
def loose(x):
    return there_and_back(x) + there_and_back(x) + there_and_back(x)

@compilation.inlined_as_written
def strict(x):
    return there_and_back(x) + there_and_back(x) + there_and_back(x)

@numba.njit(**compilation.MATHS)
def both(x):
    return strict(x), loose(x), strict(x), loose(x), x + 1, 1 + x, min(x, 2.0), min(2, int(x))

asked = []
find_type = BaseFunction.get_call_type
def counted(self, context, args, kws):
    asked.append((self, args))
    return find_type(self, context, args, kws)
BaseFunction.get_call_type = counted
if os.environ["REMEMBER"] == "yes":
    for owner, name, replacement in numba_internals.type_memory():
        setattr(owner, name, replacement)
print(both(1.0), sum(key.typing_key is there_and_back for key, _ in asked))
""")
    answers = []
    for remember in ("no", "yes"):
        environment = {**os.environ, "REMEMBER": remember, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, str(script)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        numbers, count = done.stdout.strip().rsplit(" ", 1)
        answers.append((numbers, int(count)))
    assert answers[0][0] == answers[1][0] == "(0.0, 3.0, 0.0, 3.0, 2.0, 2.0, 1.0, 1)"
    assert answers[0][1] > 2
    assert answers[1][1] == 2  # once as written, once not


# versions of numba


def test_the_floor_that_is_tested_is_the_floor_that_is_promised():
    promised = dict(re.findall(r'"(numba|numpy|scipy)>=([0-9.]+)"', (ROOT / "setup.py").read_text()))
    tested = dict(re.findall(r"(numba|numpy|scipy)==([0-9]+\.[0-9]+)\.", (ROOT / "requirements/floor.txt").read_text()))
    assert len(promised) == 3
    assert tested == promised
