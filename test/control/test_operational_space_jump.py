"""The planar leg's jump: heel before toe, bounded efforts, energy, and a landing that keeps its orientation."""

import itertools

import numpy as np
import pytest
from control_cases import robot_named

from legged_contact_sim import ModelError, Simulator
from legged_contact_sim.control import InProcess, make_controller
from legged_contact_sim.control.operational_space_jump import JACOBIANS
from legged_contact_sim.dynamics import center_of_mass

TIME_STEP = 5e-4


@pytest.fixture(scope="module", params=[("exact_lcp", kind) for kind in JACOBIANS] + [("embedding", "product")])
def jump(request):
    model, kind = request.param
    robot = robot_named("planar_leg")
    sim = Simulator(robot, model, TIME_STEP)
    controller = make_controller("operational_space_jump", robot, {"jacobian": kind})
    law, phases = InProcess(controller, sim, 1e-3), []

    def drive(time, q, v):
        effort = law(time, q, v)
        phases.append(controller.phase)
        return effort

    return sim.run(4.4, drive, sample_every=4), controller, np.array(phases)[3::4]


def test_it_goes_through_all_phases_and_stands_at_the_end(jump):
    run, _, phases = jump
    changes = [phases[0], *(b for a, b in itertools.pairwise(phases) if a != b)]
    assert changes == ["fall", "settle", "crouch", "thrust", "toe", "flight", "landing"]
    center = center_of_mass(run.robot, run.q[-1])
    assert run.q[-1, 0] + 0.05 < center[0] < run.q[-1, 0] + 0.45
    assert center[2] > 1.3
    assert np.abs(run.v[-1]).max() < 0.1


def test_the_heel_leaves_before_the_toe_and_both_leave(jump):
    run, _, phases = jump
    push = (phases == "thrust") | (phases == "toe")
    toe, heel = (run.time[push & (run.forces[:, k, 2] > 0.0)].max() for k in (0, 1))
    assert heel < toe - 0.02
    assert run.gaps[phases == "flight"][:, :2].min(axis=1).max() > 0.1


def test_efforts_stay_within_their_bounds_and_drive_the_motors_only(jump):
    run, controller, _ = jump
    assert (np.abs(run.effort[:, 3:]) <= controller.limit + 1e-9).all()
    assert (run.effort[:, :3] == 0.0).all()


def test_energy_minus_the_motors_work_is_constant_through_the_jump(jump):
    run, _, phases = jump
    jumping = np.isin(phases, ["crouch", "thrust", "toe", "flight"])
    balance = (run.energies.sum(axis=1) - run.works[:, 0])[jumping][:-2]  # the landing's impact may be in the last
    assert np.ptp(balance) < 1e-5 * run.start_energy


def test_the_body_keeps_its_orientation_from_take_off_to_the_end(jump):
    run, controller, phases = jump
    body = run.q[:, 2:].sum(axis=1)
    late = np.isin(phases, ["flight", "landing"])
    loose = 0.7 if controller.parameters.jacobian == "padded" else 0.3  # it keeps the hip's angle on the ground
    assert np.abs(body[late] - controller.angles[0]).max() < loose
    assert abs(run.q[-1, 2]) < 1e-3


def test_other_robots_are_refused():
    with pytest.raises(ModelError, match="planar_leg"):
        make_controller("operational_space_jump", robot_named("quadruped12"))
