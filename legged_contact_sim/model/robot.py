"""RobotModel: what a robot is, as the simulator reads it from a URDF."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError, ParameterError
from .assembly import coordinate_counts, link_records
from .collision import contact_records, extra_points, shape_points
from .finite import finite_array
from .home import home_pose
from .massless import check_joints_move_inertia
from .packaged import Source, load
from .records import FREE
from .suggestion import suggestion
from .tree import Frame, Tree, build_tree
from .urdf import read_urdf

BASES = ("floating", "fixed")
MESHES = ("hull", "skip")


@dataclass(frozen=True, eq=False)
class RobotModel:
    """A robot: moving bodies in a tree, joints between them, and points that can touch the ground.

    Positions are q = [x y z, qx qy qz qw, joints...] and velocities v = [linear, angular, joint rates], the linear and
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
        frames: where each URDF link stands, merged ones too.
        home: (nq,), the pose in which the robot starts.
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
    frames: dict[str, Frame]
    home: np.ndarray
    gravity: np.ndarray
    urdf: str

    @classmethod
    def from_urdf(
        cls,
        source: str | os.PathLike[str],
        base: str | None = None,
        *,
        home: Mapping[str, float] | Sequence[float] | np.ndarray | None = None,
        contact_points: Mapping[str, Mapping[str, Any]] | None = None,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        meshes: str = "hull",
    ) -> "RobotModel":
        """Read a robot from a URDF.

        A YAML file of the same name beside the URDF may hold `home` and `contact_points`; arguments replace them.

        Args:
            source: a packaged name (see `robots`), a path, or the XML text.
            base: "floating", "fixed", or None: fixed if the root has no inertia or is called world, else floating.
            home: joint positions by name (rad, m), the others at 0 or the limit nearest to it and a free base standing
                on the ground; or all of q.
            contact_points: points besides those of the collision shapes:
                {name: {"link": ..., "offset": [x, y, z] in m, "radius": m}}.
            gravity: (3,), m/s^2.
            meshes: "hull": a collision mesh gives the corners of its convex hull; "skip": it gives none.

        Raises:
            ModelError: the robot cannot be read or simulated; the message names the file and the culprit.
            ParameterError: base, meshes or gravity is not one of the above.
        """
        _check_choice("base", base, (None, *BASES))
        _check_choice("meshes", meshes, MESHES)
        found = load(source)
        with _named(found.label):
            description = read_urdf(found.text)
            tree = build_tree(description, base)
            return cls(
                name=description.name,
                base=tree.base,
                **_mechanics(tree, found, meshes, home, contact_points),
                frames={name: Frame(frame.link, *map(_frozen, frame.placement)) for name, frame in tree.frames.items()},
                gravity=_gravity(gravity),
                urdf=found.text,
            )

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
        """Where the coordinates and the rates of every FREE joint begin in q and v."""
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

    def link_index(self, name: str) -> int:
        """Return the index of the body that carries a URDF link; -1: the world.

        Raises:
            ModelError: the robot has no such link.
        """
        if name not in self.frames:
            raise ModelError(f"robot {self.name!r} has no link {name!r}; {suggestion(name, self.frames)}")
        return self.frames[name].link


def _mechanics(tree: Tree, found: Source, meshes: str, home: Any, contact_points: Any) -> dict[str, Any]:
    """Return the attributes of a RobotModel that follow from the tree of bodies."""
    links = link_records(tree)
    nq, nv = coordinate_counts(links)
    link_names = tuple(body.name for body in tree.bodies)
    check_joints_move_inertia(links, link_names, nq)
    joint_links = np.flatnonzero(links["joint_kind"] != FREE)
    joint_names = tuple(joint.name for index in joint_links if (joint := tree.bodies[index].joint))
    points = shape_points(tree, found.folder, meshes)
    given = found.sidecar.get("contact_points") if contact_points is None else contact_points
    points += extra_points({} if given is None else given, tree.frames, (point.name for point in points))
    contacts = contact_records(points)
    home = found.sidecar.get("home") if home is None else home
    return {
        "links": _frozen(links),
        "link_names": link_names,
        "joint_names": joint_names,
        "joint_links": _frozen(joint_links),
        "nq": nq,
        "nv": nv,
        "contact_points": _frozen(contacts),
        "contact_names": tuple(point.name for point in points),
        "home": _frozen(home_pose(links, nq, joint_names, contacts, home)),
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


def _check_choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    if value not in allowed:
        raise ParameterError(f"{name} is {value!r}; expected one of {', '.join(map(repr, allowed))}")
