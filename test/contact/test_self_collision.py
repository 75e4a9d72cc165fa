"""Bodies of a robot that collide with one another: momentum, energy, closed forms, MuJoCo, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legged_contact_sim import ParameterError, RobotModel, Simulator
from legged_contact_sim.contact.pair_detection import nearest_shares
from legged_contact_sim.dynamics import centroidal_momentum, mass_matrix, point_jacobian
from legged_contact_sim.errors import ModelWarning
from legged_contact_sim.model.capsules import box_capsules
from legged_contact_sim.model.collision_pairs import segment_distance
from legged_contact_sim.model.home import body_placements

SPHERE = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
EXCLUDED = '<contact><exclude body1="left" body2="right"/></contact></mujoco>'
ROD = '<collision><origin xyz="0 0 -0.2"/><geometry><capsule radius="0.03" length="0.4"/></geometry></collision>'


def inertial(mass: float, where: str = "0 0 0", moment: float = 0.01) -> str:
    """Return the inertial element of a body that is alike in all directions."""
    moments = f'<inertia ixx="{moment}" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/>'
    return f'<inertial><origin xyz="{where}"/><mass value="{mass}"/>{moments}</inertial>'


def slider(name: str, mass: float, x: float) -> str:
    """Return a ball that slides along x."""
    limit = '<limit lower="-9" upper="9" effort="99" velocity="99"/>'
    joint = f'<parent link="world"/><child link="{name}"/><origin xyz="{x} 0 1"/><axis xyz="1 0 0"/>{limit}'
    body = f'<link name="{name}">{inertial(mass)}{SPHERE}</link>'
    return f'{body}<joint name="along_{name}" type="prismatic">{joint}</joint>'


SLIDERS = f'<robot name="sliders"><link name="world"/>{slider("a", 2.0, 0.0)}{slider("b", 1.0, 0.5)}</robot>'


def rod(name: str, parent: str, x: float, y: float, axis: str = "0 1 0") -> str:
    """Return a rod that hangs from a hinge."""
    joint = f'<parent link="{parent}"/><child link="{name}"/><origin xyz="{x} {y} 0"/><axis xyz="{axis}"/>'
    body = f'<link name="{name}">{inertial(0.5, "0 0 -0.2")}{ROD}</link>'
    return f'{body}<joint name="turn_{name}" type="continuous">{joint}</joint>'


def legged(base: str = '<link name="trunk">' + inertial(3.0, moment=0.05) + "</link>", root: str = "trunk") -> str:
    """Return two rods side by side on a trunk."""
    return f'<robot name="legged">{base}{rod("left", root, 0.1, 0.0)}{rod("right", root, -0.1, 0.01)}</robot>'


@pytest.fixture(scope="module")
def flying() -> RobotModel:
    """Two rods on a free trunk without weight."""
    with pytest.warns(ModelWarning):
        return RobotModel.from_urdf(legged(), gravity=(0.0, 0.0, 0.0), self_collision=True, base="floating")


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("contact_model", ["exact_lcp", "moreau"])
def test_two_balls_collide_as_newton_says(contact_model: str, restitution: float) -> None:
    robot = RobotModel.from_urdf(SLIDERS, self_collision=True)
    sim = Simulator(robot, contact_model, 1e-3, restitution=restitution)
    sim.reset(robot.home, [1.0, 0.0])
    sim.advance(500)
    common = 2.0 / 3.0
    expected = [common - restitution / 3.0, common + 2.0 * restitution / 3.0]
    np.testing.assert_allclose(sim.v, expected, atol=1e-8)
    # They met after 0.3 s, and have gone on with these velocities for 0.2 s.
    np.testing.assert_allclose(sim.q, [0.3 + 0.2 * expected[0], 0.2 * expected[1]], atol=1e-8)


def test_flying_legs_that_collide_keep_momentum_and_gain_no_energy(flying: RobotModel) -> None:
    sim = Simulator(flying, "exact_lcp", 1e-3, friction=0.5, restitution=0.3)
    v = np.array([0.1, -0.2, 0.3, 0.2, 0.1, -0.4, 3.0, -2.0])
    sim.reset(flying.home, v)
    before, energy, collided = centroidal_momentum(flying, flying.home, v), sim.report.energy.kinetic, 0
    for _ in range(400):
        report = sim.step()
        collided += len(sim.collisions)
        assert report.energy.kinetic <= energy + 1e-9
        energy = report.energy.kinetic
    assert collided > 0
    np.testing.assert_allclose(centroidal_momentum(flying, sim.q, sim.v), before, atol=1e-5)


def test_an_impact_is_the_relative_jacobian_times_its_impulse(flying: RobotModel) -> None:
    """M (v_after - v_before) = (J_first - J_second)^T impulse, at one point for both."""
    step = 1e-6
    sim = Simulator(flying, "exact_lcp", step, friction=0.5)
    q, v = flying.home.copy(), np.array([0.0, 0.0, 0.0, 0.0, 0.3, 0.0, 3.0, -2.0])
    q[flying.position_indices] = [0.155, -0.155]
    sim.reset(q, v)
    for _ in range(20_000):
        before = sim.state
        sim.step()
        if sim.collisions:
            break
    (collision,) = sim.collisions
    assert collision.links == ("left", "right")
    jacobians = []
    for link in collision.links:
        place = body_placements(flying.links, sim.q)[flying.link_index(link)]
        inside = place.rotation.T @ (collision.position - place.position)
        jacobians.append(point_jacobian(flying, sim.q, link, inside))
    change = mass_matrix(flying, sim.q) @ (sim.v - before.v)
    given = (jacobians[0] - jacobians[1]).T @ (collision.force * step)
    np.testing.assert_allclose(given, change, atol=1e-4 * np.abs(change).max())
    approach = collision.normal @ (jacobians[0] - jacobians[1]) @ sim.v
    assert abs(approach) < 1e-4  # a plastic impact: they go on together


HELD = """
<mujoco><option timestep="1e-3" integrator="implicitfast"/>
  <default><geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.4" solref="0.004 1" solimp="0.99 0.999 0.0001"
    condim="1"/>
    <joint type="hinge" axis="0 1 0" damping="0.5" stiffness="2"/></default>
  <worldbody>
    <body name="left" pos="0.02 0 1"><joint name="turn_left" springref="40"/>
      <inertial pos="0 0 -0.2" mass="0.5" diaginertia="0.01 0.01 0.01"/><geom/></body>
    <body name="right" pos="-0.08 0.01 1"><joint name="turn_right" springref="-25"/>
      <inertial pos="0 0 -0.2" mass="0.8" diaginertia="0.01 0.01 0.01"/><geom/></body>
  </worldbody></mujoco>
"""


def test_rods_pressed_together_rest_as_in_mujoco() -> None:
    mujoco = pytest.importorskip("mujoco")
    robot = RobotModel.from_urdf(HELD, self_collision=True)
    sim = Simulator(robot, "exact_lcp", 1e-3, friction=0.0)
    sim.reset(robot.home)
    sim.advance(6000)
    (collision,) = sim.collisions
    model = mujoco.MjModel.from_xml_string(HELD)
    data = mujoco.MjData(model)
    for _ in range(6000):
        mujoco.mj_step(model, data)
    wrench = np.zeros(6)
    mujoco.mj_contactForce(model, data, 0, wrench)
    np.testing.assert_allclose(sim.q, data.qpos, atol=2e-3)
    np.testing.assert_allclose(collision.normal @ collision.force, wrench[0], rtol=1e-2)
    assert abs(collision.gap) < 1e-8
    assert np.abs(sim.v).max() < 1e-6


def test_a_gap_that_no_joint_can_open_does_not_jam() -> None:
    """Where the axis of an arm points at a ball, turning changes their gap by nothing: impulses must stay moderate."""
    ball = '<collision><origin xyz="{} 0 1"/><geometry><sphere radius="0.1"/></geometry></collision>'
    arm = f'<link name="arm">{inertial(1.0, "0.25 0 1")}{ball.format(0.5)}</link>'
    other = f'<link name="ball">{inertial(1.0, "0.7 0 1")}{ball.format(0.7 - 1e-6)}</link>'
    joints = "".join(
        f'<joint name="turn_{child}" type="continuous"><parent link="world"/><child link="{child}"/><axis xyz="0 0 1"/>'
        "</joint>"
        for child in ("arm", "ball")
    )
    text = f'<robot name="arms"><link name="world"/>{arm}{other}{joints}</robot>'
    robot = RobotModel.from_urdf(text, self_collision=True, home={"turn_arm": 1.0})
    sim = Simulator(robot, "exact_lcp", 1e-3, friction=0.8)
    sim.reset([0.0, 0.0], [0.2, 0.0])
    energy = sim.report.energy.kinetic
    for _ in range(50):
        report = sim.step()
        assert all(np.linalg.norm(collision.force) < 1e5 for collision in sim.collisions)
        assert report.energy.kinetic <= energy * (1.0 + 1e-9)
        energy = report.energy.kinetic


def test_links_that_are_disabled_or_touch_at_home_do_not_collide(tmp_path: Path) -> None:
    path = tmp_path / "legged.urdf"
    path.write_text(legged())
    with pytest.warns(ModelWarning):
        assert len(RobotModel.from_urdf(path).collision_pairs) == 0
        assert RobotModel.from_urdf(path, self_collision=True).collision_links == (("left", "right"),)
        together = RobotModel.from_urdf(path, self_collision=True, home={"turn_left": 0.4, "turn_right": -0.4})
        disabled = '<disable_collisions link1="right" link2="left" reason="Never"/>'
        (tmp_path / "legged.srdf").write_text(f'<robot name="legged">{disabled}</robot>')
        assert RobotModel.from_urdf(path, self_collision=True).collision_links == ()
    assert together.collision_links == ()
    assert any("left and right" in note for note in together.notes)


@pytest.mark.parametrize("change", [("</mujoco>", EXCLUDED), ('size="0.03"', 'size="0.03" conaffinity="2"')])
def test_mujocos_filters_of_collisions_are_kept(change: tuple[str, str]) -> None:
    pytest.importorskip("mujoco")
    assert len(RobotModel.from_urdf(HELD, self_collision=True).collision_pairs) == 1
    assert len(RobotModel.from_urdf(HELD.replace(*change), self_collision=True).collision_pairs) == 0


@pytest.mark.parametrize(
    "contact_model", ["penalty", "compliant", "hunt_crossley", "distributed", "hybrid", "embedding"]
)
def test_models_that_know_the_ground_only_refuse_in_one_line(contact_model: str) -> None:
    robot = RobotModel.from_urdf(SLIDERS, self_collision=True)
    with pytest.raises(ParameterError, match=f"^self_collision: {contact_model} knows contact with the ground only"):
        Simulator(robot, contact_model)


coordinates = st.floats(-1.0, 1.0).map(lambda x: round(x, 3))
segments = st.lists(coordinates, min_size=6, max_size=6).map(lambda x: np.array(x).reshape(2, 3))


@given(segments, segments)
def test_nearest_points_of_segments_are_as_near_as_any(one: np.ndarray, other: np.ndarray) -> None:
    s, t = nearest_shares(tuple(one[0]), tuple(one[1] - one[0]), tuple(other[0]), tuple(other[1] - other[0]))
    apart = one[0] + s * (one[1] - one[0]) - other[0] - t * (other[1] - other[0])
    found = float(np.linalg.norm(apart))
    assert found == pytest.approx(segment_distance(one, other), abs=1e-6)
    shares = np.linspace(0.0, 1.0, 21)
    on_one = one[0] + shares[:, None] * (one[1] - one[0])
    on_other = other[0] + shares[:, None] * (other[1] - other[0])
    assert found <= np.linalg.norm(on_one[:, None] - on_other[None], axis=2).min() + 1e-6


def test_capsules_fill_a_box_that_stands_askew() -> None:
    corners = np.array(np.meshgrid([-0.3, 0.3], [-0.1, 0.1], [-0.04, 0.04])).reshape(3, 8).T
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    axes, radius = box_capsules(corners @ turn.T + [1.0, 2.0, 3.0])
    assert len(axes) == 2
    assert radius == pytest.approx(0.05, rel=0.05)
    for start, end in axes:
        along = turn.T @ (end - start)
        assert abs(along[0]) == pytest.approx(0.5, rel=0.05)
        np.testing.assert_allclose(along[1:], 0.0, atol=0.02)
