"""Parameters that all event-driven contact models have."""

from dataclasses import dataclass

from ..parameters import Parameters, number


@dataclass(frozen=True)
class EventDrivenParameters(Parameters):
    """Friction and restitution of event-driven models."""

    friction: float = number(0.8, 0.0, 100.0)
    dynamic_friction: float = number(100.0, 0.0, 100.0)  # more than friction counts as friction
    restitution: float = number(0.0, 0.0, 1.0)
    impact_threshold: float = number(1e-3, 0.0, 1e3, "m/s", open_low=True)

    @property
    def sliding_friction(self) -> float:
        """The coefficient of a point that slips, never above the static one."""
        return min(self.friction, self.dynamic_friction)
