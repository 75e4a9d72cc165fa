"""``legged-contact-sim film``: a picture or a short film of a run, without a display."""

import argparse
from pathlib import Path
from typing import Any

from ..contact import MODELS


def add_command(commands: Any) -> None:
    """Add the command to the command line's parser."""
    parser = commands.add_parser("film", help="a picture (PNG) or film (GIF, MP4) of a robot or scenario")
    parser.add_argument("name", metavar="ROBOT|SCENARIO", help="name or file")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help=".png, .gif or .mp4")
    parser.add_argument("--contact-model", help=f"one of {', '.join(MODELS)}, instead of the scenario's")
    parser.add_argument("--duration", type=float, default=3.0, metavar="S", help="simulated time; default: %(default)s")
    parser.add_argument("--start", type=float, default=0.0, metavar="S", help="simulated time before it begins")
    parser.add_argument("--rate", type=float, default=25.0, metavar="N", help="pictures a second; default: %(default)s")
    parser.add_argument("--width", type=int, default=960, metavar="N", help="pixels; default: %(default)s")
    parser.add_argument("--height", type=int, default=540, metavar="N", help="pixels; default: %(default)s")
    parser.set_defaults(action=make_film)


def make_film(options: argparse.Namespace) -> int:
    """Run it and write the file."""
    from ..viewer import find_world
    from ..viewer.film import film

    world = find_world(options.name, contact_model=options.contact_model)
    shape = {"width": options.width, "height": options.height}
    film(world, options.output, options.duration, options.rate, options.start, **shape)
    print(options.output)
    return 0
