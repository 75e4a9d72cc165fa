"""Which sources a kernel is made of: its own file, the files that it imports, what those import in turn.

Any edit of theirs may reach the kernel through inlining, so all of them enter the key of its cache (see `cache`).
The imports are read from the text; nothing is imported.
"""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
# Rooms of this package that hold kernels, and constants and records that are compiled into them.
KERNEL_ROOMS = (
    *("actuation", "contact", "dynamics", "terrain", "model/closures.py", "model/records.py"),
    *("jit/choice.py", "jit/lanes.py", "jit/lane_memory.py", "simulation/world_entries.py"),
)

# An import statement, with what stands in parentheses. A sentence that begins with "from" is found, too.
IMPORT = re.compile(r"^[ \t]*(?:from|import)\b[^\n(]*(?:\([^)]*\))?", re.MULTILINE)

Names = tuple[str, ...]


@functools.cache
def sources_of(path: Path) -> frozenset[Path]:
    """Return a source and all sources that it can reach by imports: kernels of this package, and its own package."""
    reached: set[Path] = set()
    waiting = [path]
    while waiting:
        source = waiting.pop()
        if source not in reached and (source == path or _holds_kernels(source)):
            reached.add(source)
            waiting.extend(imported(source))
    return frozenset(reached)


@functools.cache
def imported(source: Path) -> frozenset[Path]:
    """Return the sources that a source imports, at its top or within its functions."""
    found: set[Path] = set()
    for module, names in _imports(source):
        found.update(_providers(module, names))
    return frozenset(found - {source})


@functools.cache
def _holds_kernels(source: Path) -> bool:
    """Return whether a source may be compiled into a kernel; of other packages than this one every source may."""
    if not source.is_relative_to(PACKAGE):
        return True
    place = source.relative_to(PACKAGE).as_posix()
    return any(place == room or place.startswith(f"{room}/") for room in KERNEL_ROOMS)


@functools.cache
def _imports(source: Path) -> list[tuple[Path, Names]]:
    """Return the modules that a source imports, without suffix, with the names that it takes from each."""
    found: list[tuple[Path, Names]] = []
    for statement in _statements(source.read_text(encoding="utf-8")):
        if isinstance(statement, ast.Import):
            found += [(place, ()) for alias in statement.names for place in _places(source, alias.name)]
            continue
        names = tuple(alias.name for alias in statement.names)
        if statement.level:
            place = source.parents[statement.level - 1].joinpath(*(statement.module or "").split("."))
            found.append((place, names))
        else:
            found += [(place, names) for place in _places(source, statement.module or "")]
    return found


def _statements(text: str) -> list[ast.Import | ast.ImportFrom]:
    """Return the import statements of a text; where reading only them fails, the whole text is read."""
    try:
        nodes = [node for match in IMPORT.findall(text) for node in ast.parse(match.strip()).body]
    except SyntaxError:
        nodes = list(ast.walk(ast.parse(text)))
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]


def _places(source: Path, module: str) -> Iterator[Path]:
    """Yield where an absolute import leads: into this package, or into the importing source's own package."""
    parts = module.split(".")
    if parts[0] == PACKAGE.name:
        yield PACKAGE.parent.joinpath(*parts)
        return
    top = source.parent
    while (top / "__init__.py").is_file():
        top = top.parent
    own = source.relative_to(top).parts[0].removesuffix(".py")
    if parts[0] == own or _is_file(top / f"{parts[0]}.py"):
        yield top.joinpath(*parts)


@functools.cache
def _is_file(path: Path) -> bool:
    return path.is_file()


def _providers(module: Path, names: Names) -> Iterator[Path]:
    """Yield the sources that give these names: a module; or of a package the modules that the names come from."""
    package = module / "__init__.py"
    if not _is_file(package):
        if _is_file(file := module.with_name(f"{module.name}.py")):
            yield file
        return
    given = {name: (place, (name,)) for place, provided in _imports(package) for name in provided}
    for name in names:
        if name in given and given[name][0] != module:
            yield from _providers(*given[name])
        elif _is_file(file := module / f"{name}.py") or _is_file(file := module / name / "__init__.py"):
            yield file
        else:
            yield package
    if not names:
        yield package
