"""Plot the zero moment point of a trot: planned, and as the simulated contact forces have it.

python examples/plot_trot_zmp.py quadruped16 trot_zmp.png
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from legged_contact_sim import RobotModel, Simulator
from legged_contact_sim.control import InProcess, make_controller
from legged_contact_sim.dynamics import forward_kinematics

DURATION, EVERY = 4.0, 10


def main(name: str = "quadruped16", file: str = "trot_zmp.png") -> None:
    """Trot at 0.3 m/s for some seconds and write the figure."""
    robot = RobotModel.from_urdf(name)
    sim = Simulator(robot, friction=0.3, viscous_friction=0.4)
    controller = make_controller("zmp_trot", robot, {"velocity": [0.3, 0.0, 0.0]})
    law, planned, asked = InProcess(controller, sim), [], []

    def drive(time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        effort = law(time, q, v)
        planned.append(controller.reference.pendulum.zmp)
        asked.append(controller.reference.zmp_reference()[0] if len(asked) % EVERY == EVERY - 1 else np.zeros(2))
        return effort

    run = sim.run(DURATION, drive, EVERY)
    plan, wish = (np.array(points)[EVERY - 1 :: EVERY] for points in (planned, asked))
    legs = controller.legs
    columns = [robot.contact_names.index(leg.name) for leg in legs]
    points = robot.contact_points["position"]
    places = []
    for q in run.q:
        pose = forward_kinematics(robot, q)
        places.append([(pose.position[leg.link] + pose.rotation[leg.link] @ points[leg.point])[:2] for leg in legs])
    feet, normal = np.array(places), run.forces[:, columns, 2]
    found = np.einsum("tk,tkj->tj", normal, feet) / normal.sum(axis=1, keepdims=True)

    figure, axes = plt.subplots(4, 1, figsize=(9, 10), height_ratios=[1, 1, 1, 1.4])
    for axis, k, label in zip(axes, (0, 1), "xy", strict=False):
        axis.plot(run.time, found[:, k], color="0.6", lw=0.8, label="from the simulated forces")
        axis.plot(run.time, wish[:, k], "k--", lw=1.0, label="asked for")
        axis.plot(run.time, plan[:, k], "C3", lw=1.2, label="planned by preview control")
        axis.set_ylabel(f"zero moment point {label} [m]")
    axes[0].legend(fontsize=8)
    for leg, force in zip(legs, normal.T, strict=True):
        axes[2].plot(run.time, force, lw=0.9, label=leg.name)
    axes[2].set_ylim(0.0, 1.5 * normal.sum(axis=1).mean())
    axes[2].set_ylabel("normal forces [N]")
    axes[2].set_xlabel("time [s]")
    axes[2].legend(fontsize=8, ncols=4)
    for k in range(0, len(run.time), 4):
        on = normal[k] > 0.0
        if on.sum() == 2:
            axes[3].plot(*feet[k, on].T, color="C0", alpha=0.05)
    axes[3].plot(*found.T, ".", color="0.6", ms=2)
    axes[3].plot(*plan.T, "C3", lw=1.2)
    axes[3].set_aspect("equal")
    axes[3].set_xlabel("x [m], diagonals in blue where two feet carry")
    axes[3].set_ylabel("y [m]")
    figure.tight_layout()
    figure.savefig(file, dpi=70)


if __name__ == "__main__":
    main(*sys.argv[1:])
