"""Bruneau's distributed foot contact: a planar biped that drops flat, and slides when its ankles are pulled."""

import numpy as np

from ..frame import Criterion, Experiment, Picture, Result, Study, at_most, true, within
from .plots import WEIGHT, draw_drop, draw_points, draw_ratio, draw_sliding
from .runs import TIME_STEP, biped, drop, foot_columns, points_of, ratio, slide

BLEND = 0.012  # s; the transition after breakaway, and two steps
TOUCHDOWN = "points of a sliding foot that leave the ground and touch it again begin as sticking, and pull for a blend"


def run_drop(quick: bool) -> Result:
    """Drop the biped flat."""
    run = drop(1.0 if quick else 3.0)
    total = run.forces[:, :, 2].sum(axis=1)
    peak = int(total.argmax())
    settled = peak + int(np.argmax(total[peak:] < 1.1 * WEIGHT))
    first = int(np.argmax(total > 0.0))
    numbers = {
        "settling": float(run.time[settled] - run.time[peak]),
        "settles_at": float(run.time[settled]),
        "largest_force": float(total.max() / WEIGHT),
        "first_force": float(total[first] / WEIGHT),
        "end_force": float(total[-1] / WEIGHT),
    }
    return Result(numbers, {"drop": {"time": run.time, "normal": total}})


def run_slide(quick: bool) -> Result:
    """Pull both ankles until the feet slide, and let go."""
    run = slide(0.7)
    columns = foot_columns(run)
    sliding = np.minimum(columns["sliding_left"], columns["sliding_right"])
    any_slides = np.maximum(columns["sliding_left"], columns["sliding_right"]) > 0
    begin, full = int(np.argmax(any_slides)), int(np.argmax(sliding > 0))
    end = int(np.flatnonzero(any_slides)[-1])
    force_ratio, time = ratio(columns), run.time
    steady = (time > time[full] + BLEND) & (sliding == sliding.max())
    numbers = {
        "breakaway": float(time[begin]),
        "both_slide": float(time[full]),
        "sticks_at": float(time[end]),
        "breakaway_ratio": float(force_ratio[: full + 1].max()),
        "least_ratio": float(force_ratio[steady].min()),
        "largest_ratio": float(force_ratio[steady].max()),
        "largest_jump": float(np.abs(np.diff(run.forces.sum(axis=1), axis=0))[steady[1:]].max()),
        "phases_in_order": bool(0.0 < time[begin] <= time[full] < time[end] < time[-1]),
    }
    tables = {"sliding": {"time": time, **columns, "velocity": run.v[:, 0]}, "points": point_forces(run, begin, end)}
    return Result(numbers, tables)


def point_forces(run: object, begin: int, end: int) -> dict[str, np.ndarray]:
    """Return the forces of the left foot's points in six phases: stand, pull, breakaway, slide, stop, stand."""
    forces, time = run.forces, run.time  # type: ignore[attr-defined]
    instants = (0, begin // 2, begin, (begin + end) // 2, end, len(time) - 1)
    points = points_of("lf_sole")[::2]
    along = biped().contact_points["position"][points, 0]
    rows = [
        (phase, time[k], x, 2.0 * forces[k, point, 0], 2.0 * forces[k, point, 2])
        for phase, k in enumerate(instants)
        for point, x in zip(points, along, strict=True)
    ]
    return dict(zip(("phase", "time", "x", "tangential", "normal"), np.array(rows).T, strict=True))


DROP = Experiment(
    name="drop",
    title="Biped dropped flat from 0.3 m",
    document="section 4.1.1, figure 13",
    run=run_drop,
    criteria=(
        Criterion("force at the end over weight", "end_force", "the weight", within(0.99, 1.01)),
        Criterion(
            "time from the largest force to 110 % of the weight",
            "settling",
            "0.012 s",
            within(0.0, 0.05),
            "s",
            "a rigid 75 kg on 36 points with the printed parameters gives 0.030 s; on 72 points it would be 0.017 s",
        ),
    ),
    pictures=(Picture("Fig. 13", "figure_13", "total normal force", draw_drop),),
    remarks=(
        "With the printed damping exponent, 0.02, a point that arrives is damped nearly in full at once: its force is "
        "continuous in time only below steps of nanoseconds.",
    ),
)
SLIDE = Experiment(
    name="sliding",
    title="Standing with spread legs, both ankles pulled",
    document="section 4.1.3, figures 17 to 20",
    run=run_slide,
    criteria=(
        Criterion("breakaway of the first foot", "breakaway", "0.156 s", within(0.146, 0.166), "s"),
        Criterion("force ratio at breakaway", "breakaway_ratio", "0.7", within(0.69, 0.71)),
        Criterion("least ratio while all points slide", "least_ratio", "slightly above 0.4", within(0.40, 0.45)),
        Criterion(
            "largest ratio while all slide", "largest_ratio", "slightly above 0.4", within(0.40, 0.45), "", TOUCHDOWN
        ),
        Criterion("largest jump of the force in a step", "largest_jump", "continuous", at_most(50.0), "N", TOUCHDOWN),
        Criterion("stand, stick, breakaway, slide, stop, stand", "phases_in_order", "in this order", true()),
    ),
    pictures=(
        Picture("Fig. 18", "figure_18", "normal, tangential and pulling force", draw_sliding),
        Picture("Fig. 19", "figure_19", "forces of the testing points in six phases", draw_points),
        Picture("Fig. 20", "figure_20", "ratio of the forces, and velocity", draw_ratio),
    ),
    remarks=(
        "The pull grows by 3300 N/s. How it ends is not in the text: here it falls to zero from 0.17 s to 0.42 s, and "
        "the feet stick again when they have come to rest, before the document's 0.496 s.",
        f"Time step {TIME_STEP:g} s. Both feet bear alike: the trunk leans by 0.308 rad over legs spread by 0.25 rad.",
    ),
)

STUDY = Study(
    key="bruneau",
    title="Distributed foot contact of a biped (Bruneau)",
    document="Bruneau and Ouezdou: Distributed ground/walking robot interaction, Robotica, 1999",
    experiments=(DROP, SLIDE),
    remarks=("The walking gait of figures 14 to 16 is not reproduced yet: its joint motions are not printed.",),
)
