"""A line that tells how the simulation fares, from /diagnostics."""

import shutil
import sys
import time
from collections.abc import Callable

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.serialization import deserialize_message
from rclpy.signals import SignalHandlerOptions

from .polling import Mailbox
from .qos import COMMANDS

LOOK = 0.1  # s; between looks for news
LINE_EVERY = 2.0  # s; between lines where they cannot be overwritten


def watch(until: Callable[[], bool], duration: float) -> bool:
    """Keep the line up to date; return whether the simulated time reached the duration, s (0: no limit).

    Args:
        until: asked again and again; True ends the watch.
        duration: s of simulated time.
    """
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO, args=[])
    node = rclpy.create_node("status")
    mailbox = Mailbox(node, DiagnosticArray, "/diagnostics", COMMANDS)
    interactive, printed = sys.stdout.isatty(), 0.0
    try:
        while not until():
            raw = mailbox.newest()
            values = numbers_in(deserialize_message(raw, DiagnosticArray)) if raw else {}
            if values and (interactive or time.monotonic() - printed >= LINE_EVERY):
                printed = time.monotonic()
                _show(line(values), interactive)
            if duration and values and float(values["simulated_time"]) >= duration:
                return True
            time.sleep(LOOK)
        return False
    finally:
        if interactive:
            print(flush=True)
        node.destroy_node()
        rclpy.try_shutdown()


def _show(words: str, interactive: bool) -> None:
    if interactive:
        words = words[: shutil.get_terminal_size().columns - 1]
        print(f"\r{words}\033[K", end="", flush=True)
    else:
        print(words, flush=True)


def numbers_in(message: DiagnosticArray) -> dict[str, str]:
    """Return the values of the simulator's status, and its message; empty: it is of another node."""
    for status in message.status:
        values = {entry.key: entry.value for entry in status.values}
        if "simulated_time" in values:
            return values | {"message": status.message}
    return {}


def line(values: dict[str, str]) -> str:
    """Return the line: time, real-time factor, contacts and energy."""
    return (
        f"t {float(values['simulated_time']):8.2f} s | real time x{float(values['real_time_factor']):5.2f} | "
        f"contacts {values['contacts']}/{values['contact_points']} | "
        f"energy {float(values['energy_total']):9.3f} J, remainder {float(values['energy_remainder']):+.1e} J | "
        f"commands {values['command']} | {values['message']}"
    )
