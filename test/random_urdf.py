"""Random robots as URDF text, for property tests: `robot_xml()` is a hypothesis strategy."""

import math

import numpy as np
from hypothesis import strategies as st

TREE_KINDS = ("revolute", "continuous", "prismatic", "fixed")
ALL_KINDS = (*TREE_KINDS, "planar", "floating")

length = st.floats(-0.5, 0.5, allow_subnormal=False)
angle = st.floats(-3.0, 3.0, allow_subnormal=False)
edge = st.floats(0.05, 0.5)
offsets = st.tuples(length, length, length)
angles = st.tuples(angle, angle, angle)
axes = st.one_of(
    st.sampled_from([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]),
    st.tuples(*[st.floats(-1.0, 1.0, allow_subnormal=False)] * 3).filter(lambda axis: math.hypot(*axis) > 0.1),
)


def written(numbers):
    """Return numbers as a URDF attribute."""
    return " ".join(repr(float(number)) for number in numbers)


@st.composite
def origins(draw):
    """Draw an `<origin>`, sometimes none."""
    if draw(st.booleans()):
        return f'<origin xyz="{written(draw(offsets))}" rpy="{written(draw(angles))}"/>'
    return ""


@st.composite
def inertials(draw):
    """Draw the `<inertial>` of a solid box of random size, mass and pose: always one that a body can have."""
    mass = draw(st.floats(0.1, 10.0))
    squares = np.square([draw(edge), draw(edge), draw(edge)])
    ixx, iyy, izz = mass / 12.0 * (squares.sum() - squares)
    return (
        f'<inertial>{draw(origins())}<mass value="{mass!r}"/>'
        f'<inertia ixx="{ixx:.17g}" iyy="{iyy:.17g}" izz="{izz:.17g}" ixy="0" ixz="0" iyz="0"/></inertial>'
    )


@st.composite
def joints(draw, number, parent, kinds):
    """Draw the joint that carries link `number`; limits and friction as the kind allows."""
    kind = draw(st.sampled_from(kinds))
    axis = "" if kind in ("fixed", "floating") else f'<axis xyz="{written(draw(axes))}"/>'
    limit = ""
    if kind in ("revolute", "prismatic"):
        lower, upper = sorted((draw(angle), draw(angle)))
        limit = f'<limit lower="{lower!r}" upper="{upper!r}" effort="100" velocity="10"/>'
    return (
        f'<joint name="joint_{number}" type="{kind}">{draw(origins())}<parent link="link_{parent}"/>'
        f'<child link="link_{number}"/>{axis}{limit}</joint>'
    ), kind


@st.composite
def robot_xml(draw, kinds=TREE_KINDS, links=(1, 8), root_inertia=True):
    """Draw a robot as URDF text: links `link_0` (the root), `link_1`, ...; `joint_i` moves `link_i`.

    Args:
        draw: from hypothesis.
        kinds: joint kinds to choose from; see ALL_KINDS.
        links: the least and the most links, the root included.
        root_inertia: False: the root is massless, so that the base is fixed by default.
    """
    count = draw(st.integers(*links))
    root = draw(inertials()) if root_inertia else ""
    link_elements = [f'<link name="link_0">{root}</link>']
    joint_elements = []
    for number in range(1, count):
        joint, kind = draw(joints(number, draw(st.integers(0, number - 1)), kinds))
        massless = kind == "fixed" and draw(st.booleans())
        link_elements.append(f'<link name="link_{number}">{"" if massless else draw(inertials())}</link>')
        joint_elements.append(joint)
    shuffled = draw(st.permutations(joint_elements))
    return f'<robot name="random">{"".join(link_elements)}{"".join(shuffled)}</robot>'
