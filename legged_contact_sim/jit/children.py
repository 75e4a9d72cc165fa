"""Child processes that do not outlive the process that started them."""

import ctypes
import signal
import sys

DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def die_with_parent(by: int = signal.SIGTERM) -> None:
    """Have the calling process, a child that has just begun, end by a signal when its parent is gone (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, by)
