"""Run the experiments of studies on several processors, and go on where an earlier run was interrupted."""

import time
from collections.abc import Iterable
from pathlib import Path

from ...errors import LeggedContactSimError
from ...simulation.processes import in_processes
from ...simulation.progress import Progress
from .declaration import Experiment, Result
from .finding import find_study
from .reporting import write_report
from .storage import Outcome, load, save


def reproduce(keys: Iterable[str], out: Path, quick: bool = False, jobs: int = 0, fresh: bool = False) -> bool:
    """Reproduce studies; return whether every criterion held.

    Args:
        keys: names of the studies.
        out: folder; each study gets one of its name inside.
        quick: a shorter version of every experiment.
        jobs: processes; 0: as many as there are processors.
        fresh: do everything anew, even what is on disk already.
    """
    chosen = [find_study(key) for key in keys]
    tasks = []
    for study in chosen:
        folder = out / study.key
        folder.mkdir(parents=True, exist_ok=True)
        for experiment in study.experiments:
            before = None if fresh else load(folder, experiment.name, quick)
            if before is None or before.error:
                tasks.append((study.key, experiment.name, folder, quick))
    if tasks:
        run_tasks(tasks, jobs)
    held = [write_report(study, out / study.key, quick) for study in chosen]  # every report, also after one that failed
    return all(held)


def run_tasks(tasks: list[tuple[str, str, Path, bool]], jobs: int) -> None:
    """Run experiments, each in one of some processes, and say how far they are."""
    progress = Progress("reproduce", len(tasks))
    for _, told in in_processes(run_experiment, tasks, jobs):
        progress.step(told)


def run_experiment(key: str, name: str, folder: Path, quick: bool) -> str:
    """Run one experiment, keep what it found, draw its figures, and return a word about it."""
    experiment = find_study(key).experiment(name)
    outcome = attempt(experiment, quick)
    if not outcome.error:
        draw(experiment, folder, outcome.result)
    save(folder, name, outcome, quick)
    return f"{key}: {experiment.title}" + (f": {outcome.error}" if outcome.error else f" ({outcome.cpu:.1f} s)")


def attempt(experiment: Experiment, quick: bool) -> Outcome:
    """Run an experiment; an error of ours is part of the outcome."""
    begin = time.process_time()
    try:
        result = experiment.run(quick)
    except (LeggedContactSimError, ArithmeticError, LookupError, ValueError) as error:
        return Outcome(Result(), time.process_time() - begin, f"{type(error).__name__}: {error}")
    return Outcome(result, time.process_time() - begin)


def draw(experiment: Experiment, folder: Path, result: Result) -> None:
    """Draw the figures of an experiment."""
    for picture in experiment.pictures:
        picture.draw(result).savefig(folder / f"{picture.name}.png", dpi=120)
