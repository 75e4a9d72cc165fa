"""Keys typed at a terminal become velocities; quitting stops the robot and leaves the terminal as it was."""

import contextlib
import os
import pty
import subprocess
import sys
import termios

import pytest
from geometry_msgs.msg import Twist
from rclpy.serialization import deserialize_message
from ros_bench import PATIENCE, wait_for

from legged_contact_sim.jit.children import die_with_parent


class Typist:
    """A terminal in which teleop runs."""

    def __init__(self, box):
        self.box = box
        self.keyboard, terminal = pty.openpty()
        self.before = termios.tcgetattr(terminal)
        command = [sys.executable, "-m", "legged_contact_sim", "teleop"]
        streams = {"stdin": terminal, "stdout": terminal, "stderr": terminal}
        self.process = subprocess.Popen(command, **streams, start_new_session=True, preexec_fn=die_with_parent)
        self.terminal = terminal
        self.shown = ""

    def type(self, keys: str) -> None:
        os.write(self.keyboard, keys.encode())

    def sees(self, forward, sideways, turning):
        """Wait until this velocity is published, m/s, m/s and rad/s."""

        def arrived():
            os.set_blocking(self.keyboard, False)
            with contextlib.suppress(BlockingIOError):
                self.shown += os.read(self.keyboard, 65536).decode(errors="replace")
            raw = self.box.newest()
            if raw is None:
                return False
            twist = deserialize_message(raw, Twist)
            found = (twist.linear.x, twist.linear.y, twist.angular.z)
            return found == pytest.approx((forward, sideways, turning), abs=1e-9)

        wait_for(arrived, f"{forward, sideways, turning}; the terminal shows {self.shown!r}")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.keyboard)
        os.close(self.terminal)


@pytest.fixture
def typist(bench):
    typist = Typist(bench.mailbox(Twist, "/cmd_vel"))
    yield typist
    typist.close()


def test_keys_add_up_to_a_velocity_and_quitting_stops(typist):
    typist.sees(0.0, 0.0, 0.0)
    typist.type("www")  # at once, as a terminal hands over keys that are held down
    typist.sees(0.15, 0.0, 0.0)
    typist.type("\x1b[A\x1b[D")  # arrows: up, left
    typist.sees(0.2, 0.0, 0.1)
    typist.type("\x1bOA\x1bOD")  # arrows as terminals in application mode send them
    typist.sees(0.25, 0.0, 0.2)
    typist.type("seed?")
    typist.sees(0.2, -0.05, 0.0)
    typist.type(" ")
    typist.sees(0.0, 0.0, 0.0)
    assert "forward +0.25 m/s" in typist.shown
    typist.type("w")
    typist.sees(0.05, 0.0, 0.0)
    typist.type("x")
    typist.sees(0.0, 0.0, 0.0)
    assert typist.process.wait(PATIENCE) == 0
    assert termios.tcgetattr(typist.terminal) == typist.before


def test_the_last_word_stops_the_robot_when_the_terminal_is_interrupted(typist):
    typist.sees(0.0, 0.0, 0.0)
    typist.type("w\x1b")  # a lone escape is no arrow, and nothing waits for the rest of one
    typist.sees(0.05, 0.0, 0.0)
    typist.process.send_signal(2)
    typist.sees(0.0, 0.0, 0.0)
    assert typist.process.wait(PATIENCE) == 0
