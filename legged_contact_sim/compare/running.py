"""Run the variants of a comparison in processes of their own, and keep what the report needs of each."""

import math
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..control.scenario import Scenario
from ..errors import LeggedContactSimError
from ..simulation import Simulator, Trajectory
from ..simulation.processes import in_processes
from ..simulation.progress import Progress
from ..simulation.trajectory import joined
from ..simulation.trajectory_file import thinned
from .forces import NormalForces
from .measures import measure
from .variants import Variant

SAMPLE_PERIOD = 2e-3  # s; of the series that are kept
LIMIT = 60.0  # s of processor time that a run may take
PARTS = 1000  # of a run; after each the time that it took is looked at
REPLAY_PERIOD = 1e-2  # s


@dataclass(frozen=True)
class Run:
    """A variant that was run: its figures, its series for the plots, or why it ended early.

    ``series``: time (T,), base position (T, 3) or the first coordinates, normal forces of points that touched.
    ``error``: why it ended early, or could not begin, in which case there are no figures.
    ``cut``: whether it took too long and was ended after ``figures["simulated"]``, s; without figures: never begun.
    ``replay``: the run of a model as it is, at `REPLAY_PERIOD`; None: of the others.
    """

    variant: Variant
    figures: dict[str, Any]
    series: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    cut: bool = False
    replay: Trajectory | None = None


def run_variant(variant: Variant, base: Scenario, duration: float, limit: float = LIMIT) -> Run:
    """Run one variant for a duration, s, of simulated time and at most ``limit``, s, of processor time.

    An error of the simulation is a result.
    """
    try:
        scenario = variant.scenario(base)
        every = max(1, round(SAMPLE_PERIOD / scenario["time_step"]))
        sim, law = scenario.start()
    except LeggedContactSimError as error:
        return Run(variant, {}, error=str(error))
    begin = time.process_time()
    try:
        run, forces = run_within(sim, law, duration, every, limit)
    except LeggedContactSimError as error:
        return Run(variant, {"fell": True, "cpu": time.process_time() - begin}, error=str(error))
    cpu = time.process_time() - begin
    figures = measure(run, forces, sim, law.controller if law else None)
    figures |= {"simulated": sim.time, "time_per_step": 1e6 * cpu * sim.time_step / sim.time, "cpu": cpu}
    touched = np.flatnonzero(run.forces[:, :, 2].any(axis=0))
    points = {run.robot.contact_names[k]: run.forces[:, k, 2] for k in touched}
    cut = sim.time < duration - 0.5 * sim.time_step
    series = {"time": run.time, "q": run.q, "forces": points}
    rarely = max(1, round(REPLAY_PERIOD / (every * sim.time_step)))
    return Run(variant, figures, series, cut=cut, replay=thinned(run, rarely) if variant.nominal else None)


def run_within(
    sim: Simulator, law: Any, duration: float, every: int, limit: float = math.inf, parts: int = PARTS
) -> tuple[Trajectory, NormalForces]:
    """Run a simulator part by part until the duration, s, is over or ``limit``, s, of processor time is spent.

    Returns:
        Every ``every``-th step, and the forces of all steps.
    """
    begin, left = time.process_time(), max(every, sim.step_count(duration))
    found: list[Trajectory] = []
    forces = NormalForces()
    steps = every * max(1, left // (parts * every))
    while not found or (left > 0 and time.process_time() - begin < limit):
        part = sim.run(min(steps, left) * sim.time_step, law)
        forces.add(part)
        found.append(thinned(part, every, every - 1))
        left -= steps
    return joined(found), forces


def run_all(runs: list[Variant], base: Scenario, duration: float, jobs: int = 0, limit: float = LIMIT) -> list[Run]:
    """Run all variants; return them in the order given.

    Models as they are come first. Of one that takes too long no other run is begun: it would take as long.
    """
    progress = Progress("compare", len(runs))
    found: dict[int, Run] = {}
    for nominal in (True, False):
        slow = {run.variant.model for run in found.values() if run.cut}
        numbers = []
        for number, variant in enumerate(runs):
            if variant.nominal is nominal and variant.model in slow:
                found[number] = Run(variant, {}, cut=True)
                progress.step(f"{variant.label}: not begun, {variant.model} is too slow")
            elif variant.nominal is nominal:
                numbers.append(number)
        tasks = [(runs[number], base, duration, limit) for number in numbers]
        for place, run in in_processes(run_variant, tasks, jobs) if tasks else ():
            found[numbers[place]] = run
            progress.step(run.variant.label)
    return [found[number] for number in range(len(runs))]
