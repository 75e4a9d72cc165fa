"""Backlash: closed forms of a rotor and a load with play between them."""

import numpy as np
import pytest

from legged_contact_sim import ParameterError, RobotModel, Simulator
from legged_contact_sim.contact.records import WORK_TERMS

PLAY, ROTOR, LOAD, MASS, ARM = 0.04, 0.02, 0.03, 1.0, 0.2
URDF = f"""
<robot name="geared"><link name="world"/>
  <joint name="turn" type="continuous"><parent link="world"/><child link="load"/><axis xyz="0 1 0"/></joint>
  <link name="load"><inertial><origin xyz="{{arm}} 0 0"/><mass value="{MASS}"/>
    <inertia ixx="{LOAD}" ixy="0" ixz="0" iyy="{LOAD}" iyz="0" izz="{LOAD}"/></inertial></link>
</robot>"""


def geared(arm=0.0, **numbers):
    numbers = numbers or {"play": PLAY, "rotor_inertia": ROTOR}
    return RobotModel.from_urdf(URDF.format(arm=arm), backlash={"turn": numbers})


def test_the_rotor_runs_free_through_the_play_and_then_takes_the_load_along():
    """Free: w = u t / J. At the stop both go on at J w / (J + I), and the impact costs J I w^2 / 2 (J + I)."""
    robot, effort = geared(), 0.1
    assert robot.joint_names == ("turn", "turn_play")
    sim = Simulator(robot, time_step=1e-4)
    free = np.sqrt(PLAY * ROTOR / effort)  # s to cross half the play at u / J
    run = sim.run(0.2, lambda *_: np.array([effort, 0.0]))
    before, after = run.time < free - 2e-4, run.time > free + 2e-4
    np.testing.assert_allclose(run.v[before, 0], effort / ROTOR * run.time[before], rtol=1e-9)
    np.testing.assert_allclose((run.v[:, 0] + run.v[:, 1])[before], 0.0, atol=1e-12)  # the load stands
    speed = effort * run.time[after] / (ROTOR + LOAD)  # no angular momentum is lost
    np.testing.assert_allclose(run.v[after, 0], speed, rtol=1e-9)
    np.testing.assert_allclose(run.q[after, 1], -PLAY / 2.0, atol=1e-6)
    met = effort * free / ROTOR
    lost = -run.works[-1, WORK_TERMS.index("joint_limits")]
    expected = 0.5 * ROTOR * LOAD / (ROTOR + LOAD) * met**2
    assert lost == pytest.approx(expected, rel=1e-9)
    assert effort * run.q[-1, 0] - 0.5 * (ROTOR + LOAD) * run.v[-1, 0] ** 2 == pytest.approx(expected, rel=1e-9)
    assert abs(run.remainder[-1]) < 1e-3 * expected


def test_a_held_motor_leaves_the_load_on_the_side_to_which_it_is_pulled():
    """The encoder on the motor does not see it: the loop of hysteresis is as wide as the play."""
    sim = Simulator(geared(ARM), time_step=1e-3)
    sim.command([0.0, 0.0], stiffness=2000.0, damping=20.0)
    sides = []
    for pull in (0.0, -2.0 * MASS * 9.81):  # N upward at the load's centre, which gravity pulls down
        sim.push("load", [0.0, 0.0, -pull], torque=[0.0, ARM * pull, 0.0], duration=1.5)
        run = sim.run(1.5)
        sides.append(run.q[-1])
        assert np.abs(run.v[-1]).max() < 1e-6
    assert sides[0][1] - sides[1][1] == pytest.approx(PLAY, abs=1e-6)
    assert sides[0][0] == pytest.approx(-sides[1][0], rel=1e-3)
    assert abs(sides[0][0]) == pytest.approx(MASS * 9.81 * ARM / 2000.0, rel=1e-2)


@pytest.mark.parametrize(
    ("joint", "numbers", "words"),
    [
        ("tail", {"play": 0.01}, "'tail': expected a joint that moves"),
        ("turn", {"play": -1.0}, "backlash.turn.play: expected a finite number > 0, found -1.0"),
        ("turn", {"rotor_inertia": 1.0}, "backlash.turn.play: expected a number"),
        ("turn", {"play": True}, "backlash.turn.play: expected a finite number > 0, found True"),
        ("turn", 0.01, "backlash.turn: expected play and rotor_inertia, found 0.01"),
        ("turn", {"width": 1.0}, "backlash.turn.width: there is no such number"),
        ("turn", {"play": 0.01}, "expected an inertia beyond the joint or a rotor inertia"),
    ],
)
def test_what_cannot_be_meant_is_named(joint, numbers, words):
    with pytest.raises((ParameterError, ValueError), match=words):
        RobotModel.from_urdf(URDF.format(arm=0.0), backlash={joint: numbers})
