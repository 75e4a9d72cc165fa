"""An MJCF whose meshes or textures are not all there: compiled without them, and which link misses which shape."""

from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError
from .placement import Placement
from .urdf import Shape

# What a mesh that is lost is for MuJoCo: a tetrahedron, which neither collides nor weighs.
_TETRAHEDRON = (0.1 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])).ravel()


def compile_file(mujoco: Any, path: Path) -> tuple[Any, dict[int, list[Shape]], list[str]]:
    """Return the compiled model of a file, the collision shapes that bodies lack because files are lost, and a note.

    Raises:
        ModelError: the mass of a body is that of a mesh that is lost.
        ValueError: MuJoCo does not compile it, for another reason.
    """
    try:
        return mujoco.MjModel.from_xml_path(str(path)), {}, []
    except ValueError as error:
        spec = mujoco.MjSpec.from_file(str(path))
        here = Path(spec.modelfiledir or path.parent)
        lost = _lost(here / spec.meshdir, spec.meshes) | _lost(here / spec.texturedir, spec.textures)
        if not lost:
            raise error
    missing = _without(mujoco, spec, lost)
    model = spec.compile()
    shapes: dict[int, list[Shape]] = {}
    for body, name, file in missing:
        shape = Shape(name, "mesh", Placement(np.eye(3), np.zeros(3)), (1.0, 1.0, 1.0), str(here / spec.meshdir / file))
        shapes.setdefault(body.id, []).append(shape)
    names = sorted({Path(file).name for file in lost})
    some = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    return model, shapes, [f"{len(names)} of its meshes and textures are not there ({some})"]


def _lost(folder: Path, assets: Any) -> set[str]:
    return {asset.file for asset in assets if asset.file and not (folder / asset.file).is_file()}


def _without(mujoco: Any, spec: Any, lost: set[str]) -> list[tuple[Any, str, str]]:
    """Let a specification do without lost files; return bodies, geoms and files of collision shapes that it loses."""
    files = {}
    for mesh in spec.meshes:
        if mesh.file in lost:
            mesh.name = mesh.name or Path(mesh.file).stem
            files[mesh.name], mesh.file, mesh.uservert = mesh.file, "", _TETRAHEDRON
    for texture in spec.textures:
        if texture.file in lost:
            texture.file, texture.builtin = "", mujoco.mjtBuiltin.mjBUILTIN_FLAT
            texture.width = texture.height = 1
    missing = []
    for geom in spec.geoms:
        if geom.meshname not in files:
            continue
        body, file = geom.parent, files[geom.meshname]
        weighs = geom.density > 0.0 if np.isnan(geom.mass) else geom.mass > 0.0
        if weighs and not body.explicitinertial and body != spec.worldbody:
            raise ModelError(f"body {body.name!r}: mesh {file!r}, which gives it its mass, is not there")
        if geom.contype or geom.conaffinity:
            missing.append((body, geom.name, file))
        geom.contype, geom.conaffinity, geom.mass = 0, 0, 0.0
    return missing
