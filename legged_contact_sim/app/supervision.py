"""Processes that begin and end together: none outlives the one that started them."""

import os
import signal
import subprocess
import sys
import time
from types import TracebackType

from ..errors import ParameterError
from ..jit.children import die_with_parent

LAST_DOMAIN = 232  # the ports of those after it would be above 65535
# How processes are ended, s each. SIGTERM is silent even while Python loads modules, when SIGINT makes a traceback.
PATIENCE = (signal.SIGTERM, 15.0), (signal.SIGKILL, 2.0)


class Processes:
    """Python modules of this package that run as processes of their own, until the ``with`` block ends."""

    def __init__(self) -> None:
        """Begin with none."""
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._last: set[str] = set()

    def start(self, name: str, module: str, *arguments: str, last: bool = False) -> None:
        """Start a module with arguments; Ctrl-C at the terminal reaches it only through this process.

        Args:
            name: of the process.
            module: of this package.
            arguments: of the process.
            last: it ends after all others, since it listens to them.
        """
        self._last |= {name} if last else set()
        command = [sys.executable, "-m", f"legged_contact_sim.{module}", *arguments]
        self._running[name] = subprocess.Popen(
            command, env=environment(), start_new_session=True, preexec_fn=die_with_parent
        )

    def ended(self) -> tuple[str, int] | None:
        """Return the name and status of a process that has ended by itself; None: all run."""
        for name, process in self._running.items():
            if process.poll() is not None:
                return name, process.returncode
        return None

    def __enter__(self) -> "Processes":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all processes: ask, insist, and then do not ask any more."""
        for group in (self._running.keys() - self._last, self._last):
            for number, seconds in PATIENCE:
                left = [self._running[name] for name in group if self._running[name].poll() is None]
                for process in left:
                    process.send_signal(number)
                _wait(left, seconds)


def _wait(processes: list[subprocess.Popen[bytes]], seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and any(process.poll() is None for process in processes):
        time.sleep(0.02)


def environment() -> dict[str, str]:
    """Return the environment of ROS processes: on this machine only, unless the user has asked for the network.

    Raises:
        ParameterError: ROS_DOMAIN_ID is none; DDS would say so in words of its own.
    """
    chosen = dict(os.environ)
    domain = chosen.get("ROS_DOMAIN_ID", "") or "0"
    if not (domain.isdecimal() and int(domain) <= LAST_DOMAIN):
        raise ParameterError(f"ROS_DOMAIN_ID: expected a whole number from 0 to {LAST_DOMAIN}, found {domain!r}")
    chosen.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    chosen.setdefault("AMENT_PREFIX_PATH", sys.prefix)
    return chosen
