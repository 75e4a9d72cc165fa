"""Gehring's compliant law: force over a cycle, how deep feet sink, and the step that Algorithm 1 as printed needs."""

from typing import Any

import numpy as np

from ...errors import SimulationError
from ..frame import Result
from ..frame.drawing import new_figure
from .runs import COMPLIANT, CYCLE, HARD_STEP, TABLE, Configuration, foot_force, lowest_gap, trot

SETTLED = 2.0  # s of a trot after which it is steady
SHARES = (1, 2, 4, 8, 16)  # of the controller's period, into which it is divided
DAMPINGS = (50.0, 500.0)  # N s/m: printed, and ten times it
SCHEMES = ("printed", "implicit")


def run_forces(quick: bool) -> Result:
    """Compare the force of a foot over one cycle, and how deep compliant feet sink."""
    cycles = 4 if quick else 10
    duration = cycles * CYCLE
    compliant, _ = trot(TABLE["Cm"], duration)
    damped, _ = trot(TABLE["Cm"], duration, normal_damping=500.0, tangential_damping=500.0)
    rigid, _ = trot(TABLE["HmJ"], duration)
    steady = rigid.time > SETTLED
    last = rigid.time > duration - CYCLE
    columns = {"time": rigid.time[last] - (duration - CYCLE)}
    numbers = {}
    for name, run in (("Cm", compliant), ("damped", damped), ("hard", rigid)):
        columns[name] = foot_force(run)[last]
        numbers[f"{name}_peak"] = float(columns[name].max())
        numbers[f"{name}_impulse"] = float(columns[name].sum() * HARD_STEP)
        depths = 1e3 * lowest_gap(run)[steady]
        numbers |= {f"{name}_sinkage": float(np.percentile(depths, 99.0)), f"{name}_mean_sinkage": float(depths.mean())}
    numbers["impulses_agree"] = abs(numbers["Cm_impulse"] / numbers["hard_impulse"] - 1.0)
    return Result(numbers, {"cycle": columns})


def run_algorithm(quick: bool) -> Result:
    """Trot on the compliant law, as printed and as ours, with ever shorter steps: which of them carry the robot."""
    columns: dict[str, list[float]] = {name: [] for name in ("step", "damping", *SCHEMES)}
    for damping in DAMPINGS:
        for share in SHARES:
            columns["step"].append(1e3 * HARD_STEP / share)
            columns["damping"].append(damping)
            for scheme in SCHEMES:
                columns[scheme].append(least_upright(share, damping, scheme, 4 * CYCLE if quick else 10 * CYCLE))
    table = {name: np.array(values) for name, values in columns.items()}
    numbers: dict[str, Any] = {}
    for scheme in SCHEMES:
        for damping in DAMPINGS:
            carried = table["step"][(table["damping"] == damping) & (table[scheme] > 0.9)]
            numbers[f"{scheme}_{damping:g}_step"] = float(carried.max(initial=0.0))
    numbers["damping_needs_less"] = numbers["printed_500_step"] < numbers["printed_50_step"]
    return Result(numbers, {"steps": table})


def least_upright(share: int, damping: float, scheme: str, duration: float) -> float:
    """Return the least cosine of the trunk's tilt of a trot; -1 where the simulation breaks down."""
    own = {**COMPLIANT, "normal_damping": damping, "tangential_damping": damping, "scheme": scheme}
    row = Configuration("compliant", HARD_STEP / share, own, 0.0, 0.0)
    try:
        run, _ = trot(row, duration)
    except SimulationError:
        return -1.0
    return float((1.0 - 2.0 * (run.q[:, 3] ** 2 + run.q[:, 4] ** 2)).min())


def draw_algorithm(result: Result) -> Any:
    """Return which steps carry the trotting robot: the trunk's least cosine of tilt over the step."""
    figure = new_figure(8, 4.5)
    axes, table = figure.subplots(), result.tables["steps"]
    styles = {("printed", 50.0): "o-", ("printed", 500.0): "s-", ("implicit", 50.0): "^:", ("implicit", 500.0): "v:"}
    for (scheme, damping), style in styles.items():
        own = table["damping"] == damping
        axes.semilogx(table["step"][own], table[scheme][own], style, label=f"{scheme}, {damping:g} N s/m")
    axes.set_xticks([2.5 / share for share in SHARES], [f"{2.5 / share:g}" for share in SHARES])
    axes.minorticks_off()
    axes.set(xlabel="time step (ms)", ylabel="least cosine of the trunk's tilt", ylim=(-1.1, 1.1))
    axes.grid(alpha=0.3)
    axes.legend()
    return figure
