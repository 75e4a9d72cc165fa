"""The prescribed walk of the planar biped: feet stand still in the plan, it repeats, and short legs are refused."""

import numpy as np
import pytest

from legged_contact_sim import RobotModel
from legged_contact_sim.control import make_controller
from legged_contact_sim.control.planar_gait import GaitShape, PlanarGait
from legged_contact_sim.control.scenario import Scenario
from legged_contact_sim.errors import ModelError, ParameterError
from legged_contact_sim.simulation.contacts import contact_centers

BIPED = RobotModel.from_urdf("biped_planar")


def test_a_flat_foot_stands_still_and_the_walk_repeats():
    gait = PlanarGait(BIPED)
    middle = 0.5 * gait.shape.step_time
    soles = [k for k, name in enumerate(BIPED.contact_names) if name.startswith("lf_sole")]
    places = [contact_centers(BIPED, gait.joints(time))[0][soles] for time in middle + np.linspace(-0.1, 0.1, 5)]
    for place in places:
        assert place == pytest.approx(places[0], abs=2e-4)
    assert np.ptp(places[0][:, 2]) < 1e-3
    assert places[0][:, 2].mean() == pytest.approx(-gait.shape.depth, abs=1e-3)
    later = gait.joints(middle + gait.cycle)
    assert later[0] - gait.joints(middle)[0] == pytest.approx(gait.shape.speed * gait.cycle)
    assert later[1:] == pytest.approx(gait.joints(middle)[1:])


def test_rates_are_those_of_the_positions():
    gait, near = PlanarGait(BIPED), 1e-6
    for time in (0.03, 0.4, 0.9):
        change = (gait.joints(time + near) - gait.joints(time - near)) / (2.0 * near)
        assert gait.joints(time, 1) == pytest.approx(change, abs=1e-5)


def test_a_leg_that_does_not_reach_is_refused():
    with pytest.raises(ParameterError, match="leg is too short by"):
        PlanarGait(BIPED, GaitShape(speed=2.5))
    with pytest.raises(ModelError, match="left_foot"):
        PlanarGait(RobotModel.from_urdf("quadruped12"))


def test_the_controller_walks_on_the_sole_s_points():
    sim, controller = Scenario.load("bruneau_walk").start()
    steps = round(controller.controller.gait.cycle / sim.time_step)
    run = sim.run(1.5 * steps * sim.time_step, controller)
    last = run.q[-steps:]
    assert (last[-1, 0] - last[0, 0]) / (steps * sim.time_step) == pytest.approx(1.35, rel=0.05)
    assert np.abs(last[:, 2]).max() < 0.05 and last[:, 1].min() > 0.8
    weight = 9.81 * sim.robot.total_mass
    assert run.forces[-steps:, :, 2].sum(axis=1).mean() == pytest.approx(weight, rel=0.05)  # the ground carries all


def test_the_controller_wants_the_planar_biped():
    with pytest.raises(ParameterError, match="quadruped12 has no joint root_x"):
        make_controller("planar_walk", RobotModel.from_urdf("quadruped12"))
