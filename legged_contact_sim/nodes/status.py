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
MOST = 100  # messages a look
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
    robots: dict[str, dict[str, str]] = {}
    try:
        while not until():
            for raw in mailbox.drain(MOST):
                robots |= numbers_of_robots(deserialize_message(raw, DiagnosticArray))
            if robots and (interactive or time.monotonic() - printed >= LINE_EVERY):
                printed = time.monotonic()
                _show(line(robots), interactive)
            if duration and robots and max(float(told["simulated_time"]) for told in robots.values()) >= duration:
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


def numbers_of_robots(message: DiagnosticArray) -> dict[str, dict[str, str]]:
    """Return `numbers_in` a message by the namespace of the node that tells them; empty: it is of another node."""
    values = numbers_in(message)
    return {message.status[0].name.partition(":")[0].rpartition("/")[0]: values} if values else {}


def line(robots: dict[str, dict[str, str]]) -> str:
    """Return the line: time and real-time factor, then contacts, energy and commands of every robot by its name."""
    first = next(iter(robots.values()))
    parts = [f"t {float(first['simulated_time']):8.2f} s | real time x{float(first['real_time_factor']):5.2f}"]
    parts += [f"{name} {_fares(robots[name])}".lstrip() for name in sorted(robots)]
    return " | ".join(parts)


def _fares(values: dict[str, str]) -> str:
    return (
        f"contacts {values['contacts']}/{values['contact_points']} | "
        f"energy {float(values['energy_total']):9.3f} J, remainder {float(values['energy_remainder']):+.1e} J | "
        f"commands {values['command']} | {values['message']}"
    )
