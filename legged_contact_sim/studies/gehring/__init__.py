"""Gehring's evaluation of Moreau's time stepping on a quadruped: relaxation, coordinates, compliant against hard."""

import numpy as np

from ...simulation import Simulator
from ..frame import Criterion, Experiment, Picture, Result, Study, within
from .alpha import iterations_over_alpha


def run_alpha(quick: bool) -> Result:
    """Solve the contact problem of a standing robot for every relaxation."""
    alphas = np.linspace(0.1, 2.0, 20 if quick else 96)
    columns = {"alpha": alphas}
    numbers = {}
    for prox in ("jor", "sor"):
        sim = Simulator("quadruped12", "moreau", 2.5e-3, friction=0.8, prox=prox, finish="none")
        sim.hold(stiffness=200.0, damping=5.0)
        sim.run(0.5)
        found = iterations_over_alpha(sim.model, alphas)  # type: ignore[arg-type]
        columns[prox] = found
        numbers[f"limit_{prox}"] = float(alphas[np.isfinite(found)].max())
    return Result(numbers, {"iterations": columns})


def draw_alpha(result: Result) -> object:
    """Return iterations over relaxation."""
    from matplotlib.figure import Figure

    table = result.tables["iterations"]
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for name in ("jor", "sor"):
        axes.semilogy(table["alpha"], table[name], label=name.upper())
    axes.set(xlabel="relaxation α", ylabel="prox iterations")
    axes.grid(alpha=0.3)
    axes.legend()
    return figure


ALPHA = Experiment(
    name="iterations_over_alpha",
    title="Prox iterations over the relaxation",
    document="figure 6",
    run=run_alpha,
    criteria=(
        Criterion("largest relaxation with which JOR converges", "limit_jor", "twice 0.6", within(1.0, 2.0)),
        Criterion("largest relaxation with which SOR converges", "limit_sor", "twice 0.6", within(1.0, 2.0)),
    ),
    pictures=(Picture("Fig. 6", "iterations_over_alpha", "minimal coordinates, standing, from zero", draw_alpha),),
)

STUDY = Study(
    key="gehring",
    title="Moreau's time stepping on a quadruped (Gehring)",
    document="Gehring et al.: An Evaluation of Moreau's Time-Stepping Scheme for the Simulation of a Legged Robot",
    experiments=(ALPHA,),
)
