"""RobotModel: what a robot is, as the simulator reads it from a URDF, a xacro file or an MJCF."""

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError, ModelWarning, ParameterError
from .actuators import with_actuators
from .assembly import coordinate_counts, link_records, odd_inertias
from .capsules import shape_capsules
from .closing import closed_home
from .closures import closure_records, read_closures
from .collision import Meshes, contact_records, extra_points, names_with_feet, points_that_move, shape_points
from .collision_pairs import collision_pairs
from .feet import named_points, sole_points
from .finite import finite_array
from .massless import check_joints_move_inertia
from .packaged import Source, load
from .posture import Mechanism, choose_posture
from .reading import Described, Reading, describe
from .records import FREE
from .reduction import reduced_points
from .suggestion import suggestion
from .tree import Frame, Tree, build_tree

BASES = ("floating", "fixed")
MESHES = ("hull", "skip")
MIMIC = ("couple", "lock")


@dataclass(frozen=True, eq=False)
class RobotModel:
    """A robot: moving bodies in a tree, joints between them, and points that can touch the ground.

    Positions are q = [x y z, qx qy qz qw, joints...] and velocities v = [linear, angular, joints...], the linear and
    angular velocity of a free body in its own frame; a fixed base has joints only. Joints stand in the order of the
    URDF file, depth first. All arrays are read-only.

    Attributes:
        name: of the robot.
        base: "floating" or "fixed".
        links: LINK records, one per moving body, parents before children.
        link_names: URDF link that gives each moving body its frame; links fixed to it are merged into the body.
        joint_names: joints with one coordinate, in joint order.
        joint_links: (joint_count,), index of the body that each joint moves.
        nq: length of q.
        nv: length of v.
        contact_points: CONTACT_POINT records.
        contact_names: names of the contact points.
        contact_links: names of the URDF links that the contact points belong to.
        feet: names of the contact points that are feet, one for each leg of a floating robot.
        poses: named poses of its files, {name: {joint: position}}, rad or m.
        closures: CLOSURE records: loops and coupled joints, whose equations hold at all times.
        closure_names: what they are, in words.
        collision_pairs: PAIR records of bodies that collide with one another; none without ``self_collision``.
        collision_links: names of the two URDF links of each pair.
        frames: where each URDF link stands, merged ones too.
        home: (nq,), the pose in which the robot starts.
        home_origin: where that pose is from, in words.
        told_gains: (2, joint_count), stiffness and damping of the drives, as far as the description tells; else NaN.
        notes: what was guessed or left out when the robot was read.
        gravity: (3,), acceleration in the world's frame, m/s^2.
        urdf: the XML text.
    """

    name: str
    base: str
    links: np.ndarray
    link_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    joint_links: np.ndarray
    nq: int
    nv: int
    contact_points: np.ndarray
    contact_names: tuple[str, ...]
    contact_links: tuple[str, ...]
    feet: tuple[str, ...]
    poses: dict[str, dict[str, float]]
    closures: np.ndarray
    closure_names: tuple[str, ...]
    collision_pairs: np.ndarray
    collision_links: tuple[tuple[str, str], ...]
    frames: dict[str, Frame]
    home: np.ndarray
    home_origin: str
    told_gains: np.ndarray
    notes: tuple[str, ...]
    gravity: np.ndarray
    urdf: str

    @classmethod
    def from_urdf(
        cls,
        source: str | os.PathLike[str],
        base: str | None = None,
        *,
        home: Mapping[str, float] | Sequence[float] | np.ndarray | str | None = None,
        contact_points: Mapping[str, Mapping[str, Any]] | None = None,
        feet: Sequence[str] | None = None,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        meshes: str = "hull",
        packages: Sequence[str | os.PathLike[str]] = (),
        srdf: str | os.PathLike[str] | None = None,
        mimic: str = "couple",
        closures: Mapping[str, Mapping[str, Any]] | None = None,
        self_collision: bool = False,
        xacro_arguments: Mapping[str, object] | Sequence[str] = (),
        backlash: Mapping[str, Mapping[str, float]] | None = None,
    ) -> "RobotModel":
        """Read a robot from a URDF, a xacro file (with the package xacro) or MuJoCo's MJCF (with the package mujoco).

        A YAML file of the same name beside the URDF may hold `home`, `contact_points`, `feet` and `closures`; arguments
        replace them. What had to be guessed stands in `notes`; what may surprise is a `ModelWarning`, too.

        Args:
            source: a packaged name (see `robots`), a path, or the XML text.
            base: "floating", "fixed", or None: fixed if the root has no inertia or is called world, else floating.
            home: name of a pose in the SRDF or of a keyframe; joint positions by name (rad, m), the others at 0 or the
                limit nearest to it and a free base standing on the ground; or all of q. None: a pose of its files that
                is called home, standing or half_sitting and has all feet down, else a stance that is found, else all
                joints at 0.
            contact_points: points besides those of the collision shapes:
                {name: {"link": ..., "offset": [x, y, z] in m, "radius": m}}.
            feet: names of the contact points, or of links that carry them, on which the robot stands; None: the lowest
                points at the ends of its limbs.
            gravity: (3,), m/s^2.
            meshes: "hull": a collision mesh gives the corners of its convex hull; "skip": it gives none. A mesh that is
                not there is replaced by a box, unless it is the only shape of a foot.
            packages: folders that are, or hold, the packages of `package://` addresses, besides those above the URDF,
                on ROS_PACKAGE_PATH and on AMENT_PREFIX_PATH.
            srdf: path of an SRDF; None: the one beside the URDF, if there is one.
            mimic: "couple": a joint that mimics another one follows it exactly; "lock": it is held where it is.
            closures: loops besides those of the file: pairs of points that stay together,
                {name: {"links": [link, link], "points": [[x, y, z], [x, y, z]] in the links' frames, m}}.
            self_collision: whether bodies that no joint connects collide with one another, as capsules; pairs that the
                SRDF or the MJCF disables, or that touch in the home pose, do not.
            xacro_arguments: of a xacro file, {name: value} or words like "name:=value".
            backlash: play of gears, {joint: {"play": rad or m from stop to stop, "rotor_inertia": kg m^2 or kg as felt
                at the joint}}: a joint ``<joint>_play`` more each, which nothing drives (`backlash.with_backlash`).

        Raises:
            ModelError: the robot cannot be read or simulated; the message names the file and the culprit.
            ParameterError: base, meshes, mimic, gravity or backlash is not one of the above.
        """
        _check_choice("base", base, (None, *BASES))
        _check_choice("meshes", meshes, MESHES)
        _check_choice("mimic", mimic, MIMIC)
        places = [_folder(package) for package in packages]
        found = load(source)
        with _named(found.label):
            described = describe(found, Reading(places, srdf, mimic, xacro_arguments, backlash or {}))
            tree = build_tree(described.description, base)
            model = cls(
                name=described.description.name,
                base=tree.base,
                **_mechanics(
                    tree,
                    found,
                    described,
                    Meshes(meshes, found.folder, places),
                    (home, contact_points, feet, closures),
                    self_collision,
                ),
                frames={name: Frame(frame.link, *map(_frozen, frame.placement)) for name, frame in tree.frames.items()},
                gravity=_gravity(gravity),
                urdf=described.urdf,
            )
        return model

    def __repr__(self) -> str:
        """Return one line: the robot's name and size."""
        size = f"{self.joint_count} joints, {len(self.contact_points)} contact points"
        return f"RobotModel({self.name!r}, {self.base} base, {size})"

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Freeze the arrays of a copy, as neither pickle nor deepcopy does: kernels are compiled for read-only ones."""
        parts = [part for frame in state["frames"].values() for part in frame]
        for value in (*state.values(), *parts):
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        self.__dict__.update(state)

    @property
    def joint_count(self) -> int:
        """How many joints have one coordinate."""
        return len(self.joint_names)

    @cached_property
    def position_indices(self) -> np.ndarray:
        """Where each joint's position stands in q, (joint_count,)."""
        return _frozen(self.links["position_index"][self.joint_links])

    @cached_property
    def velocity_indices(self) -> np.ndarray:
        """Where each joint's rate stands in v, (joint_count,)."""
        return _frozen(self.links["velocity_index"][self.joint_links])

    @cached_property
    def free_indices(self) -> tuple[tuple[int, int], ...]:
        """Where the coordinates and the velocities of every FREE joint begin in q and v."""
        free = self.links[self.links["joint_kind"] == FREE]
        return tuple(zip(free["position_index"].tolist(), free["velocity_index"].tolist(), strict=True))

    @cached_property
    def rotor_inertias(self) -> np.ndarray:
        """What its rotor adds to the inertia that every rate feels, (nv,), kg m^2 or kg; zero at FREE joints."""
        added = np.zeros(self.nv)
        added[self.velocity_indices] = self.links["rotor_inertia"][self.joint_links]
        return _frozen(added)

    @property
    def total_mass(self) -> float:
        """The mass that moves, kg."""
        return float(self.links["mass"].sum())

    def with_actuators(self, **given: Any) -> "RobotModel":
        """Return the same robot with other drives; each is one number, or one per joint in joint order.

        Args:
            given: ``effort_limit``, ``velocity_limit``, ``corner_velocity`` (from there on, the effort that speeds it
                up falls to zero at the velocity limit), ``rotor_inertia`` (as felt at the joint), ``damping`` and
                ``friction``, all at the joint, SI units.

        Raises:
            ParameterError: names what cannot be meant.
        """
        return with_actuators(self, **given)

    def link_index(self, name: str) -> int:
        """Return the index of the body that carries a URDF link; -1: the world.

        Raises:
            ModelError: the robot has no such link.
        """
        if name not in self.frames:
            raise ModelError(f"robot {self.name!r} has no link {name!r}; {suggestion(name, self.frames)}")
        return self.frames[name].link

    @cached_property
    def sole_points(self) -> tuple[str, ...]:
        """Names of the contact points on which it stands: feet, and points of their links that are as low at home."""
        return tuple(self.contact_names[point] for point in sole_points(self))

    def points_of(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the contact points that are meant, in the robot's order, each once.

        Args:
            names: of contact points, or of URDF links: all their points; "feet": the `sole_points`.

        Raises:
            ModelError: there is no such point or link, or the link has no contact point.
        """
        return tuple(self.contact_names[point] for point in named_points(self, names))


def _mechanics(
    tree: Tree,
    found: Source,
    described: Described,
    meshes: Meshes,
    given: tuple[Any, Any, Any, Any],
    self_collision: bool,
) -> dict[str, Any]:
    """Return the attributes of a RobotModel that follow from the tree of bodies."""
    home, contact_points, feet, loops = given
    links = link_records(tree)
    nq, nv = coordinate_counts(links)
    link_names = tuple(body.name for body in tree.bodies)
    check_joints_move_inertia(links, link_names, nq)
    joint_links = np.flatnonzero(links["joint_kind"] != FREE)
    joint_names = tuple(joint.name for index in joint_links if (joint := tree.bodies[index].joint))
    points, lost = shape_points(tree, meshes)
    capsules, sticking_out = shape_capsules(points) if self_collision else ([], 0.0)
    points, thinned = reduced_points(points, links["parent"].tolist())
    extra = points_that_move(found.sidecar, tree.frames) if contact_points is None else contact_points
    points += extra_points(extra, tree.frames, (point.name for point in points))
    contacts = contact_records(points)
    mechanism = Mechanism(tree.base, links, nq, joint_names, joint_links.tolist(), contacts)
    posture = choose_posture(
        mechanism,
        points,
        described.poses,
        found.sidecar.get("home") if home is None else home,
        found.sidecar.get("feet") if feet is None else feet,
    )
    loops = found.sidecar.get("closures") if loops is None else loops
    described_closures = [*described.description.closures, *read_closures({} if loops is None else loops)]
    moved_by = dict(zip(joint_names, joint_links.tolist(), strict=True))
    closures = closure_records(described_closures, tree.frames, moved_by)
    closure_names = tuple(closure.name for closure in described_closures)
    contact_names = names_with_feet(points, posture.feet)
    home_pose = closed_home(mechanism, closures, closure_names, posture)
    pairs, pair_links, untold = collision_pairs(capsules, links, home_pose, described.disabled_collisions)
    if sticking_out > 0.0:
        untold.append(
            f"self-collision takes shapes as capsules, of which corners stick out by {1e3 * sticking_out:.0f} mm"
        )
    surprising = [*odd_inertias(tree), *lost, *posture.warnings]
    if tree.base == "floating" and not points:
        surprising.append("it has no contact points and would fall through the ground")
    for note in surprising:
        warnings.warn(f"{found.label}: {note}", ModelWarning, stacklevel=3)
    return {
        "links": _frozen(links),
        "link_names": link_names,
        "joint_names": joint_names,
        "joint_links": _frozen(joint_links),
        "nq": nq,
        "nv": nv,
        "contact_points": _frozen(contacts),
        "contact_names": contact_names,
        "contact_links": tuple(point.carrier for point in points),
        "feet": tuple(contact_names[foot] for foot in posture.feet),
        "poses": described.poses,
        "closures": _frozen(closures),
        "closure_names": closure_names,
        "collision_pairs": _frozen(pairs),
        "collision_links": pair_links,
        "home": _frozen(home_pose),
        "home_origin": posture.origin,
        "told_gains": _frozen(described.told_gains(joint_names)),
        "notes": (*described.notes, *thinned, *untold, *posture.notes, *surprising),
    }


@contextmanager
def _named(label: str) -> Iterator[None]:
    """Put the name of the source before the message of a ModelError."""
    try:
        yield
    except ModelError as error:
        raise ModelError(f"{label}: {error}") from None


def _frozen(array: np.ndarray) -> np.ndarray:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def _gravity(value: ArrayLike) -> np.ndarray:
    gravity = finite_array(value, (3,))
    if gravity is None:
        raise ParameterError(f"gravity is {value!r}; expected 3 finite numbers, m/s^2")
    return _frozen(gravity)


def _folder(package: str | os.PathLike[str]) -> Path:
    path = Path(package)
    if not path.is_dir():
        raise ParameterError(
            f"packages names {str(package)!r}, which is no folder; expected one that is or holds a package"
        )
    return path


def _check_choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    if value not in allowed:
        raise ParameterError(f"{name} is {value!r}; expected one of {', '.join(map(repr, allowed))}")
