"""``legged-contact-sim compare``: one scenario under many laws of contact, with a verdict."""

import argparse
import re
from pathlib import Path
from typing import Any

from ..errors import ParameterError
from ..simulation.scenarios import scenarios
from ..simulation.written import written_value
from .needs import need_plots


def add_command(commands: Any) -> None:
    """Add the command to the command line's parser."""
    parser = commands.add_parser("compare", help="a scenario under many contact models, and what depends on them")
    parser.add_argument("scenario", metavar="SCENARIO", help=f"parameter file, or one of {', '.join(scenarios())}")
    parser.add_argument("--models", default="all", metavar="A,B", help="names of models, or all (default)")
    parser.add_argument("--robot", help="instead of the scenario's")
    parser.add_argument("--controller", help="instead of the scenario's")
    parser.add_argument("--policy", metavar="FILE.onnx", help="a learned policy as the controller")
    parser.add_argument("--layout", metavar="NAME", help="what the policy sees and moves: ready one or YAML file")
    parser.add_argument("--velocity", metavar="X,Y,YAW", help="that the controller is commanded, m/s and rad/s")
    parser.add_argument("--terrain", metavar="KIND[,NAME=VALUE]", help="instead of the scenario's: slope,angle=0.1")
    parser.add_argument("--friction", type=float, help="instead of the scenario's")
    parser.add_argument("--time-step", type=float, metavar="S", help="instead of the scenario's")
    parser.add_argument("--duration", type=float, default=5.0, metavar="S", help="simulated time; default: 5")
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="starts with random velocities as well")
    parser.add_argument("--models-only", action="store_true", help="no other time steps, no other friction")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="processes; default: one per processor")
    parser.add_argument("--limit", type=float, default=60.0, metavar="S", help="processor time of a run; default: 60")
    parser.add_argument("--out", type=Path, default=Path("results/compare"), metavar="DIR", help="default: %(default)s")
    parser.set_defaults(action=compare_models)


def terrain_of(words: str) -> dict[str, Any]:
    """Return a terrain from ``slope,angle=0.1``; a value with commas stands in brackets.

    Raises:
        ParameterError: a part is not NAME=VALUE.
    """
    kind, *parts = re.split(r",(?=\s*\w+=)", words)
    found: dict[str, Any] = {"kind": kind}
    for part in parts:
        name, _, value = part.partition("=")
        found[name.strip()] = written_value(f"terrain {name.strip()}", value)
    return found


def velocity_of(words: str) -> list[float]:
    """Return a velocity from ``0.5,0,0``.

    Raises:
        ParameterError: these are not three numbers.
    """
    try:
        forward, sideways, turning = map(float, words.split(","))
    except ValueError:
        raise ParameterError(f"velocity: expected FORWARD,SIDEWAYS,TURNING, found {words!r}") from None
    return [forward, sideways, turning]


def compare_models(options: argparse.Namespace) -> int:
    """Run the comparison, write its report and print the verdict."""
    from ..compare import compare

    need_plots()
    options.out.mkdir(parents=True, exist_ok=True)  # better now than after minutes
    found = compare(
        options.scenario,
        options.models,
        duration=options.duration,
        seeds=options.seeds,
        robustness=not options.models_only,
        jobs=options.jobs,
        limit=options.limit,
        policy=options.policy,
        layout=options.layout,
        velocity=None if options.velocity is None else velocity_of(options.velocity),
        robot=options.robot,
        controller=options.controller,
        terrain=None if options.terrain is None else terrain_of(options.terrain),
        friction=options.friction,
        time_step=options.time_step,
    )
    found.write(options.out)
    for verdict in found.verdicts:
        print(f"- {verdict.label}: {verdict.sentence}")
    print(options.out / "report.html")
    return 0
