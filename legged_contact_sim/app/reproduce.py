"""``legged-contact-sim reproduce``: run published studies again and report what came out."""

import argparse
import json
from pathlib import Path
from typing import Any

from ..studies.frame import studies
from .needs import need_plots


def add_command(commands: Any) -> None:
    """Add the command to the command line's parser."""
    parser = commands.add_parser("reproduce", help="run published studies again: figures, numbers, verdicts")
    known = ", ".join(studies())
    parser.add_argument("study", nargs="+", metavar="STUDY", help=f"{known}, or all")
    parser.add_argument("--quick", action="store_true", help="a shorter version of every experiment")
    parser.add_argument("--out", type=Path, default=Path("results"), metavar="DIR", help="default: %(default)s")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="processes; default: one per processor")
    parser.add_argument("--fresh", action="store_true", help="do again what is there already")
    parser.set_defaults(action=reproduce_studies)


def reproduce_studies(options: argparse.Namespace) -> int:
    """Run the studies; return 0 if every criterion held, else 1."""
    need_plots()
    from ..studies.frame.running import reproduce

    known = studies()
    keys = list(dict.fromkeys(key for name in options.study for key in (known if name == "all" else [name])))
    held = reproduce(keys, options.out, options.quick, options.jobs, options.fresh)
    for key in keys:
        print(options.out / key / "report.html")
        for words in failures(options.out / key):
            print(f"  failed: {words}")
    print("every criterion held" if held else "not every criterion held: the reports say why")
    return 0 if held else 1


def failures(folder: Path) -> list[str]:
    """Return what failed in a study that was reported, a line each."""
    found = []
    for item in json.loads((folder / "summary.json").read_text())["experiments"]:
        if item["error"]:
            found.append(f"{item['title']}: {item['error']}")
        for criterion in item["criteria"]:
            if criterion["held"] is False and not item["error"]:
                why = " (this machine's speed)" if criterion["timed"] else ""
                found.append(f"{item['title']}: {criterion['quantity']}{why}")
    return found
