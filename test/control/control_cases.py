"""Runs that several tests of controllers look at, and measures of them."""

from functools import cache

import numpy as np

from legged_contact_sim import RobotModel, Simulator
from legged_contact_sim.control import InProcess, make_controller
from legged_contact_sim.dynamics import forward_kinematics

GRAVITY = 9.81
STUDY_GROUND = {"friction": 0.3, "viscous_friction": 0.4}
STUDY_PID = {
    "feedback": False,
    "stiffness": [6000.0, 20000.0, 70000.0, 30000.0],
    "damping": [20.0, 40.0, 60.0, 20.0],
    "integral": 120.0,
}


@cache
def robot_named(name):
    return RobotModel.from_urdf(name)


def simulate(sim, controller, duration, period=0.002, commands=(), sample_every=10):
    """Return a run, with velocity commands [(time, (forward, sideways, turning)), ...] on the way."""
    law, waiting = InProcess(controller, sim, period), list(commands)

    def drive(time, q, v):
        while waiting and time >= waiting[0][0]:
            controller.command_velocity(*waiting.pop(0)[1])
        return law(time, q, v)

    return sim.run(duration, drive, sample_every)


def trot(name, duration, model="exact_lcp", time_step=5e-4, ground=None, commands=(), period=0.002, **parameters):
    """Return the run of a trotting robot and its controller."""
    robot = robot_named(name)
    sim = Simulator(robot, contact_model=model, time_step=time_step, **(ground or {}))
    controller = make_controller("zmp_trot", robot, parameters)
    return simulate(sim, controller, duration, period, commands), controller


def tilt(q):
    """Return the angle between the trunk's z axis and the vertical, (T,), rad."""
    return np.arccos(np.clip(1.0 - 2.0 * (q[:, 3] ** 2 + q[:, 4] ** 2), -1.0, 1.0))


def yaw(q):
    x, y, z, w = q[:, 3:7].T
    return np.unwrap(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))


def foot_places(robot, legs, q):
    """Return where the feet touch the ground, (legs, 2), m."""
    rotation, position = forward_kinematics(robot, q)
    points = robot.contact_points["position"]
    return np.array([(position[leg.link] + rotation[leg.link] @ points[leg.point])[:2] for leg in legs])


def distance_to_hull(point, corners):
    """Return how far a point (2,) lies outside the convex hull of some corners (n, 2), m; 0 inside."""
    middle = corners.mean(axis=0)
    order = np.argsort(np.arctan2(*(corners - middle).T[::-1]))
    ring = corners[order]
    nearest, inside = np.inf, len(ring) > 2
    for begin, end in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        along = end - begin
        part = np.clip((point - begin) @ along / max(along @ along, 1e-12), 0.0, 1.0)
        nearest = min(nearest, float(np.linalg.norm(point - begin - part * along)))
        inside = inside and along[0] * (point - begin)[1] - along[1] * (point - begin)[0] >= 0.0
    return 0.0 if inside else nearest
