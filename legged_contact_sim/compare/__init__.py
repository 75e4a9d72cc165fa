"""One run under many laws of contact: figures, and a verdict in words on what depends on the law."""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ..control.scenario import NONE, Scenario
from ..errors import ParameterError
from ..model.packaged import load
from ..simulation.checks import check_amounts, whole_number
from ..simulation.trajectory_file import SavedRuns, save_runs
from .report import write
from .running import LIMIT, Run, run_all
from .variants import Variant, chosen_models, nominal_friction, variants
from .verdicts import Verdict, verdicts

__all__ = ["Comparison", "Run", "Variant", "Verdict", "compare"]

DURATION = 5.0  # s
LONG = 200  # letters; a robot with more is no name but the XML itself
PENALTY_MASS = 96.8  # kg; of the robot that the default gains of `penalty` are for
NEAR = 1.5  # a robot so many times lighter or heavier is said to need other gains


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

    @property
    def about(self) -> str:
        """What was run, in a sentence or two."""
        base, first = self.scenario, self.runs[0].variant.model
        ground = base.terrain()
        kind = ground.get("kind", "plane") if isinstance(ground, Mapping) else ground
        robot = base["robot"] if isinstance(base["robot"], str) and len(base["robot"]) < LONG else base.robot().name
        friction = nominal_friction(base, first)
        others = [one for one in ("step", "friction", "seed") if len({getattr(r.variant, one) for r in self.runs}) > 1]
        words = {"step": "at half and double the time step", "friction": "on 0.75 and 1.5 times the friction",
                 "seed": "from starts with small random velocities"}  # fmt: skip
        last = ", and " * (len(others) > 1) + "".join(words[one] for one in others[-1:])
        also = f" Each model also runs {', '.join(words[one] for one in others[:-1])}{last}." if others else ""
        return (
            f"Robot {robot}, controller {base['controller']}, ground {kind}, friction {friction:g}, time step "
            f"{1e3 * base['time_step']:g} ms, {self.duration:g} s of simulated time.{also}{self._about_gains}"
        )

    @property
    def _about_gains(self) -> str:
        """A sentence if `penalty` ran with default gains on a robot far from the one that they are for."""
        mass = self.scenario.robot().total_mass
        given = any(name.startswith("contact.penalty.") for name in self.scenario.values)
        used = any(run.variant.model == "penalty" for run in self.runs)
        if given or not used or PENALTY_MASS / NEAR < mass < PENALTY_MASS * NEAR:
            return ""
        return (
            f" The gains of penalty are its defaults, made for a robot of {PENALTY_MASS:.0f} kg; this one has "
            f"{mass:.3g} kg: what penalty alone does may be due to them."
        )

    def write(self, folder: Path | str) -> None:
        """Write ``report.html``, ``report.md``, ``summary.json``, plots, and ``runs.npz`` for a replay to a folder."""
        write(Path(folder), self.scenario.name, self.about, self.duration, self.runs, self.verdicts)
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
    check_amounts(duration, jobs)
    whole_number("seeds", seeds)
    if not limit > 0.0:
        raise ParameterError(f"limit: expected a number above 0 s, found {limit}")
    base = Scenario.load(scenario, **changes) if isinstance(scenario, str) else scenario.changed(changes)
    base = base.changed(_commanded(base["controller"], policy, layout, velocity))
    names = sorted(chosen_models(models), key=lambda name: name != base["contact_model"])  # its own model first
    Variant(names[0]).scenario(base).start()  # what cannot be made is refused before anything runs
    runs = run_all(variants(names, seeds, robustness), base, duration, jobs, limit)
    return Comparison(base, duration, runs, verdicts(runs, duration))


def _commanded(
    controller: Any, policy: str | Path | None, layout: str | None, velocity: Iterable[float] | None
) -> dict[str, Any]:
    """Return the parameters that make a policy the controller, and those of the commanded velocity."""
    changes: dict[str, Any] = {}
    if policy is not None:
        controller = "policy"
        changes = {"controller": controller, "policy.file": str(policy), "policy.layout": layout or ""}
    elif layout is not None:
        raise ParameterError(f"layout: expected a policy with it, found only {layout!r}")
    if velocity is not None:
        if controller == NONE or not isinstance(controller, str):
            raise ParameterError(f"velocity: expected a controller by name that follows it, found {controller}")
        changes[f"{controller}.velocity"] = [float(part) for part in velocity]
    return changes
