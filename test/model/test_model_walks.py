"""From a description to walking: a small quadruped without a word about it trots on the plane and up a slope."""

import sys

import numpy as np
import pytest
from walkers import biped, quadruped

from legged_contact_sim import Simulator
from legged_contact_sim.control import InProcess, make_controller
from legged_contact_sim.control.ground_plane import GroundPlane
from legged_contact_sim.control.scenario import Scenario
from legged_contact_sim.control.whole_body import WholeBody
from legged_contact_sim.control.zmp_trot import sized
from legged_contact_sim.errors import ParameterError
from legged_contact_sim.model import RobotModel
from legged_contact_sim.terrain import Slope


@pytest.mark.parametrize("angle", [0.0, 0.17])
def test_it_trots_at_the_speed_that_is_asked_for(angle):
    robot = RobotModel.from_urdf(quadruped(shift="0.02 0.005 0"))
    sim = Simulator(robot, time_step=1e-3, terrain=Slope(angle))
    controller = make_controller("zmp_trot", robot, {"velocity": [0.3, 0.0, 0.0]})
    run = sim.run(5.0, InProcess(controller, sim), 10)
    late = run.time > 2.0
    speed = (run.q[-1, 0] - run.q[late][0, 0]) / (run.time[-1] - run.time[late][0])
    assert speed == pytest.approx(0.3, rel=0.1)
    assert not controller.fallen
    assert 1.0 - 2.0 * (run.q[:, 3] ** 2 + run.q[:, 4] ** 2).max() > np.cos(0.25)
    if angle:
        assert controller.plane.slope == pytest.approx([np.tan(angle), 0.0], abs=0.02)


def test_wheels_at_the_ends_of_legs_are_braked_and_it_trots_up_a_slope_on_them():
    """As Deep Robotics' M20 does: with free wheels it rolls down and falls."""
    wheel = '<sphere radius="0.03"/>'
    robot = RobotModel.from_urdf(quadruped(foot=wheel, feet_turn=True))
    assert robot.joint_count == 16
    sim = Simulator(robot, time_step=1e-3, terrain=Slope(0.17))
    controller = make_controller("zmp_trot", robot, {"velocity": [0.3, 0.0, 0.0]})
    run = sim.run(4.0, InProcess(controller, sim), 10)
    late = run.time > 2.0
    speed = (run.q[-1, 0] - run.q[late][0, 0]) / (run.time[-1] - run.time[late][0])
    assert speed == pytest.approx(0.3, rel=0.15)
    wheels = robot.position_indices[[name.endswith("foot_fixed") for name in robot.joint_names]]
    assert np.abs(run.q[:, wheels] - robot.home[wheels]).max() < 0.3


SOLES = biped().replace('ankle_roll_joint" type="revolute"', 'ankle_roll_joint" type="continuous"')
RIMS = quadruped(foot='<cylinder radius="0.05" length="0.02"/>', feet_turn=True)
CYLINDER = '<origin xyz="{}"/><geometry><cylinder'


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (SOLES, 0),
        (quadruped(feet_turn=True), 4),
        (RIMS.replace(CYLINDER.format("0 0 0"), CYLINDER.format('0.002 0 0" rpy="1.5707963 0 0')), 4),
        (RIMS.replace(CYLINDER.format("0 0 0"), CYLINDER.format('0.02 0 0" rpy="1.5707963 0 0')), 0),
    ],
    ids=["soles", "spheres", "rims", "beside the axis"],
)
def test_a_wheel_lies_around_its_axis_and_a_sole_beside_it(text, count):
    """A foot whose ankle has no limits still stands on its sole; it was braked like a wheel."""
    robot = RobotModel.from_urdf(text)
    assert np.isinf(robot.links["upper_limit"][1:]).any()
    assert len(WholeBody(robot, 0.5)._wheels) == count


def test_gaits_of_similar_robots_are_dynamically_similar():
    """Twice the height: lengths twice, times by the root of two, gains by their units; what is given stays."""
    robot = RobotModel.from_urdf(quadruped())
    given = make_controller("zmp_trot", robot, {"clearance": 0.05}).parameters
    plain = type(given)(clearance=0.05)
    small, large = sized(plain, 0.3), sized(plain, 0.6)
    assert large.swing_time / small.swing_time == pytest.approx(np.sqrt(2.0))
    assert large.longest_step / small.longest_step == pytest.approx(2.0)
    assert large.attitude_stiffness / small.attitude_stiffness == pytest.approx(0.5)
    assert large.attitude_damping / small.attitude_damping == pytest.approx(np.sqrt(0.5))
    assert small.clearance == large.clearance == given.clearance == 0.05


def test_a_ground_plane_is_that_of_the_footholds():
    places = np.array([[0.3, 0.2, 0.0], [0.3, -0.2, 0.0], [-0.3, 0.2, 0.0], [-0.3, -0.2, 0.0]])
    places[:, 2] = 0.1 + 0.2 * places[:, 0] - 0.1 * places[:, 1]
    plane = GroundPlane(0.5)
    plane.reset(places)
    assert plane.slope == pytest.approx([0.2, -0.1], rel=0.01)
    assert plane.height(np.array([1.0, 1.0])) == pytest.approx(0.2, abs=0.01)
    plane.update(places * (1.0, 1.0, 0.0), np.ones(4, dtype=bool), 5.0)
    assert plane.slope == pytest.approx([0.0, 0.0], abs=1e-12)
    plane.reset(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.5]]))
    assert plane.slope == pytest.approx([0.5, 0.0], rel=0.01)


OWN = """
from dataclasses import dataclass

import sys

import numpy as np

from legged_contact_sim.control import Controller
from legged_contact_sim.control.parameters import Parameters, number


@dataclass(frozen=True)
class Options(Parameters):
    push: float = number(1.0, 0.0, 5.0)


class Pusher(Controller):
    name, summary, Parameters = "pusher", "pushes", Options

    def reset(self, observation):
        pass

    def effort(self, observation):
        return np.full(self.robot.joint_count, self.parameters.push)


class Hold(Pusher):
    name = "hold"


class Nobody(Controller):
    pass
"""


def test_a_user_s_own_controller_is_found_by_module_and_class(tmp_path, monkeypatch):
    (tmp_path / "my_own_pusher.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    robot = RobotModel.from_urdf(quadruped())
    controller = make_controller("my_own_pusher:Pusher", robot, {"push": 2.0})
    assert controller.effort(None) == pytest.approx(np.full(12, 2.0))
    scenario = Scenario("own", {"controller": "my_own_pusher:Pusher"}).changed({"pusher.push": 3.0})
    assert scenario.controller(robot).parameters.push == 3.0  # as over ROS: by the controller's name
    for name, culprit in (
        ("nowhere_at_all:Pusher", "cannot be imported: ModuleNotFoundError"),
        ("my_own_pusher:Puller", "cannot be imported: AttributeError"),
        ("my_own_pusher:Options", "no subclass"),
        ("my_own_pusher:Hold", "has the name 'hold', which begins parameters of a scenario"),
        ("my_own_pusher:Nobody", "has no 'name'"),
        ("zmp_trod", "expected one of"),
    ):
        with pytest.raises(ParameterError, match=culprit):
            make_controller(name, robot)


def test_joint_pid_without_gains_holds_any_robot():
    robot = RobotModel.from_urdf(quadruped())
    sim = Simulator(robot, time_step=1e-3)
    run = sim.run(2.0, InProcess(make_controller("joint_pid", robot), sim), 20)
    assert run.q[-1, 2] == pytest.approx(robot.home[2], rel=0.05)
    assert np.abs(run.v[-1]).max() < 1e-2
