"""Extended and maximal coordinates: any floating robot, held together, and the same motion as in minimal ones."""

import numpy as np
import pytest
from contact_cases import drop_state, robot_named, simulator

from legged_contact_sim.contact.cuts.cut_joints import fill_duals
from legged_contact_sim.dynamics.kinematics import place_bodies
from legged_contact_sim.dynamics.workspace import workspace
from legged_contact_sim.errors import ParameterError
from legged_contact_sim.model.cuts import cut
from legged_contact_sim.studies.gehring.alpha import iterations_over_alpha

# coordinates, prox, bilateral, alpha: the hard rows of Gehring's table 1
TABLE = {
    "HmJ": ("minimal", "jor", "direct", 0.6),
    "HmS": ("minimal", "sor", "direct", 0.6),
    "HEJD": ("extended", "jor", "direct", 0.6),
    "HEJP": ("extended", "jor", "prox", 0.5),
    "HESD": ("extended", "sor", "direct", 0.6),
    "HESP": ("extended", "sor", "prox", 0.6),
    "HMJD": ("maximal", "jor", "direct", 1.0),
    "HMJP": ("maximal", "jor", "prox", 0.4),
    "HMSD": ("maximal", "sor", "direct", 1.0),
    "HMSP": ("maximal", "sor", "prox", 0.6),
}
STUDY = {"friction": 0.8, "relative_tolerance": 1e-6, "absolute_tolerance": 1e-6}


def stand(model="moreau", time_step=2.5e-3, **parameters):
    """Stand for two seconds with held joints; return where the trunk is, (7,), and the trajectory."""
    sim = simulator("quadruped12", model, time_step, **parameters)
    sim.hold(150.0, 4.0)
    run = sim.run(2.0)
    return run.q[-1, :7], run


@pytest.fixture(scope="module")
def standing():
    """Return the trunk's pose in every hard configuration of the table, with the study's tolerances."""
    poses = {}
    for name, (coordinates, prox, bilateral, alpha) in TABLE.items():
        poses[name], run = stand(coordinates=coordinates, prox=prox, bilateral=bilateral, alpha=alpha, **STUDY)
        assert run.solver[-1, 2] == 0  # unconverged
    return poses


@pytest.mark.parametrize("name", TABLE)
def test_every_hard_configuration_of_the_table_stands_alike(standing, name):
    assert np.abs(standing[name] - standing["HmJ"]).max() < 1e-4
    assert standing[name][2] > 0.3


def test_the_compliant_configuration_stands_alike_but_for_its_sinkage(standing):
    pose, _ = stand("compliant", 1.25e-3)
    away = pose - standing["HmJ"]
    assert np.abs(np.delete(away, 2)).max() < 1e-3
    assert -5e-3 < away[2] < 1e-4  # the springs give way


@pytest.mark.parametrize("coordinates", ["extended", "maximal"])
@pytest.mark.parametrize("robot", ["quadruped12", "quadruped16", "jumping_leg"])
def test_flight_under_a_push_is_the_same_in_all_coordinates(robot, coordinates):
    runs = []
    for chosen in ("minimal", coordinates):
        sim = simulator(robot, "moreau", 1e-3, coordinates=chosen)
        q, v = drop_state(sim.robot, np.random.default_rng(5))
        q[2] += 1.0
        sim.reset(q, v)
        if robot != "jumping_leg":
            sim.hold(2.0, 0.1)
        sim.push(sim.robot.link_names[0], [0.5, -0.3, 0.2], [0.01, 0.02, -0.01], duration=0.02)
        runs.append(sim.run(0.02))
    assert np.abs(runs[1].q - runs[0].q).max() < 1e-10
    assert np.abs(runs[1].works - runs[0].works).max() < 1e-9
    scale = np.abs(runs[0].v).max()
    assert np.abs(runs[1].v - runs[0].v).max() < 1e-8 * scale


@pytest.mark.parametrize("bilateral", ["direct", "prox"])
@pytest.mark.parametrize("coordinates", ["extended", "maximal"])
@pytest.mark.parametrize(
    ("robot", "gains", "drop"), [("quadruped16", (3000.0, 60.0), 0.01), ("jumping_leg", (0.5, 0.005), 0.003)]
)
def test_other_robots_land_alike(robot, gains, drop, coordinates, bilateral):
    runs = []
    for parameters in ({}, {"coordinates": coordinates, "bilateral": bilateral, "prox": "sor"}):
        sim = simulator(robot, "moreau", 5e-4, relative_tolerance=1e-8, absolute_tolerance=1e-10, **parameters)
        q = sim.home()
        q[2] += drop
        sim.reset(q)
        sim.hold(*gains)
        runs.append(sim.run(0.06))
    assert runs[0].solver[:, 5].max() > 0  # it has touched
    assert np.abs(runs[1].q - runs[0].q).max() < 1e-4
    assert runs[1].gaps.min() > -1e-6


@pytest.mark.parametrize("coordinates", ["extended", "maximal"])
def test_a_limp_fall_keeps_limits_and_ground(coordinates):
    sim = simulator("quadruped12", "moreau", 2.5e-3, coordinates=coordinates, prox="sor", relative_tolerance=1e-8)
    run = sim.run(0.3)
    links = sim.robot.links[sim.robot.joint_links]
    positions = run.q[:, sim.robot.position_indices]
    assert (links["lower_limit"] - positions).max() < 1e-4
    assert (positions - links["upper_limit"]).max() < 1e-4
    assert run.gaps.min() > -1e-5
    assert run.q[-1, 2] < 0.35


def test_cuts_of_the_quadruped_are_those_of_the_study():
    robot = robot_named("quadruped12")
    extended, maximal, minimal = cut(robot, "extended"), cut(robot, "maximal"), cut(robot, "minimal")
    assert (len(extended.cuts), extended.constraint_rows, extended.degrees_of_freedom) == (4, 20, 38)
    assert (len(maximal.cuts), maximal.constraint_rows, maximal.degrees_of_freedom) == (12, 60, 78)
    assert (len(minimal.cuts), minimal.constraint_rows, minimal.degrees_of_freedom) == (0, 0, 18)


def test_a_hip_without_mass_becomes_part_of_a_universal_joint():
    forest = cut(robot_named("quadruped16"), "maximal")
    assert len(forest.cuts) == 12
    assert forest.cuts["freedoms"].tolist() == [2, 1, 1] * 4
    assert set(forest.cuts["carrier"][::3]) == {0}
    assert forest.degrees_of_freedom - forest.constraint_rows == 22


@pytest.mark.parametrize("robot", ["quadruped12", "quadruped16", "jumping_leg"])
def test_duals_are_dual_to_the_joints_motions(robot):
    robot = robot_named(robot)
    q, v = drop_state(robot, np.random.default_rng(1))
    links, bodies = robot.links.view(np.recarray), workspace(robot).view(np.recarray)
    place_bodies(links, bodies, q, v)
    for record in cut(robot, "maximal").cuts.view(np.recarray):
        duals = np.zeros((6, 6))
        fill_duals(links, bodies, record, duals)
        axes = [bodies[record.body].axis, bodies[links[record.body].parent].axis][: record.freedoms]
        products = duals @ np.transpose(axes)
        assert np.abs(products - np.eye(6)[:, : record.freedoms]).max() < 1e-12
        assert np.linalg.cond(duals) < 1e3


@pytest.mark.parametrize("coordinates", ["extended", "maximal"])
def test_a_robot_on_rails_is_refused(coordinates):
    with pytest.raises(ParameterError, match=f"coordinates: {coordinates} needs one floating base"):
        simulator("biped_planar", "moreau", coordinates=coordinates)


def test_unknown_coordinates_are_refused():
    with pytest.raises(ParameterError, match="coordinates: expected one of minimal, extended, maximal, found 'polar'"):
        cut(robot_named("quadruped12"), "polar")


def test_the_curve_over_alpha_is_for_minimal_coordinates():
    sim = simulator("quadruped12", "moreau", coordinates="extended")
    with pytest.raises(ParameterError, match="coordinates: expected minimal, found extended"):
        iterations_over_alpha(sim.model, [0.6])


def trotting_gaps(coordinates, bilateral, tolerance):
    """Return how far the cut joints of a squatting robot have drifted apart after two seconds, m."""
    own = {"relative_tolerance": tolerance, "absolute_tolerance": tolerance, "activation": "midpoint"}
    sim = simulator("quadruped12", "moreau", 2.5e-3, coordinates=coordinates, bilateral=bilateral, alpha=0.4, **own)
    home = sim.robot.home[sim.robot.position_indices]
    swing = 0.05 * np.sin(2.0 * np.pi * 1.25 * 2.5e-3 * np.arange(800))[:, None]
    sim.hold(150.0, 4.0)
    sim.follow(home + swing, None, 1)
    return sim.model.joint_gaps()


def test_integrated_poses_of_cut_bodies_drift_apart():
    """Directly solved, only the integration over the turning poses parts the joints; by prox, the tolerance does."""
    direct = trotting_gaps("extended", "direct", 1e-6)
    loose = trotting_gaps("extended", "prox", 1e-4)
    assert direct.shape == (4,)
    assert 0.0 < direct.max() < 2e-4
    assert loose.max() > direct.max()
    with pytest.raises(ParameterError, match="coordinates"):
        simulator("quadruped12", "moreau", 2.5e-3).model.joint_gaps()
