"""The plan of the package: which folder may import which. Imports are read from the sources, nothing is run."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = "legged_contact_sim"
ROOT = Path(__file__).parents[1] / PACKAGE

# Folders from left to right; a module imports from its own folder and from those left of it, not from a neighbour.
CHAIN = (
    ("jit", "errors"),
    ("terrain",),
    ("model",),
    ("dynamics",),
    ("actuation",),
    ("contact",),
    ("simulation",),
    ("sensing",),
    ("control",),
    ("studies", "compare", "gym", "viewer", "recording"),
    ("nodes",),
    ("app",),
    ("programs",),
)
RANK = {name: k for k, names in enumerate(CHAIN) for name in names}

# Rooms inside contact/: what each may import besides itself; "" is the top, which all share.
ROOMS = {
    "": {""},
    "solvers": {""},
    "stepping": {"", "solvers"},
    "cuts": {"", "solvers", "stepping"},
    "events": {"", "solvers"},
    "models": {"", "solvers", "stepping", "cuts", "events"},
}
# Modules at the top of contact/ that hand out what is in the rooms: nothing in a room imports them.
FACADES = {"__init__", "registry", "lcp", "friction"}

# Folders with more than one idea in them, whose README.md says how the parts fit together.
WITH_A_PAGE = (
    "terrain", "model", "dynamics", "actuation", "contact/solvers", "contact/stepping", "contact/cuts", "simulation",
    "control", "studies", "recording", "nodes", "app", "jit", "contact", "contact/events", "sensing", "compare", "gym",
    "viewer", "contact/events/flow", "contact/events/impact", "contact/events/loop",
)  # fmt: skip


def sources(folder=ROOT):
    """Return the modules of a folder, as names with dots and paths."""
    return {name_of(path): path for path in sorted(folder.rglob("*.py"))}


def name_of(path):
    """Return the dotted name of a module; a package is named like its folder."""
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = sources()


def imports_of(name, path):
    """Yield the dotted names of all modules that a module imports, also inside functions."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                whole = f"{module}.{alias.name}"
                yield whole if whole in MODULES else module


def own_imports(name, path):
    """Return the modules of this package that a module imports."""
    return {module for module in imports_of(name, path) if module.split(".")[0] == PACKAGE}


def folder_of(name):
    """Return a module's place in the chain; None: the package itself."""
    return name.split(".")[1] if "." in name else None


def room_of(name):
    """Return the room of a module of contact/."""
    rest = name.split(".")[2:]
    return rest[0] if rest and rest[0] in ROOMS else ""


def test_every_folder_has_a_place_in_the_chain():
    found = {folder_of(name) for name in MODULES} - {None, "__main__"}
    assert found <= set(RANK), f"not in the plan: {sorted(found - set(RANK))}"
    rooms = {path.name for path in (ROOT / "contact").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert rooms <= set(ROOMS), f"not in the plan of contact/: {sorted(rooms - set(ROOMS))}"


def test_imports_go_one_way():
    wrong = []
    for name, path in MODULES.items():
        if folder_of(name) in (None, "__main__"):
            continue
        for module in own_imports(name, path):
            here, there = folder_of(name), folder_of(module)
            if there is None or (here != there and RANK[there] >= RANK[here]):
                wrong.append(f"{name} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_rooms_of_contact_import_what_they_may():
    wrong = []
    for name, path in sources(ROOT / "contact").items():
        inside = name.removeprefix(f"{PACKAGE}.contact").lstrip(".")
        if (inside or "__init__") in FACADES:
            continue
        for module in own_imports(name, path):
            if folder_of(module) != "contact":
                continue
            top = module.removeprefix(f"{PACKAGE}.contact").lstrip(".") or "__init__"
            if room_of(module) not in ROOMS[room_of(name)] | {room_of(name)} or top in FACADES:
                wrong.append(f"{name} imports {module}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("library", "folder"), [("rclpy", "nodes"), ("numba", "jit"), ("llvmlite", "jit"), ("gymnasium", "gym")]
)
def test_a_library_stays_in_its_folder(library, folder):
    for name, path in MODULES.items():
        if folder_of(name) != folder:
            assert library not in {module.split(".")[0] for module in imports_of(name, path)}, name


def test_a_node_starts_without_what_only_some_controllers_need():
    """SciPy's parts cost a third of a node's start; tests and launch files start many nodes."""
    seen = "print(*(name for name in sys.modules if name.startswith(('scipy.', 'matplotlib', 'mujoco', 'viser'))))"
    code = f"import sys; import {PACKAGE}.control, {PACKAGE}.simulation, {PACKAGE}.sensing, {PACKAGE}.app.cli; {seen}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    parts = {name.split(".")[1] for name in done.stdout.split() if "." in name}
    assert not {part for part in parts if not part.startswith("_")} - {"version"}, parts


def test_the_reader_of_imports_sees_them():
    """A test of the test: relative, absolute and late imports are all found."""
    path = ROOT / "contact" / "made_up.py"
    lines = "from ..jit import inlined", "from . import records", "import rclpy", "def late():"

    class Source:
        name = path.name

        @staticmethod
        def read_text():
            return "\n".join([*lines, "    from .models import moreau", ""])

    found = set(imports_of(f"{PACKAGE}.contact.made_up", Source))
    assert found == {f"{PACKAGE}.{rest}" for rest in ("jit", "contact.records", "contact.models.moreau")} | {"rclpy"}


@pytest.mark.parametrize("folder", WITH_A_PAGE)
def test_folders_say_what_is_in_them(folder):
    page = ROOT / folder / "README.md"
    assert page.is_file(), f"{folder} has no README.md"
    text = page.read_text()
    assert len(text.splitlines()) <= 60, f"{folder}/README.md is longer than a screen"
    assert "mports" in text, f"{folder}/README.md does not say what may be imported"
