"""How a node begins and ends: clean on Ctrl-C and SIGTERM, one line and a status for what the user can mend."""

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import rclpy
from rclpy.duration import Duration
from rclpy.exceptions import InvalidHandle, InvalidParameterTypeException, InvalidParameterValueException
from rclpy.executors import Executor, ExternalShutdownException, MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from ..errors import LeggedContactSimError
from ..simulation.scenarios import config_folders

FAILED = 1
HAND_OVER = 8.0  # s; how long a node that ends waits at most for its readers: a busy machine may keep them waiting
FAST_DDS_PROFILES = "FASTRTPS_DEFAULT_PROFILES_FILE"  # that Fast DDS 2 looks at; later ones go without
MENDABLE = (LeggedContactSimError, InvalidParameterTypeException, InvalidParameterValueException, OSError)


def run_process(run: Callable[[], None], name: str) -> NoReturn:
    """Run a node's main function and end the process with a status for the shell.

    At once: on a busy machine Python takes seconds to take compiled kernels down, and whoever waits gets impatient.
    """
    status = _run_node(run, name)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _run_node(run: Callable[[], None], name: str) -> int:
    """Run a node's main function between init and shutdown of rclpy.

    Ctrl-C and SIGTERM raise KeyboardInterrupt before the node's loop, once; in the loop they only end `Running`, so
    that nothing is shut down or interrupted in the middle of a turn.
    """
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _interrupt)
        choose_profiles()
        try:
            rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        except Exception as error:  # whatever rcl finds wrong with arguments and parameter files
            return _fail(name, error)
        run()
    except KeyboardInterrupt:
        return 0
    except MENDABLE as error:
        return _fail(name, error)
    finally:
        rclpy.try_shutdown()
    return 0


def choose_profiles() -> None:
    """Have Fast DDS read config/fast_dds.xml, which says why, unless the user has profiles of their own."""
    if not Path("DEFAULT_FASTRTPS_PROFILES.xml").exists():
        for folder in config_folders():
            if (folder / "fast_dds.xml").is_file():
                os.environ.setdefault(FAST_DDS_PROFILES, str(folder / "fast_dds.xml"))


class Running:
    """True while a node's loop is to go on."""

    wanted = True
    in_loop = False

    def __bool__(self) -> bool:
        return Running.wanted


@contextmanager
def served(node: Node, threads: int = 1, others: Sequence[Node] = ()) -> Iterator[Running]:
    """Answer services and parameter requests of nodes in threads of their own, beside the first one's loop."""
    executor = SingleThreadedExecutor() if threads == 1 else MultiThreadedExecutor(threads)
    for each in (node, *others):
        executor.add_node(each)
    thread = threading.Thread(target=_spin, args=(executor, node), daemon=True)
    thread.start()
    Running.in_loop = True
    try:
        yield Running()
    finally:
        end = time.monotonic() + HAND_OVER
        for each in (node, *others):
            _hand_over(each, end)
        executor.shutdown(timeout_sec=1.0)
        thread.join(timeout=2.0)
        for each in (node, *others):
            each.destroy_node()


def _hand_over(node: Node, end: float) -> None:
    """Wait until readers have all that was published, not beyond a time: what a writer remembers ends with it."""
    behind = []
    for publisher in node.publishers:
        left = max(end - time.monotonic(), 0.0)
        if publisher.get_subscription_count():
            with suppress(RuntimeError):  # of the middleware: then nobody can say
                if not publisher.wait_for_all_acked(Duration(seconds=left)):
                    behind.append(publisher.topic_name)
    if behind:
        node.get_logger().warning(f"ended before all readers had everything: {', '.join(behind)}")


def _spin(executor: Executor, node: Node) -> None:
    """Answer until the executor is shut down; an error in one answer must not be the end of all others."""
    with suppress(ExternalShutdownException, InvalidHandle):
        while executor.context.ok() and not executor._is_shutdown:
            try:
                executor.spin()
            except (ExternalShutdownException, InvalidHandle):
                raise
            except Exception:
                node.get_logger().error(f"a request was not answered: {traceback.format_exc()}")


def _interrupt(number: int, frame: Any) -> None:
    first, Running.wanted = Running.wanted, False
    if first and not Running.in_loop:
        raise KeyboardInterrupt


def _fail(name: str, error: Exception) -> int:
    print(f"{name}: {' '.join(str(error).split())}", file=sys.stderr, flush=True)
    return FAILED
