"""``legged-contact-sim view``: a robot or scenario in the browser, in one process, without ROS."""

import argparse
from typing import Any

from ..contact import MODELS


def add_command(commands: Any) -> None:
    """Add the command to the command line's parser."""
    parser = commands.add_parser("view", help="a robot or scenario in the browser, without ROS")
    parser.add_argument(
        "name", nargs="?", default="quadruped_trot", metavar="ROBOT|SCENARIO", help="name or file; default: %(default)s"
    )
    parser.add_argument("--contact-model", help=f"one of {', '.join(MODELS)}, instead of the scenario's")
    parser.add_argument("--port", type=int, default=8080, metavar="N", help="default: %(default)s; 0: any that is free")
    parser.add_argument("--host", default="localhost", help="address to listen at; outside localhost a token is needed")
    parser.add_argument("--duration", type=float, default=float("inf"), metavar="S", help="end after so many seconds")
    parser.set_defaults(action=view)


def view(options: argparse.Namespace) -> int:
    """Show it until Ctrl-C."""
    from ..viewer import find_world
    from ..viewer.session import Session
    from ..viewer.view import View

    session = Session(find_world(options.name, contact_model=options.contact_model))
    with View(session, options.host, options.port) as page:
        print(f"open {page.address} in a browser; Ctrl-C ends it", flush=True)
        try:
            page.run(options.duration)
        except KeyboardInterrupt:
            print("ending")
    return 0
