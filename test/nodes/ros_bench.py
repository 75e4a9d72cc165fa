"""A place for real ROS 2 processes: a private domain on this machine, and nothing left when a test is over."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from rclpy.signals import SignalHandlerOptions

from legged_contact_sim.jit.children import die_with_parent
from legged_contact_sim.nodes.polling import Mailbox
from legged_contact_sim.nodes.process import Running, choose_profiles

PATIENCE = 1200.0  # s; what is waited for comes, however slow and busy the machine: this only ends what hangs
# As many messages as a reader of Fast DDS holds. A deeper one, once full, refuses what comes, has it sent again and
# again, and is so busy with that on a slow machine that nobody gets to empty it.
DEEP = QoSProfile(depth=5000)
STAND = ["hold.stiffness:=1500.0", "hold.damping:=60.0"]
PID = ["joint_pid.stiffness:=[800.0, 800.0, 800.0, 400.0]", "joint_pid.damping:=[20.0, 20.0, 10.0, 1.0]"]


class Process:
    """A process of the package, with what it says in a file."""

    def __init__(self, module, parameters, log, arguments=(), setup="pass"):
        settings = [part for parameter in parameters for part in ("-p", parameter)]
        ros = ["--ros-args", *settings] if settings else []
        self.log = log
        with open(log, "wb") as output:
            code = f"{setup}; import runpy; runpy.run_module('legged_contact_sim.{module}', run_name='__main__')"
            command = [sys.executable, "-c", code, *arguments, *ros]
            self.process = subprocess.Popen(
                command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=die_with_parent
            )

    @property
    def pid(self) -> int:
        return self.process.pid

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def running(self) -> bool:
        return self.process.poll() is None

    def send(self, number: int) -> None:
        self.process.send_signal(number)

    def wait(self, seconds: float = PATIENCE) -> int:
        return self.process.wait(seconds)

    def end(self) -> None:
        for number in (signal.SIGINT, signal.SIGKILL):
            if self.running():
                self.send(number)
                try:
                    self.wait(60.0)
                except subprocess.TimeoutExpired:
                    continue

    def memory(self) -> int:
        """Bytes of resident memory."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


class Load:
    """Keeps all cores of a small machine busy while the block runs."""

    def __enter__(self) -> None:
        command = [sys.executable, "-c", "while True: pass"]
        self.busy = [subprocess.Popen(command, preexec_fn=die_with_parent) for _ in range(2)]

    def __exit__(self, *_) -> None:
        for process in self.busy:
            process.kill()
            process.wait()


class Bench:
    """Starts processes and looks at what they publish."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[Process] = []
        self.clients: dict[str, object] = {}
        self.mailboxes: list[Mailbox] = []
        choose_profiles()
        self.context = rclpy.Context()
        rclpy.init(context=self.context, signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node("observer", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)

    def start(self, module, *parameters, arguments=(), setup="pass") -> Process:
        """Start a module of the package as a process, after some code of the test's own."""
        log = self.folder / f"{len(self.processes)}_{module.replace('.', '_')}.log"
        process = Process(module, parameters, log, arguments, setup)
        self.processes.append(process)
        return process

    def simulator(self, *parameters, setup="pass") -> Process:
        return self.start("nodes.simulator_node", *parameters, setup=setup)

    def controller(self, *parameters) -> Process:
        return self.start("nodes.controller_node", *parameters)

    def mailbox(self, kind, topic, qos=DEEP) -> Mailbox:
        self.mailboxes.append(Mailbox(self.node, kind, topic, qos))
        return self.mailboxes[-1]

    def forget_mailboxes(self, kept: int) -> None:
        """Close all mailboxes but the oldest few: full ones slow this process down until it loses messages."""
        for mailbox in self.mailboxes[kept:]:
            self.node.destroy_subscription(mailbox.subscription)
        del self.mailboxes[kept:]

    def next(self, mailbox: Mailbox):
        """Return the next message, waiting for it."""
        taken = wait_for(mailbox.take, mailbox.kind.__name__, self.processes)
        return deserialize_message(taken[0], mailbox.kind)

    def latest(self, mailbox: Mailbox):
        """Return the newest message, one that has arrived after now."""
        mailbox.newest(DEEP.depth)
        return self.next(mailbox)

    def call(self, kind, name, request=None):
        if name not in self.clients:
            self.clients[name] = self.node.create_client(kind, name)
        client = self.clients[name]
        assert client.wait_for_service(timeout_sec=PATIENCE), f"no service {name}"
        future = client.call_async(request or kind.Request())
        self.executor.spin_until_future_complete(future, timeout_sec=PATIENCE)
        assert future.done(), f"{name} did not answer"
        return future.result()

    def diagnostics(self, box: Mailbox) -> dict[str, str]:
        return values_of(self.latest(box))

    def close(self) -> None:
        for process in reversed(self.processes):
            process.end()
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


class OneRun(Running):
    """A loop's permission to go on that this test withdraws."""

    def __init__(self):
        self.wanted = True

    def __bool__(self):
        return self.wanted


class Loop:
    """A simulator node in this process, its loop in a thread."""

    def __init__(self, *parameters):
        rclpy.init(args=["--ros-args", *(part for each in parameters for part in ("-p", each))])
        from legged_contact_sim.nodes.simulator_node import SimulatorNode

        self.node, self.running = SimulatorNode(), OneRun()

    def __enter__(self):
        self.thread = threading.Thread(target=self.node.run, args=(self.running,), daemon=True)
        self.thread.start()
        return self.node

    def __exit__(self, *_):
        self.running.wanted = False
        self.thread.join()
        for node in (*self.node.others, self.node):
            node.destroy_node()
        rclpy.shutdown()


def wait_for(look, what, processes=()):
    """Return what a look finds, as soon as it finds something; none of the processes may fail meanwhile."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        for process in processes:
            assert process.running() or process.process.returncode in (0, -9), process.said()
        time.sleep(0.002)
    raise AssertionError(f"waited {PATIENCE} s in vain: {what}\n" + "\n".join(p.said() for p in processes))


def collect(mailbox: Mailbox, messages: list) -> list:
    """Add what waits in a mailbox to a list of messages.

    All is taken before anything is converted: on a slow machine messages come faster than they are converted.
    """
    waiting = list(mailbox.drain(DEEP.depth))
    messages += [deserialize_message(raw, mailbox.kind) for raw in waiting]
    return messages


def seconds(stamp) -> float:
    return stamp.sec + 1e-9 * stamp.nanosec


def values_of(message: DiagnosticArray) -> dict[str, str]:
    (status,) = message.status
    values = {entry.key: entry.value for entry in status.values}
    return values | {"level": status.level, "message": status.message, "name": status.name}
