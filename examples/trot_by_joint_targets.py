"""Position control: a quadruped stands and trots by joint targets with kp and kd, told at 50, 200 and 500 Hz.

    python examples/trot_by_joint_targets.py trot_by_joint_targets.png

The same targets and the same gains three times: acting inside every physics step, as in a motor driver whose loop is
fast; worked out once per target, as by a driver at the rate of the targets; and likewise from targets that come 4 ms
late, as behind a bus (the joints' state is that of the moment).
"""

import sys
from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from legged_contact_sim import RobotModel, SimulationError, Simulator
from legged_contact_sim.control import ByTargets, make_controller

STIFFNESS, DAMPING = 150.0, 3.0  # N m/rad and N m s/rad, of every joint
SPEED, DURATION, BEGIN = 0.2, 5.0, 2.0  # m/s; s; s from which on the speed counts
RATES = (50, 200, 500)  # Hz
DRIVES = {
    "inside the step": {"inside": True},
    "once per target": {"inside": False},
    "once per target, 4 ms late": {"inside": False, "delay": 0.004},
}


class Outcome(NamedTuple):
    """What a run came to: speed forward, m/s; largest tilt, rad; efforts, N m."""

    speed: float
    tilt: float
    peak: float
    mean: float
    fell: bool
    time: np.ndarray
    height: np.ndarray
    effort: np.ndarray


def run(rate: float, speed: float, duration: float = DURATION, **drives: float) -> Outcome:
    """Stand or trot by targets at a rate, Hz."""
    sim = Simulator(RobotModel.from_urdf("quadruped12"), friction=0.8)
    walk = {"feedback": False, "velocity": [speed, 0.0, 0.0], "stiffness": [STIFFNESS], "damping": [DAMPING]}
    follow = ByTargets(make_controller("zmp_trot", sim.robot, walk), sim, 1.0 / rate, **drives)
    times, states, efforts = [], [], []
    try:
        for step in range(sim.step_count(duration)):
            sim.step(follow(sim.time, *sim.state))
            if step % 4 == 3:
                times.append(sim.time)
                states.append(sim.state.q)
                efforts.append(sim.effort)
    except SimulationError:
        pass  # what was recorded until then tells enough
    time, q, effort = np.array(times), np.array(states), np.array(efforts)
    upward = 1.0 - 2.0 * (q[:, 3] ** 2 + q[:, 4] ** 2)
    tilt, late = np.arccos(np.clip(upward, -1.0, 1.0)), time >= BEGIN
    return Outcome(
        speed=float((q[-1, 0] - q[late][0, 0]) / (time[-1] - time[late][0])),
        tilt=float(tilt.max()),
        peak=float(np.abs(effort).max()),
        mean=float(np.sqrt((effort**2).mean())),
        fell=bool(tilt.max() > 0.8 or q[:, 2].min() < 0.6 * q[0, 2]),
        time=time,
        height=q[:, 2],
        effort=effort,
    )


def main(file: str = "") -> None:
    """Print the table; draw heights and a knee's effort of the trots."""
    runs = {}
    print(f"quadruped12, kp {STIFFNESS:g} N m/rad, kd {DAMPING:g} N m s/rad; speed asked for: {SPEED:g} m/s")
    print("| targets at | gains act | | speed, m/s | tilt, degrees | effort, N m: largest, rms | |")
    print("|---|---|---|---|---|---|---|")
    for rate in RATES:
        for name, drives in DRIVES.items():
            for kind, speed in (("stand", 0.0), ("trot", SPEED)):
                found = runs[rate, name, kind] = run(rate, speed, **drives)
                end = "falls" if found.fell else "shakes" if found.mean > 10.0 else ""
                numbers = f"{found.speed:.3f} | {np.degrees(found.tilt):.1f} | {found.peak:.1f}, {found.mean:.1f}"
                print(f"| {rate} Hz | {name} | {kind} | {numbers} | {end} |", flush=True)
    if file:
        draw(runs, file)


def draw(runs: dict[tuple[int, str, str], Outcome], file: str) -> None:
    """Draw the trots: a column per rate."""
    figure, axes = plt.subplots(2, len(RATES), figsize=(11, 5), sharex=True, sharey="row")
    for column, rate in enumerate(RATES):
        for name, color in zip(reversed(DRIVES), ("0.7", "C1", "C0"), strict=True):  # what shakes least goes on top
            found = runs[rate, name, "trot"]
            axes[0, column].plot(found.time, found.height, lw=1.2, color=color, label=name)
            axes[1, column].plot(found.time, found.effort[:, 2], lw=0.8, color=color)
        axes[0, column].set_title(f"targets at {rate} Hz")
        axes[1, column].set_xlabel("time [s]")
    axes[0, 0].set_ylabel("height of the base [m]")
    axes[1, 0].set_ylabel("effort of the first knee [N m]")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="lower center", ncols=len(DRIVES), frameon=False)
    figure.suptitle(f"quadruped12 trots at {SPEED:g} m/s by joint targets, kp {STIFFNESS:g}, kd {DAMPING:g}")
    figure.tight_layout(rect=(0.0, 0.06, 1.0, 1.0))
    figure.savefig(file, dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
