"""Sweeps: a scenario over grids or random samples of its parameters, on processes or a cluster, resumable."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...control.scenario import Scenario
from ...simulation.checks import check_amounts
from ...simulation.progress import Progress
from .plot import draw
from .points import Point, Variation, points_of, variations_of
from .running import check_start, on_cluster, on_processes, run_point
from .store import PICTURE, Journal, write_table

__all__ = ["Point", "Variation", "points_of", "run_point", "sweep", "variations_of"]

DURATION = 5.0  # s


def sweep(
    scenario: str | Scenario,
    vary: Iterable[str] | Mapping[str, Iterable[Any]],
    out: Path | str,
    *,
    sample: int = 0,
    seed: int = 0,
    duration: float = DURATION,
    jobs: int = 0,
    cluster: str | None = None,
    **changes: Any,
) -> Any:
    """Run a scenario over what varies; return a pyarrow table, which is also in the Parquet file ``out``.

    A sweep that was interrupted, in whatever way, goes on where it was when it is called again with the same arguments.
    Beside the table stands a picture, ``out`` with the suffix png.

    Args:
        scenario: packaged name, path of a parameter file, or a `Scenario`.
        vary: words such as ``"friction=0.2:1.0:9"``, or lists of values by name. A name is a parameter of the scenario,
            ``mass`` (factor on all masses), ``push`` (sideways force on the base, N, for 0.1 s) or ``seed`` (random
            velocities at the start).
        out: Parquet file.
        sample: so many random samples; 0: the whole grid.
        seed: of the samples.
        duration: s of simulated time.
        jobs: processes; 0: as many as there are processors.
        cluster: None: processes of this machine; "local": a Dask cluster on it; else the address of a Dask scheduler.
        changes: parameters of the scenario that are the same in all runs.

    Raises:
        ParameterError: names the argument, what was found and what is expected.
    """
    import pyarrow.parquet as parquet

    base = Scenario.load(scenario, **changes) if isinstance(scenario, str) else scenario.changed(changes)
    variations = variations_of(vary)
    points = points_of(variations, sample, seed)
    check_amounts(duration, jobs)
    check_start(variations, points, base)
    out = Path(out)
    journal = Journal(out, {"scenario": base.name, "values": dict(base.values), "points": points, "duration": duration})
    try:
        if not journal.complete:
            _finish(journal, points, base, duration, jobs or len(os.sched_getaffinity(0)), cluster)
            write_table(out, points, journal)
    except KeyboardInterrupt:
        print(f"\nsweep: interrupted; {len(journal.done)} of {len(points)} runs are kept, the same command goes on")
        raise
    finally:
        journal.close()
    table = parquet.read_table(out)
    draw(out.with_suffix(PICTURE), table, variations)
    return table


def _finish(
    journal: Journal, points: list[Point], base: Scenario, duration: float, jobs: int, cluster: str | None
) -> None:
    """Make the runs that are not in the journal yet."""
    tasks = [(k, point, base, duration) for k, point in enumerate(points) if k not in journal.done]
    progress = Progress("sweep", len(tasks))
    if len(tasks) < len(points):
        print(f"sweep: {len(points) - len(tasks)} of {len(points)} runs were done before")
    for result in on_processes(tasks, jobs) if cluster is None else on_cluster(tasks, cluster, jobs):
        journal.add(result)
        progress.step()
