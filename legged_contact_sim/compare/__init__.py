"""One run under many laws of contact: figures, and a verdict in words on what depends on the law."""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ..control.scenario import Scenario
from ..errors import ParameterError
from ..model.packaged import load
from ..simulation.trajectory_file import SavedRuns, save_runs
from .report import write
from .running import LIMIT, Run, run_all
from .variants import Variant, chosen_models, nominal_friction, variants
from .verdicts import Verdict, verdicts

__all__ = ["Comparison", "Run", "Variant", "Verdict", "compare"]

DURATION = 5.0  # s


class _CallableModule(ModuleType):
    """This module is also the function: ``from legged_contact_sim import compare`` gives what can be called."""

    def __call__(self, *arguments: Any, **options: Any) -> "Comparison":
        return compare(*arguments, **options)


sys.modules[__name__].__class__ = _CallableModule


@dataclass(frozen=True)
class Comparison:
    """What a comparison found.

    Attributes:
        scenario: that was run.
        duration: s of simulated time.
        runs: one for each variant, the models as they are first.
        verdicts: what can be concluded.
    """

    scenario: Scenario
    duration: float
    runs: list[Run]
    verdicts: list[Verdict]

    def write(self, folder: Path | str) -> None:
        """Write ``report.html``, ``report.md``, ``summary.json``, plots, and ``runs.npz`` for a replay to a folder."""
        write(Path(folder), self.scenario.name, self.duration, self.runs, self.verdicts)
        runs = {run.variant.model: run.replay for run in self.runs if run.replay is not None}
        if runs:
            source = self.scenario["robot"]
            place = load(source).folder if isinstance(source, str) else None
            friction = nominal_friction(self.scenario, next(iter(runs)))
            save_runs(Path(folder) / "runs.npz", SavedRuns(runs, place, friction))


def compare(
    scenario: str | Scenario,
    models: str | Iterable[str] = "all",
    *,
    duration: float = DURATION,
    seeds: int = 1,
    robustness: bool = True,
    jobs: int = 0,
    limit: float = LIMIT,
    policy: str | Path | None = None,
    layout: str | None = None,
    velocity: Iterable[float] | None = None,
    **changes: Any,
) -> Comparison:
    """Run a scenario under several contact models, each also at other time steps and on other friction.

    Args:
        scenario: packaged name, path of a parameter file, or a `Scenario`.
        models: "all", names, or names with commas between; the scenario's own (or the first) is the reference.
        duration: s.
        seeds: how many starts; the first is the scenario's own, others have small random velocities.
        robustness: also at half and double the time step, and on 0.75 and 1.5 times the friction.
        jobs: processes; 0: as many as there are processors.
        limit: s of processor time that a run may take; one that takes longer is cut, and the verdict tells it.
        policy: an ONNX file, which is the controller then; see `legged_contact_sim.control.policy`.
        layout: of the policy: name of a ready one, or a YAML file; None: the YAML file beside the policy.
        velocity: that the controller is commanded: forward, sideways, turning, m/s and rad/s.
        changes: parameters of the scenario, such as ``robot``, ``controller``, ``terrain``, ``friction``.

    Raises:
        ParameterError: names the argument, what was found and what is expected.
    """
    for name, value in (("duration", duration), ("limit", limit)):
        if not value > 0.0:
            raise ParameterError(f"{name}: expected a number above 0 s, found {value}")
    base = Scenario.load(scenario, **changes) if isinstance(scenario, str) else scenario.changed(changes)
    base = base.changed(_commanded(base["controller"], policy, layout, velocity))
    base.controller(base.robot())  # what cannot be made is refused before anything runs
    names = sorted(chosen_models(models), key=lambda name: name != base["contact_model"])  # its own model first
    runs = run_all(variants(names, seeds, robustness), base, duration, jobs, limit)
    return Comparison(base, duration, runs, verdicts(runs, duration))


def _commanded(
    controller: str, policy: str | Path | None, layout: str | None, velocity: Iterable[float] | None
) -> dict[str, Any]:
    """Return the parameters that make a policy the controller, and those of the commanded velocity."""
    changes: dict[str, Any] = {}
    if policy is not None:
        controller = "policy"
        changes = {"controller": controller, "policy.file": str(policy), "policy.layout": layout or ""}
    if velocity is not None:
        changes[f"{controller}.velocity"] = [float(part) for part in velocity]
    return changes
