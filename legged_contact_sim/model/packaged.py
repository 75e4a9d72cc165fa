"""Finding robot descriptions: by packaged name, by path, or as text; with the YAML file beside them."""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from ..errors import ModelError

SIDECAR_KEYS = ("home", "contact_points", "feet", "closures")


@dataclass(frozen=True)
class Source:
    """A URDF as found.

    Attributes:
        label: what to call it in errors.
        text: the XML.
        path: of the file; None for text.
        sidecar: what the YAML file beside it holds: `home`, `contact_points` and `feet`, all optional.
    """

    label: str
    text: str
    path: Path | None = None
    sidecar: dict[str, Any] = field(default_factory=dict)

    @property
    def folder(self) -> Path | None:
        """Where the file stands; None for text."""
        return self.path.parent if self.path else None


def ament_shares() -> list[Path]:
    """Return the `share` folder of each prefix on AMENT_PREFIX_PATH."""
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    return [Path(prefix) / "share" for prefix in prefixes if prefix]


def _urdf_folders() -> list[Path]:
    checkout = Path(__file__).resolve().parents[2]
    shares = [Path(sys.prefix) / "share", *ament_shares()]
    return [checkout / "urdf", *(share / "legged_contact_sim" / "urdf" for share in shares)]


def _packaged() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for folder in _urdf_folders():
        for path in sorted(folder.glob("*.urdf")):
            found.setdefault(path.stem, path)
    return found


def robots() -> list[str]:
    """Return the names of the robots that come with the package."""
    return sorted(_packaged())


def load(source: str | os.PathLike[str]) -> Source:
    """Find a URDF and read it.

    Args:
        source: a packaged name, a path, or the XML itself (any text that begins with "<" or has several lines).

    Raises:
        ModelError: there is no such robot, or its file cannot be read.
    """
    if not isinstance(source, str | os.PathLike):
        raise ModelError(f"a robot is given by name, path or URDF text; got {type(source).__name__}")
    name = os.fspath(source)
    if not isinstance(name, str):
        raise ModelError("a path to a URDF is a str or a Path; got bytes")
    if isinstance(source, str) and _is_text(source):
        return Source("URDF text", source)
    path = _packaged().get(name, Path(name))
    return Source(str(path), _read(path, name), path.resolve(), _read_sidecar(path.with_suffix(".yaml")))


def _is_text(source: str) -> bool:
    return not source.strip() or source.lstrip("\ufeff \t\r\n").startswith("<") or "\n" in source


def _read(path: Path, name: str) -> str:
    if os.path.isdir(path):
        raise ModelError(f"{path}: is a folder; expected a URDF file")
    # os.path answers False where Path.is_file raises: names that are too long or hold a null character.
    if not os.path.isfile(path):
        known = ", ".join(robots()) or "none"
        raise ModelError(f"{name}: no such robot; no file {Path.cwd() / name}, and the packaged robots are: {known}")
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise ModelError(f"{path}: is not text; expected a URDF in UTF-8") from None
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from None


def _read_sidecar(path: Path) -> dict[str, Any]:
    if not os.path.lexists(path):
        return {}
    try:
        content = yaml.safe_load(path.read_bytes())
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise ModelError(f"{path}: cannot be read as YAML: {' '.join(str(error).split())}") from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise ModelError(f"{path}: holds a {type(content).__name__}; expected the keys {', '.join(SIDECAR_KEYS)}")
    for key in content:
        if key not in SIDECAR_KEYS:
            raise ModelError(f"{path}: has the key {key!r}; expected {' or '.join(SIDECAR_KEYS)}")
    return content
