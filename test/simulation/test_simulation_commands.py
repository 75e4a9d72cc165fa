"""Targets with gains: u = kp (q* - q) + kd (v* - v) + effort, inside the step or held between commands."""

import numpy as np
import pytest

from legged_contact_sim import ParameterError, RobotModel, Simulator
from legged_contact_sim.model.gains import proposed_gains

INERTIA, LIMIT = 0.05, 30.0
WHEEL = f"""
<robot name="wheel">
  <link name="world"/>
  <joint name="spin" type="revolute">
    <parent link="world"/><child link="rotor"/><axis xyz="0 0 1"/>
    <limit lower="-100" upper="100" effort="{LIMIT}" velocity="1000"/>
  </joint>
  <link name="rotor">
    <inertial><mass value="1"/>
      <inertia ixx="{INERTIA}" ixy="0" ixz="0" iyy="{INERTIA}" iyz="0" izz="{INERTIA}"/></inertial>
  </link>
</robot>
"""


@pytest.fixture(scope="module")
def sim():
    return Simulator(RobotModel.from_urdf(WHEEL, home=[0.0]), time_step=1e-3)


def test_the_wheel_moves_as_a_damped_oscillator_toward_moving_targets(sim):
    """J x'' + kd x' + kp x = 0 for x = q - q*, when the targets move at v* and the effort balances nothing."""
    kp, kd, target, x0 = 20.0, 0.4, 0.7, 0.5
    sim.reset([target + x0], [0.0])
    sim.command([target], [0.0], [0.0], stiffness=kp, damping=kd)
    run = sim.run(0.5)
    decay, omega = 0.5 * kd / INERTIA, np.sqrt(kp / INERTIA - (0.5 * kd / INERTIA) ** 2)
    exact = x0 * np.exp(-decay * run.time) * (np.cos(omega * run.time) + decay / omega * np.sin(omega * run.time))
    np.testing.assert_allclose(run.q[:, 0] - target, exact, atol=2e-4)
    assert abs(run.remainder).max() < 1e-12


def test_position_velocity_effort_act_together_and_what_a_step_gets_comes_on_top(sim):
    """In the steady state kp (q* - q) + kd (v* - v) + effort = 0."""
    sim.reset()
    sim.command([1.0], [2.0], [3.0], stiffness=50.0, damping=4.0)
    for _ in range(2000):
        sim.step(np.array([1.5]))
    assert sim.v[0] == pytest.approx(0.0, abs=1e-6)
    assert sim.q[0] == pytest.approx(1.0 + (4.0 * 2.0 + 3.0 + 1.5) / 50.0, abs=1e-6)
    sim.command(velocity=[2.0], damping=4.0, stiffness=5.0)
    sim.run(1.0)
    assert sim.v[0] == pytest.approx(2.0, abs=1e-9), "without a position the stiffness does not act"
    sim.reset()
    assert sim.step() and sim.v[0] > 0.0, "a reset keeps the command"
    sim.command()
    sim.reset()
    sim.step()
    assert sim.v[0] == 0.0, "nothing is commanded"


def test_held_between_commands_the_same_gains_need_a_fast_driver(sim):
    """Explicit damping is stable for kd T / J < 2 only; inside the step it is stable however high."""
    kd = 10.0 * INERTIA / 1e-3

    def largest(inside, steps):
        sim.reset([0.0], [1e-3])
        seen = []
        for _ in range(20):
            sim.command([0.0], damping=kd, inside=inside)
            sim.advance(steps)
            seen.append(abs(sim.v[0]))
        sim.command()
        return max(seen)

    assert largest(True, 1) < 1e-3 and largest(True, 10) < 1e-3
    assert largest(False, 1) > 0.05


def test_explicit_is_the_effort_of_the_state_at_the_command(sim):
    sim.reset([0.1], [0.2])
    sim.command([0.3], [0.4], [0.5], stiffness=6.0, damping=0.7, inside=False)
    sim.advance(20)
    effort = 6.0 * (0.3 - 0.1) + 0.7 * (0.4 - 0.2) + 0.5
    assert sim.v[0] == pytest.approx(0.2 + effort / INERTIA * 0.02, rel=1e-12)
    assert sim.effort == pytest.approx([effort])
    sim.command([10.0], stiffness=1e4, inside=False)
    sim.step()
    assert sim.effort == pytest.approx([LIMIT])
    sim.command()


def test_a_quadruped_stands_on_targets_at_any_rate_inside_the_step_and_at_a_high_one_held():
    robot = RobotModel.from_urdf("quadruped12")
    sim, gains, home = Simulator(robot, friction=0.8), proposed_gains(robot), robot.home[7:]

    def stand(rate, inside):
        """Return the height after 1.5 s, m, and the fastest joint in the last quarter of a second, rad/s."""
        q = sim.home()
        q[2] += 0.02
        sim.reset(q)
        fastest = 0.0
        for k in range(round(1.5 * rate)):
            sim.command(home, stiffness=4.0 * gains.stiffness, damping=4.0 * gains.damping, inside=inside)
            sim.advance(round(2000 / rate))
            fastest = max(fastest, np.abs(sim.v[6:]).max()) if k > 1.25 * rate else 0.0
        return sim.q[2], fastest

    slow, fast, held = stand(50, True), stand(500, True), stand(500, False)
    assert max(slow[1], fast[1], held[1]) < 1e-3
    assert [slow[0], held[0]] == pytest.approx([fast[0]] * 2, abs=1e-4)
    assert stand(50, False)[1] > 1.0, "held for 20 ms, these gains shake the robot"


def test_targets_follow_to_another_contact_model_and_into_copies(sim):
    import pickle

    sim.reset()
    sim.command([0.0], [1.0], stiffness=1.0, damping=0.5)
    copy = pickle.loads(pickle.dumps(sim))
    sim.switch_contact_model("moreau")
    for each in (sim, copy):
        each.run(0.01)
    assert sim.v[0] == pytest.approx(copy.v[0], rel=1e-12) and sim.v[0] > 0.0
    sim.command()
    sim.switch_contact_model("exact_lcp")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"position": [0.0, 1.0]}, "position"),
        ({"position": [np.nan]}, "position"),
        ({"velocity": ["fast"]}, "velocity"),
        ({"effort": [np.inf]}, "effort"),
        ({"stiffness": -1.0}, "stiffness"),
        ({"damping": [np.nan]}, "damping"),
    ],
)
def test_targets_that_cannot_be_meant_are_refused_and_change_nothing(sim, given, words):
    sim.reset()
    sim.command()
    with pytest.raises(ParameterError, match=words):
        sim.command(**given)
    sim.step()
    assert sim.v[0] == 0.0
