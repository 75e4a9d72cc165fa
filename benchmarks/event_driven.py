"""Event-driven contact: the published double-pendulum and bicycle runs, their CPU time beside the document's."""

from dataclasses import asdict, dataclass
from typing import Any

from legged_contact_sim.studies.flickinger.runs import BICYCLE_RUNS, PENDULUM_RUNS, Run, do_run

from .timing import print_table

# Every run should take at most this share of the time that the document gives.
GOAL = 0.01
MOST_ROUNDS = 5

NOTES = """
CPU time of the whole run, fixed output steps of 10 ms, events inside; the smallest of a few repetitions, kernels
compiled. The document's times are MATLAB's (ode45 and fmincon) on a 2 GHz Xeon of 2011.
"""


@dataclass(frozen=True)
class Comparison:
    """CPU times of one run, s."""

    robot: str
    title: str
    ours: float
    paper: float

    @property
    def factor(self) -> float:
        """How many times less ours takes."""
        return self.paper / self.ours

    @property
    def reached(self) -> bool:
        """Whether ours is within the goal."""
        return self.ours <= GOAL * self.paper


def compare(run: Run, rounds: int) -> Comparison:
    """Do a run a few times and return the least CPU time beside the document's."""
    assert run.paper_cpu is not None
    return Comparison(run.robot, run.title, min(do_run(run).cpu for _ in range(rounds)), run.paper_cpu)


def run(rounds: int) -> dict[str, Any]:
    """Measure, print beside the document's times, and return the numbers."""
    timed = [run for run in PENDULUM_RUNS + BICYCLE_RUNS if run.paper_cpu is not None]
    do_run(timed[0])  # compiles
    found = [compare(run, min(rounds, MOST_ROUNDS)) for run in timed]
    rows = [
        [f"{x.robot}: {x.title}", f"{x.ours:.4f}", f"{x.paper:.2f}", f"{x.factor:.0f}", "yes" if x.reached else "NO"]
        for x in found
    ]
    print_table("Event-driven runs, CPU s", ["run", "ours", "document", "x", "within 1 %"], rows)
    print(NOTES)
    return {"runs": [{**asdict(x), "factor": x.factor} for x in found]}
