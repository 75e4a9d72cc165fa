"""The keyboard as a source of velocities: arrow keys and letters to cmd_vel."""

import os
import re
import select
import sys
import termios
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from geometry_msgs.msg import Twist
from rclpy.exceptions import InvalidNamespaceException
from rclpy.node import Node

from ..errors import ParameterError
from .process import Running, run_process, served
from .qos import COMMANDS

STEP = np.array([0.05, 0.05, 0.1])  # m/s forward and sideways, rad/s, per key stroke
MOST = np.array([1.0, 0.5, 1.0])
KEYS = {
    "w": (1, 0, 0), "s": (-1, 0, 0), "a": (0, 1, 0), "d": (0, -1, 0), "q": (0, 0, 1), "e": (0, 0, -1),
    "\x1b[A": (1, 0, 0), "\x1b[B": (-1, 0, 0), "\x1b[D": (0, 0, 1), "\x1b[C": (0, 0, -1),
}  # fmt: skip
KEY = re.compile(r"\x1b[\[O].|.", re.DOTALL)  # an arrow, in either mode of a terminal, or a letter
STOP, QUIT = " ", ("x", "\x03", "\x04")
HELP = "w/s or up/down: forward, back   a/d: left, right   q/e or left/right: turn   space: stop   x: quit"
PERIOD = 0.1  # s; between messages


class TeleopNode(Node):
    """Publishes the velocity that the keys have added up to."""

    def __init__(self, namespace: str = "") -> None:
        """Prepare the publisher.

        Args:
            namespace: of the robot that is steered, if there are several.

        Raises:
            ParameterError: it cannot be one.
        """
        try:
            super().__init__("teleop", namespace=namespace)
        except InvalidNamespaceException as error:
            words = " ".join(str(error).split())
            raise ParameterError(
                f"namespace: expected names with / between them, found {namespace!r}: {words}"
            ) from None
        self._publisher = self.create_publisher(Twist, "cmd_vel", COMMANDS)
        self.velocity = np.zeros(3)

    def press(self, key: str) -> bool:
        """Take a key; return whether to go on."""
        if key == STOP:
            self.velocity[:] = 0.0
        step = KEYS.get(key.replace("\x1bO", "\x1b["), (0, 0, 0))
        self.velocity = np.clip(self.velocity + STEP * step, -MOST, MOST)
        return key not in QUIT

    def publish(self) -> None:
        """Publish the velocity."""
        forward, sideways, turning = self.velocity.tolist()
        message = Twist()
        message.linear.x, message.linear.y, message.angular.z = forward, sideways, turning
        self._publisher.publish(message)

    def run(self, running: Running) -> None:
        """Read keys until asked to quit; the last message stops the robot."""
        print(HELP)
        with _single_keys():
            while running and all(self.press(key) for key in _keys(PERIOD)):
                self.publish()
                x, y, turn = self.velocity
                print(f"\rforward {x:+.2f} m/s  sideways {y:+.2f} m/s  turning {turn:+.2f} rad/s ", end="", flush=True)
        self.velocity[:] = 0.0
        self.publish()
        time.sleep(PERIOD)
        print()


@contextmanager
def _single_keys() -> Iterator[None]:
    """Let every key stroke through at once."""
    if not sys.stdin.isatty():
        raise ParameterError("teleop reads keys: start it in a terminal")
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _keys(seconds: float) -> list[str]:
    """Return the keys that are pressed within some seconds: all that wait, since a key held down sends many."""
    if not select.select([sys.stdin], [], [], seconds)[0]:
        return []
    try:
        typed = os.read(sys.stdin.fileno(), 1024)
    except OSError:  # the terminal is gone
        typed = b""
    return KEY.findall(typed.decode(errors="replace")) if typed else [QUIT[0]]


def main(namespace: str = "") -> None:
    """Run in a namespace until asked to quit."""
    run_process(lambda: _run(namespace), "teleop")


def _run(namespace: str) -> None:
    node = TeleopNode(namespace)
    with served(node) as running:
        node.run(running)


if __name__ == "__main__":
    main()
