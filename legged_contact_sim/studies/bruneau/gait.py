"""Bruneau's walking gait: prescribed joint motions of the planar biped, its ground reaction over a support."""

import numpy as np

from ...control.planar_gait import PlanarGait
from ...simulation import Simulator, Trajectory
from ...simulation.contacts import contact_centers
from ...simulation.foot_wrench import foot_wrench
from ..frame import Result
from .runs import ROOT, TIME_STEP, WEIGHT, biped, foot_columns, points_of

GAINS = 1e5, 1000.0  # N m/rad and N m s/rad of all joints: motions are prescribed, so they hardly give way
TRUNK_GAINS = 1e5, 5000.0  # likewise of the trunk's orientation, which an outer torque keeps
SIDES = ("left", "right")
CHAINS = {
    "body": ("pelvis", "chest", "head"),
    **{f"{side}_leg": ("pelvis", f"{side}_knee", f"{side}_ankle") for side in SIDES},
    "left_foot": ("left_ankle", "lf_sole_00", "lf_sole_16", "left_ankle"),
    "right_foot": ("right_ankle", "rf_sole_00", "rf_sole_16", "right_ankle"),
    **{f"{side}_arm": ("chest", f"{side}_elbow", f"{side}_hand") for side in SIDES},
}  # fmt: skip


def walk(duration: float) -> tuple[Trajectory, np.ndarray, float]:
    """Walk from the middle of a left support; return the run, the trunk's outer torque over it, N m, and the cycle, s.

    The pelvis moves freely in x and z, so the feet alone carry and drive the biped.
    """
    robot, gait = biped(), PlanarGait(biped())
    sim, begin = Simulator(robot, "distributed", TIME_STEP), 0.5 * gait.shape.step_time
    stiffness, damping = (np.full(robot.joint_count, gain) for gain in GAINS)
    stiffness[:ROOT] = damping[:ROOT] = 0.0
    sim.reset(gait.joints(begin), gait.joints(begin, 1))
    torques = []

    def lead(time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        instant = begin + time + 0.5 * TIME_STEP
        sim.hold(stiffness, damping, gait.joints(instant))
        torques.append(-TRUNK_GAINS[0] * q[ROOT - 1] - TRUNK_GAINS[1] * v[ROOT - 1])
        sim.push("pelvis", (0.0, 0.0, 0.0), (0.0, torques[-1], 0.0))
        return damping * gait.joints(instant, 1)

    return sim.run(duration, lead), np.array(torques), gait.cycle


def run_gait(quick: bool) -> Result:
    """Walk some cycles, and keep the right foot's last support."""
    run, torques, cycle = walk(2.1 if quick else 4.2)
    columns, steps = foot_columns(run), round(cycle / TIME_STEP)
    normal, touching = columns["normal_right"], columns["touching_right"] > 0
    end = int(np.flatnonzero(touching[:-1] & ~touching[1:])[-1]) + 1
    begin = end - int(np.argmin(touching[:end][::-1]))
    wrench = foot_wrench(run, "right_foot")
    single = np.flatnonzero(columns["touching_left"][begin:end] == 0) + begin
    low = int(single[np.argmin(normal[single])])
    last = slice(len(run.time) - steps, len(run.time))
    pressed = np.flatnonzero(normal[begin:end] > 0.05 * WEIGHT) + begin
    along = wrench.center[:, 0] - contact_centers(run.robot, run.q[low])[0][points_of("rf_sole")[0], 0]
    numbers = {
        "speed": float((run.q[-1, 0] - run.q[-1 - steps, 0]) / cycle),
        "first_maximum": float(normal[begin:low].max() / WEIGHT),
        "minimum": float(normal[low] / WEIGHT),
        "second_maximum": float(normal[low:end].max() / WEIGHT),
        "heel_to_toe": float(along[pressed[-1]] - along[pressed[0]]),
        "change_per_cycle": float(np.abs(run.v[last, 0] - run.v[-2 * steps : -steps, 0]).max()),
        "support": float((end - begin) * TIME_STEP),
        "largest_depth": float(-run.gaps[last][:, points_of("rf_sole")].min()),
        "largest_trunk_torque": float(np.abs(torques[last]).max()),
    }
    part = slice(begin, end)
    support = {
        "time": run.time[part] - run.time[begin],
        "tangential": wrench.force[part, 0],
        "normal": wrench.force[part, 2],
        "other_normal": columns["normal_left"][part],
        "center": along[part],
        "moment": wrench.moment[part, 1],
    }
    instants = phases(columns, begin, low, end)
    numbers["phases_found"] = bool((np.diff(instants) > 0).all())
    return Result(numbers, {"support": support, "poses": poses(run, instants), "points": points(run, instants)})


def phases(columns: dict[str, np.ndarray], begin: int, low: int, end: int) -> list[int]:
    """Return six samples in order of time: the heel's touch, then those of figure 16 (e, f, a, c, d)."""
    other, own = columns["touching_left"] > 0, columns["touching_right"]
    flat = begin + int(np.argmax(own[begin:low] == own[begin:low].max()))
    meets = low + int(np.argmax(other[low:end]))
    return [begin + 10, flat, low, meets - 20, (meets + end) // 2, end - 20]


def poses(run: Trajectory, instants: list[int]) -> dict[str, np.ndarray]:
    """Return the drawn lines of the biped at some samples, one row per corner; a picture of six poses."""
    names, rows = list(run.robot.contact_names), []
    for picture, k in enumerate(instants):
        places = contact_centers(run.robot, run.q[k])[0]
        for line, chain in enumerate(CHAINS.values()):
            rows += [(picture, run.time[k], line, *places[names.index(name)][[0, 2]]) for name in chain]
    return dict(zip(("picture", "time", "line", "x", "z"), np.array(rows).T, strict=True))


def points(run: Trajectory, instants: list[int]) -> dict[str, np.ndarray]:
    """Return the testing points of both feet and their forces at some samples; the two of a row together."""
    rows, chosen = [], [*points_of("lf_sole")[::2], *points_of("rf_sole")[::2]]
    for picture, k in enumerate(instants):
        places = contact_centers(run.robot, run.q[k])[0]
        rows += [(picture, places[j, 0], places[j, 2], *(2.0 * run.forces[k, j, [0, 2]])) for j in chosen]
    return dict(zip(("picture", "x", "z", "tangential", "normal"), np.array(rows).T, strict=True))
