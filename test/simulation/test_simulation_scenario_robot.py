"""Every program starts the robot that a scenario describes: with its home, feet, gravity, gears and all."""

import pytest
import yaml

from legged_contact_sim import RobotModel, Simulator
from legged_contact_sim.app.cli import main
from legged_contact_sim.compare.sweep.running import _robot as read
from legged_contact_sim.control.scenario import Scenario
from legged_contact_sim.simulation.scenario_robot import scenario_robot

INERTIAL = """<inertial><mass value="5"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>"""
HOPPER = f"""<robot name="hopper" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="joint" default="slide"/>
<link name="trunk">{INERTIAL}</link>
<link name="foot">{INERTIAL}<collision name="toe"><geometry><sphere radius="0.05"/></geometry></collision>
<collision name="shell"><geometry><mesh filename="package://shells/shell.stl"/></geometry></collision></link>
<joint name="$(arg joint)" type="prismatic"><parent link="trunk"/><child link="foot"/><origin xyz="0 0 -0.3"/>
<axis xyz="0 0 1"/><limit lower="-0.1" upper="0.1" effort="200" velocity="5"/></joint></robot>"""
POSES = """<robot name="hopper"><group_state name="crouched" group="all"><joint name="leg" value="0.07"/></group_state>
</robot>"""
TOLD = {
    "gravity": [0.0, 0.0, -1.62],
    "home": "crouched",
    "feet": ["toe"],
    "meshes": "skip",
    "xacro": ["joint:=leg"],
    "contact_points": {"heel": {"link": "foot", "offset": [-0.1, 0.0, 0.0], "radius": 0.02}},
    "backlash": {"leg": {"play": 0.001, "rotor_inertia": 0.5}},
    "actuator": {"effort_limit": [60.0]},
    "time_step": 1e-3,
}
PROGRAMS = {
    "view": ["--duration", "0.01", "--port", "0"],
    "film": ["-o", "film.png"],
    "compare": ["--models", "exact_lcp", "--models-only", "--jobs", "1"],
    "sweep": ["--vary", "friction=0.5", "--jobs", "1"],
}


@pytest.fixture
def scenario(tmp_path):
    (tmp_path / "hopper.xacro").write_text(HOPPER)
    (tmp_path / "poses.srdf").write_text(POSES)
    told = {"robot": str(tmp_path / "hopper.xacro"), "srdf": str(tmp_path / "poses.srdf"), **TOLD}
    path = tmp_path / "moon.yaml"
    path.write_text(yaml.safe_dump({"/**": {"ros__parameters": told}}))
    return path


def is_the_robot_of_the_scenario(robot):
    assert robot.gravity.tolist() == TOLD["gravity"]
    assert robot.home_origin == "pose 'crouched'"
    assert robot.joint_names == ("leg", "leg_play")
    assert robot.home[robot.position_indices] == pytest.approx([0.07, 0.0])
    assert robot.feet == ("toe",) and robot.contact_names == ("toe", "heel")
    assert robot.links["effort_limit"][robot.joint_links].tolist() == [60.0, 60.0]


class StartedError(Exception):
    """A program has made its simulator."""


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_starts_the_robot_that_the_scenario_describes(program, scenario, monkeypatch, tmp_path):
    robots = []

    def made(_, robot, *args, **kwargs):
        robots.append(robot)
        raise StartedError

    monkeypatch.setattr(Simulator, "__init__", made)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StartedError):
        main([program, str(scenario), *PROGRAMS[program]])
    is_the_robot_of_the_scenario(robots[0])


def test_a_sweep_reads_the_robot_anew_where_its_parameters_vary():
    base = Scenario("weak", {"robot": "quadruped12"})
    for limit in (30.0, 20.0, 30.0):
        robot = read(base.changed({"actuator.effort_limit": [limit]}))
        assert set(robot.links["effort_limit"][robot.joint_links]) == {limit}
    assert read(base) is read(base)


def test_a_robot_that_is_read_already_takes_the_drives():
    robot = RobotModel.from_urdf("quadruped12")
    assert scenario_robot({"robot": robot}) is robot
    assert scenario_robot({"robot": robot, "actuator.damping": 0.5}).links["damping"][-1] == 0.5
