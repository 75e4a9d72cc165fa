"""Real ROS 2 processes in a private domain on this machine; a bench for every test, or one for a module."""

import importlib.util
import os
import platform
import socket
import sys

import pytest

HAS_ROS = all(importlib.util.find_spec(name) for name in ("rclpy", "tf2_msgs"))
# Where the wheels of ROS 2 exist, `make test` has installed them, and their absence is an error.
if not HAS_ROS and (platform.system(), platform.machine()) != ("Linux", "x86_64"):
    collect_ignore_glob = ["test_*.py"]


def pytest_report_header() -> str | None:
    return None if HAS_ROS else "test/nodes is skipped: no ROS 2 is sourced, and there are no wheels for this platform"


def _free_domain() -> int:
    """Return a domain whose discovery port nobody on this machine listens to."""
    for k in range(100):
        domain = 1 + (os.getpid() + 7 * k) % 100
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(("", 7400 + 250 * domain))
            except OSError:
                continue
        return domain
    raise RuntimeError("every ROS 2 domain is in use")


# Here, since messages look at it when they are imported, and contexts when they begin.
os.environ |= {
    "ROS_DOMAIN_ID": str(_free_domain()),
    "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    "ROS_PYTHON_CHECK_FIELDS": "1",
    "AMENT_PREFIX_PATH": os.environ.get("AMENT_PREFIX_PATH", sys.prefix),
    "PYTHONUNBUFFERED": "1",
}


@pytest.fixture
def bench(tmp_path):
    from ros_bench import Bench

    bench = Bench(tmp_path)
    yield bench
    bench.close()


@pytest.fixture(scope="module")
def shared_bench(tmp_path_factory):
    from ros_bench import Bench

    bench = Bench(tmp_path_factory.mktemp("bench"))
    yield bench
    bench.close()


@pytest.fixture(autouse=True)
def _mailboxes_end_with_the_test(request):
    """Close what a test has opened at a bench that it shares with others."""
    if "shared_bench" not in request.fixturenames:
        yield
        return
    bench = request.getfixturevalue("shared_bench")
    kept = len(bench.mailboxes)
    yield
    bench.forget_mailboxes(kept)
