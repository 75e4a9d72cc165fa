"""Bad files of every format that robots come in: one line that names the file and the culprit, never a traceback."""

import pytest
from leg import LEG

from legged_contact_sim.model import ModelError, RobotModel


def xacro(inside):
    """Return a xacro file."""
    return f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{inside}</robot>'


def mjcf(inside="", after=""):
    """Return an MJCF with one body."""
    body = f'<body name="b"><joint name="j"/><geom size="0.1"/>{inside}</body>'
    return f"<mujoco><worldbody>{body}</worldbody>{after}</mujoco>"


APART = """<mujoco><worldbody>
  <body name="a"><joint/><geom size="0.1"/><site name="p"/></body>
  <body name="b" pos="5 0 0"><joint axis="1 0 0"/><geom size="0.1"/><site name="q"/></body>
  </worldbody><equality><connect name="pin" site1="p" site2="q"/></equality></mujoco>"""
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def wheel(name, parent, mimicked):
    """Return a link on a joint that mimics another one."""
    joint = f'<parent link="{parent}"/><child link="{name}"/><mimic joint="turn_{mimicked}"/>'
    return f'<link name="{name}">{MASS}</link><joint name="turn_{name}" type="continuous">{joint}</joint>'


CIRCLE = f'<robot name="r"><link name="a">{MASS}</link>{wheel("b", "a", "c")}{wheel("c", "b", "b")}</robot>'
DESCRIPTIONS = {
    "circle.urdf": (CIRCLE, "'turn_b', 'turn_c' mimic one another in a circle"),
    "pointer.urdf": ("version https://git-lfs.github.com/spec/v1\n", "a pointer of Git LFS, not a"),
    "no include.xacro": (xacro('<xacro:include filename="nowhere.xacro"/>'), "nowhere.xacro"),
    "division.xacro": (xacro('<link name="${1/0}"/>'), "division by zero"),
    "macro.xacro": (xacro("<xacro:leg/>"), "xacro:leg"),
    "parameter.xacro": (xacro('<xacro:macro name="a" params="x"/><xacro:a/>'), r"\[x\]"),
    "argument.xacro": (xacro('<link name="$(arg side)"/>'), "side; it has no default: give it by --xacro side:=VALUE"),
    "package.xacro": (xacro('<link name="$(find nowhere)"/>'), "expand it: package 'nowhere' is not there"),
    "circle.xacro": (
        xacro('<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><link name="${a}"/>'),
        "circular",
    ),
    "endless.xacro": (xacro('<xacro:macro name="a"><xacro:a/></xacro:macro><xacro:a/>'), "recursion"),
    "no file access.xacro": (xacro("<link name=\"${open('/etc/passwd').read()}\"/>"), "'open' is not defined"),
    "cut short.xacro": ("<robot", "unclosed"),
    "empty.xacro": ("", "no element"),
    "joint.xml": (mjcf('<joint type="spiral"/>'), "spiral"),
    "body.xml": (mjcf(after='<equality><connect body1="b" body2="c" anchor="0 0 0"/></equality>'), "'c'"),
    "mesh.xml": (mjcf('<geom type="mesh" mesh="none"/>'), "'none'"),
    "include.xml": (mjcf(after='<include file="none.xml"/>'), "none.xml"),
    "keyframe.xml": (mjcf(after='<keyframe><key qpos="1 2 3 4"/></keyframe>'), "qpos size"),
    "no mass.xml": ("<mujoco><worldbody><body><freejoint/></body></worldbody></mujoco>", "mass"),
    "nothing moves.xml": ('<mujoco><worldbody><geom size="1"/></worldbody></mujoco>', "nothing moves"),
    "nan.xml": (mjcf('<joint name="k" axis="0 nan 1"/>'), "joint 'k' has the axis .*nan.*; expected finite numbers"),
    "infinite.xml": (mjcf('<body name="c" pos="inf 0 0"><geom size="1"/></body>'), "body 'c' has the position inf 0 0"),
    "damping.xml": (mjcf('<joint name="k" axis="0 1 0" damping="-1"/>'), "joint 'k' has the damping -1; expected 0 or"),
    "stiffness.xml": (mjcf('<joint axis="0 1 0" stiffness="-2"/>'), "joint 1 has the stiffness -2; expected 0 or more"),
    "coefficient.xml": (
        mjcf('<joint name="k" axis="0 1 0"/>', '<equality><joint joint1="j" joint2="k" polycoef="nan 1"/></equality>'),
        "equality 0 has the anchor or coefficient nan",
    ),
    "loop.xml": (APART, "pin cannot be closed"),
    "cut short.xml": ("<mujoco", "MuJoCo does not compile it"),
}


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_a_bad_description_is_one_line(tmp_path, name):
    content, culprit = DESCRIPTIONS[name]
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(ModelError, match=f"{name}: .*{culprit}") as caught:
        RobotModel.from_urdf(path)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None


SRDFS = {
    "cut_short": (b"<robot", "XML"),
    "word": (
        b'<robot><group_state name="home"><joint name="hip" value="x"/></group_state></robot>',
        "'home', joint 'hip'",
    ),
    "html": (b"<html/>", "<html>"),
    "empty": (b"", "is empty"),
    "binary": (b"\xff\xfe", "cannot be read as an SRDF"),
}


@pytest.mark.parametrize("name", SRDFS)
def test_a_bad_srdf_is_one_line(tmp_path, name):
    content, culprit = SRDFS[name]
    path = tmp_path / f"{name}.srdf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=rf"{name}\.srdf: .*{culprit}") as caught:
        RobotModel.from_urdf(LEG, srdf=path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "culprit"),
    [
        ("closures: {rod: 1}", "closure 'rod' is 1"),
        ("closures: 3", "closures is a int"),
        ("feet: 3", "feet is 3; expected a list"),
        ("feet: sole", "feet is 'sole'; expected a list"),
        ("feet: [toe]", "feet names 'toe'"),
        ("home: on_its_head", "'on_its_head'"),
    ],
)
def test_a_bad_note_beside_the_robot_is_one_line(tmp_path, content, culprit):
    (tmp_path / "leg.urdf").write_text(LEG)
    (tmp_path / "leg.yaml").write_text(content)
    with pytest.raises(ModelError, match=rf"leg\.urdf: .*{culprit}") as caught:
        RobotModel.from_urdf(tmp_path / "leg.urdf")
    assert "\n" not in str(caught.value)


def test_what_mujoco_warns_of_is_a_note_not_a_line_and_a_file_of_its_own(tmp_path, monkeypatch, capfd):
    """Left alone, MuJoCo writes to the terminal and to MUJOCO_LOG.TXT in the working folder."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match="expected finite numbers"):
        RobotModel.from_urdf(mjcf('<joint name="k" axis="0 nan 1"/>'))
    robot = RobotModel.from_urdf(mjcf(after='<option timestep="nan"/>'))  # a number that is not read
    assert [note for note in robot.notes if note.startswith("MuJoCo warns: ") and "NaN" in note]
    assert capfd.readouterr() == ("", "")
    assert not list(tmp_path.iterdir())
