"""MuJoCo's MJCF: compiled by MuJoCo itself (extra `mjcf`), then read body by body into a description.

What is read: bodies, hinge, slide and free joints, inertia, collision geoms, keyframes, gains and limits of actuators
on joints, armature, damping, dry friction, springs, sites (frames of IMUs and the like), equality constraints that
connect bodies or couple joints. Ball joints become three hinges; everything else that would change the motion and is
not read is named in the notes.
"""

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError
from .collision_pairs import LinkPair
from .extras import Spring, Transmission
from .inertia import RigidInertia
from .mjcf_assets import compile_file
from .mjcf_balls import ball_angles, ball_hinges
from .mjcf_closures import read_equalities
from .mjcf_drives import Drives, read_drives
from .mjcf_numbers import check_numbers
from .mjcf_shapes import PLANE, body_shapes, colliding_geoms, disabled_collisions
from .placement import Placement, rotation_about, rotation_from_quaternion
from .urdf import JointDescription, LinkDescription, RobotDescription, Shape

WORLD = "world"
OLDEST = (3, 3)  # version of MuJoCo, as in setup.py
BALL = 1  # of MuJoCo's enumeration mjtJoint


@dataclass
class MjcfRobot:
    """What an MJCF holds.

    Attributes:
        description: links and joints, as of a URDF.
        poses: the keyframes, {name: {joint: position}}, rad or m.
        gains: {joint: (stiffness, damping)} of position actuators.
        notes: what was left out.
        disabled_collisions: pairs of bodies that are not to collide.
    """

    description: RobotDescription
    poses: dict[str, dict[str, float]] = field(default_factory=dict)
    gains: dict[str, tuple[float, float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    disabled_collisions: set[LinkPair] = field(default_factory=set)


def read_mjcf(text: str, path: Path | None) -> MjcfRobot:
    """Return the robot of an MJCF.

    Args:
        text: the XML, used without a path.
        path: of the file, which may include others.

    Raises:
        ModelError: MuJoCo is not installed or does not compile the file.
    """
    if importlib.util.find_spec("mujoco") is None:
        raise ModelError("is an MJCF, and the package mujoco, which compiles it, is not installed: pip install mujoco")
    import mujoco

    if tuple(map(int, mujoco.__version__.split(".")[:2])) < OLDEST:
        raise ModelError(f"is an MJCF, and mujoco {mujoco.__version__} cannot read all of it: pip install -U mujoco")
    try:
        with _warnings_of(mujoco) as warned:
            read = compile_file(mujoco, path) if path else (mujoco.MjModel.from_xml_string(text), {}, [])
    except ModelError:
        raise
    except ValueError as error:
        raise ModelError(f"MuJoCo does not compile it: {' '.join(str(error).split())}") from None
    check_numbers(read[0])
    found = _Reader(*read).robot()
    found.notes += [f"MuJoCo warns: {warning}" for warning in warned]
    return found


@contextmanager
def _warnings_of(mujoco: Any) -> Iterator[list[str]]:
    """Collect MuJoCo's warnings, which else go to the terminal and to a file in the working folder."""
    warned: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: warned.append(" ".join(text.split())))
    try:
        yield warned
    finally:
        mujoco.set_mju_user_warning(before)


class _Reader:
    """Reads a compiled model, whose bodies may lack shapes of lost files; ``notes`` are those about them."""

    def __init__(self, model: Any, lost: dict[int, list[Shape]], notes: list[str]) -> None:
        self.model = model
        self.lost = lost
        self.drives: Drives = read_drives(model, self.joint_name)
        self.links: dict[str, LinkDescription] = {}
        self.joints: list[JointDescription] = []
        self.notes = notes
        self.collide = colliding_geoms(model, self.notes)

    def robot(self) -> MjcfRobot:
        """Return the whole robot."""
        model = self.model
        root = self._root()
        if root is None:
            self.links[WORLD] = LinkDescription(WORLD)
            self.notes.append("nothing in it floats (a free joint), so it is fixed to the world")
        for body in range(1, model.nbody):
            if self._is_left_out(body, root):
                continue
            self._add_body(body, is_root=body == root)
        self._add_sites()
        closures, left_out = read_equalities(model, self.body_name, self.joint_name)
        self.notes += [*self.drives.notes, *left_out, *_unread(model)]
        description = RobotDescription(_text(model.names, 0) or "robot", self.links, self.joints, closures)
        disabled = disabled_collisions(model, self.body_name)
        return MjcfRobot(description, self._keyframes(), self.drives.gains, self.notes, disabled)

    def _root(self) -> int | None:
        """Return the floating body that has more joints than anything else there; None: the world is the root."""
        model = self.model
        carried = [body for body in range(1, model.nbody) if model.body_parentid[body] == 0]
        counts = [int(model.body_jntnum[model.body_rootid == body].sum()) for body in carried]
        most = max(counts, default=0)
        if most == 0 or counts.count(most) > 1:
            return None
        largest = carried[counts.index(most)]
        return largest if self._is_free(largest) else None

    def _is_left_out(self, body: int, root: int | None) -> bool:
        """Tell whether a body belongs to the surroundings of a robot that floats."""
        if root is None or self.model.body_rootid[body] == root:
            return False
        if self.model.body_parentid[body] == 0:
            moves = self.model.body_jntnum[self.model.body_rootid == body].any()
            why = "stands beside the robot" if moves else "does not move"
            self.notes.append(f"body {self.body_name(body)!r} {why} and is left out: the terrain is the simulator's")
        return True

    def _is_free(self, body: int) -> bool:
        model = self.model
        return bool(model.body_jntnum[body] and model.jnt_type[model.body_jntadr[body]] == 0)

    def _add_body(self, body: int, is_root: bool) -> None:
        model, name = self.model, self.body_name(body)
        shapes = (*body_shapes(model, body, self.collide, self.notes), *self.lost.get(body, ()))
        self.links[name] = LinkDescription(name, self._inertia(body), shapes)
        if is_root:
            return
        place = Placement(rotation_from_quaternion(model.body_quat[body][[1, 2, 3, 0]]), model.body_pos[body].copy())
        parent = self.body_name(int(model.body_parentid[body]))
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        for joint in range(first, first + count):
            kind = int(model.jnt_type[joint])
            anchor = np.zeros(3) if kind == 0 else model.jnt_pos[joint].copy()
            place = place.compose(Placement(np.eye(3), anchor))
            last = joint == first + count - 1 and not anchor.any()
            child = name if last else f"{name}_at_{self.joint_name(joint)}"
            if not last:
                self.links[child] = LinkDescription(child)
            if kind == BALL:
                self._add_ball(joint, parent, child, place)
            else:
                self.joints.append(self._joint(joint, parent, child, place))
            parent, place = child, Placement(np.eye(3), -anchor)
        if parent != name:
            self.joints.append(_fixed(name, parent, place))

    def _add_ball(self, joint: int, parent: str, child: str, place: Placement) -> None:
        """Add a ball joint as three hinges."""
        model, name, dof = self.model, self.joint_name(joint), int(self.model.jnt_dofadr[joint])
        template = JointDescription(
            name,
            "continuous",
            parent,
            child,
            place,
            np.array([1.0, 0.0, 0.0]),
            damping=_first(model.dof_damping[dof]),
            friction=float(model.dof_frictionloss[dof]),
            transmission=Transmission(1.0, float(model.dof_armature[dof])),
        )
        between, hinges = ball_hinges(name, parent, child, place, template)
        self.links.update({link: LinkDescription(link) for link in between})
        self.joints += hinges
        self.notes.append(f"ball joint {name!r} is taken as three hinges, singular a quarter turn about y away")
        if model.jnt_limited[joint] or _first(model.jnt_stiffness[joint]):
            self.notes.append(f"limit and stiffness of ball joint {name!r} are left out")

    def _joint(self, joint: int, parent: str, child: str, place: Placement) -> JointDescription:
        model, name = self.model, self.joint_name(joint)
        if model.jnt_type[joint] == 0:
            return JointDescription(name, "floating", parent, child, place, np.array([1.0, 0.0, 0.0]))
        dof, position = int(model.jnt_dofadr[joint]), int(model.jnt_qposadr[joint])
        axis, reference = model.jnt_axis[joint].copy(), float(model.qpos0[position])
        hinge = model.jnt_type[joint] == 3
        back = (
            Placement(rotation_about(axis, -reference), np.zeros(3))
            if hinge
            else Placement(np.eye(3), -reference * axis)
        )
        limits = {}
        if model.jnt_limited[joint]:
            limits = {"lower": float(model.jnt_range[joint][0]), "upper": float(model.jnt_range[joint][1])}
        return JointDescription(
            name,
            "revolute" if hinge else "prismatic",
            parent,
            child,
            place.compose(back),
            axis,
            effort=self.drives.limits.get(name, np.inf),
            damping=_first(model.dof_damping[dof]),
            friction=float(model.dof_frictionloss[dof]),
            transmission=Transmission(1.0, float(model.dof_armature[dof])),
            spring=Spring(_first(model.jnt_stiffness[joint]), float(model.qpos_spring[position])),
            **limits,
        )

    def _inertia(self, body: int) -> RigidInertia | None:
        model = self.model
        mass = float(model.body_mass[body])
        if mass == 0.0 and not model.body_inertia[body].any():
            return None
        rotation = rotation_from_quaternion(model.body_iquat[body][[1, 2, 3, 0]])
        moments = rotation @ np.diag(model.body_inertia[body]) @ rotation.T
        return RigidInertia(mass, model.body_ipos[body].copy(), moments)

    def _add_sites(self) -> None:
        """Add the named sites as links without mass."""
        model = self.model
        for site in range(model.nsite):
            name = _text(model.names, model.name_siteadr[site])
            parent = self.body_name(int(model.site_bodyid[site]))
            if not name or parent not in self.links:
                continue
            name = name if name not in self.links else f"{name}_site"
            rotation = rotation_from_quaternion(model.site_quat[site][[1, 2, 3, 0]])
            place = Placement(rotation, model.site_pos[site].copy())
            self.links[name] = LinkDescription(name)
            self.joints.append(_fixed(name, parent, place))

    def _keyframes(self) -> dict[str, dict[str, float]]:
        model = self.model
        own = [joint for joint in range(model.njnt) if self.body_name(int(model.jnt_bodyid[joint])) in self.links]
        single = [joint for joint in own if model.jnt_type[joint] in (2, 3)]
        poses = {}
        for key in range(model.nkey):
            name = _text(model.names, model.name_keyadr[key]) or f"key_{key}"
            poses[name] = {
                self.joint_name(joint): float(model.key_qpos[key][model.jnt_qposadr[joint]]) for joint in single
            }
            for joint in (joint for joint in own if model.jnt_type[joint] == BALL):
                start = int(model.jnt_qposadr[joint])
                poses[name] |= ball_angles(self.joint_name(joint), model.key_qpos[key][start : start + 4])
        return poses

    def body_name(self, body: int) -> str:
        """Return a body's name, or a number."""
        return _text(self.model.names, self.model.name_bodyadr[body]) or f"body_{body}"

    def joint_name(self, joint: int) -> str:
        """Return a joint's name, or a number."""
        return _text(self.model.names, self.model.name_jntadr[joint]) or f"joint_{joint}"


def _first(value: Any) -> float:
    """Return the linear part of a damping or stiffness, which newer versions of MuJoCo give as a polynomial."""
    return float(np.atleast_1d(value)[0])


def _fixed(name: str, parent: str, place: Placement) -> JointDescription:
    return JointDescription(f"{name}_fixed", "fixed", parent, name, place, np.array([1.0, 0.0, 0.0]))


def _text(names: bytes, address: int) -> str:
    end = names.index(b"\0", int(address))
    return names[int(address) : end].decode("utf-8", errors="replace")


def _unread(model: Any) -> list[str]:
    """Return notes on what would change the motion and is not read."""
    notes = []
    for count, words in (
        (model.ntendon, "tendons"),
        (getattr(model, "nflex", 0), "flexible bodies"),
        (model.nmocap, "mocap bodies"),
        (getattr(model, "nplugin", 0), "plugins"),
    ):
        if count:
            notes.append(f"{count} {words} are left out")
    if model.opt.density or model.opt.viscosity:
        notes.append("the drag of the medium is left out")
    if np.any(model.body_gravcomp):
        notes.append("gravity compensation of bodies is left out")
    for name in ("dof_damping", "jnt_stiffness"):
        values = np.atleast_2d(getattr(model, name))
        if getattr(model, name).ndim > 1 and np.any(values[:, 1:]):
            notes.append(f"higher orders of {name.partition('_')[2]} are left out")
    free = np.isin(model.dof_jntid, np.flatnonzero(model.jnt_type == 0))
    acting = [name for name in ("armature", "damping", "frictionloss") if np.any(getattr(model, f"dof_{name}")[free])]
    if acting:
        notes.append(f"{', '.join(acting)} of a free joint is left out: nothing holds a floating base")
    if not np.allclose(model.opt.gravity, (0.0, 0.0, -9.81)):
        notes.append(f"its gravity, {model.opt.gravity.tolist()} m/s^2, is not taken over")
    touching = (model.geom_contype > 0) | (model.geom_conaffinity > 0)
    ground = touching & (model.geom_bodyid == 0) & (model.geom_type != PLANE)
    if np.any(ground):
        notes.append(f"{np.count_nonzero(ground)} shapes of the world are left out: the terrain is the simulator's")
    if np.any(touching & (model.geom_bodyid > 0)):
        notes.append("friction and softness of its geoms are not taken over: they are parameters of the contact model")
    return notes
