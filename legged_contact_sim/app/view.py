"""``legged-contact-sim view``: a robot, a scenario or a recorded run in the browser, in one process, without ROS."""

import argparse
from typing import Any

from ..contact import MODELS
from ..errors import ParameterError
from .compare import terrain_of


def add_command(commands: Any) -> None:
    """Add the command to the command line's parser."""
    parser = commands.add_parser("view", help="a robot, scenario or recorded run in the browser, without ROS")
    parser.add_argument(
        "name",
        nargs="?",
        default="quadruped_trot",
        metavar="ROBOT|SCENARIO|RESULT",
        help="name or file; RESULT: a bag, a saved trajectory, or the folder of a comparison; default: %(default)s",
    )
    parser.add_argument("--contact-model", help=f"one of {', '.join(MODELS)}, instead of the scenario's")
    parser.add_argument("--ghost", default="", metavar="MODEL", help="a second run beside it, under another model")
    parser.add_argument("--terrain", metavar="KIND[,NAME=VALUE]", help="the ground, also of a bag: slope,angle=0.1")
    parser.add_argument("--port", type=int, default=8080, metavar="N", help="default: %(default)s; 0: any that is free")
    parser.add_argument("--host", default="localhost", help="address to listen at; outside localhost a token is needed")
    parser.add_argument("--duration", type=float, default=float("inf"), metavar="S", help="end after so many seconds")
    parser.set_defaults(action=view)


def view(options: argparse.Namespace) -> int:
    """Show it until Ctrl-C."""
    from ..viewer.recordings import is_recording
    from ..viewer.view import View

    show, panel = _replay(options) if is_recording(options.name) else _simulation(options)
    with View(show, options.host, options.port, panel) as page:
        print(f"open {page.address} in a browser; Ctrl-C ends it", flush=True)
        try:
            page.run(options.duration)
        except KeyboardInterrupt:
            print("ending")
    return 0


def _simulation(options: argparse.Namespace) -> tuple[Any, Any]:
    from ..viewer import find_world
    from ..viewer.panel import Panel
    from ..viewer.session import Session

    terrain = None if options.terrain is None else terrain_of(options.terrain)
    session = Session(find_world(options.name, contact_model=options.contact_model, terrain=terrain))
    if options.ghost:
        session.add_ghost(options.ghost)
    return session, Panel


def _replay(options: argparse.Namespace) -> tuple[Any, Any]:
    from ..terrain import make_terrain
    from ..viewer.recordings import find_recordings
    from ..viewer.replay import Replay
    from ..viewer.replay_panel import ReplayPanel

    if options.contact_model is not None:
        raise ParameterError("--contact-model: a recorded run has the model that it was run under")
    terrain = None if options.terrain is None else make_terrain(terrain_of(options.terrain))
    recordings = find_recordings(options.name, terrain)
    return Replay(recordings, options.ghost), ReplayPanel
