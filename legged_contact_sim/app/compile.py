"""``legged-contact-sim compile``: all contact models, compiled once and together, before anybody waits for one."""

import argparse
import time
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from .. import dynamics
from ..contact import MODELS, solve_friction
from ..contact.lcp import solve_lcp
from ..control import InProcess, make_controller
from ..jit.one_process import compile_in_this_process
from ..model import RobotModel
from ..sensing import Imu
from ..simulation import Simulator

ROBOT = "quadruped12"  # the type of a kernel does not depend on the robot


def add_command(commands: Any) -> None:
    """Add the command to the command line's parser."""
    words = "compile contact models together, for less processor time than one by one when they are first used"
    parser = commands.add_parser("compile", help=words)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="default: all, and what else is compiled")
    parser.set_defaults(action=compile_kernels)


def compile_kernels(options: argparse.Namespace) -> int:
    """Compile what is not yet in the cache, with a line for each model."""
    names = options.models or list(MODELS)
    for name in names:
        MODELS.named(name)
    compile_in_this_process()
    robot, begin = RobotModel.from_urdf(ROBOT), time.monotonic()
    for number, name in enumerate(names, 1):
        for choices in ways(name):
            Simulator(robot, contact_model=name, **choices).step()
        print(f"{name}: {number} of {len(names)}, {time.monotonic() - begin:.1f} s", flush=True)
    if not options.models:
        call_functions(robot)
        drive(robot)
        print(f"dynamics, solvers, controllers, sensors: {time.monotonic() - begin:.1f} s", flush=True)
    return 0


def ways(name: str) -> Iterator[dict[str, Any]]:
    """Yield parameters of a contact model, such that each word that chooses something, a solver, is there once."""
    yield {}
    for parameter in fields(MODELS.named(name).Parameters):
        for word in parameter.metadata.get("allowed", ()):
            if word != parameter.default:
                yield {parameter.name: word}


def call_functions(robot: RobotModel) -> None:
    """Call the functions of dynamics and of friction once."""
    q, v, link, point = robot.home, np.zeros(robot.nv), robot.link_names[0], np.zeros(3)
    dynamics.forward_dynamics(robot, q, v)
    dynamics.inverse_dynamics(robot, q, v, v)
    dynamics.mass_matrix(robot, q)
    dynamics.forward_kinematics(robot, q)
    dynamics.point_jacobian(robot, q, link, point)
    dynamics.point_bias_acceleration(robot, q, v, link, point)
    dynamics.inverse_contact_inertia(robot, q)
    dynamics.contact_response(robot, q)
    dynamics.centroidal_momentum(robot, q, v)
    dynamics.kinetic_energy(robot, q, v)
    dynamics.integrate(robot, q, v, 1e-3)
    solve_friction(np.eye(3), np.array([-1.0, 0.0, 0.0]), np.array([0.5]))
    for method in ("lemke", "pgs"):
        solve_lcp(np.eye(2), -np.ones(2), method=method)


def drive(robot: RobotModel) -> None:
    """Let a controller drive the robot for some steps, and read a sensor."""
    simulator = Simulator(robot)
    simulator.run(0.01, InProcess(make_controller("zmp_trot", robot), simulator))
    Imu(robot).reset(simulator)
