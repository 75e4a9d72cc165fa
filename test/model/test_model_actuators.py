"""Drives as motors and gears are: torque-speed curves and what else is given per joint, against closed forms."""

import math

import numpy as np
import pytest

from legged_contact_sim import ParameterError, RobotModel, Simulator

INERTIA, STALL, TOP = 0.5, 20.0, 10.0
WHEEL = RobotModel.from_urdf(
    '<robot name="wheel"><link name="world"/><link name="rotor"><inertial><mass value="1"/>'
    f'<inertia ixx="{INERTIA}" iyy="{INERTIA}" izz="{INERTIA}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    '<joint name="hinge" type="continuous"><parent link="world"/><child link="rotor"/><axis xyz="0 0 1"/>'
    f'<limit effort="{STALL}" velocity="{TOP}"/></joint></robot>'
)


def spun(robot, effort=100.0, duration=0.3, start=0.0):
    sim = Simulator(robot, "exact_lcp", 1e-4)
    sim.reset(v=[start])
    return sim.run(duration, lambda *_: [effort], sample_every=10)


def test_a_drive_on_its_curve_comes_to_its_top_speed_as_an_exponential():
    """I dv/dt = stall (1 - v / top): v = top (1 - exp(-stall t / (I top)))."""
    run = spun(WHEEL.with_actuators(corner_velocity=0.0))
    expected = TOP * (1.0 - np.exp(-STALL * run.time / (INERTIA * TOP)))
    assert run.v[:, 0] == pytest.approx(expected, abs=2e-3)


def test_a_drive_without_a_limit_gives_nothing_at_its_top_speed():
    """Any effort times nothing left is nothing, not a NaN."""
    endless = RobotModel.from_urdf(WHEEL.urdf.replace(f'effort="{STALL}" ', ""))
    run = spun(endless.with_actuators(corner_velocity=5.0), start=TOP)
    assert (run.v[:, 0] == TOP).all()


def test_up_to_its_corner_a_drive_gives_its_limit_and_brakes_with_all_of_it():
    run = spun(WHEEL.with_actuators(corner_velocity=6.0))
    even = run.v[:, 0] < 6.0
    assert run.v[even, 0] == pytest.approx(STALL / INERTIA * run.time[even], rel=1e-9)
    left = run.time[~even] - 6.0 * INERTIA / STALL
    assert run.v[~even, 0] == pytest.approx(6.0 + 4.0 * (1.0 - np.exp(-STALL * left / (INERTIA * 4.0))), abs=5e-3)
    braked = spun(WHEEL.with_actuators(corner_velocity=0.0), effort=-100.0, duration=0.1, start=8.0)
    assert braked.v[:, 0] == pytest.approx(8.0 - STALL / INERTIA * braked.time, rel=1e-9)


def test_gains_are_bounded_by_the_curve_too():
    """A stiff drive with a far target gives what the curve leaves, no more."""
    sim = Simulator(WHEEL.with_actuators(corner_velocity=0.0), "exact_lcp", 1e-4)
    sim.hold(stiffness=1e4, damping=1.0, target=[100.0])
    run = sim.run(0.3, sample_every=10)
    expected = TOP * (1.0 - np.exp(-STALL * run.time / (INERTIA * TOP)))
    assert run.v[:, 0] == pytest.approx(expected, abs=5e-3)


def test_other_numbers_act_as_those_of_a_description_do():
    """A rotor adds its inertia, a limit bounds, dry friction takes its part; what is not given stays as it is."""
    run = spun(WHEEL.with_actuators(rotor_inertia=0.5, effort_limit=6.0, friction=1.0), duration=0.2)
    assert run.v[:, 0] == pytest.approx(5.0 * run.time, rel=1e-6)
    plain, same = spun(WHEEL), spun(WHEEL.with_actuators(effort_limit=[STALL]))
    assert np.array_equal(plain.v, same.v)


@pytest.mark.parametrize(
    ("given", "culprit"),
    [
        ({"corner_velocity": 11.0}, "actuator.corner_velocity: hinge: expected less than a finite velocity_limit"),
        ({"corner_velocity": 1.0, "velocity_limit": math.inf}, "actuator.corner_velocity: hinge: .* found 1 and inf"),
        ({"effort_limit": [1.0, 2.0]}, "actuator.effort_limit: expected one number >= 0 or 1"),
        ({"friction": math.nan}, "actuator.friction: expected"),
        ({"friction": math.inf}, "actuator.friction: expected"),
        ({"rotor_inertia": "big"}, "actuator.rotor_inertia: expected"),
        ({"backlash": 0.1}, "actuator.backlash: there is no such number; expected effort_limit"),
    ],
)
def test_drives_that_cannot_be_meant(given, culprit):
    with pytest.raises(ParameterError, match=culprit):
        WHEEL.with_actuators(**given)
