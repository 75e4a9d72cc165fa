"""Whether kernels are compiled at all."""

import numba


def compiles() -> bool:
    """Return False under ``NUMBA_DISABLE_JIT=1``: kernels run as plain Python, which knows no lanes."""
    return not numba.config.DISABLE_JIT
