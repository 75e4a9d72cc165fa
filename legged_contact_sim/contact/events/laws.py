"""What an event-driven model chooses: an impact law, and the way in which it moves between events."""

from typing import Any, NamedTuple


class Laws(NamedTuple):
    """Two compiled functions, which the loop of events takes as an argument.

    strike: ``strike(system, motion, impact, settings, bounce)`` changes the velocities in ``motion.y`` by an impact of
        all that touches, books its impulses and works, and returns a `Strike`. ``impact`` is the law's own work.
    find_forces: ``find_forces(system, motion, y)`` finds the contact forces of the state ``y`` in the present modes,
        and the accelerations that they add (row CHANGE of ``dofs``, ``jump`` of the bodies).
    """

    strike: Any
    find_forces: Any


class Strike(NamedTuple):
    """What an impact law reports about an impact; its impulses stay in the system."""

    approach: float  # speed of the fastest point before, m/s
    note: int  # sum of notes, see `notes`
    before: float  # energy, J
    after: float
    attenuation: float  # by what all velocities were multiplied at the end
