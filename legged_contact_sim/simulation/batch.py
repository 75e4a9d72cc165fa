"""Many rollouts side by side: the same robot and contact model from different states, on all threads."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count

from .simulator import Simulator
from .trajectory import Trajectory

Rollouts = list[Trajectory]


def run_batch(
    make: Callable[[int], Simulator], count: int, rollout: Callable[[Simulator], Trajectory], threads: int | None = None
) -> Rollouts:
    """Run ``count`` independent rollouts in parallel and return their trajectories in order.

    Kernels let go of Python's lock, so threads run side by side; each rollout has its own simulator, hence the
    result does not depend on the number of threads.

    Args:
        make: returns the simulator of rollout ``k``, in the state it starts from.
        count: number of rollouts.
        rollout: runs one, e.g. ``lambda sim: sim.run(2.0)``.
        threads: at most so many at once; None: one per core.
    """
    simulators: Sequence[Simulator] = [make(k) for k in range(count)]
    with ThreadPoolExecutor(max_workers=threads or cpu_count()) as pool:
        return list(pool.map(rollout, simulators))
