"""Descriptions that cannot be simulated: one ModelError each, which names the source and the culprit."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leg import LEG, leg_plus, leg_with

from legged_contact_sim.model import ModelError, RobotModel

SHANK_INERTIA = 'ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"'
BOMB = '<!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {name} "{f"&{inner};" * 10}">' for inner, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def joint(name, parent, child, kind="continuous", inside=""):
    """A joint that completes or breaks the leg."""
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


STRUCTURE = {
    "undefined child": (leg_with('child link="shank"', 'child link="shin"'), "hip", "shin", "not defined"),
    "undefined parent": (leg_with('parent link="body"', 'parent link="trunk"'), "hip", "trunk", "not defined"),
    "names match exactly": (leg_with('parent link="body"', 'parent link="body "'), "hip", "'body '"),
    "loop without a root": (leg_plus(joint("back", "foot", "body")), "loop", "body", "shank", "foot"),
    "loop beside the tree": (
        leg_plus('<link name="p"/><link name="q"/>' + joint("pq", "p", "q") + joint("qp", "q", "p")),
        "loop",
        "'p'",
        "'q'",
    ),
    "link on itself": (leg_plus('<link name="self"/>' + joint("own", "self", "self")), "loop", "'self'"),
    "two parents": (leg_plus(joint("second", "body", "foot")), "foot", "ankle", "second"),
    "two roots": (leg_plus('<link name="lonely"/>'), "body", "lonely", "root"),
    "duplicate link": (leg_plus('<link name="shank"/>'), "link 'shank'", "twice"),
    "duplicate joint": (leg_plus('<link name="toe"/>' + joint("hip", "foot", "toe")), "joint 'hip'", "twice"),
    "no links": ('<robot name="void"/>', "<link>"),
    "nothing moves": ('<robot name="rock"><link name="rock"/></robot>', "rock", "moves"),
    "no parent": (leg_with('<parent link="body"/>', ""), "hip", "<parent>"),
    "no child": (leg_with('<child link="foot"/>', ""), "ankle", "<child>"),
    "unnamed link": (leg_plus("<link/>"), "link", "name"),
    "empty joint name": (leg_with('joint name="hip"', 'joint name=""'), "joint", "name"),
    "unknown type": (leg_with('"revolute"', '"hinge"'), "hip", "hinge", "revolute"),
    "no type": (leg_with(' type="revolute"', ""), "hip", "type"),
    "mimic": (leg_with('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"/><mimic joint="ankle"/>'), "hip", "mimic"),
    "planar joint's link": (
        leg_plus('<link name="s_x_link"/><link name="t"/>' + joint("s", "foot", "s_x_link") + joint("s", "foot", "t"))
        .replace('"s" type="continuous"', '"s0" type="continuous"', 1)
        .replace('"s" type="continuous"', '"s" type="planar"'),
        "s_x_link",
        "planar",
    ),
}
NUMBERS = {
    "word": (leg_with('xyz="0.1 0 0"', 'xyz="0.1 abc 0"'), "hip", "origin", "0.1 abc 0", "3 finite numbers"),
    "two of three": (leg_with('xyz="0.1 0 0"', 'xyz="0.1 0"'), "hip", "origin", "3 finite numbers"),
    "four of three": (leg_with('xyz="0 1 0"', 'xyz="0 1 0 0"'), "hip", "axis", "3 finite numbers"),
    "empty": (leg_with('lower="-1"', 'lower=""'), "hip", "limit", "lower"),
    "nan": (leg_with('rpy="0 0 0"/>\n      <mass', 'rpy="nan 0 0"/>\n      <mass'), "shank", "inertial", "rpy"),
    "infinite": (leg_with('value="1.5"', 'value="inf"'), "shank", "mass", "inf"),
    "overflow": (leg_with('value="1.5"', 'value="1e999"'), "shank", "mass", "1e999"),
    "underscore": (leg_with('value="1.5"', 'value="1_5"'), "shank", "mass", "1_5"),
    "no mass value": (leg_with('<mass value="1.5"/>', "<mass/>"), "shank", "mass", "value"),
    "no mass": (leg_with('<mass value="1.5"/>', ""), "shank", "<mass>"),
    "no inertia": (leg_with(f"<inertia {SHANK_INERTIA}/>", ""), "shank", "<inertia>"),
    "no moment": (leg_with('izz="0.04"', ""), "shank", "izz"),
    "damping": (leg_with('damping="0.3"', 'damping="much"'), "hip", "damping", "much"),
    "zero axis": (leg_with('xyz="0 1 0"', 'xyz="0 0 0"'), "hip", "axis"),
    "axis overflows": (leg_with('xyz="0 1 0"', 'xyz="1.7e308 1.7e308 0"'), "hip", "axis"),
    "limits reversed": (leg_with('lower="-1"', 'lower="3"'), "hip", "lower", "upper"),
    "negative damping": (leg_with('damping="0.3"', 'damping="-0.3"'), "hip", "damping", "-0.3"),
    "negative friction": (leg_with('friction="0.1"', 'friction="-0.1"'), "hip", "friction", "-0.1"),
    "negative radius": (leg_with('radius="0.02"', 'radius="-0.02"'), "foot", "sphere", "-0.02"),
    "radius": (leg_with('radius="0.02"', 'radius="2 cm"'), "foot", "sphere", "2 cm"),
    "box": (leg_with('<sphere radius="0.02"/>', '<box size="1 -1 1"/>'), "foot", "box"),
    "cylinder": (leg_with('<sphere radius="0.02"/>', '<cylinder radius="1"/>'), "foot", "cylinder", "length"),
    "no shape": (leg_with('<sphere radius="0.02"/>', ""), "foot", "geometry", "<sphere>"),
    "unknown shape": (leg_with('<sphere radius="0.02"/>', "<cone/>"), "foot", "<cone>", "<sphere>"),
}
INERTIA = {
    "zero mass": (leg_with('value="1.5"', 'value="0"'), "shank", "mass", "more than 0"),
    "negative mass": (leg_with('value="1.5"', 'value="-1.5"'), "shank", "mass", "-1.5"),
    "negative mass of a fixed link": (leg_with('value="0.5"', 'value="-0.5"'), "foot", "mass"),
    "negative moment": (leg_with('iyy="0.03"', 'iyy="-0.03"'), "shank", "positive definite"),
    "indefinite": (
        leg_with(SHANK_INERTIA, SHANK_INERTIA.replace('ixy="0"', 'ixy="0.1"')),
        "shank",
        "positive definite",
    ),
    "zero inertia": (
        leg_with('ixx="0.1" iyy="0.2" izz="0.25"', 'ixx="0" iyy="0" izz="0"'),
        "body",
        "positive definite",
    ),
    "sum overflows": (
        leg_with(
            SHANK_INERTIA, SHANK_INERTIA.replace("0.02", "1e308").replace("0.03", "1e308").replace("0.04", "1e308")
        ).replace('ixx="0.01" iyy="0.01" izz="0.01"', 'ixx="1e308" iyy="1e308" izz="1e308"'),
        "shank",
        "nan",
    ),
    "massless leaf": (
        leg_plus('<link name="toe"/>' + joint("toe_joint", "foot", "toe")),
        "toe",
        "<inertial>",
        "rotor inertia",
    ),
    "massless leaf chain": (
        leg_plus('<link name="toe"/><link name="nail"/>' + joint("t", "foot", "toe") + joint("n", "toe", "nail")),
        "nail",
        "<inertial>",
    ),
    "massless between parallel slides": (
        leg_with('type="revolute"', 'type="prismatic"')
        .replace('parent link="body"', 'parent link="carriage"')
        .replace("</robot>", '<link name="carriage"/>')
        + joint("rail", "body", "carriage", "prismatic", '<axis xyz="0 1 0"/>')
        + "</robot>",
        "carriage",
        "<inertial>",
    ),
    "massless floating joint": (
        leg_plus('<link name="ghost"/>' + joint("loose", "foot", "ghost", "floating")),
        "ghost",
        "<inertial>",
    ),
}
DRIVES = {
    "reduction": (
        leg_plus(
            '<transmission name="gear"><joint name="hip"/><actuator name="m"><mechanicalReduction>fast'
            "</mechanicalReduction></actuator></transmission>"
        ),
        "gear",
        "fast",
    ),
    "zero reduction": (
        leg_plus(
            '<transmission name="gear"><joint name="hip"/><actuator name="m"><mechanicalReduction>0'
            "</mechanicalReduction></actuator></transmission>"
        ),
        "gear",
        "reduction",
    ),
    "rotor": (
        leg_plus(
            '<transmission name="gear"><joint name="hip"/><actuator name="m"><rotorInertia>-1</rotorInertia>'
            "</actuator></transmission>"
        ),
        "gear",
        "rotor inertia",
    ),
    "reduction too large": (
        leg_plus(
            '<transmission name="gear"><joint name="hip"/><actuator name="m"><mechanicalReduction>1e200'
            "</mechanicalReduction><rotorInertia>1</rotorInertia></actuator></transmission>"
        ),
        "gear",
        "reduction",
        "1e+200",
    ),
    "two transmissions": (
        leg_plus(
            '<transmission name="gear"><joint name="hip"/><actuator name="m"><rotorInertia>1</rotorInertia>'
            "</actuator></transmission>"
            '<transmission name="more"><joint name="hip"/><actuator name="m"><rotorInertia>1</rotorInertia>'
            "</actuator></transmission>"
        ),
        "more",
        "hip",
    ),
    "differential": (
        leg_plus(
            '<transmission name="both"><joint name="hip"/><joint name="ankle"/><actuator name="m">'
            "<rotorInertia>1</rotorInertia></actuator></transmission>"
        ),
        "both",
        "several",
    ),
    "spring": (
        leg_plus('<gazebo reference="hip"><springStiffness>-5</springStiffness></gazebo>'),
        "hip",
        "stiffness",
    ),
    "spring of no joint": (
        leg_plus('<gazebo reference="knee"><springStiffness>5</springStiffness></gazebo>'),
        "knee",
    ),
    "undeclared prefix": (
        leg_plus('<transmission name="gear"><drake:rotor_inertia value="1"/></transmission>'),
        "XML",
        "prefix",
    ),
}
TEXT = {
    "empty": ("", "empty"),
    "blank": (" \n ", "empty"),
    "not XML": ("<robot", "XML"),
    "several lines of prose": ("once\nupon", "XML"),
    "cut short": (LEG[:300], "XML"),
    "null characters": ("<robot>\0</robot>", "text"),
    "half a surrogate pair": ('<robot name="\ud800"/>', "text"),
    "other XML": ("<html><body/></html>", "<html>", "<robot>"),
    "SDF": ('<sdf version="1.7"/>', "<sdf>", "<robot>"),
    "xacro tag": (leg_plus('<xacro:leg side="left"/>'), "xacro"),
    "xacro expression": (leg_with('value="1.5"', 'value="${mass}"'), "xacro", "${mass}"),
    "xacro find": (leg_plus("<include file='$(find robot)/leg.xacro'/>"), "xacro"),
    "entity bomb": (BOMB + ']><robot name="&i;"/>', "DOCTYPE"),
    "external entity": ('<!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd">]><robot name="&f;"/>', "DOCTYPE"),
    "entity bomb behind half a comment": ("<?x <!-- ?>" + BOMB + ']><robot name="&i;"><!-- --></robot>', "DOCTYPE"),
    "very deep": ("<robot>" + "<a>" * 200_000, "XML"),
    "comments without an end": ("<robot>" + "<!--" * 200_000, "XML"),
}
CORPUS = {
    f"{group}: {case}": broken
    for group, cases in {
        "structure": STRUCTURE,
        "numbers": NUMBERS,
        "inertia": INERTIA,
        "drives": DRIVES,
        "text": TEXT,
    }.items()
    for case, broken in cases.items()
}


@pytest.mark.parametrize("case", CORPUS)
def test_text_is_refused_by_name(case, capfd):
    text, *culprits = CORPUS[case]
    with pytest.raises(ModelError) as caught:
        RobotModel.from_urdf(text)
    message = str(caught.value)
    assert message.startswith("URDF text: ")
    assert "\n" not in message
    for culprit in culprits:
        assert culprit in message
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("case", CORPUS)
def test_file_is_refused_by_its_path(case, tmp_path):
    text, *_ = CORPUS[case]
    path = tmp_path / "broken.urdf"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ModelError, match=r"broken\.urdf: "):
        RobotModel.from_urdf(path)


def test_massless_root_cannot_float():
    with pytest.raises(ModelError, match=r"link 'world' floats and has no <inertial>"):
        RobotModel.from_urdf(leg_plus('<link name="world"/>' + joint("weld", "world", "body", "revolute")), "floating")


@pytest.mark.parametrize(
    "noise", ["<sensor/>", "<material name='red'/>", '<gazebo reference="body"><mu1>1</mu1></gazebo>']
)
def test_what_simulation_does_not_need_is_passed_over_in_silence(noise, capfd):
    robot = RobotModel.from_urdf(
        leg_plus(noise).replace("<collision ", '<visual><odd/></visual><collision verbose="1" ')
    )
    assert robot.joint_names == ("hip",)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", ["fixed", "floating"])
@pytest.mark.parametrize(
    "leftover", ['<axis xzy="0 0 1"/>', '<axis xyz="0 0 0"/>', '<limit lower=""/>', '<mimic joint="hip"/>']
)
def test_a_joint_without_axis_may_carry_leftovers(kind, leftover):
    ankle = leg_with('name="ankle" type="fixed"', f'name="ankle" type="{kind}"')
    robot = RobotModel.from_urdf(ankle.replace('<child link="foot"/>', f'<child link="foot"/>{leftover}'))
    assert robot.links.tobytes() == RobotModel.from_urdf(ankle).links.tobytes()


def test_an_axis_of_any_length_is_a_direction():
    robot = RobotModel.from_urdf(leg_with('xyz="0 1 0"', 'xyz="0 1e200 -1e200"'))
    np.testing.assert_allclose(robot.links["axis"][1], [0.0, np.sqrt(0.5), -np.sqrt(0.5)])


def test_comments_may_hold_anything():
    RobotModel.from_urdf(leg_plus("<!-- ${mass} $(find leg) <xacro:leg/> <!DOCTYPE robot> -->"))


def test_deep_nesting_is_no_crash():
    RobotModel.from_urdf(leg_plus("<extra>" + "<a>" * 50_000 + "</a>" * 50_000 + "</extra>"))


@pytest.mark.parametrize("excess", [0.0, 1e-8])
def test_a_thin_plate_is_possible(excess):
    RobotModel.from_urdf(leg_with('izz="0.25"', f'izz="{0.3 + excess}"'))


def test_a_frame_may_be_marked_by_zeros():
    zeros = '<inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>'
    robot = RobotModel.from_urdf(leg_plus(f'<link name="imu">{zeros}</link>' + joint("mount", "body", "imu", "fixed")))
    assert robot.total_mass == RobotModel.from_urdf(LEG).total_mass
    with pytest.raises(ModelError, match="'imu' has no <inertial> with a mass, and nothing else resists"):
        RobotModel.from_urdf(leg_plus(f'<link name="imu">{zeros}</link>' + joint("mount", "body", "imu")))


@pytest.mark.parametrize(("kind", "base"), [("fixed", "floating"), ("continuous", "fixed")])
def test_a_root_may_be_a_frame_marked_by_zeros(kind, base):
    """As on Romeo and Tiago, whose roots are frames on the floor."""
    zeros = '<inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = leg_plus(f'<link name="footprint">{zeros}</link>' + joint("stand", "footprint", "body", kind))
    robot = RobotModel.from_urdf(text)
    assert robot.base == base
    assert robot.total_mass == pytest.approx(6.0)
    with pytest.raises(ModelError, match="'footprint' has a mass of 0 kg"):
        RobotModel.from_urdf(text.replace('ixx="0" iyy="0" izz="0"', 'ixx="1" iyy="1" izz="1"'))


def test_a_fixed_link_without_mass_adds_its_moments():
    """As the feet of Bolt: Pinocchio adds them to the body's, and so do we."""
    robot = RobotModel.from_urdf(leg_with('value="0.5"', 'value="0"'))
    shank = robot.links[1]
    assert shank["mass"] == 1.5
    np.testing.assert_allclose(shank["com"], [0.0, 0.0, -0.2])
    np.testing.assert_allclose(shank["inertia"], [0.03, 0.0, 0.0, 0.04, 0.0, 0.05])


def test_a_massless_link_may_carry_a_massive_one():
    text = leg_with('parent link="body"', 'parent link="yoke"')
    yoke = '<link name="yoke"/>' + joint("roll", "body", "yoke", inside='<axis xyz="1 0 0"/>')
    robot = RobotModel.from_urdf(text.replace("</robot>", yoke + "</robot>"))
    assert robot.links["mass"][robot.link_index("yoke")] == 0.0


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_damaged_text_never_ends_in_another_error(data):
    start = data.draw(st.integers(0, len(LEG)))
    end = data.draw(st.integers(start, min(len(LEG), start + 40)))
    junk = data.draw(st.one_of(st.just(""), st.text(max_size=6), st.sampled_from(["-", "0", "nan", '"', "<", "1e308"])))
    text = LEG[:start] + junk + LEG[end:]
    with suppress(ModelError):
        assert np.all(np.isfinite(RobotModel.from_urdf(text if text.strip() else "<").home))
