"""Event-driven contact (Flickinger): smooth motion between events, impacts with energy control at them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import yaml

from ...errors import ParameterError
from ..events.event_driven_model import EventDrivenModel, event_entry
from ..events.flow.constrained_motion import constrained_forces
from ..events.impact.impact_law import (
    ATTENUATION,
    CONSTRAINT,
    IMPACT_SETTINGS,
    LOWER_RESTITUTION,
    NO_CONTROL,
    Impact,
    build_impact,
    strike_by_restitution,
)
from ..events.parameters import EventDrivenParameters
from ..parameters import Parameters, choice, number, special, whole
from ..solvers.stick_slip import Problem

ENERGY_CONTROLS = {
    "restitution": LOWER_RESTITUTION,
    "attenuation": ATTENUATION,
    "constraint": CONSTRAINT,
    "none": NO_CONTROL,
}


def check_shapes(name: str, value: Any) -> dict[str, tuple[float, float, float]]:
    """Return contact shapes, {contact point: semi-axes}, from a mapping or its YAML text ("": none).

    Raises:
        ParameterError: says what was found and what is expected.
    """
    given = yaml.safe_load(value) if isinstance(value, str) else value
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ParameterError(f"{name}: expected {{contact point: three semi-axes in m}}, found {value!r}")
    shapes = {}
    for point, axes in given.items():
        numbers = np.asarray(axes, dtype=object)
        if numbers.shape != (3,) or not all(isinstance(x, (int, float)) and 0.0 <= x < np.inf for x in numbers):
            raise ParameterError(f"{name}: {point}: expected three semi-axes >= 0 in m, found {axes!r}")
        shapes[str(point)] = (float(numbers[0]), float(numbers[1]), float(numbers[2]))
    return shapes


@dataclass(frozen=True)
class HybridParameters(EventDrivenParameters):
    """Parameters of `hybrid`."""

    tangential_restitution: float = number(0.0, -1.0, 1.0)
    energetic_restitution: float = number(1.0, 0.0, 1e6)
    energy_control: str = choice("restitution", tuple(ENERGY_CONTROLS))
    stribeck_speed: float = number(1e-5, 0.0, 10.0, "m/s", open_low=True)
    stribeck_exponent: float = number(1.0, 0.0, 10.0, open_low=True)
    stick_speed: float = number(1e-6, 0.0, 1.0, "m/s", open_low=True)
    absolute_tolerance: float = number(1e-9, 1e-14, 1.0, open_low=True)
    relative_tolerance: float = number(1e-8, 1e-13, 1.0)
    max_events: int = whole(200, 4, 10**6)
    contact_shapes: Mapping[str, tuple[float, float, float]] | str = special("", check_shapes)


class Hybrid(EventDrivenModel):
    """Rigid contact by events: adaptive integration, impact law with restitution matrices, energy control."""

    name: ClassVar[str] = "hybrid"
    summary: ClassVar[str] = "event-driven impacts at their instants, energetic restitution, feasible slip (Flickinger)"
    Parameters: ClassVar[type[Parameters]] = HybridParameters
    passive: ClassVar[bool] = True
    parameters: HybridParameters
    entry = staticmethod(event_entry("hybrid", strike_by_restitution, constrained_forces))

    def __init__(self, robot: Any, terrain: Any, parameters: Any) -> None:
        """See `ContactModel`."""
        super().__init__(robot, terrain, parameters)
        for point, axes in parameters.contact_shapes.items():
            if point not in robot.contact_names:
                known = ", ".join(robot.contact_names)
                raise ParameterError(f"contact_shapes: no contact point named {point!r}; there are {known}")
            self.motion.points["semi_axes"][robot.contact_names.index(point)] = axes

    def _settings(self) -> np.ndarray:
        settings, given = np.zeros(1, dtype=IMPACT_SETTINGS), self.parameters
        for name in ("stribeck_speed", "stribeck_exponent", "tangential_restitution", "energetic_restitution"):
            settings[name] = getattr(given, name)
        settings["energy_control"] = ENERGY_CONTROLS[given.energy_control]
        return settings

    def _impact(self, problem: Problem) -> Impact:
        return build_impact(len(self.system.rows))
