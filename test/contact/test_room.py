"""Room for contacts: memory follows what touches, not what could; a step that needs more room goes on where it was."""

from functools import cache

import numpy as np
import pytest
from contact_cases import GRAVITY

from legged_contact_sim import RobotModel, Simulator
from legged_contact_sim.contact.stepping.rollout import FIRST_ROOM

BOXES, LOW = 64, 8  # of the crate; so many reach lowest, the others stand higher
SIDE, STEP = 0.02, 0.1  # m; of a box, and between them


@cache
def crate():
    """Return a rigid body of 64 small boxes, 512 contact points, of which 32 lie lowest."""
    text = (
        '<robot name="crate"><link name="crate"><inertial><mass value="4"/>'
        '<inertia ixx="0.1" iyy="0.12" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    for k in range(BOXES):
        x, y = STEP * (k % 8 - 3.5), STEP * (k // 8 - 3.5)
        low = k in (0, 7, 18, 21, 42, 45, 56, 63)
        text += (
            f'<collision><origin xyz="{x} {y} {0.0 if low else 0.05}"/>'
            f'<geometry><box size="{SIDE} {SIDE} {SIDE}"/></geometry></collision>'
        )
    return RobotModel.from_urdf(text + "</link></robot>", base="floating")


def array_bytes(arrays):
    """Return the bytes of all arrays in a tuple of arrays and tuples of arrays."""
    if isinstance(arrays, np.ndarray):
        return arrays.nbytes
    return sum(array_bytes(item) for item in arrays) if isinstance(arrays, tuple) else 0


def dropped(room=None, model="exact_lcp"):
    """Return a simulator of the crate, tilted and above the ground; ``room``: for so many contacts from the start."""
    sim = Simulator(crate(), model, 1e-3, friction=0.6)
    if room is not None:
        sim.model.system.pending[-1] = room
        sim.model._make_room()
        sim.model.system.pending[:] = 0.0
    q = sim.home()
    q[2] += 0.05
    q[3:7] = np.array([0.02, 0.01, 0.0, 1.0]) / np.linalg.norm([0.02, 0.01, 0.0, 1.0])
    sim.reset(q)
    return sim


def test_memory_follows_what_touches():
    assert len(crate().contact_points) == 8 * BOXES
    sim = dropped()
    before = array_bytes(sim.model.system)
    assert before < 1e6, "a simulator in the air has room for a few contacts"
    sim.run(0.6)
    touching = 4 * LOW
    assert touching <= len(sim.model.system.active) <= 4 * touching
    rows = 3 * len(sim.model.system.active)
    assert array_bytes(sim.model.system) < before + 8 * 5 * rows * rows
    assert array_bytes(sim.model.system) < 8 * (3 * 8 * BOXES) ** 2 / 3, "a third of one matrix of all points"


def test_a_step_that_needs_room_ends_where_one_with_room_ends():
    small, large = dropped(), dropped(room=8 * BOXES)
    assert len(small.model.system.active) == FIRST_ROOM
    runs = [sim.run(0.4) for sim in (small, large)]
    assert len(small.model.system.active) > FIRST_ROOM
    np.testing.assert_array_equal(runs[0].q, runs[1].q)
    np.testing.assert_array_equal(runs[0].v, runs[1].v)


def test_single_steps_find_the_room_that_a_run_made():
    stepped, ran = dropped(), dropped()
    q = [stepped.step() and stepped.q.copy() for _ in range(150)]
    run = ran.run(0.15)
    np.testing.assert_array_equal(q, run.q[-150:])
    ran.step()
    stepped.step()
    np.testing.assert_array_equal(stepped.q, ran.q)


@pytest.mark.parametrize("model", ["exact_lcp", "moreau", "compliant"])
def test_many_contacts_carry_the_weight(model):
    sim = dropped(model=model)
    run = sim.run(1.0)
    force = np.asarray(sim.contacts.force)
    assert force.sum(axis=0) == pytest.approx([0.0, 0.0, 4.0 * GRAVITY], abs=0.05 * 4.0 * GRAVITY)
    assert (force[:, 2] > 0.0).sum() >= 3
    assert np.abs(run.v[-1]).max() < 1e-2
    if model == "compliant":
        assert len(sim.model.system.active) == 0, "forces of springs are no unknowns of a problem"
