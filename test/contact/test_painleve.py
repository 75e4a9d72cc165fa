"""Slip that jams (Painleve): stopped by impulses without a collision, in closed form, and never without an end."""

import numpy as np
import pytest
from contact_cases import GRAVITY, drop_state, robot_named, simulator, tilted, total_energy

from legged_contact_sim import RobotModel

MODELS = ("hybrid", "embedding")
JAMMED = "jammed (Painleve)"
# a uniform rod of mass 1 and half length 1, whose end "a" is on the ground
ROD = (
    '<robot name="rod"><link name="rod"><inertial><mass value="1"/>'
    f'<inertia ixx="1e-4" iyy="{1.0 / 3.0}" izz="{1.0 / 3.0}" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
)


def leaning_rod(model, angle, speed, friction):
    """Return a rod at an angle to the ground whose lower end slides along x, and the end's inverse inertia."""
    points = {"a": {"link": "rod", "offset": [-1.0, 0.0, 0.0], "radius": 0.0}}
    sim = simulator(RobotModel.from_urdf(ROD, contact_points=points), model, 1e-4, friction=friction)
    c, s = np.cos(angle), np.sin(angle)
    sim.reset([0.0, 0.0, s, *tilted(angle)], [speed * c, 0.0, -speed * s, 0.0, 0.0, 0.0])
    return sim, np.array([[1.0 + 3.0 * c * c, -3.0 * s * c], [-3.0 * s * c, 1.0 + 3.0 * s * s]])


def jams(sim):
    return [event for event in sim.events if JAMMED in event.note]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("angle", [0.9, np.arctan(2.0), 1.25])
def test_rod_beyond_painleves_bound_is_stopped_at_once_with_the_closed_forms_loss(model, angle):
    inertia = leaning_rod(model, angle, 0.0, 0.0)[1]
    bound = inertia[0, 0] / abs(inertia[0, 1])  # 4/3 at tan(angle) = 2, more elsewhere
    sim, G = leaning_rod(model, angle, -2.0, 1.02 * bound)
    sim.step()
    (event,) = jams(sim)
    p = -np.linalg.solve(G, [0.0, -2.0])  # what brings the end to rest
    np.testing.assert_allclose(event.impulses[0], [p[1], 0.0, p[0]], rtol=1e-6, atol=1e-9)
    assert event.impulses[0][0] / event.impulses[0][2] == pytest.approx(bound, rel=1e-6)  # within the cone
    assert event.energy_before - event.energy_after == pytest.approx(0.5 * 2.0 * p[1], rel=1e-6)
    assert event.time == pytest.approx(0.0, abs=1e-9)
    assert not any(event.kind == "unresolved" for event in sim.events)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("speed", "share"), [(-2.0, 0.9), (2.0, 0.9), (2.0, 1.5)])
def test_rod_below_the_bound_or_dragged_backwards_slides_on(model, speed, share):
    angle = np.arctan(2.0)
    friction = share * 4.0 / 3.0
    sim, G = leaning_rod(model, angle, speed, friction)
    report = sim.step()
    assert not jams(sim)
    force = GRAVITY / (G[0, 0] - friction * np.sign(speed) * G[0, 1])
    np.testing.assert_allclose(report.contacts[0].force, [-np.sign(speed) * friction * force, 0.0, force], rtol=2e-2)


@pytest.mark.parametrize("model", MODELS)
def test_rod_that_slides_into_the_jam_is_stopped_there(model):
    """The forces grow without bound on the way to the bound; no step of the integrator may fail there."""
    sim, _ = leaning_rod(model, 1.5, -3.0, 1.6)
    start = total_energy(sim)
    rise = 0.0
    for _ in range(5000):
        before = total_energy(sim)
        sim.step()
        rise = max(rise, total_energy(sim) - before)
    assert start - total_energy(sim) > 0.1
    assert rise < 1e-7
    assert not any(event.kind == "unresolved" for event in sim.events)


LANDINGS = [("planar_leg", 83), ("quadruped12", 79), ("quadruped12", 86)]  # went in circles between stick and release
JAMMING = [("planar_leg", 465), ("quadruped12", 282), ("quadruped12", 299), ("quadruped12", 46)]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("name", "seed"), LANDINGS + JAMMING)
def test_landings_that_jam_end_in_few_events_without_sinking_or_gaining(model, name, seed):
    robot, random = robot_named(name), np.random.default_rng(seed)
    given = {"friction": random.uniform(0.0, 1.5), "restitution": random.random()}
    if seed % 3 == 0:
        given["dynamic_friction"] = given["friction"] * random.random()
    if model == "hybrid":
        given["energy_control"] = ("attenuation", "constraint")[seed % 2]
    sim = simulator(robot, model, 5e-3, **given)
    sim.reset(*drop_state(robot, random))
    trajectory = sim.run(0.3)
    steps = {int(event.time / 5e-3) for event in sim.events if event.kind == "unresolved"}
    assert sum(event.kind == "unresolved" for event in sim.events) <= 2 * len(steps)
    assert len({event.time for event in sim.events}) < 500
    assert trajectory.gaps.min() > -1e-7
    energies = np.concatenate([[trajectory.start_energy], trajectory.energies.sum(axis=1)])
    assert np.diff(energies).max() < 1e-7 * energies.max()
    if (name, seed) in LANDINGS and model == "hybrid":
        assert not steps
