"""From links and joints to the tree of moving bodies: order, planar joints expanded, fixed links merged."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..errors import ModelError
from .placement import IDENTITY, Array, Placement, rotation_of_z_onto
from .urdf import JointDescription, LinkDescription, RobotDescription

WORLD = -1


class Frame(NamedTuple):
    """Where the frame of a URDF link stands: on which moving body (index; -1: the world), (3, 3) and (3,) in m."""

    link: int
    rotation: Array
    position: Array

    @property
    def placement(self) -> Placement:
        """The frame's placement in the frame of the body that carries it."""
        return Placement(self.rotation, self.position)


@dataclass(frozen=True)
class Body:
    """Links that move as one.

    Attributes:
        name: of the link that the joint moves; the body's frame is this link's.
        parent: index of the parent body, -1: the world.
        joint: that moves the body; None for the root of a floating robot.
        placement: of the joint in the parent body's frame.
        parts: the links that make it up, with their placements in the body's frame.
    """

    name: str
    parent: int
    joint: JointDescription | None
    placement: Placement
    parts: list[tuple[LinkDescription, Placement]] = field(default_factory=list)


@dataclass(frozen=True)
class Tree:
    """The moving bodies, parents first, and the frame of every URDF link."""

    base: str
    bodies: list[Body]
    frames: dict[str, Frame]


def build_tree(description: RobotDescription, base: str | None) -> Tree:
    """Return the tree of moving bodies of a robot.

    Args:
        description: the links and joints of the URDF.
        base: "floating", "fixed", or None: fixed if the root has no inertia or is called world, unless all that it
            carries is a floating joint.

    Raises:
        ModelError: the links and joints do not form one tree.
    """
    description = _expand_planar_joints(description)
    if base is None:
        description = _without_anchor(description)
    children = _children(description)
    root = _root(description)
    order = list(_depth_first(root, children))
    _check_reached(description, order, root)
    if base is None:
        base = "fixed" if root == "world" or not _has_inertia(root, children, description) else "floating"
    bodies: list[Body] = []
    frames = {root: Frame(WORLD, *IDENTITY)}
    if base == "floating":
        bodies.append(Body(root, WORLD, None, IDENTITY, [(description.links[root], IDENTITY)]))
        frames[root] = Frame(0, *IDENTITY)
    for joint in order:
        _attach(joint, description.links[joint.child], bodies, frames)
    if not bodies:
        raise ModelError(
            f"link {root!r} is the fixed base and nothing moves; expected a movable joint or a floating base"
        )
    return Tree(base, bodies, frames)


def _without_anchor(description: RobotDescription) -> RobotDescription:
    """Return a description without a root that has no inertia and carries nothing but a floating joint of a mechanism.

    Such a joint says in a URDF that the robot floats; where it begins is the simulator's.
    """
    moved = {joint.child for joint in description.joints}
    roots = [name for name in description.links if name not in moved]
    if len(roots) != 1:
        return description
    carried = [joint for joint in description.joints if joint.parent == roots[0]]
    link = description.links[roots[0]]
    if len(carried) != 1 or carried[0].kind != "floating" or link.inertia is not None or link.shapes:
        return description
    if all(joint.kind in ("fixed", "floating") for joint in description.joints):
        return description
    links = {name: link for name, link in description.links.items() if name != roots[0]}
    return replace(description, links=links, joints=[joint for joint in description.joints if joint is not carried[0]])


def _attach(joint: JointDescription, link: LinkDescription, bodies: list[Body], frames: dict[str, Frame]) -> None:
    """Add the child of a joint: to its parent's body if the joint is fixed, else as a body of its own."""
    parent = frames[joint.parent]
    placement = parent.placement.compose(joint.placement)
    if joint.kind == "fixed":
        frames[link.name] = Frame(parent.link, *placement)
        if parent.link != WORLD:
            bodies[parent.link].parts.append((link, placement))
    else:
        frames[link.name] = Frame(len(bodies), *IDENTITY)
        bodies.append(Body(link.name, parent.link, joint, placement, [(link, IDENTITY)]))


def _expand_planar_joints(description: RobotDescription) -> RobotDescription:
    links = dict(description.links)
    joints: list[JointDescription] = []
    for joint in description.joints:
        expanded = _planar_chain(joint) if joint.kind == "planar" else [joint]
        joints += expanded
        for name in (between.child for between in expanded[:-1]):
            if name in links:
                raise ModelError(
                    f"link {name!r} has a name that planar joint {joint.name!r} gives to a link of its own"
                )
            links[name] = LinkDescription(name)
    names = [joint.name for joint in joints]
    if len(set(names)) < len(names):
        name = next(name for name in names if names.count(name) > 1)
        raise ModelError(f"joint {name!r} has a name that a planar joint gives to a joint of its own")
    return replace(description, links=links, joints=joints)


def _planar_chain(joint: JointDescription) -> list[JointDescription]:
    """Return a planar joint as two slides in the plane normal to its axis and a turn about the axis, unlimited."""
    x, y, normal = rotation_of_z_onto(joint.axis).T
    x_link, y_link = f"{joint.name}_x_link", f"{joint.name}_y_link"
    return [
        JointDescription(f"{joint.name}_x", "prismatic", joint.parent, x_link, joint.placement, x),
        JointDescription(f"{joint.name}_y", "prismatic", x_link, y_link, IDENTITY, y),
        JointDescription(f"{joint.name}_angle", "continuous", y_link, joint.child, IDENTITY, normal),
    ]


def _children(description: RobotDescription) -> dict[str, list[JointDescription]]:
    """Return the joints that each link carries, in the order of the file."""
    children: dict[str, list[JointDescription]] = {name: [] for name in description.links}
    mover: dict[str, str] = {}
    for joint in description.joints:
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in description.links:
                raise ModelError(f"joint {joint.name!r} has the {role} link {link!r}, which is not defined")
        if joint.child in mover:
            raise ModelError(
                f"link {joint.child!r} is the child of two joints, {mover[joint.child]!r} and {joint.name!r}; "
                "expected one (`closures` in the YAML file beside it close a chain)"
            )
        mover[joint.child] = joint.name
        children[joint.parent].append(joint)
    return children


def _root(description: RobotDescription) -> str:
    if not description.links:
        raise ModelError("has no <link>")
    moved = {joint.child for joint in description.joints}
    roots = [name for name in description.links if name not in moved]
    if len(roots) > 1:
        listed = ", ".join(map(repr, roots[:5])) + (", ..." if len(roots) > 5 else "")
        raise ModelError(f"has {len(roots)} links that are no joint's child ({listed}); expected one root")
    if not roots:
        raise ModelError(f"has no root: {_loop(description)}")
    return roots[0]


def _depth_first(root: str, children: dict[str, list[JointDescription]]) -> Iterator[JointDescription]:
    waiting = children[root][::-1]
    while waiting:
        joint = waiting.pop()
        yield joint
        waiting += children[joint.child][::-1]


def _check_reached(description: RobotDescription, order: list[JointDescription], root: str) -> None:
    if len(order) < len(description.joints):
        reached = {root, *(joint.child for joint in order)}
        apart = [joint for joint in description.joints if joint.child not in reached]
        raise ModelError(f"is not one tree: {_loop(replace(description, joints=apart))}")


def _loop(description: RobotDescription) -> str:
    """Return a sentence that names the links of a loop, given joints of which each link is the child of one."""
    parents = {joint.child: joint.parent for joint in description.joints}
    link = next(iter(parents))
    passed: dict[str, None] = {}
    while link not in passed:
        passed[link] = None
        link = parents[link]
    loop = list(passed)[list(passed).index(link) :][::-1]
    return f"the joints form a loop through {', '.join(map(repr, loop[:5]))}{', ...' if len(loop) > 5 else ''}"


def _has_inertia(root: str, children: dict[str, list[JointDescription]], description: RobotDescription) -> bool:
    """Tell whether the root, or a link fixed to it, has a mass."""
    waiting = [root]
    while waiting:
        link = waiting.pop()
        inertia = description.links[link].inertia
        if inertia is not None and inertia.mass > 0.0:
            return True
        waiting += [joint.child for joint in children[link] if joint.kind == "fixed"]
    return False
