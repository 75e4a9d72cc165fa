"""Where a robot comes from: packaged name, path or text, and the YAML file beside it."""

import copy
import os
import pickle

import numpy as np
import pytest
from leg import LEG, leg_plus, leg_with

from legged_contact_sim.errors import ParameterError
from legged_contact_sim.model import ModelError, RobotModel, robots
from legged_contact_sim.model.packaged import ament_shares

SIDECAR = """
home: {hip: 0.5}
contact_points:
  heel: {link: foot, offset: [-0.1, 0, 0], radius: 0.03}
"""


@pytest.fixture
def leg_file(tmp_path):
    """The leg as a file."""
    path = tmp_path / "leg.urdf"
    path.write_text(LEG)
    return path


def same(first, second):
    """Tell whether two models hold the same numbers."""
    return (
        first.links.tobytes() == second.links.tobytes()
        and first.home.tobytes() == second.home.tobytes()
        and first.joint_names == second.joint_names
    )


def test_text_path_and_name_agree(leg_file, monkeypatch):
    text = RobotModel.from_urdf(LEG)
    assert same(text, RobotModel.from_urdf(leg_file))
    assert same(text, RobotModel.from_urdf(str(leg_file)))
    assert text.urdf == LEG
    folder = leg_file.parent / "share" / "legged_contact_sim" / "urdf"
    folder.mkdir(parents=True)
    leg_file.rename(folder / "my_leg.urdf")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(leg_file.parent))
    assert "my_leg" in robots()
    assert same(text, RobotModel.from_urdf("my_leg"))


@pytest.mark.parametrize("change", [lambda text: "\ufeff" + text, lambda text: "\n  " + text, lambda text: text[39:]])
def test_text_may_begin_with_mark_blank_or_robot(change):
    assert same(RobotModel.from_urdf(LEG), RobotModel.from_urdf(change(LEG)))


@pytest.mark.parametrize("name", robots())
def test_packaged_robots_load(name):
    robot = RobotModel.from_urdf(name)
    assert robot.joint_count > 0
    assert robot.home.shape == (robot.nq,)
    assert robot.total_mass > 0.0


@pytest.mark.parametrize("source", ["no_such_robot", "no/such/file.urdf", "x" * 5000, "null\0character"])
def test_missing_robot_lists_the_packaged_ones(source):
    with pytest.raises(ModelError) as caught:
        RobotModel.from_urdf(source)
    assert source in str(caught.value)
    assert "packaged robots" in str(caught.value)
    assert ", ".join(robots()) in str(caught.value)


def test_folder_is_refused(tmp_path):
    with pytest.raises(ModelError, match=f"{tmp_path}: is a folder"):
        RobotModel.from_urdf(tmp_path)


@pytest.mark.parametrize("content", [os.urandom(2000) + b"\xff", b"\x00\x01\x02", LEG.encode("utf-16")])
def test_binary_file_is_refused(leg_file, content):
    leg_file.write_bytes(content)
    with pytest.raises(ModelError, match=r"leg\.urdf: is not text"):
        RobotModel.from_urdf(leg_file)


@pytest.mark.parametrize("source", [None, 3, b"<robot/>", ["leg"]])
def test_source_of_another_type_is_refused(source):
    with pytest.raises(ModelError, match=type(source).__name__):
        RobotModel.from_urdf(source)


def test_sidecar_sets_home_and_contact_points_and_arguments_replace_them(leg_file):
    leg_file.with_suffix(".yaml").write_text(SIDECAR)
    robot = RobotModel.from_urdf(leg_file)
    assert robot.contact_names == ("sole", "heel")
    assert robot.home[7] == 0.5
    other = RobotModel.from_urdf(leg_file, home={}, contact_points={})
    assert other.contact_names == ("sole",)
    assert other.home[7] == 0.0


@pytest.mark.parametrize("content", ["", "home:", "{}"])
def test_empty_sidecar_says_nothing(leg_file, content):
    leg_file.with_suffix(".yaml").write_text(content)
    assert same(RobotModel.from_urdf(LEG), RobotModel.from_urdf(leg_file))


@pytest.mark.parametrize(
    ("content", "culprit"),
    [
        ("home: {hip", "YAML"),
        ("- home", "list"),
        ("hom: {hip: 0}", "'hom'"),
        ("home: {knee: 0}", "'knee'"),
        ("home: {hip: 9}", "'hip' is 9"),
        ("home: 4", "8 finite numbers"),
        ("contact_points: [a]", "contact_points"),
        ("contact_points: {heel: {link: hoof}}", "'hoof'"),
        ("\xff\xfe: \x00", "YAML"),
        ("[" * 5000, "YAML"),
        ("home: !!python/object/apply:os.getcwd []", "YAML"),
    ],
)
def test_bad_sidecar_is_refused_by_name(leg_file, content, culprit):
    leg_file.with_suffix(".yaml").write_text(content, encoding="latin-1")
    with pytest.raises(ModelError, match=culprit) as caught:
        RobotModel.from_urdf(leg_file)
    assert "leg." in str(caught.value)


def test_sidecar_that_is_no_file_is_refused(leg_file):
    """A dangling link in a symlinked install must not silently give another home pose."""
    leg_file.with_suffix(".yaml").symlink_to("gone.yaml")
    with pytest.raises(ModelError, match=r"leg\.yaml: cannot be read"):
        RobotModel.from_urdf(leg_file)


def test_base_follows_from_the_root():
    assert RobotModel.from_urdf(LEG).base == "floating"
    weld = '<joint name="weld" type="fixed"><parent link="{0}"/><child link="body"/></joint><link name="{0}"/>'
    assert RobotModel.from_urdf(leg_plus(weld.format("dummy"))).base == "floating"
    assert RobotModel.from_urdf(leg_plus(weld.format("world"))).base == "fixed"
    assert RobotModel.from_urdf(leg_plus(weld.format("dummy").replace('"fixed"', '"continuous"'))).base == "fixed"
    fixed = RobotModel.from_urdf(LEG, base="fixed")
    assert (fixed.nq, fixed.nv, fixed.links["parent"].tolist()) == (1, 1, [-1])
    assert fixed.total_mass == pytest.approx(2.0)


def test_parameters_out_of_range_are_refused():
    for wrong in ({"base": "loose"}, {"meshes": "box"}, {"gravity": (0, 0)}, {"gravity": "down"}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            RobotModel.from_urdf(LEG, **wrong)
    np.testing.assert_array_equal(RobotModel.from_urdf(LEG, gravity=(0, 0, -1.62)).gravity, [0.0, 0.0, -1.62])


def test_drive_of_a_joint():
    robot = RobotModel.from_urdf(
        leg_plus(
            '<transmission name="gear"><type>transmission_interface/SimpleTransmission</type><joint name="hip"/>'
            '<actuator name="motor"><mechanicalReduction>-9</mechanicalReduction><rotorInertia>1e-4</rotorInertia>'
            "</actuator></transmission>"
            '<gazebo reference="hip"><springStiffness>5</springStiffness>'
            "<springReference>0.2</springReference></gazebo>"
        )
    )
    hip = robot.links[robot.link_index("shank")]
    expected = {
        "reduction": -9.0,
        "rotor_inertia": 81e-4,
        "stiffness": 5.0,
        "rest_position": 0.2,
        "damping": 0.3,
        "friction": 0.1,
        "lower_limit": -1.0,
        "upper_limit": 2.0,
        "effort_limit": 30.0,
        "velocity_limit": 8.0,
    }
    assert {name: hip[name] for name in expected} == pytest.approx(expected)


def test_drake_s_drive_of_a_joint():
    text = leg_plus(
        '<transmission name="gear"><joint name="hip"/><actuator name="motor"><drake:rotor_inertia value="2e-4"/>'
        '<drake:gear_ratio value="10"/></actuator></transmission>'
    ).replace('<robot name="leg">', '<robot name="leg" xmlns:drake="http://drake.mit.edu">')
    hip = RobotModel.from_urdf(text).links[1]
    assert (hip["reduction"], hip["rotor_inertia"]) == (10.0, pytest.approx(0.02))


def test_a_differential_without_rotors_changes_nothing():
    """As on Talos: the effort acts at the joint, so a gear without a rotor has no part in the motion."""
    wrist = (
        '<transmission name="wrist"><joint name="hip"><mechanicalReduction>2</mechanicalReduction></joint>'
        '<joint name="ankle"/><actuator name="a"/><actuator name="b"/></transmission>'
    )
    assert same(RobotModel.from_urdf(LEG), RobotModel.from_urdf(leg_plus(wrist)))


def test_rotor_inertia_lets_a_massless_link_move():
    pulley = (
        '<link name="pulley"/><joint name="drive" type="continuous"><parent link="foot"/><child link="pulley"/></joint>'
    )
    gear = '<transmission name="g"><joint name="drive"/><actuator name="m"><rotorInertia>1</rotorInertia></actuator>'
    assert RobotModel.from_urdf(leg_plus(f"{pulley}{gear}</transmission>")).links["rotor_inertia"][2] == 1.0


@pytest.mark.parametrize(
    ("limit", "effort", "velocity", "lower", "upper"),
    [
        ("", np.inf, np.inf, -np.inf, np.inf),
        ('<limit lower="-1" upper="1" effort="0" velocity="0"/>', np.inf, np.inf, -1.0, 1.0),
        ('<limit lower="-1" upper="1" effort="7"/>', 7.0, np.inf, -1.0, 1.0),
        ('<limit effort="7" velocity="3"/>', 7.0, 3.0, -np.inf, np.inf),
    ],
)
def test_limits_that_are_not_given(limit, effort, velocity, lower, upper):
    text = leg_with('<limit lower="-1" upper="2" effort="30" velocity="8"/>', limit)
    hip = RobotModel.from_urdf(text).links[1]
    found = [hip[f"{name}_limit"] for name in ("effort", "velocity", "lower", "upper")]
    assert found == [effort, velocity, lower, upper]


def test_model_survives_pickling():
    robot = RobotModel.from_urdf(LEG)
    assert same(robot, pickle.loads(pickle.dumps(robot)))


@pytest.mark.parametrize("copied", [lambda robot: pickle.loads(pickle.dumps(robot)), copy.deepcopy, copy.copy])
def test_copies_are_read_only_too(copied):
    """Kernels are compiled for read-only records: a copy that is not would have each of them compiled again."""
    robot = copied(RobotModel.from_urdf(LEG))
    arrays = robot.links, robot.home, robot.gravity, robot.contact_points, robot.joint_links
    derived = robot.position_indices, robot.velocity_indices, robot.rotor_inertias
    assert not any(array.flags.writeable for array in (*arrays, *derived, *robot.frames["foot"][1:]))


def test_ament_shares_skip_empty_entries(monkeypatch):
    monkeypatch.setenv("AMENT_PREFIX_PATH", ":/a::/b")
    assert [str(share) for share in ament_shares()] == ["/a/share", "/b/share"]
