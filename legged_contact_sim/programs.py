"""The programs of this package: interrupted while their modules load, they end by the signal itself, without a word.

An exception in the middle of an import would be a page of traceback, or something else that the import makes of it. So
this module and what it is part of import nothing that takes time.
"""

import importlib
import signal

INTERRUPTS = (signal.SIGINT, signal.SIGTERM)


def command_line() -> None:
    """Do what the shell's arguments say (see `app.cli`); Ctrl-C and SIGTERM end all that it has started."""
    _on_interrupts(signal.SIG_DFL)
    cli = importlib.import_module(".app.cli", __package__)
    _on_interrupts(signal.default_int_handler)
    try:
        cli.main()
    finally:
        _on_interrupts(signal.SIG_DFL)


def simulator_node() -> None:
    """Run the simulator's node."""
    _run_node("simulator_node")


def controller_node() -> None:
    """Run a controller's node."""
    _run_node("controller_node")


def recorder_node() -> None:
    """Run the recorder's node."""
    _run_node("recorder_node")


def teleop_node() -> None:
    """Run the keyboard's node."""
    _run_node("teleop_node")


def viewer_node() -> None:
    """Run the browser view's node."""
    _run_node("viewer_node")


def _run_node(module: str) -> None:
    _on_interrupts(signal.SIG_DFL)
    importlib.import_module(f".nodes.{module}", __package__).main()


def _on_interrupts(handler: signal.Handlers | object) -> None:
    for number in INTERRUPTS:
        signal.signal(number, handler)  # type: ignore[arg-type]
