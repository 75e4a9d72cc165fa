"""Which runs a comparison makes: every model, each also at half and double the time step, and on other friction."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..contact import MODELS, contact_models
from ..control.scenario import Scenario
from ..errors import ParameterError

STEP_FACTORS = (1.0, 0.5, 2.0)
FRICTION_FACTORS = (0.75, 1.5)
SEED_SPEED = 0.05  # m/s or rad/s; standard deviation of the start's velocities under a seed other than 0


@dataclass(frozen=True)
class Variant:
    """One run of a comparison: a model, factors on time step and friction, and a seed of the start (0: as it is)."""

    model: str
    step: float = 1.0
    friction: float = 1.0
    seed: int = 0

    @property
    def nominal(self) -> bool:
        """Whether only the model is chosen."""
        return self.step == 1.0 and self.friction == 1.0 and self.seed == 0

    @property
    def label(self) -> str:
        """A name for people."""
        parts = [self.model]
        if self.step != 1.0:
            parts.append(f"step x {self.step:g}")
        if self.friction != 1.0:
            parts.append(f"friction x {self.friction:g}")
        if self.seed:
            parts.append(f"seed {self.seed}")
        return ", ".join(parts)

    def scenario(self, base: Scenario) -> Scenario:
        """Return the scenario as this variant changes it."""
        changes: dict[str, Any] = {"contact_model": self.model, "time_step": base["time_step"] * self.step}
        if self.friction != 1.0:
            changes["friction"] = self.friction * nominal_friction(base, self.model)
        if self.seed:
            robot = base.robot()
            disturbance = np.random.default_rng(self.seed).normal(scale=SEED_SPEED, size=robot.nv)
            changes["initial.v"] = (np.asarray(base["initial.v"] or np.zeros(robot.nv)) + disturbance).tolist()
        return base.changed(changes)


def nominal_friction(base: Scenario, model: str) -> float:
    """Return the friction of the scenario; where it sets none, the model's own."""
    value = base["friction"]
    return float(value if value is not None else MODELS.named(model).Parameters().friction)  # type: ignore[attr-defined]


def chosen_models(wanted: str | Iterable[str]) -> list[str]:
    """Return names of models from "all", names with commas, or a list.

    Raises:
        ParameterError: there is no such model.
    """
    if wanted == "all":
        return list(contact_models())
    names = wanted.split(",") if isinstance(wanted, str) else list(wanted)
    if not any(names):
        raise ParameterError("models: expected at least one")
    for name in names:
        MODELS.named(name)
    return list(dict.fromkeys(names))


def variants(models: list[str], seeds: int = 1, robustness: bool = True) -> list[Variant]:
    """Return the runs of a comparison; ``robustness``: other time steps and friction as well."""
    runs = [Variant(model) for model in models]
    if robustness:
        runs += [Variant(model, step=factor) for model in models for factor in STEP_FACTORS if factor != 1.0]
        runs += [Variant(model, friction=factor) for model in models for factor in FRICTION_FACTORS]
    return runs + [Variant(model, seed=seed) for model in models for seed in range(1, seeds)]
