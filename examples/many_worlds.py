"""Drop a quadruped from many heights at once and save one of the runs, to be seen in the browser.

python examples/many_worlds.py && legged-contact-sim view drop.npz
"""

import numpy as np

from legged_contact_sim import RobotModel, rollout


def main() -> None:
    """Run eight worlds in one compiled call and print the hardest touchdown of each."""
    robot = RobotModel.from_urdf("quadruped12")
    heights = np.linspace(0.0, 0.14, 8)
    starts = np.tile(robot.home, (len(heights), 1))
    starts[:, 2] += heights
    found = rollout(robot, starts, duration=0.4, stiffness=150.0, damping=4.0, sample_every=10)
    weight = 9.81 * robot.total_mass
    for height, forces in zip(heights, found.forces, strict=True):
        print(f"from {1e3 * height:5.1f} mm: at most {forces[:, :, 2].sum(axis=1).max() / weight:.1f} times the weight")
    found.trajectories[-1].save("drop.npz")


if __name__ == "__main__":
    main()
