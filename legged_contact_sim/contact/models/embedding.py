"""Constraint embedding (Singh): impacts along one normal impulse, then motion in reduced equations, event by event."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..events.event_driven_model import EventDrivenModel, event_entry
from ..events.flow.embedded_motion import embedded_forces
from ..events.impact.impulse_law import strike_in_impulse_domain
from ..events.parameters import EventDrivenParameters
from ..events.settings import EVENT_SETTINGS
from ..parameters import Parameters, number, whole
from ..solvers.stick_slip import Problem


@dataclass(frozen=True)
class EmbeddingParameters(EventDrivenParameters):
    """Parameters of `embedding`."""

    stick_speed: float = number(1e-7, 0.0, 1.0, "m/s", open_low=True)
    absolute_tolerance: float = number(1e-9, 0.0, 1.0, open_low=True)
    relative_tolerance: float = number(1e-9, 0.0, 1.0)
    max_events: int = whole(100, 4, 10**6)


class Embedding(EventDrivenModel):
    """Hard contact, event by event: impulse-domain impacts, constraint embedding between them."""

    name: ClassVar[str] = "embedding"
    summary: ClassVar[str] = "hard contact, event by event: energetic impacts, constraint embedding (Singh)"
    Parameters: ClassVar[type[Parameters]] = EmbeddingParameters
    passive: ClassVar[bool] = True
    parameters: EmbeddingParameters
    entry = staticmethod(event_entry("embedding", strike_in_impulse_domain, embedded_forces))
    embedded = True

    def _settings(self) -> np.ndarray:
        settings = np.zeros(1, dtype=EVENT_SETTINGS)
        settings["loads_first"] = 1
        return settings

    def _impact(self, problem: Problem) -> Problem:
        return problem
