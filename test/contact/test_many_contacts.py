"""Steps with many contacts leave the inverse contact inertia as a product; what they find is what it asks for."""

import numpy as np
import pytest
from friction_cases import assert_coulomb

from legged_contact_sim import RobotModel, Simulator
from legged_contact_sim.contact.records import SOLVER_TERMS

FACTORED, ITERATIONS = SOLVER_TERMS.index("factored"), SOLVER_TERMS.index("iterations")
TIME_STEP, MU, SPIN = 1e-3, 0.6, 5.0
LEG = """
<link name="leg"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
</link><joint name="hinge" type="revolute"><parent link="plate"/><child link="leg"/><origin xyz="0.6 0 0"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="100" velocity="20"/></joint>
"""


@pytest.fixture(scope="module")
def robot():
    """Return a plate on 16 points with a flap on four more, hinged at its edge: 20 contacts, 7 degrees of freedom."""
    urdf = (
        '<robot name="plate"><link name="plate"><inertial><mass value="20"/>'
        f'<inertia ixx="1.7" iyy="1.7" izz="3.3" ixy="0" ixz="0" iyz="0"/></inertial></link>{LEG}</robot>'
    )
    grid = np.linspace(-0.5, 0.5, 4)
    places = {"plate": [(x, y) for x in grid for y in grid], "leg": [(x, y) for x in (0.1, 0.4) for y in (-0.3, 0.3)]}
    points = {
        f"{link}_{k}": {"link": link, "offset": [x, y, -0.05], "radius": 0.0}
        for link, spots in places.items()
        for k, (x, y) in enumerate(spots)
    }
    return RobotModel.from_urdf(urdf, "floating", contact_points=points)


def settled(robot, model, spin=0.0):
    """Return a simulator of the plate at rest on the ground, or spinning on it, rad/s."""
    sim = Simulator(robot, model, TIME_STEP, friction=MU)
    sim.reset(sim.grounded(robot.home))
    sim.run(0.02)
    v = sim.state.v
    v[5] = spin
    sim.set_state(sim.state.q, v)
    sim.run(2 * TIME_STEP)
    return sim


def solver_terms(sim):
    """Return what the last step tells about its solver."""
    return sim.model.system.ledger[-len(SOLVER_TERMS) :]


def test_the_product_is_the_inverse_contact_inertia(robot):
    product, dense = settled(robot, "exact_lcp"), settled(robot, "moreau")
    assert solver_terms(product)[FACTORED] == 1.0
    assert solver_terms(dense)[FACTORED] == 0.0
    (G, _), (wanted, _) = product.model.contact_problem(), dense.model.contact_problem()
    assert G.shape == (60, 60)
    np.testing.assert_allclose(G, wanted, atol=1e-8 * np.abs(wanted).max())


@pytest.mark.parametrize("spin", [0.0, SPIN])
def test_impulses_solve_the_problem_that_was_never_formed(robot, spin):
    sim = settled(robot, "exact_lcp", spin)
    assert solver_terms(sim)[FACTORED] == 1.0
    G, b = sim.model.contact_problem()
    z = sim.model.system.impulses[: len(b)]
    assert_coulomb(G, b, MU, z, 1e-9)
    total = z.reshape(-1, 3).sum(axis=0)
    assert total[0] == pytest.approx(22.0 * 9.81 * TIME_STEP, rel=1e-2)


def test_a_plate_at_rest_needs_no_iterations_any_more(robot):
    sim = Simulator(robot, "exact_lcp", TIME_STEP, friction=MU)
    sim.reset(sim.grounded(robot.home))
    run = sim.run(0.4)
    assert run.solver[200:, ITERATIONS].sum() == 0.0
    assert np.abs(run.v[-1]).max() < 1e-9
