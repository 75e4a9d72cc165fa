"""The robot descriptions in urdf/: their numbers against the studies' tables, read by two independent engines."""

import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
import pinocchio as pin
import pytest
import yaml  # type: ignore[import-untyped]
from scipy.integrate import solve_ivp

from legged_contact_sim.dynamics import mass_matrix
from legged_contact_sim.model import RobotModel

URDF = Path(__file__).resolve().parents[1] / "urdf"

# name: degrees of freedom, mass in kg, contact points
ROBOTS = {
    "quadruped16": (22, 50.0 + 4 * (4.4 + 3.65 + 3.65), 16),
    "quadruped12": (18, 25.0, 16),
    "biped_planar": (13, 75.0, 47),
    "double_pendulum": (2, 2 * 4.04, 1),
    "bicycle": (5, 1.0 + 2 * 2.0, 2),
    "jumping_leg": (9, 0.1 + 3 * 0.004 + 0.018 + 0.024 + 0.022, 7),
    "friction_block": (1, 4.4482216152605 / 0.0254 / 386, 0),
    "friction_block_ground": (2, 4.4482216152605 / 0.0254 / 386, 1),
    "planar_leg": (6, 0.816 + 2.58 + 8.496 + 24.0, 5),
}
QUADRUPEDS = ("quadruped16", "quadruped12")
LEGS = ("lf", "lh", "rf", "rh")


def sidecar(name: str) -> dict[str, Any]:
    """Return what stands in the YAML file beside a robot's URDF."""
    content: dict[str, Any] = yaml.safe_load((URDF / f"{name}.yaml").read_text())
    return content


def xml(name: str) -> ElementTree.Element:
    """Return a robot's URDF as an XML tree."""
    return ElementTree.fromstring((URDF / f"{name}.urdf").read_text())


def is_floating(name: str) -> bool:
    """Return whether the robot's root has inertia, and so floats."""
    return xml(name).find("link[@name='world']") is None


def pinocchio_model(name: str) -> pin.Model:
    """Return the robot as Pinocchio reads it, on a free-flyer if it floats."""
    text = (URDF / f"{name}.urdf").read_text()
    return pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if is_floating(name) else pin.buildModelFromXML(text)


def mujoco_model(name: str) -> mujoco.MjModel:
    """Return the robot as MuJoCo reads it; it knows no floating base in a URDF, so that one is added."""
    spec = mujoco.MjSpec.from_string((URDF / f"{name}.urdf").read_text())
    if is_floating(name):
        spec.body("base_link").add_freejoint()
    return spec.compile()


def home(name: str, model: pin.Model) -> np.ndarray:
    """Return the home position for Pinocchio, the base of a floating robot at the origin."""
    q: np.ndarray = pin.neutral(model)
    for joint, position in sidecar(name)["home"].items():
        assert model.existJointName(joint), f"{name}: home names {joint}"
        q[model.idx_qs[model.getJointId(joint)]] = position
    return q


def contact_spheres(name: str, model: pin.Model, q: np.ndarray) -> dict[str, tuple[np.ndarray, float]]:
    """Return centre and radius of each contact sphere in the world, from <collision> and from the sidecar."""
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    found: dict[str, tuple[np.ndarray, float]] = {}
    for link in xml(name).findall("link"):
        for collision in link.findall("collision"):
            sphere, origin = collision.find("geometry/sphere"), collision.find("origin")
            assert sphere is not None and origin is not None
            offset = np.array(origin.attrib["xyz"].split(), dtype=float)
            placement = data.oMf[model.getFrameId(link.attrib["name"])]
            found[collision.attrib["name"]] = placement.act(offset), float(sphere.attrib["radius"])
    for point, content in sidecar(name).get("contact_points", {}).items():
        placement = data.oMf[model.getFrameId(content["link"])]
        found[point] = placement.act(np.array(content["offset"])), content["radius"]
    return found


def first_impact(name: str, point: str, q: np.ndarray) -> float:
    """Return when a point of a fixed-base robot, released at rest and falling freely, reaches the ground."""
    model = pinocchio_model(name)
    data = model.createData()

    def derivative(_: float, state: np.ndarray) -> np.ndarray:
        position, velocity = np.split(state, 2)
        acceleration = pin.aba(model, data, position, velocity, np.zeros(model.nv))
        return np.concatenate([velocity, acceleration])

    def height(_: float, state: np.ndarray) -> float:
        return float(contact_spheres(name, model, state[: model.nq])[point][0][2])

    height.terminal = True  # type: ignore[attr-defined]
    start = np.concatenate([q, np.zeros(model.nv)])
    run = solve_ivp(derivative, (0.0, 2.0), start, events=height, rtol=1e-8, atol=1e-9)
    return float(run.t_events[0][0])


def test_every_description_is_tested() -> None:
    """No URDF stands in the folder without a row in the table above, nor without a sidecar."""
    assert {path.stem for path in URDF.glob("*.urdf")} == set(ROBOTS)
    assert {path.stem for path in URDF.glob("*.yaml")} == set(ROBOTS)


@pytest.mark.parametrize("name", ROBOTS)
def test_mass_and_degrees_of_freedom(name: str) -> None:
    """Pinocchio, MuJoCo and our reader find the studies' degrees of freedom and mass."""
    nv, mass, contact_count = ROBOTS[name]
    model, other, ours = pinocchio_model(name), mujoco_model(name), RobotModel.from_urdf(name)
    assert (model.nv, other.nv, ours.nv) == (nv, nv, nv)
    assert ours.nq == nv + is_floating(name)
    assert sum(body.mass for body in model.inertias) == pytest.approx(mass, rel=1e-9)
    assert other.body_mass.sum() == pytest.approx(mass, rel=1e-9)
    assert ours.total_mass == pytest.approx(mass, rel=1e-9)
    assert len(ours.contact_names) == contact_count


@pytest.mark.parametrize("name", ROBOTS)
def test_joint_order_is_that_of_pinocchio(name: str) -> None:
    """Our joints, in the order of the file, are Pinocchio's, which sorts by name: q and v compare as they are."""
    ours = RobotModel.from_urdf(name)
    first = 2 if is_floating(name) else 1
    assert list(ours.joint_names) == list(pinocchio_model(name).names)[first:]


@pytest.mark.parametrize("name", ROBOTS)
def test_mass_matrices_agree(name: str) -> None:
    """Pinocchio's and MuJoCo's joint-space inertia at home agree: mass, inertia and frames are read alike."""
    model, other = pinocchio_model(name), mujoco_model(name)
    state = mujoco.MjData(other)
    for joint, position in sidecar(name)["home"].items():
        state.joint(joint).qpos = position
    mujoco.mj_forward(other, state)
    full = np.zeros((other.nv, other.nv))
    for column, unit in zip(full, np.eye(other.nv), strict=True):
        mujoco.mj_mulM(other, state, column, unit)
    expected = pin.crba(model, model.createData(), home(name, model))
    expected = np.triu(expected) + np.triu(expected, 1).T
    np.testing.assert_allclose(full, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", ROBOTS)
def test_inertia_is_physical(name: str) -> None:
    """Each link's inertia is positive and satisfies the triangle inequality."""
    for link in xml(name).findall("link"):
        tensor = link.find("inertial/inertia")
        if tensor is None:
            continue
        assert all(float(tensor.attrib[product]) == 0.0 for product in ("ixy", "ixz", "iyz"))
        small, middle, large = sorted(float(tensor.attrib[moment]) for moment in ("ixx", "iyy", "izz"))
        assert small > 0.0
        assert small + middle >= large * (1.0 - 1e-9), link.attrib["name"]


@pytest.mark.parametrize("name", ROBOTS)
def test_home_is_within_limits_and_above_ground(name: str) -> None:
    """Home keeps every joint inside its range, and our reader's home puts no contact point below the ground."""
    model = pinocchio_model(name)
    q = home(name, model)
    for joint in sidecar(name)["home"]:
        index = model.idx_qs[model.getJointId(joint)]
        assert model.lowerPositionLimit[index] <= q[index] <= model.upperPositionLimit[index]
    if is_floating(name):
        q = RobotModel.from_urdf(name).home
    heights = [centre[2] - radius for centre, radius in contact_spheres(name, model, q).values()]
    assert min(heights, default=0.0) >= -1e-9


@pytest.mark.parametrize("name", ROBOTS)
def test_contact_names_agree_with_our_reader(name: str) -> None:
    """Our reader finds the contact points that stand in the files, where Pinocchio finds them."""
    model, ours = pinocchio_model(name), RobotModel.from_urdf(name)
    q = pin.neutral(model)
    expected = contact_spheres(name, model, q)
    assert sorted(ours.contact_names) == sorted(expected)
    for point, contact in zip(ours.contact_names, ours.contact_points, strict=True):
        joint = model.frames[model.getFrameId(ours.link_names[contact["link"]])].parentJoint
        data = model.createData()
        pin.forwardKinematics(model, data, q)
        np.testing.assert_allclose(data.oMi[joint].act(contact["position"]), expected[point][0], atol=1e-12)
        assert contact["radius"] == expected[point][1]


@pytest.mark.parametrize("name", QUADRUPEDS)
def test_quadruped_is_mirror_symmetric(name: str) -> None:
    """Home is its own mirror image, left to right and fore to hind."""
    model = pinocchio_model(name)
    q = home(name, model)
    com = pin.centerOfMass(model, model.createData(), q)
    np.testing.assert_allclose(com[:2], 0.0, atol=1e-12)
    spheres = contact_spheres(name, model, q)
    for point, (centre, radius) in spheres.items():
        side, end = point[0], point[1]
        left_right, left_right_radius = spheres[("r" if side == "l" else "l") + point[1:]]
        fore_hind, _ = spheres[side + ("h" if end == "f" else "f") + point[2:]]
        np.testing.assert_allclose(left_right, centre * (1, -1, 1), atol=1e-12)
        np.testing.assert_allclose(fore_hind, centre * (-1, 1, 1), atol=1e-12)
        assert left_right_radius == radius


@pytest.mark.parametrize("name", QUADRUPEDS)
@pytest.mark.parametrize(("sides", "place", "mirror"), [("lr", 0, (1, -1, 1)), ("fh", 1, (-1, 1, 1))])
def test_mass_matrix_is_mirror_symmetric(name: str, sides: str, place: int, mirror: tuple[int, ...]) -> None:
    """A robot in a mirrored pose has the mirrored mass matrix: masses, frames and axes of opposite legs match.

    An axis is a pseudovector: the component along a mirrored direction keeps its sign, the others change it.
    """
    robot = RobotModel.from_urdf(name)
    joints = list(robot.joint_names)
    opposite = str.maketrans(sides, sides[::-1])
    image = np.zeros((robot.nv, robot.nv))
    image[range(6), range(6)] = (*mirror, *(-sign for sign in mirror))
    for column, joint in enumerate(joints):
        twin = joints.index(joint[:place] + joint[place].translate(opposite) + joint[place + 1 :])
        axis = np.abs(robot.links["axis"][robot.joint_links[column]]).argmax()
        image[6 + twin, 6 + column] = -mirror[axis]
    q = robot.home.copy()
    q[7:] += np.random.default_rng(1).uniform(-0.5, 0.5, robot.joint_count)
    reflected = robot.home.copy()
    reflected[7:] = image[6:, 6:] @ q[7:]
    expected = image @ mass_matrix(robot, q) @ image.T
    np.testing.assert_allclose(mass_matrix(robot, reflected), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("name", "height"), [("quadruped16", 0.6), ("quadruped12", 0.4136)])
def test_quadruped_stands_on_its_feet(name: str, height: float) -> None:
    """All four feet, and nothing else, are at the ground; each stands under its hip, the centre of mass among them."""
    model = pinocchio_model(name)
    q = home(name, model)
    data = model.createData()
    spheres = contact_spheres(name, model, q)
    pin.framesForwardKinematics(model, data, q)
    feet = [spheres[f"{leg}_foot"] for leg in LEGS]
    lowest = [centre[2] - radius for centre, radius in feet]
    np.testing.assert_allclose(lowest, -height, atol=1e-4)
    assert np.ptp(lowest) < 1e-9
    assert all(
        centre[2] - radius > -height + 0.01 for point, (centre, radius) in spheres.items() if "foot" not in point
    )
    for leg, (centre, _) in zip(LEGS, feet, strict=True):
        hip = data.oMf[model.getFrameId(f"{leg}_thigh")].translation
        np.testing.assert_allclose(centre[:2], hip[:2], atol=1e-6)
    centre_of_feet = np.mean([centre[:2] for centre, _ in feet], axis=0)
    np.testing.assert_allclose(pin.centerOfMass(model, data, q)[:2], centre_of_feet, atol=1e-12)
    assert RobotModel.from_urdf(name).home[2] == pytest.approx(height, abs=1e-4)


def test_quadruped16_has_the_tables_boxes_and_friction() -> None:
    """Ayit table 5.1: uniform boxes, length along the leg; table 5.2: joint friction."""
    model = pinocchio_model("quadruped16")
    boxes = {"thigh": ((0.1, 0.05, 0.28), 4.4), "shank": ((0.1, 0.05, 0.27), 3.65), "foot": ((0.05, 0.05, 0.22), 3.65)}
    for leg in LEGS:
        for joint, link in (("hip_ventral", "thigh"), ("knee", "shank"), ("ankle", "foot")):
            size, mass = boxes[link]
            expected = pin.Inertia.FromBox(mass, *size)
            expected.lever = np.array([0.0, 0.0, -0.5 * size[2]])
            assert model.inertias[model.getJointId(f"{leg}_{joint}")].isApprox(expected, 1e-9)
        for joint, link in (("knee", "thigh"), ("ankle", "shank")):
            placement = model.jointPlacements[model.getJointId(f"{leg}_{joint}")]
            np.testing.assert_allclose(placement.translation, (0.0, 0.0, -boxes[link][0][2]))
    assert model.inertias[1].isApprox(pin.Inertia.FromBox(50.0, 1.2, 0.6, 0.15), 1e-9)
    np.testing.assert_array_equal(model.damping[6:], 0.3)
    np.testing.assert_array_equal(model.friction[6:], 0.55)


def test_quadruped12_lengths() -> None:
    """StarlETH: 0.2 m from hip to knee, 0.235 m from knee to the end of the foot; a contact at each joint."""
    model = pinocchio_model("quadruped12")
    spheres = contact_spheres("quadruped12", model, pin.neutral(model))
    data = model.createData()
    pin.forwardKinematics(model, data, pin.neutral(model))
    for leg in LEGS:
        haa, hip, knee = (data.oMi[model.getJointId(f"{leg}_{joint}")].translation for joint in ("haa", "hfe", "kfe"))
        assert hip[2] - knee[2] == pytest.approx(0.2)
        assert knee[2] - spheres[f"{leg}_foot"][0][2] + spheres[f"{leg}_foot"][1] == pytest.approx(0.235)
        for joint, place in (("haa", haa), ("hfe", hip), ("kfe", knee)):
            np.testing.assert_allclose(spheres[f"{leg}_{joint}"][0], place, atol=1e-12)


def test_biped_has_human_proportions() -> None:
    """The hips stand at 0.53 of the height; 18 points a sole, flat on the ground around the centre of mass."""
    model = pinocchio_model("biped_planar")
    q = home("biped_planar", model)
    points = contact_spheres("biped_planar", model, q)
    assert q[1] == pytest.approx(0.530 * 1.75)
    com = pin.centerOfMass(model, model.createData(), q)
    for foot in ("lf", "rf"):
        sole = np.array([centre for name, (centre, _) in points.items() if name.startswith(f"{foot}_sole")])
        assert len(sole) == 18
        np.testing.assert_allclose(sole[:, 2], 0.0, atol=1e-9)
        assert np.ptp(sole[:, 0]) == pytest.approx(0.152 * 1.75)
        assert np.ptp(sole[:, 1]) == pytest.approx(0.055 * 1.75)
        assert sole[:, 0].min() < com[0] < sole[:, 0].max()
        np.testing.assert_allclose(np.diff(np.unique(sole[:, 0].round(9))), 0.152 * 1.75 / 8, atol=1e-6)
    assert com[1] == pytest.approx(0.0, abs=1e-12)
    # Winter: the centre of mass of the standing body lies at 0.55 to 0.58 of its height.
    assert 0.55 < com[2] / 1.75 < 0.59


@pytest.mark.parametrize(("start", "time"), [((math.pi / 4, -3 * math.pi / 4), 0.5080), ((0.0, 0.0), 0.5154)])
def test_double_pendulum_free_fall(start: tuple[float, float], time: float) -> None:
    """The tip reaches the ground at the times of the study, from both of its starts."""
    assert first_impact("double_pendulum", "tip", np.array(start)) == pytest.approx(time, abs=5e-5)


def test_double_pendulum_home_and_inertia() -> None:
    """Home is Flickinger's table 5.3; bars of 1 m with inertia m (L^2 + w^2) / 12 on a pivot 1.5 m up."""
    model = pinocchio_model("double_pendulum")
    np.testing.assert_allclose(home("double_pendulum", model), (math.pi / 4, -3 * math.pi / 4), atol=1e-14)
    for bar in (1, 2):
        assert model.inertias[bar].inertia[1, 1] == pytest.approx(4.04 * (1.0 + 0.05**2) / 12, rel=1e-9)
        np.testing.assert_allclose(model.inertias[bar].lever, (0.5, 0.0, 0.0))
    tip, radius = contact_spheres("double_pendulum", model, np.array([0.0, math.pi / 2]))["tip"]
    np.testing.assert_allclose(tip, (1.0, 0.0, 2.5), atol=1e-12)
    assert radius == 0.0


def test_bicycle_geometry() -> None:
    """Wheels of radius 0.25 m at the ends of a 1 m rod, which turns counter-clockwise seen with x right and z up."""
    model = pinocchio_model("bicycle")
    q = home("bicycle", model)
    np.testing.assert_array_equal(q[:3], (5.0, 5.0, 0.0))
    assert model.inertias[3].inertia[1, 1] == pytest.approx(1.0 / 12, rel=1e-9)
    q[2] = math.pi / 6
    wheels = contact_spheres("bicycle", model, q)
    np.testing.assert_allclose(wheels["front_wheel"][0], (5.0 + 0.5 * math.cos(q[2]), 0.0, 5.25), atol=1e-12)
    np.testing.assert_allclose(wheels["back_wheel"][0], (5.0 - 0.5 * math.cos(q[2]), 0.0, 4.75), atol=1e-12)
    for joint in ("back_wheel", "front_wheel"):
        assert wheels[joint][1] == 0.25
        assert model.inertias[model.getJointId(joint)].inertia[1, 1] == pytest.approx(2.0 * 0.25**2 / 2)


def test_jumping_leg_reaches_the_ground_as_published() -> None:
    """In the first configuration of table 6.2 the tip is 0.17 m (as rounded there) below the body, on its +x side."""
    model = pinocchio_model("jumping_leg")
    tip, _ = contact_spheres("jumping_leg", model, home("jumping_leg", model))["tip"]
    assert tip[2] == pytest.approx(-0.17, abs=0.005)
    assert tip[0] > 0.0
    straight, _ = contact_spheres("jumping_leg", model, pin.neutral(model))["tip"]
    np.testing.assert_allclose(straight, (0.0, 0.0, -(0.03 + 0.0646 + 0.09)), atol=1e-12)
    np.testing.assert_allclose(model.inertias[1].lever, 0.0, atol=1e-15)


def test_jumping_leg_springs_and_motors() -> None:
    """Springs, rotors and torque limits of tables 2.3 and 6.1 reach our reader."""
    links = RobotModel.from_urdf("jumping_leg").links[1:]
    np.testing.assert_array_equal(links["stiffness"], 5.0)
    np.testing.assert_allclose(links["rest_position"], (0.0, 5 * math.pi / 36, -math.pi / 4), atol=1e-9)
    np.testing.assert_array_equal(links["effort_limit"], 2.5)
    np.testing.assert_allclose(links["rotor_inertia"], 0.5 * 0.004 * 0.005**2)


def test_friction_block_oscillates_as_in_imperial_units() -> None:
    """K / M = 2 * 386 / s^2, whatever the units."""
    for name in ("friction_block", "friction_block_ground"):
        slider = RobotModel.from_urdf(name).links[0]
        assert slider["stiffness"] / ROBOTS[name][1] == pytest.approx(2 * 386, rel=1e-9)
    assert ROBOTS["friction_block"][1] * 386 * 0.0254 == pytest.approx(4.4482216152605)


def test_planar_leg_stands_over_its_foot() -> None:
    """At Singh's start the foot is level, every link has its length, and the centre of mass is over the foot."""
    model = pinocchio_model("planar_leg")
    q = home("planar_leg", model)
    np.testing.assert_array_equal(q, (4.0, 0.01, 0.0, 2.0944, -0.4363, -0.6981))
    points = contact_spheres("planar_leg", model, q)
    np.testing.assert_allclose(points["E"][0], (4.0, 0.0, 0.01), atol=1e-12)
    np.testing.assert_allclose(points["F"][0], (4.5, 0.0, 0.01), atol=1e-12)
    for start, end, length in (("F", "G", 1.0), ("G", "H", 1.05), ("H", "I", 0.2)):
        assert np.linalg.norm(points[end][0] - points[start][0]) == pytest.approx(length)
    angle = math.atan2(points["G"][0][2] - points["F"][0][2], points["G"][0][0] - points["F"][0][0])
    assert angle == pytest.approx(2.0944)
    assert points["I"][1] == 0.2
    assert 4.0 < pin.centerOfMass(model, model.createData(), q)[0] < 4.5
    rods = {"root_angle": (0.816, 0.5), "heel": (2.58, 1.0), "knee": (8.496, 1.05)}
    for joint, (mass, length) in rods.items():
        assert model.inertias[model.getJointId(joint)].inertia[1, 1] == pytest.approx(mass * length**2 / 12, rel=1e-9)
    assert model.inertias[model.getJointId("hip")].inertia[1, 1] == pytest.approx(24.0 * 0.2**2 / 2)
