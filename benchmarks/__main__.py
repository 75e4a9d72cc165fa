"""Run the benchmarks on one core: ``python -m benchmarks [part ...] [--rounds N]``; no part means all of them."""

import argparse
import os
from functools import partial
from pathlib import Path

from . import batch, dynamics, event_driven, friction, growth, judges, reading, steps, table1, worlds
from .report import RESULTS, write_json
from .timing import machine, use_one_core

PARTS = {
    "dynamics": dynamics.run,
    "event_driven": event_driven.run,
    "steps": steps.run,
    "reading": reading.run,
    "batch": batch.run,
    "worlds": worlds.run,
    "growth": growth.run,
    "friction": friction.run,
    "judge": judges.run,
    "table1": table1.run,
}


def main() -> None:
    """Run the chosen parts, print their tables and write what they measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Compare with other engines.")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; all of them by default")
    parser.add_argument(
        "--rounds", type=int, default=200, help="how often contenders take turns (default: %(default)s)"
    )
    parser.add_argument(
        "--problems",
        type=Path,
        default=os.environ.get("FRICTION_PROBLEMS"),
        metavar="FOLDER",
        help="further problems of the part friction, .npz with W, q and mu (default: $FRICTION_PROBLEMS)",
    )
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.parts) - set(PARTS))
    if unknown:
        parser.error(f"no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    if arguments.rounds < 1:
        parser.error(f"--rounds: expected at least 1, found {arguments.rounds}")
    if arguments.problems is not None and not arguments.problems.is_dir():
        parser.error(f"--problems: {arguments.problems} is not a folder")
    parts = PARTS | {"friction": partial(friction.run, folder=arguments.problems)}
    use_one_core()
    here = machine()
    print("; ".join(f"{key} {value}" for key, value in here.items()))
    for name in arguments.parts or PARTS:
        write_json(name, {"machine": here, "rounds": arguments.rounds, **parts[name](arguments.rounds)})
    print(f"\nNumbers and pictures are in {RESULTS.parent.name}/{RESULTS.name}/.")


if __name__ == "__main__":
    main()
