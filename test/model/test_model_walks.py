"""From a description to walking: a small quadruped without a word about it trots on the plane and up a slope."""

import numpy as np
import pytest
from walkers import quadruped

from legged_contact_sim import Simulator
from legged_contact_sim.control import InProcess, make_controller
from legged_contact_sim.control.ground_plane import GroundPlane
from legged_contact_sim.control.zmp_trot import sized
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
