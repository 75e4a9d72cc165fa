"""Arrays of a simulator and of a trajectory: live views, the same numbers as the objects, memory that follows touch."""

import numpy as np
import pytest
from contact_cases import box_xml, robot_named, simulator

import legged_contact_sim
from legged_contact_sim import RobotModel, Simulator
from legged_contact_sim.contact import MODELS
from legged_contact_sim.dynamics import forward_kinematics
from legged_contact_sim.simulation.contacts import touching_points
from legged_contact_sim.simulation.trajectory import BLOCK
from legged_contact_sim.terrain import Slope

VECTORS = ("force", "position", "normal", "slip_velocity")


def sliding(model="exact_lcp", terrain="plane"):
    """Return a box with a push that makes it slide and turn."""
    sim = simulator(box_xml(), model, 1e-3, friction=0.3, terrain=terrain)
    sim.push("box", [12.0, 1.0, 0.0], [0.0, 0.0, 0.2], duration=0.02)
    return sim


def test_arrays_are_live_views_with_the_numbers_of_the_objects():
    sim = sliding(terrain=Slope(0.1))
    contacts, q, v = sim.contacts, sim.q, sim.v
    for _ in range(30):
        report = sim.step()
        assert sim.q is q
        assert (q == sim.state.q).all()
        assert (v == sim.state.v).all()
        for k, contact in enumerate(report.contacts):
            assert contact.name == contacts.names[k]
            assert contact.mode == contacts.mode_names[contacts.mode[k]]
            assert contact.gap == contacts.gap[k]
            for name in VECTORS:
                assert (getattr(contact, name) == getattr(contacts, name)[k]).all(), name
    assert contacts.force[:, 2].sum() > 0.0
    assert np.abs(contacts.slip_velocity).max() > 0.0


def test_arrays_cannot_be_written():
    sim = sliding()
    for array in (sim.q, sim.v, *(getattr(sim.contacts, name) for name in (*VECTORS, "gap", "mode"))):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 1


def test_arrays_follow_resets_runs_and_switches():
    sim = sliding()
    sim.run(0.02)
    assert (sim.contacts.mode > 0).any()
    sim.reset([0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0], [0.3, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert sim.q[2] == 0.5
    assert sim.v[0] == 0.3
    assert (sim.contacts.mode == 0).all()
    assert (sim.contacts.force == 0.0).all()
    before = sim.contacts.gap.copy()
    sim.step()
    assert sim.contacts.gap == pytest.approx(before, abs=1e-4)  # nothing but a millisecond of fall between them
    sim.advance(5)
    held = sim.state
    sim.switch_contact_model("moreau", friction=0.3)
    assert (sim.q == held.q).all()
    sim.step()
    assert (sim.q == sim.state.q).all()
    assert (sim.q != held.q).any()


@pytest.mark.parametrize("name", ["quadruped12", "biped_planar", "planar_leg"])
def test_points_are_where_the_pose_puts_them(name):
    sim = Simulator(robot_named(name))
    sim.reset(sim.home(), 0.3 * np.random.default_rng(2).normal(size=sim.robot.nv))
    sim.advance(50)
    expected = touching_points(sim.robot, sim.terrain, sim.model.semi_axes, sim.q)
    near = 1e-5  # m: a point near the ground has the gap that the step foresaw
    assert sim.contacts.position == pytest.approx(expected.position, abs=1e-12)
    assert sim.contacts.gap == pytest.approx(expected.gap, abs=near)
    far = sim.contacts.gap > 0.1
    assert sim.contacts.gap[far] == pytest.approx(expected.gap[far], abs=1e-12)


def test_the_velocity_is_that_of_the_base_s_axes():
    sim = simulator(box_xml(), "exact_lcp")
    turned = [0.0, 0.0, 1.0, 0.0, 0.0, np.sin(0.4), np.cos(0.4)]
    sim.reset(turned, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    begin = sim.q.copy()
    sim.step()
    assert sim.v[:2] == pytest.approx([1.0, 0.0], abs=1e-12)
    assert (sim.q - begin)[:2] == pytest.approx(5e-4 * np.array([np.cos(0.8), np.sin(0.8)]), rel=1e-9)


def test_a_report_that_is_kept_keeps_its_numbers_whatever_comes():
    sim = sliding()
    for change in (sim.step, lambda: sim.run(0.01), lambda: sim.advance(3), sim.reset):
        report = sim.step()
        forces = sim.contacts.force.copy()
        change()
        assert (np.array([contact.force for contact in report.contacts]) == forces).all()


@pytest.mark.parametrize("model", [name for name in MODELS if name in ("exact_lcp", "compliant", "hybrid")])
def test_pushes_inside_a_run_are_those_of_single_steps(model):
    sims = [simulator(box_xml(), model, 1e-3) for _ in range(2)]
    for sim in sims:
        sim.reset([0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0, 2.0, 3.0])
        sim.push("box", [5.0, 0.0, 1.0], [0.0, 0.1, 0.0], duration=0.013)
        sim.push("box", [0.0, -3.0, 0.0], duration=0.021)
    run = sims[0].run(0.04)
    for q, v, works in zip(run.q, run.v, run.works, strict=True):
        report = sims[1].step()
        assert (sims[1].q == q).all()
        assert (sims[1].v == v).all()
        assert report.energy.external == works[4]
    assert run.works[20, 4] != run.works[5, 4]
    assert (run.works[20:, 4] == run.works[20, 4]).all()


def test_a_push_acts_where_its_link_is():
    """The work of a constant force is the force times the way of the point where it acts, here beside the body."""
    beside = """<link name="rim"/><joint name="weld" type="fixed"><parent link="box"/><child link="rim"/>
        <origin xyz="0.1 0.2 0.05"/></joint></robot>"""
    robot = RobotModel.from_urdf(box_xml().replace("</robot>", beside))
    sim, force = Simulator(robot, time_step=1e-4), np.array([1.0, -2.0, 0.5])

    def rim():
        rotation, position = forward_kinematics(robot, sim.q)
        return position[0] + rotation[0] @ robot.frames["rim"].position

    sim.reset([0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 3.0, 4.0, -5.0])
    begin = rim()
    sim.push("rim", force, duration=0.3)
    run = sim.run(0.3)
    assert run.works[-1, 4] == pytest.approx(force @ (rim() - begin), rel=2e-3)
    assert np.abs(run.q[-1, :2]).max() > 0.01


def test_more_pushes_than_there_is_room_for_are_refused():
    sim = simulator(box_xml())
    with pytest.raises(legged_contact_sim.ParameterError, match="at most 64 pushes"):
        for _ in range(65):
            sim.push("box", [0.0, 0.0, 0.01], duration=1.0)
    sim.end_push("box")
    sim.push("box", [0.0, 0.0, 0.01], duration=1.0)


def many_points(count):
    """Return a quadruped with so many more contact points, which stay in the air."""
    extra = {f"back_{k}": {"link": "base_link", "offset": [0.001 * k, 0.0, 0.1]} for k in range(count)}
    return RobotModel.from_urdf("quadruped12", contact_points=extra)


def test_a_trajectory_keeps_what_touched():
    robot = many_points(196)
    sim = Simulator(robot)
    sim.hold(150.0, 4.0)
    run = sim.run(2.0)
    kept = sum(value.nbytes for value in vars(run).values() if isinstance(value, np.ndarray))
    assert len(robot.contact_names) == 212
    assert kept < 5e6
    assert len(run.touches) == np.count_nonzero(run.modes)
    assert run.forces.shape == (4000, 212, 3)
    assert run.forces[-1, :, 2].sum() == pytest.approx(robot.total_mass * 9.81, rel=1e-3)
    assert run.gaps[-1] == pytest.approx(sim.contacts.gap, abs=1e-9)
    assert (run.forces[-1] == sim.contacts.force).all()
    assert (run.slip_velocities[-1] == sim.contacts.slip_velocity).all()


def test_blocks_of_the_log_do_not_show():
    """A run longer than a block of its log, with targets and samples that do not divide it, is the run step by step."""
    robot = many_points(1000)
    steps = 2 * BLOCK // (14 * 1016)
    targets = robot.home[robot.position_indices] + 0.01 * np.sin(np.arange(steps // 7 + 1))[:, None] * np.ones(12)
    sims = [Simulator(robot, time_step=1e-3) for _ in range(2)]
    for sim in sims:
        sim.hold(150.0, 4.0)
    run = sims[0].follow(targets, None, every=7)
    thin = sims[1].follow(targets, None, every=7, sample_every=3)
    assert len(run.time) > BLOCK // (14 * 1016) + 10
    assert (thin.q == run.q[2::3]).all()
    single = Simulator(robot, time_step=1e-3)
    for k, target in enumerate(targets):
        single.hold(150.0, 4.0, target)
        for j in range(7):
            single.step()
            assert (single.q == run.q[7 * k + j]).all()


@pytest.mark.parametrize("make", [lambda: robot_named("quadruped12"), sliding, lambda: sliding().run(0.01)])
def test_a_repr_fits_in_a_line(make):
    text = repr(make())
    assert "\n" not in text
    assert len(text) < 240


def test_the_package_tells_its_version():
    assert legged_contact_sim.__version__[0].isdigit()
    assert "rollout" in dir(legged_contact_sim)
