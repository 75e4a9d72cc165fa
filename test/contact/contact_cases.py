"""What the tests of contact share: small robots as URDF text, models and time steps under test, a few measures."""

from functools import cache

import numpy as np

from legged_contact_sim import RobotModel, Simulator
from legged_contact_sim.contact import MODELS
from legged_contact_sim.dynamics import forward_kinematics
from legged_contact_sim.dynamics.functions import energies

GRAVITY = 9.81
HARD_MODELS = [name for name in ("exact_lcp", "moreau") if name in MODELS]
TIME_STEPS = (5e-4, 2.5e-3)
FEET = ("lf", "lh", "rf", "rh")

robot_named = cache(RobotModel.from_urdf)


def box_xml(size=(0.2, 0.2, 0.1), mass=2.0):
    """Return a uniform box that touches with its eight corners."""
    x, y, z = size
    inertia = [mass / 12.0 * (a * a + b * b) for a, b in ((y, z), (x, z), (x, y))]
    return (
        f'<robot name="box"><link name="box"><inertial><mass value="{mass}"/>'
        f'<inertia ixx="{inertia[0]}" iyy="{inertia[1]}" izz="{inertia[2]}" ixy="0" ixz="0" iyz="0"/></inertial>'
        f'<collision><geometry><box size="{x} {y} {z}"/></geometry></collision></link></robot>'
    )


def ball_xml(radius=0.1, mass=2.0):
    """Return a uniform ball."""
    inertia = 0.4 * mass * radius**2
    return (
        f'<robot name="ball"><link name="ball"><inertial><mass value="{mass}"/>'
        f'<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial>'
        f'<collision><geometry><sphere radius="{radius}"/></geometry></collision></link></robot>'
    )


def dumbbell_xml(length=0.5, radius=0.05, mass=1.0):
    """Return two balls on a bar of the same mass."""
    ball = '<collision><origin xyz="{x} 0 0"/><geometry><sphere radius="{radius}"/></geometry></collision>'
    long, thin = 2.5 * mass * (length / 2) ** 2, 0.8 * mass * radius**2
    return (
        f'<robot name="dumbbell"><link name="dumbbell"><inertial><mass value="{3 * mass}"/>'
        f'<inertia ixx="{thin}" iyy="{long}" izz="{long}" ixy="0" ixz="0" iyz="0"/></inertial>'
        + ball.format(x=-length / 2, radius=radius)
        + ball.format(x=length / 2, radius=radius)
        + "</link></robot>"
    )


def wheel_xml(friction=0.0, damping=0.0, effort=100.0, velocity=1000.0, lower=-1e3, upper=1e3, inertia=0.5):
    """Return one link with the given inertia, kg m^2, on a vertical hinge: no gravity acts in the joint."""
    return (
        '<robot name="wheel"><link name="world"/><link name="rotor"><inertial><mass value="1"/>'
        f'<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="hinge" type="revolute"><parent link="world"/><child link="rotor"/><axis xyz="0 0 1"/>'
        f'<limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="{velocity}"/>'
        f'<dynamics damping="{damping}" friction="{friction}"/></joint></robot>'
    )


def pendulum_xml(links=1, friction=0.0, lower=-1e3, upper=1e3, effort=100.0, mass=1.0, length=1.0):
    """Return rods of one metre that hang from one another (at zero: along x), hinges along y."""
    rod = mass * length**2 / 12.0
    text = '<robot name="pendulum"><link name="world"/>'
    for k in range(links):
        text += (
            f'<link name="rod_{k}"><inertial><origin xyz="{length / 2} 0 0"/><mass value="{mass}"/>'
            f'<inertia ixx="1e-4" iyy="{rod}" izz="{rod}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="hinge_{k}" type="revolute"><origin xyz="{length if k else 0} 0 0"/>'
            f'<parent link="{f"rod_{k - 1}" if k else "world"}"/><child link="rod_{k}"/><axis xyz="0 1 0"/>'
            f'<limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="1000"/>'
            f'<dynamics friction="{friction}"/></joint>'
        )
    return text + "</robot>"


def tilted(angle):
    """Return the quaternion (x, y, z, w) of a turn that lays a box on a slope rising along x by ``angle``, rad."""
    return np.array([0.0, -np.sin(angle / 2), 0.0, np.cos(angle / 2)])


def turned(angle):
    """Return the quaternion (x, y, z, w) of a turn by ``angle``, rad, about the vertical."""
    return np.array([0.0, 0.0, np.sin(angle / 2), np.cos(angle / 2)])


def random_quaternion(random):
    quaternion = random.normal(size=4)
    return quaternion / np.linalg.norm(quaternion)


def world_velocity(robot, q, v):
    """Return the linear velocity of a free base in world axes, (3,), m/s."""
    return forward_kinematics(robot, q).rotation[0] @ v[:3]


def point_positions(robot, q):
    """Return the lowest points of all contact spheres, (points, 3), m."""
    rotation, position = forward_kinematics(robot, q)
    points = robot.contact_points
    centers = position[points["link"]] + np.einsum("kij,kj->ki", rotation[points["link"]], points["position"])
    centers[:, 2] -= points["radius"]
    return centers


def gaps(sim):
    """Return the gaps of all contact points in the present pose, from the kinematics alone, (points,), m."""
    robot = sim.robot
    rotation, position = forward_kinematics(robot, sim.state.q)
    points = robot.contact_points
    centers = position[points["link"]] + np.einsum("kij,kj->ki", rotation[points["link"]], points["position"])
    return sim.terrain.gap(centers) - points["radius"]


def total_energy(sim):
    """Return the mechanical energy now, J."""
    return float(energies(sim.robot, *sim.state).sum())


def drop_state(robot, random, speed=2.0):
    """Return a random state of a robot whose lowest contact point is just above the plane z = 0 and comes down."""
    q, v = robot.home.copy(), random.normal(scale=speed, size=robot.nv)
    joints = robot.position_indices
    low = np.maximum(robot.links["lower_limit"][robot.joint_links], -1.0)
    high = np.minimum(robot.links["upper_limit"][robot.joint_links], 1.0)
    if robot.base == "floating":
        q[joints] = np.clip(q[joints] + random.normal(scale=0.4, size=len(joints)), low, high)
        q[3:7] = random_quaternion(random)
        q[2] -= point_positions(robot, q)[:, 2].min() - 1e-4 * random.random()
        down = forward_kinematics(robot, q).rotation[0].T @ np.array([0.0, 0.0, -3.0 * random.random()])
        v[:3] += down
    else:
        q[joints] += random.normal(scale=0.5, size=len(joints))
        lift = robot.joint_names.index("root_z")
        q[joints[lift]] -= point_positions(robot, q)[:, 2].min() - 1e-4 * random.random()
        v[robot.velocity_indices[lift]] -= 3.0 * random.random()
    return q, v


def simulator(robot, model="exact_lcp", time_step=5e-4, **more):
    """Return a simulator; a robot is a RobotModel, a packaged name, or URDF text."""
    return Simulator(robot_named(robot) if isinstance(robot, str) else robot, model, time_step, **more)
