"""No combination of contact, joint limits, dry friction and limited drives breaks a step: each is solved, or told."""

import numpy as np
import pytest
from friction_cases import GRAVITY, STEP, contact_rows, problem

from legged_contact_sim import RobotModel, Simulator
from legged_contact_sim.contact.records import SOLVER_TERMS
from legged_contact_sim.contact.solvers.block import solve_or_soften
from legged_contact_sim.contact.solvers.problem import FrictionProblem, friction_work
from legged_contact_sim.contact.solvers.residuals import complementarity_residual

GIVES_WAY = 1e-2  # at most: compliance of contacts that contradict one another, relative to their inverse inertia
MOST_ITERATIONS = 100_000  # of a step with all its passes
TIME_STEP = 1e-3


def box(name, size, mass, touches=True):
    """Return a uniform box as a link that perhaps touches with its corners."""
    x, y, z = (
        mass / 12.0 * s for s in (size[1] ** 2 + size[2] ** 2, size[0] ** 2 + size[2] ** 2, size[0] ** 2 + size[1] ** 2)
    )
    collision = f'<collision><geometry><box size="{size[0]} {size[1]} {size[2]}"/></geometry></collision>'
    return (
        f'<link name="{name}"><inertial><mass value="{mass}"/>'
        f'<inertia ixx="{x}" iyy="{y}" izz="{z}" ixy="0" ixz="0" iyz="0"/></inertial>'
        f"{collision if touches else ''}</link>"
    )


def random_robot(random):
    """Return a trunk with two to four legs of two joints: narrow limits, weak drives, dry friction, all at random."""
    text = box("trunk", random.uniform(0.2, 0.6, 3), random.uniform(2.0, 20.0))
    for leg in range(random.integers(2, 5)):
        parent, place = "trunk", random.uniform(-0.3, 0.3, 3)
        for part in ("thigh", "shank"):
            name, lower = f"{part}_{leg}", random.uniform(-1.0, 0.2)
            text += box(name, (0.05, 0.05, 0.3), random.uniform(0.2, 2.0))
            axis = random.choice(["1 0 0", "0 1 0"])
            effort, friction = random.choice([2.0, 20.0, 200.0]), random.choice([0.0, 0.5, 5.0])
            text += (
                f'<joint name="joint_{name}" type="revolute"><parent link="{parent}"/><child link="{name}"/>'
                f'<origin xyz="{place[0]} {place[1]} {place[2]}"/><axis xyz="{axis}"/>'
                f'<limit lower="{lower}" upper="{lower + random.uniform(0.0, 1.5)}" effort="{effort}" velocity="20"/>'
                f'<dynamics damping="{random.choice([0.0, 0.1])}" friction="{friction}"/></joint>'
            )
            parent, place = name, (0.0, 0.0, -0.3)
    return RobotModel.from_urdf(f'<robot name="random">{text}</robot>', "floating")


# 2, 51, 136 and 632: joints that dry friction holds make a robot stiff whose points then cannot all stick, or part
@pytest.mark.parametrize("seed", [*range(12), 51, 136, 632])
def test_random_robots_under_random_commands_converge(seed):
    random = np.random.default_rng(seed)
    robot = random_robot(random)
    sim = Simulator(robot, "exact_lcp", TIME_STEP, friction=random.choice([0.0, 0.3, 0.8, 2.0]))
    quaternion = random.normal(size=4)
    q = robot.home.copy()
    q[3:7] = quaternion / np.linalg.norm(quaternion)
    low, high = (robot.links[name][robot.joint_links] for name in ("lower_limit", "upper_limit"))
    q[robot.position_indices] = np.clip(0.0, low, high)
    q = sim.grounded(q)
    sim.reset(q, random.choice([0.0, 1.0]) * random.normal(size=robot.nv))
    sim.hold(random.choice([0.0, 30.0, 1000.0]), random.choice([0.0, 3.0, 30.0]))
    efforts = random.choice([0.0, 5.0, 50.0]) * random.normal(size=(20, robot.joint_count))
    run = sim.run(0.4, lambda time, q, v: efforts[min(int(time / 0.02), 19)])
    iterations, residual, unconverged = run.solver[:, 0], run.solver[:, 1], run.solver[-1, 2]
    compliance = run.solver[:, SOLVER_TERMS.index("compliance")]
    assert np.isfinite(run.q).all()
    assert iterations.max() <= MOST_ITERATIONS
    assert unconverged == (residual > 1e-8).sum()  # all that is not solved is told
    assert unconverged == 0
    assert compliance.max() <= GIVES_WAY
    assert sim.report.status == ("softened" if compliance[-1] else "solved")


def test_a_crouch_that_puts_the_knees_on_their_limits_converges():
    robot = RobotModel.from_urdf("quadruped16")
    sim = Simulator(robot, "exact_lcp", TIME_STEP)
    q = sim.home()
    low, high = (robot.links[name][robot.joint_links] for name in ("lower_limit", "upper_limit"))
    folded = np.clip(4.0 * robot.home[robot.position_indices], low, high)  # the knees' targets are beyond their limits
    sim.reset(q)
    start = robot.home[robot.position_indices]

    def crouch(time, q, v):
        target = start + min(1.0, time / 0.5) * (1.2 * folded - start)
        return 3000.0 * (target - q[robot.position_indices]) - 50.0 * v[robot.velocity_indices]

    run = sim.run(0.8, crouch)
    assert run.solver[:, 0].max() <= MOST_ITERATIONS
    # Twelve limits and four feet that jam: in which steps contacts have to give way is chaos. Of 24 starts 1e-7 m
    # apart, it was 0 to 380 of 800 steps.
    assert run.solver[:, 1].max() <= 1e-8
    assert run.solver[-1, 2] == 0
    compliance = run.solver[:, SOLVER_TERMS.index("compliance")]
    assert compliance.max() <= GIVES_WAY
    assert (compliance > 0.0).sum() <= 400


def friction_problem(W, q, mu):
    """Return a friction problem as solvers take it, from no impulses."""
    rows, contacts = len(q), len(q) // 3
    z, w, modes = np.zeros(rows), np.zeros(rows), np.zeros(contacts, dtype=np.int64)
    return FrictionProblem(W, q, z, w, np.full(contacts, mu), 0.0, modes, friction_work(rows), contacts, rows)


def test_impulses_that_are_no_numbers_have_no_small_residual():
    W, q = problem(contact_rows(1, 0, (0.1, 0.0, -0.1), -1, None), [2.0], [(0.1, 0.1, 0.1)], np.zeros(6))
    for r in range(3):
        asked = friction_problem(W, q, 0.5)
        asked.z[r] = np.nan
        assert not complementarity_residual(asked) < 1.0


def test_two_points_of_one_body_that_are_pulled_apart_give_way_evenly():
    J = np.vstack([contact_rows(1, 0, (x, 0.0, -0.1), -1, None) for x in (-0.3, 0.3)])
    W, q = problem(J, [2.0], [(0.1, 0.1, 0.1)], np.zeros(6))
    apart = np.zeros(6)
    apart[1 + np.argmax(np.abs(J[1:3, 0]))] = 1e-7  # m/s, of the first point along the line between them
    asked = friction_problem(W.copy(), q + apart, 2.0)
    _, residual, compliance = solve_or_soften(asked, 1e-10, 1e-8, 1000, 1e-4, complementarity_residual)
    inner = np.abs(asked.z.reshape(2, 3)[:, 1:]).max()
    assert residual <= 1e-8 and compliance == 1e-4
    assert asked.z[::3].sum() == pytest.approx(2.0 * GRAVITY * STEP, rel=1e-3)  # both carry the body's weight
    assert inner < 0.01 * asked.z[0]  # rigid, one would slip under 2.0 times that


def hull_robot():
    """Return a trunk with a hull of 64 points and four legs of one joint with eight corners each: 96 contact points."""
    text = box("trunk", (0.6, 0.3, 0.2), 15.0, touches=False)
    points = {}
    for k in range(64):
        turn, height = np.pi * (3.0 - np.sqrt(5.0)) * k, 1.0 - 2.0 * (k + 0.5) / 64.0
        across = np.sqrt(1.0 - height**2)
        direction = np.array([across * np.cos(turn), across * np.sin(turn), height])
        offset = np.array([0.35, 0.18, 0.13]) * np.sign(direction) * np.abs(direction) ** 0.4
        points[f"hull_{k}"] = {"link": "trunk", "offset": offset.tolist(), "radius": 0.0}
    for leg, (x, y) in enumerate(((0.25, 0.2), (0.25, -0.2), (-0.25, 0.2), (-0.25, -0.2))):
        text += box(f"leg_{leg}", (0.05, 0.05, 0.3), 1.0, touches=False)
        text += (
            f'<joint name="hip_{leg}" type="revolute"><parent link="trunk"/><child link="leg_{leg}"/>'
            f'<origin xyz="{x} {y} -0.15"/><axis xyz="0 1 0"/>'
            '<limit lower="-1.2" upper="1.2" effort="30" velocity="20"/>'
            '<dynamics damping="0.2" friction="0.3"/></joint>'
        )
        for k in range(8):
            corner = [0.025 * (1 - 2 * (k & 1)), 0.025 * (1 - (k & 2)), 0.15 * (1 - (k & 4) // 2)]
            points[f"leg_{leg}_{k}"] = {"link": f"leg_{leg}", "offset": corner, "radius": 0.0}
    return RobotModel.from_urdf(f'<robot name="hull">{text}</robot>', "floating", contact_points=points)


@pytest.fixture(scope="module")
def hull():
    return hull_robot()


@pytest.mark.parametrize(("axis", "angle"), [((1, 0, 0), 180.0), ((1, 0, 0), 90.0), ((0, 1, 0), 80.0)])
def test_a_robot_of_hull_points_falls_and_comes_to_rest(hull, axis, angle):
    half = np.radians(angle) / 2.0
    sim = Simulator(hull, "exact_lcp", TIME_STEP, friction=0.6)
    q = hull.home.copy()
    q[3:7] = *(np.sin(half) * np.array(axis)), np.cos(half)
    q = sim.grounded(q)
    q[2] += 0.5
    sim.reset(q)
    sim.hold(100.0, 5.0)
    run = sim.run(2.3)  # 0.3 s of fall, 2 s to come to rest
    assert run.solver[-1, 2] == 0
    assert run.solver[:, 0].max() <= MOST_ITERATIONS
    assert np.abs(run.v[-1]).max() < 1e-3
    audit = sim.step().energy
    assert abs(audit.remainder) < 0.02 * 19.0 * 9.81 * 0.5
