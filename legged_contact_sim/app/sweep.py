"""``legged-contact-sim sweep``: a scenario over grids or random samples of parameters, resumable."""

import argparse
from pathlib import Path
from typing import Any

from ..errors import ParameterError
from ..simulation.scenarios import scenarios
from ..simulation.written import written_value


def add_command(commands: Any) -> None:
    """Add the command to the command line's parser."""
    parser = commands.add_parser("sweep", help="a scenario over grids or samples of parameters; results in Parquet")
    parser.add_argument("scenario", metavar="SCENARIO", help=f"parameter file, or one of {', '.join(scenarios())}")
    parser.add_argument(
        "--vary", action="append", default=[], metavar="NAME=...", help="A:B:N, A:B (with --sample) or VALUE,VALUE,..."
    )
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="random samples instead of the grid")
    parser.add_argument("--seed", type=int, default=0, help="of the samples; default: 0")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="the same in all runs")
    parser.add_argument("--robot", help="instead of the scenario's")
    parser.add_argument("--duration", type=float, default=5.0, metavar="S", help="simulated time; default: 5")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="processes; default: one per processor")
    parser.add_argument("--cluster", metavar="local|ADDRESS", help="a Dask cluster instead of processes")
    parser.add_argument(
        "--out", type=Path, default=Path("results/sweep.parquet"), metavar="FILE", help="default: %(default)s"
    )
    parser.set_defaults(action=sweep_parameters)


def settings_of(words: list[str]) -> dict[str, Any]:
    """Return parameters from ``NAME=VALUE``.

    Raises:
        ParameterError: a word is not of that form.
    """
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise ParameterError(f"set: expected NAME=VALUE, found {word!r}")
        found[name] = written_value(name, value)
    return found


def sweep_parameters(options: argparse.Namespace) -> int:
    """Run the sweep and say where its results are."""
    try:
        import joblib  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ParameterError(f"sweep: needs {error.name}: pip install 'legged_contact_sim[sweep]'") from None
    from ..compare.sweep import sweep

    table = sweep(
        options.scenario,
        options.vary,
        options.out,
        sample=options.sample,
        seed=options.seed,
        duration=options.duration,
        jobs=options.jobs,
        cluster=options.cluster,
        **{"robot": options.robot, **settings_of(options.set)},
    )
    fallen = sum(value is True for value in table.column("fell").to_pylist()) if "fell" in table.column_names else 0
    failed = sum(bool(value) for value in table.column("error").to_pylist())
    print(f"{table.num_rows} runs, {fallen} fell, {failed} of them with an error")
    print(options.out, options.out.with_suffix(".png"))
    return 0
