"""Vertices of collision meshes: finding the file, reading STL, OBJ and COLLADA, and the corners of the convex hull."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

import numpy as np

from ..errors import ModelError
from .collada import read_collada
from .packaged import ament_shares
from .placement import Array
from .xml_text import LFS_POINTER

MOST_POINTS = 64

_STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def mesh_points(filename: str, scale: tuple[float, ...], folder: Path | None, packages: Sequence[Path] = ()) -> Array:
    """Return the corners (n, 3) of a mesh's convex hull in the mesh's frame, at most MOST_POINTS, spread out, m.

    Args:
        filename: as in the URDF: `package://`, `file://`, absolute, or relative to the URDF's folder.
        scale: factor along each axis.
        folder: that holds the URDF; None: the URDF is text, and paths are relative to the working directory.
        packages: see `find_mesh`.

    Raises:
        ModelError: the file is missing or cannot be read.
    """
    vertices = read_vertices(find_mesh(filename, folder, packages)) * np.array(scale)
    return hull_points(vertices)


def hull_points(vertices: Array) -> Array:
    """Return corners of the convex hull of vertices (n, 3), at most MOST_POINTS, spread out."""
    corners = _hull(vertices)
    return np.asarray(corners[spread(corners, MOST_POINTS)])


def find_mesh(filename: str, folder: Path | None, packages: Sequence[Path] = ()) -> Path:
    """Return the file that a URDF's mesh filename means.

    Args:
        filename: as in the URDF.
        folder: that holds the URDF.
        packages: folders that are, or hold, the packages of `package://` addresses; besides them are looked through
            those above the URDF, on ROS_PACKAGE_PATH and on AMENT_PREFIX_PATH.
    """
    folder = folder or Path.cwd()
    scheme, separator, rest = filename.partition("://")
    if separator and scheme not in ("package", "file"):
        raise ModelError(f"mesh {filename!r} has the scheme {scheme!r}; expected package:// or file://")
    if scheme == "package" and separator:
        candidates = _package_candidates(unquote(rest), folder, packages)
    else:
        candidates = [folder / (unquote(rest) if separator else filename)]
    for candidate in candidates:
        if os.path.isfile(candidate):  # unlike Path.is_file, False for a name that is too long
            return candidate
    looked = ", ".join(str(candidate.parent) for candidate in candidates[:3])
    raise ModelError(f"mesh {filename!r} is not there (looked in {looked}{', ...' if len(candidates) > 3 else ''})")


def package_folder(package: str, folder: Path, packages: Sequence[Path] = ()) -> Path:
    """Return the folder of a ROS package, looked for as `find_mesh` does.

    Raises:
        ModelError: it is nowhere.
    """
    candidates = _package_folders(package, folder, packages)
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    raise ModelError(f"package {package!r} is not there (looked in {', '.join(map(str, candidates[:3]))}, ...)")


def _package_candidates(path: str, folder: Path, packages: Sequence[Path]) -> list[Path]:
    """Return where a file of a ROS package may be."""
    package, _, inside = path.lstrip("/").partition("/")
    return [place / inside for place in _package_folders(package, folder, packages)]


def _package_folders(package: str, folder: Path, packages: Sequence[Path]) -> list[Path]:
    """Return where a package may be: what was told comes first, a folder of its name before one that may hold it."""
    above = [folder, *folder.parents]
    listed = [Path(place) for place in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if place]
    told = [*map(Path, packages), *listed]
    named = [place for place in (*told, *above) if package in (place.name, _manifest_name(place))]
    return named + [place / package for place in (*told, *above, *ament_shares())]


def _manifest_name(folder: Path) -> str:
    """Return what the `package.xml` of a folder calls the package, "" without one; a clone may be called otherwise."""
    manifest = folder / "package.xml"
    if not os.path.isfile(manifest):
        return ""
    found = re.search(r"<name>\s*(.*?)\s*</name>", manifest.read_text(encoding="utf-8", errors="replace"))
    return found[1] if found else ""


def read_vertices(path: Path) -> Array:
    """Return the vertices (n, 3) of an STL (text or binary), OBJ (in the file's unit) or COLLADA file (m)."""
    readers = {".stl": _read_stl, ".obj": _read_obj, ".dae": read_collada}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ModelError(f"mesh {str(path)!r} is a {path.suffix or 'file without suffix'}; expected .stl, .obj or .dae")
    try:
        content = path.read_bytes()
        if content.startswith(LFS_POINTER.encode()):
            raise ValueError("it is a pointer of Git LFS, not the mesh (git lfs pull brings it)")
        vertices = reader(content)
    except (OSError, ValueError) as error:
        raise ModelError(f"mesh {str(path)!r} cannot be read: {error}") from None
    if len(vertices) == 0 or not np.all(np.isfinite(vertices)):
        raise ModelError(f"mesh {str(path)!r} has no vertices, or some that are not finite")
    return vertices


def _read_stl(content: bytes) -> Array:
    # Some binary files begin with "solid" as text files do, so the length decides.
    count = int.from_bytes(content[80:84], "little")
    length = 84 + _STL_TRIANGLE.itemsize * count
    if len(content) == length:
        return np.frombuffer(content, _STL_TRIANGLE, offset=84)["corners"].reshape(-1, 3).astype(float)
    if not content.lstrip().startswith(b"solid"):
        raise ValueError(f"{len(content)} bytes, expected {length} for {count} triangles, or text from solid on")
    return _rows(content, "vertex")


def _read_obj(content: bytes) -> Array:
    return _rows(content, "v")


def _rows(content: bytes, keyword: str) -> Array:
    """Return the three numbers after the keyword on each line that begins with it, (n, 3)."""
    lines = content.decode("utf-8", errors="replace").splitlines()
    rows = [words[1:4] for line in lines if (words := line.split())[:1] == [keyword]]
    if any(len(row) < 3 for row in rows):
        raise ValueError(f"expected three numbers after each {keyword}")
    return np.array(rows, dtype=float).reshape(-1, 3)


def _hull(vertices: Array) -> Array:
    """Return the corners of the convex hull; all different vertices of a mesh that is flat."""
    from scipy.spatial import ConvexHull, QhullError  # takes half a second, and few robots have meshes

    corners = np.unique(vertices, axis=0)
    try:
        return corners[ConvexHull(corners).vertices]
    except (QhullError, ValueError):
        return corners


def spread(points: Array, most: int) -> list[int]:
    """Return the indices of at most `most` points (n, 3): the farthest from the centre, then from those each time."""
    if len(points) <= most:
        return list(range(len(points)))
    chosen = [int(np.argmax(np.linalg.norm(points - points.mean(axis=0), axis=1)))]
    distance = np.full(len(points), np.inf)
    while len(chosen) < most:
        distance = np.minimum(distance, np.linalg.norm(points - points[chosen[-1]], axis=1))
        chosen.append(int(np.argmax(distance)))
    return sorted(chosen)
