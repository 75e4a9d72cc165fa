"""Xacro files: expanded by the `xacro` package (extra `xacro`), with packages found as those of meshes are."""

import contextlib
import importlib.util
import io
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from ..errors import ModelError
from .mesh import package_folder


def arguments_of(given: Mapping[str, object] | Sequence[str]) -> dict[str, str]:
    """Return xacro arguments from a mapping or from words like ``name:=value``.

    Raises:
        ModelError: a word is not of that form.
    """
    if isinstance(given, Mapping):
        return {str(name): str(value) for name, value in given.items()}
    found = {}
    for word in given:
        name, separator, value = str(word).partition(":=")
        if not separator or not name:
            raise ModelError(f"xacro argument {word!r}; expected NAME:=VALUE")
        found[name] = value
    return found


def expand(path: Path, arguments: Mapping[str, str], packages: Sequence[Path]) -> str:
    """Return the URDF text of a xacro file.

    Args:
        path: of the file.
        arguments: values of its `<xacro:arg>`s.
        packages: folders that are, or hold, the packages of ``$(find ...)``.

    Raises:
        ModelError: xacro is not installed, or cannot expand the file.
    """
    if importlib.util.find_spec("xacro") is None:
        raise ModelError("is a xacro file, and the package xacro is not installed: pip install xacro")
    import xacro

    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), _packages_found(path.parent, packages):
            document = xacro.process_file(str(path), mappings=dict(arguments))
        return str(document.toprettyxml(indent=" "))
    except (Exception, SystemExit) as error:  # xacro raises whatever the evaluation of its expressions raises
        # xacro puts the type of an error that it does not know before its message
        cause, told = (" ".join(text.replace(f"{ModelError}: ", "").split()) for text in (str(error), said.getvalue()))
        words = (told if cause in told else cause if told in cause else f"{cause} {told}") or type(error).__name__
        raise ModelError(f"xacro cannot expand it: {words}{_what_to_give(words)}") from None


def _what_to_give(words: str) -> str:
    """Return how to give the argument that a message of xacro misses, if it is about one."""
    found = re.search(r"Undefined substitution argument (\w+)", words)
    if found is None:
        return ""
    name = found[1]
    return f"; it has no default: give it by --xacro {name}:=VALUE, or xacro_arguments={{{name!r}: VALUE}}"


@contextlib.contextmanager
def _packages_found(folder: Path, packages: Sequence[Path]) -> Iterator[None]:
    """Let xacro find packages as meshes are found: it asks ament's index, which only a machine with ROS 2 has."""
    index = ModuleType("ament_index_python.packages")
    index.get_package_share_directory = lambda name: str(package_folder(name, folder, packages))  # type: ignore[attr-defined]
    stand_ins = {"ament_index_python": ModuleType("ament_index_python"), "ament_index_python.packages": index}
    hidden = {name: sys.modules.get(name) for name in stand_ins}
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for name, module in hidden.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
