"""The books of every event: the reported impulses are what changed the momentum, in all coordinates of the robot."""

import numpy as np
import pytest
from contact_cases import GRAVITY, drop_state, robot_named, simulator

from legged_contact_sim.dynamics import forward_kinematics, mass_matrix, point_jacobian
from legged_contact_sim.studies.flickinger.runs import BICYCLE_RUNS, do_run

BALANCED = 1e-9  # of the largest momentum in any coordinate, before or after
CONTROLS = ("restitution", "attenuation", "constraint")
CASES = [*(("hybrid", {"energy_control": control}) for control in CONTROLS), ("embedding", {})]


def momentum_given(robot, event):
    """Return what an event's impulses give to the generalised momentum, (nv,): sum of J^T p, and the joint limits'."""
    total, poses = event.limit_impulses.copy(), forward_kinematics(robot, event.q)
    for name, impulse in zip(event.points, event.impulses, strict=True):
        point = robot.contact_points[robot.contact_names.index(name)]
        lowest = poses.rotation[point["link"]].T @ [0.0, 0.0, -point["radius"]]
        J = point_jacobian(robot, event.q, robot.link_names[point["link"]], point["position"] + lowest)
        total += J.T @ impulse
    return total


def imbalance(robot, event):
    """Return what the balance of an event's momentum lacks, relative to the largest momentum of a coordinate."""
    M = mass_matrix(robot, event.q)
    needed = M @ (event.v_after - event.attenuation * event.v_before)
    scale = max(np.abs(M @ event.v_before).max(), np.abs(M @ event.v_after).max())
    return np.abs(momentum_given(robot, event) - needed).max() / max(scale, 1e-3)


@pytest.mark.parametrize(("model", "control"), CASES)
@pytest.mark.parametrize("name", ["planar_leg", "quadruped12"])
def test_impulses_of_every_event_are_what_changed_the_momentum(name, model, control):
    robot, impacts, attenuated = robot_named(name), 0, 0
    for seed in range(12):
        random = np.random.default_rng(seed)
        given = {"friction": random.uniform(0.0, 1.5), "restitution": random.random(), **control}
        if model == "hybrid":
            given["energetic_restitution"] = random.uniform(0.5, 1.0)
        sim = simulator(robot, model, 5e-3, **given)
        sim.reset(*drop_state(robot, random))
        sim.run(0.1)
        for event in sim.events:
            assert imbalance(robot, event) < BALANCED, (seed, event)
            impacts += event.kind == "impact"
            attenuated += event.attenuation < 1.0
            pushes = event.impulses
            if event.kind == "impact":
                assert (np.hypot(pushes[:, 0], pushes[:, 1]) <= given["friction"] * pushes[:, 2] + 1e-9).all()
    assert impacts > 10
    assert (attenuated > 0) == (control.get("energy_control") in ("attenuation", "constraint"))


@pytest.mark.parametrize("title", ["20 deg, e_n 0.75", "20 deg, e_n 0.25"])
def test_forces_of_an_attenuated_run_and_what_attenuation_takes_add_up_to_the_momentum(title):
    """The bicycle's forces alone do not: attenuation takes momentum from links that no ground impulse reaches."""
    outcome = do_run(next(run for run in BICYCLE_RUNS if run.title == title))
    run, robot = outcome.trajectory, robot_named("bicycle")
    step = run.time[1] - run.time[0]
    pushed = run.forces.sum(axis=(0, 1))[[0, 2]] * step
    taken = sum((1.0 - event.attenuation) * (mass_matrix(robot, event.q) @ event.v_before)[:2] for event in run.events)
    weight = robot.total_mass * GRAVITY * run.time[-1]
    needed = (mass_matrix(robot, run.q[-1]) @ run.v[-1])[:2] + [0.0, weight]
    assert np.abs(taken).max() > 1.0
    np.testing.assert_allclose(pushed - taken, needed, atol=1e-6 * weight)


@pytest.mark.parametrize("model", ["hybrid", "embedding"])
def test_forces_of_a_landing_add_up_to_the_momentum(model):
    robot = robot_named("planar_leg")
    sim = simulator(robot, model, 1e-3, friction=0.8, restitution=0.5)
    sim.reset([4.0, 0.01, 0.0, 2.0944, -0.4363, -0.6981])
    run = sim.run(0.2)
    pushed = run.forces.sum(axis=(0, 1))[[0, 2]] * 1e-3
    weight = robot.total_mass * GRAVITY * run.time[-1]
    needed = (mass_matrix(robot, run.q[-1]) @ run.v[-1])[:2] + [0.0, weight]
    np.testing.assert_allclose(pushed, needed, atol=1e-7 * weight)


def test_ends_of_a_stiff_foot_share_friction_in_the_ratio_of_their_loads():
    """The planar leg's first landing: only the sum along the ground is determined; neither end pushes the other."""
    robot, landings = robot_named("planar_leg"), {}
    for model in ("hybrid", "embedding"):
        sim = simulator(robot, model, 1e-3, friction=0.8)
        sim.reset([4.0, 0.01, 0.0, 2.0944, -0.4363, -0.6981])
        landings[model] = sim.run(0.06).events[0].impulses
    shares = landings["embedding"]
    assert shares[:, 0] / shares[:, 2] == pytest.approx(np.full(2, shares[0, 0] / shares[0, 2]), rel=1e-9)
    assert (np.abs(shares[:, 0]) < 0.8 * shares[:, 2]).all()
    assert shares.sum(axis=0) == pytest.approx(landings["hybrid"].sum(axis=0), rel=1e-9, abs=1e-12)
