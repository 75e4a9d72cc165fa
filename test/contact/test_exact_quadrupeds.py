"""Hard contact on the quadrupeds: standing still, weight, symmetry, complementarity and cone by hand."""

from functools import cache

import numpy as np
import pytest
from contact_cases import GRAVITY, HARD_MODELS, TIME_STEPS, gaps, point_positions, robot_named, simulator, turned

from legged_contact_sim.contact import MODELS
from legged_contact_sim.dynamics import forward_kinematics
from legged_contact_sim.dynamics.functions import potential_energy

cases = pytest.mark.parametrize(("model", "time_step"), [(m, h) for m in HARD_MODELS for h in TIME_STEPS])
STANCES = {"quadruped12": (150.0, 4.0), "quadruped16": (6000.0, 100.0)}


def feet_of(robot):
    """Return the indices of the contact points at the feet."""
    lowest = point_positions(robot, robot.home)[:, 2]
    return np.flatnonzero(lowest < lowest.min() + 1e-3)


@cache
def standing(name, model, time_step, settle=20.0, watch=40.0):
    """Return the run of a robot that has held its pose for a while."""
    sim = simulator(name, model, time_step)
    sim.hold(*STANCES[name])
    sim.run(settle, sample_every=1000)
    before = sim.step().energy
    return sim, before, sim.run(watch, sample_every=round(0.1 / time_step))


@cases
@pytest.mark.parametrize("name", STANCES)
def test_a_standing_quadruped_neither_sinks_nor_drifts(name, model, time_step):
    sim, _, run = standing(name, model, time_step)
    feet = feet_of(sim.robot)
    assert len(feet) == 4
    assert run.gaps.min() > -1e-6
    assert gaps(sim).min() > -1e-6
    first, last = (point_positions(sim.robot, q)[feet] for q in (run.q[0], run.q[-1]))
    assert np.abs(last - first).max() < 1e-6 * (run.time[-1] - run.time[0]) / 60.0
    assert np.abs(run.v).max() < 1e-7
    assert run.solver[-1, 2] <= 1e-4 * (run.time[-1] / time_step)  # unconverged steps: while dry joints come to rest


@cases
@pytest.mark.parametrize("name", STANCES)
def test_the_ground_carries_the_weight(name, model, time_step):
    sim, _, run = standing(name, model, time_step)
    weight = sim.robot.total_mass * GRAVITY
    force = run.forces.sum(axis=1)
    assert np.abs(force[:, 2] / weight - 1.0).max() < 1e-6
    assert np.abs(force[:, :2]).max() < 1e-6 * weight
    assert (run.forces[:, feet_of(sim.robot), 2] > 0.1 * weight).all()
    centre = np.einsum("tk,tkj->tj", run.forces[:, :, 2], np.array([point_positions(sim.robot, q) for q in run.q]))
    assert np.abs(centre[-1, :2] / weight - sim.state.q[:2]).max() < 0.05  # the feet's centre of pressure is below


@cases
@pytest.mark.parametrize("name", STANCES)
def test_the_audit_of_a_standing_robot_closes(name, model, time_step):
    sim, before, run = standing(name, model, time_step)
    after = sim.step().energy
    change = abs(after.remainder - before.remainder) / (run.time[-1] - run.time[0])
    assert change < 1e-9 * abs(potential_energy(sim.robot, sim.state.q))


@cases
def test_joints_with_dry_friction_hold(model, time_step):
    _, _, run = standing("quadruped16", model, time_step)
    assert np.abs(run.v[:, 6:]).max() < 1e-12
    assert np.ptp(run.q[:, 7:], axis=0).max() < 1e-12


@cases
@pytest.mark.parametrize("name", STANCES)
def test_a_symmetric_robot_feels_symmetric_forces(name, model, time_step):
    sim = simulator(name, model, time_step)
    sim.hold(*STANCES[name])
    sim.run(0.25)
    forces = {contact.name: contact.force for contact in sim.step().contacts}
    # Joints that dry friction holds make the feet redundant: Newton's steps add 1e-10 of the diagonal there, so that
    # rounding, 1e-16, leaves 1e-6 of the forces open. quadruped12 has no dry joints.
    bound = (5e-6 if name == "quadruped16" else 1e-6) * sim.robot.total_mass * GRAVITY
    for name, force in forces.items():
        if name.startswith("l"):
            mirrored = forces["r" + name[1:]] * (1.0, -1.0, 1.0)
            assert np.abs(force - mirrored).max() < bound
            fore_aft = forces[name.replace("lf_", "?").replace("lh_", "lf_").replace("?", "lh_")]
            assert np.abs(force - fore_aft * (-1.0, 1.0, 1.0)).max() < bound


@cases
@pytest.mark.parametrize("angle", [0.3, np.pi / 2, 2.5])
def test_turning_the_scene_turns_the_result(model, time_step, angle):
    robot = robot_named("quadruped12")
    ends = []
    for turn in (0.0, angle):
        sim = simulator(robot, model, time_step, friction=0.4)
        sim.hold(150.0, 4.0)
        q, v = sim.home(), np.zeros(robot.nv)
        q[2] += 0.02
        q[3:7] = turned(turn)
        v[:6] = 0.5, 0.3, 0.0, 0.2, -0.1, 0.3
        sim.reset(q, v)
        sim.run(0.1)
        forces = np.array([contact.force for contact in sim.step().contacts])
        ends.append((sim.state, forces, forward_kinematics(robot, sim.state.q).position))
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    (state, forces, position), (other, other_forces, other_position) = ends
    assert np.abs(other_position - position @ R.T).max() < 1e-6
    assert np.abs(other.v - state.v).max() < 1e-5  # base axes and joints do not turn
    assert np.abs(other_forces - forces @ R.T).max() < 1e-2


def violations(report, friction):
    """Return the worst violation of the contact laws at the end of a step, relative to its largest impulse.

    Impulses count as they are; velocities and gaps only where an impulse acts.
    """
    largest = max(np.linalg.norm(contact.impulse) for contact in report.contacts)
    worst = 0.0
    for contact in report.contacts:
        normal = contact.impulse @ contact.normal
        tangent = contact.impulse - normal * contact.normal
        worst = max(worst, -normal, np.linalg.norm(tangent) - friction * normal)
        if contact.mode == "slip" and np.linalg.norm(contact.slip_velocity) > 1e-6:
            direction = contact.slip_velocity / np.linalg.norm(contact.slip_velocity)
            worst = max(worst, np.linalg.norm(tangent + friction * normal * direction))
        if contact.mode == "stick":
            worst = max(worst, largest * np.linalg.norm(contact.slip_velocity))
        if contact.mode == "open":
            worst = max(worst, abs(normal), np.linalg.norm(tangent))
    return worst / max(largest, 1e-12)


@cases
@pytest.mark.parametrize("friction", [0.0, 0.2, 0.8])
def test_contact_laws_hold_in_every_step_of_drop_and_slide(model, time_step, friction):
    robot = robot_named("quadruped12")
    sim = simulator(robot, model, time_step, friction=friction)
    sim.hold(150.0, 4.0)
    q, v = sim.home(), np.zeros(robot.nv)
    q[2] += 0.05
    v[:3] = 1.0, 0.5, 0.0
    sim.reset(q, v)
    unconverged = slid = impacts = 0
    for _ in range(round(0.6 / time_step)):
        report = sim.step()
        converged = report.unconverged == unconverged
        unconverged = report.unconverged
        if converged:
            assert report.residual < 1e-8
            if report.impacts == 0:  # an impact's impulse and the rest of its step's may differ in direction
                assert violations(report, friction) < 1e-8
        impacts += report.impacts
        slid += any(contact.mode == "slip" for contact in report.contacts)
        assert min(contact.gap for contact in report.contacts) > -1e-6
    assert impacts > 0
    assert slid > 10
    assert unconverged == 0


@cases
def test_reported_gaps_are_those_of_the_pose(model, time_step):
    sim = simulator("quadruped12", model, time_step)
    sim.hold(150.0, 4.0)
    sim.run(0.5)
    report = sim.step()
    feet = feet_of(sim.robot)
    found = np.array([contact.gap for contact in report.contacts])
    assert np.abs(found - gaps(sim))[feet].max() < 1e-9


@cases
def test_a_fallen_robot_comes_to_rest_on_the_ground(model, time_step):
    sim = simulator("quadruped12", model, time_step)
    sim.hold(0.0, 2.0)
    q = sim.home()
    q[3:7] = np.array([np.sin(0.6), 0.0, 0.0, np.cos(0.6)])
    q[2] = 0.6
    sim.reset(q)
    run = sim.run(3.0, sample_every=10)
    assert np.isfinite(run.q).all()
    assert gaps(sim).min() > -1e-5
    assert run.works[:, 2:4].sum(axis=1).max() <= 1e-9
    weight = sim.robot.total_mass * GRAVITY
    assert run.forces[-20:].sum(axis=1)[:, 2].mean() == pytest.approx(weight, rel=0.02)
    if model == "exact_lcp":  # projections stall where many contacts share a load; they are counted
        assert run.solver[-1, 2] <= 0.01 * (run.time[-1] / time_step)


@pytest.mark.parametrize("soft", [name for name in ("compliant", "penalty") if name in MODELS])
def test_soft_contact_at_a_small_step_lands_like_hard_contact(soft):
    """Another law, another integration: the feet sink, the trunk comes to rest where it does on hard ground."""
    ends = []
    for model, time_step in (("exact_lcp", 5e-4), (soft, 5e-5)):
        sim = simulator("quadruped12", model, time_step)
        sim.hold(150.0, 4.0)
        q = sim.home()
        q[2] += 0.05
        sim.reset(q)
        run = sim.run(1.5, sample_every=round(5e-3 / time_step))
        ends.append((run.q[:, 2], run.forces[-20:].sum(axis=1)[:, 2].mean()))
    (hard_height, hard_force), (soft_height, soft_force) = ends
    assert soft_height[:18] == pytest.approx(hard_height[:18], abs=2e-4)  # free fall
    assert soft_height[-1] == pytest.approx(hard_height[-1], abs=0.01)
    assert soft_force == pytest.approx(hard_force, rel=0.02)
