"""Gehring's evaluation of Moreau's time stepping on a quadruped: Table 1, figures 5 to 7, sinkage, drift, a push."""

from typing import Any

import numpy as np

from ...contact.records import SOLVER_TERMS
from ...errors import SimulationError
from ..frame import Criterion, Experiment, Picture, Result, Study, at_least, at_most, true, within
from .plots import draw_alpha, draw_fall, draw_forces, draw_times
from .runs import CYCLE, HARD_ROWS, TABLE, cold_drift, drift, foot_force, lowest_gap, push, trot

SETTLED = 2.0  # s of a trot after which it is steady
ALPHAS = np.round(np.arange(0.1, 2.05, 0.1), 10)
MODE = "The study's own mode: contacts closed at the midpoint, its tolerances, no halving of alpha, no Newton finish."

SLOW = "its 60 bilateral rows are iterated with the contacts, 270 to 390 times a step at the study's tolerance"
OPEN_LOOP = "at most 2 mm after 3.2 s; joints follow a plan, nothing corrects the trunk, and small differences grow"
MIDPOINT = "a contact that acts once it is closed at the midpoint arrives up to half a step's way, v h / 2, too deep"


def solver_term(run: Any, name: str) -> np.ndarray:
    """Return a figure of the solver over a run, (T,)."""
    return np.asarray(run.solver[:, SOLVER_TERMS.index(name)])


def run_table(quick: bool) -> Result:
    """Trot in all eleven configurations."""
    duration = 2.4 if quick else 20.0
    numbers: dict[str, Any] = {}
    paths = {}
    for name, row in TABLE.items():
        run, _ = trot(row, CYCLE)  # what is compiled or loaded is not timed
        run, cpu = trot(row, duration)
        steps = duration / row.time_step
        numbers |= {
            f"{name}_evaluations": steps / cpu,
            f"{name}_ratio": steps / cpu / row.evaluations,
            f"{name}_factor": duration / cpu,
            f"{name}_iterations": float(solver_term(run, "iterations").mean()),
            f"{name}_unconverged": float(solver_term(run, "unconverged")[-1]),
            f"{name}_upright": bool((1.0 - 2.0 * (run.q[:, 3] ** 2 + run.q[:, 4] ** 2)).min() > 0.9),
            f"{name}_microseconds": 1e6 * cpu / steps,
            f"{name}_deviation": deviation(row, 5 if quick else 25),
        }
        paths[name] = run.q[:, :3]
        time = run.time
    apart = {name: np.linalg.norm(path - paths["HmJ"], axis=1) for name, path in paths.items()}
    numbers |= {f"{name}_apart": float(away.max()) for name, away in apart.items()}
    numbers["all_upright"] = all(numbers[f"{name}_upright"] for name in TABLE)
    numbers["hard_apart"] = max(numbers[f"{name}_apart"] for name in HARD_ROWS)
    numbers["least_minimal_ratio"] = min(numbers["HmJ_ratio"], numbers["HmS_ratio"])
    numbers["least_cut_ratio"] = min(numbers[f"{name}_ratio"] for name in HARD_ROWS[2:])
    fastest = [max(numbers[f"{name}_evaluations"] for name in HARD_ROWS if name[1] == kind) for kind in "mEM"]
    numbers["ordered"] = fastest[0] > fastest[1] > fastest[2]
    return Result(numbers, {"apart": {"time": time, **apart}})


def deviation(row: Any, cycles: int) -> float:
    """Return the standard deviation of the time of a step, us, over the cycles of a trot."""
    times = [trot(row, CYCLE)[1] for _ in range(cycles)]
    return float(1e6 * np.std(times) / (CYCLE / row.time_step))


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
        numbers[f"{name}_impulse"] = float(columns[name].sum() * 2.5e-3)
        numbers[f"{name}_sinkage"] = 1e3 * float(np.percentile(lowest_gap(run)[steady], 99.0))
    numbers["impulses_agree"] = abs(numbers["Cm_impulse"] / numbers["hard_impulse"] - 1.0)
    return Result(numbers, {"cycle": columns})


def run_alpha(quick: bool) -> Result:
    """Average the iterations of a trot for every relaxation and configuration."""
    alphas = ALPHAS[1::4] if quick else ALPHAS
    columns = {"alpha": alphas}
    numbers = {}
    for name in HARD_ROWS:
        found = np.full(len(alphas), np.nan)
        for k, alpha in enumerate(alphas):
            found[k] = mean_iterations(name, float(alpha))
        columns[name] = found
        converged = alphas[np.isfinite(found)]
        numbers[f"{name}_limit"] = float(converged.max()) if len(converged) else 0.0
    chosen = [TABLE[name].parameters["alpha"] <= numbers[f"{name}_limit"] + 1e-9 for name in HARD_ROWS]
    numbers["choices_converge"] = all(chosen)
    return Result(numbers, {"iterations": columns})


def mean_iterations(name: str, alpha: float) -> float:
    """Return the mean iterations of a trot with a relaxation; NaN where a step does not converge."""
    try:
        run, _ = trot(TABLE[name], 2 * CYCLE, alpha=alpha, max_iterations=3000)
    except SimulationError:  # far beyond the limit the impulses grow without bound
        return float("nan")
    converged = solver_term(run, "unconverged")[-1] == 0.0
    return float(solver_term(run, "iterations").mean()) if converged else float("nan")


def run_drift(quick: bool) -> Result:
    """Stand for minutes."""
    minutes = 0.2 if quick else 1.0
    return Result(
        {
            "unilateral": 1e6 * drift(TABLE["HmJ"], minutes),
            "cold": 1e6 * cold_drift(TABLE["HmJ"], minutes),
            "extended": 1e6 * drift(TABLE["HEJD"], minutes),
            "ours": 1e6 * drift(TABLE["HmJ"], minutes, activation="predicted"),
        }
    )


def run_push(quick: bool) -> Result:
    """Push the standing robot over."""
    run = push(150.0, 4.0)
    contacts = (run.modes != 0).sum(axis=1)
    table = {"time": run.time, "z": run.q[:, 2], "contacts": contacts}
    late = run.time > run.time[-1] - 0.2
    return Result(
        {
            "finite": bool(np.isfinite(run.q).all()),
            "most_contacts": int(contacts.max()),
            "end_contacts": float(contacts[late].mean()),
            "end_speed": float(np.abs(run.v[late]).max()),
            "deepest": float(lowest_gap(run).max()),
            "end_upright": float(1.0 - 2.0 * (run.q[-1, 3] ** 2 + run.q[-1, 4] ** 2)),
        },
        {"fall": table},
    )


def speed_criteria() -> tuple[Criterion, ...]:
    """Return a criterion for the speed of each configuration."""
    goals = {"m": 10.0, "E": 5.0, "M": 5.0}
    return tuple(
        Criterion(
            f"{name}: evaluations per second over the published",
            f"{name}_ratio",
            f"{row.evaluations:g} 1/s, {row.factor:g} times real time",
            at_least(goals[name[1]]),
            "",
            SLOW if name in ("HMJP", "HMSP") else "",
        )
        for name, row in TABLE.items()
    )


TROT = Experiment(
    name="table_1",
    title="Eleven configurations of a trot",
    document="Table 1 and figure 7",
    run=run_table,
    criteria=(
        *speed_criteria(),
        Criterion("all stay upright", "all_upright", "they trot", true()),
        Criterion("minimal, extended, maximal: fastest of each in this order", "ordered", "minimal is fastest", true()),
        Criterion(
            "largest distance of a hard trunk from HmJ's", "hard_apart", "not given", at_most(0.02), "m", OPEN_LOOP
        ),
    ),
    pictures=(Picture("Fig. 7", "figure_7", "CPU time of a step, trotting; bars: over the cycles", draw_times),),
    remarks=(
        MODE,
        "Our kernels never form M or its inverse: the study's five shares of a step's time have no counterpart here.",
    ),
)
FORCES = Experiment(
    name="forces",
    title="Force of a foot, compliant against hard",
    document="figure 5, and the sinkage in the text",
    run=run_forces,
    criteria=(
        Criterion("sinkage of compliant feet", "Cm_sinkage", "4.4 mm", within(3.5, 5.5), "mm"),
        Criterion("sinkage of hard feet", "hard_sinkage", "none", at_most(2.0), "mm", MIDPOINT),
        Criterion("impulse of a cycle, compliant against hard", "impulses_agree", "coincide well", at_most(0.1)),
    ),
    pictures=(Picture("Fig. 5", "figure_5", "normal force of the left fore foot over one cycle", draw_forces),),
    remarks=("With our implicit springs the compliant model needs neither half nor a quarter of the time step.",),
)
ALPHA = Experiment(
    name="alpha",
    title="Prox iterations over the relaxation",
    document="figure 6",
    run=run_alpha,
    criteria=(Criterion("the study's choices converge", "choices_converge", "half of the limit", true()),),
    pictures=(Picture("Fig. 6", "figure_6", "mean over 1.6 s of a trot", draw_alpha),),
    remarks=(MODE,),
)
DRIFT = Experiment(
    name="drift",
    title="Drift of a standing robot",
    document="text: 750 um/min at the feet, 0.59 um/min in the joints",
    run=run_drift,
    criteria=(
        Criterion("sinking in the study's mode, cold start", "cold", "750 um/min", at_most(750.0), "um/min"),
        Criterion("sinking in the study's mode, warm start", "unilateral", "750 um/min", at_most(750.0), "um/min"),
        Criterion("sinking in our mode", "ours", "not in the document", at_most(1.0), "um/min"),
    ),
    remarks=(
        "Started from the last step's impulses, as ours are, iterations end closer to the solution than from zero. "
        "Poses of cut bodies are not integrated on their own: the joints cannot drift apart.",
    ),
)
PUSH = Experiment(
    name="push",
    title="Pushed over while standing",
    document="text: falls on its side with many closed contacts",
    run=run_push,
    criteria=(
        Criterion("survives", "finite", "survives", true()),
        Criterion("most contacts closed at once", "most_contacts", "many", at_least(5)),
        Criterion("speed at the end", "end_speed", "lies still", at_most(0.5), "m/s or rad/s"),
        Criterion("deepest point", "deepest", "does not sink", at_most(0.01), "m", MIDPOINT),
    ),
    pictures=(Picture("text", "push", "trunk and closed contacts after a push for 0.3 s", draw_fall),),
)

STUDY = Study(
    key="gehring",
    title="Moreau's time stepping on a quadruped (Gehring)",
    document="Gehring et al.: An Evaluation of Moreau's Time-Stepping Scheme for the Simulation of a Legged Robot",
    experiments=(TROT, FORCES, ALPHA, DRIFT, PUSH),
    remarks=("Drives of 150 N m/rad and 4 N m s/rad and 0.1 m/s are our choice: the controller is not printed.",),
)
