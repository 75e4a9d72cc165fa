"""How a node begins and ends: clean on Ctrl-C and SIGTERM, one line and a status for what the user can mend."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import rclpy
from rclpy.exceptions import InvalidHandle, InvalidParameterTypeException, InvalidParameterValueException
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from ..errors import LeggedContactSimError

FAILED = 1
MENDABLE = (LeggedContactSimError, InvalidParameterTypeException, InvalidParameterValueException, OSError)


def run_node(run: Callable[[], None], name: str) -> int:
    """Run a node's main function between init and shutdown of rclpy; return the status for the shell.

    Ctrl-C and SIGTERM raise KeyboardInterrupt in the main thread: nothing is shut down under a loop that publishes.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    try:
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    except Exception as error:  # whatever rcl finds wrong with arguments and parameter files
        return _fail(name, error)
    try:
        run()
    except KeyboardInterrupt:
        pass
    except MENDABLE as error:
        return _fail(name, error)
    finally:
        rclpy.try_shutdown()
    return 0


@contextmanager
def served(node: Node) -> Iterator[None]:
    """Answer services and parameter requests of a node in a thread of its own."""
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    thread = threading.Thread(target=_spin, args=(executor,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        executor.shutdown(timeout_sec=1.0)
        thread.join(timeout=2.0)
        node.destroy_node()


def _spin(executor: SingleThreadedExecutor) -> None:
    with suppress(ExternalShutdownException, InvalidHandle):
        executor.spin()


def _interrupt(number: int, frame: Any) -> None:
    """Interrupt the main thread once; what follows is part of the same wish."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


def _fail(name: str, error: Exception) -> int:
    print(f"{name}: {' '.join(str(error).split())}", file=sys.stderr, flush=True)
    return FAILED
