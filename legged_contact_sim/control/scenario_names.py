"""Names of a scenario's parameters that a run in one process reads: a mistyped one would change nothing, in silence."""

from collections.abc import Iterable, Iterator
from dataclasses import fields

from ..contact import MODELS
from ..errors import ParameterError
from ..model.actuators import ACTUATOR_FIELDS
from ..model.suggestion import suggestion
from ..simulation.scenario_robot import ACTUATOR, BACKLASH, POINTS, ROBOT_NAMES
from .registry import CONTROLLERS, controller_class

NONE = "none"  # the controller of a scenario that has none
WHOLE = (
    *ROBOT_NAMES, "contact_model", "time_step", "rate", "controller", "friction", "restitution", "terrain",
    *(f"initial.{name}" for name in ("lift", "place", "position", "orientation", "joints", "q", "v")),
    *(f"hold.{name}" for name in ("stiffness", "damping", "integral", "proposed")),
    *(f"push.{name}" for name in ("links", "force", "torque", "times", "factors")),
    *(f"{ACTUATOR}{name}" for name in ACTUATOR_FIELDS),
)  # fmt: skip
OPEN = ("terrain.", POINTS, BACKLASH)  # whoever reads these families knows their names


def check_names(names: Iterable[str], controller: object, more: Iterable[str] = ()) -> None:
    """Refuse names of parameters that nothing reads.

    Args:
        names: by full name, ``initial.lift``.
        controller: of the scenario; one of a user's own may have any parameters.
        more: names besides those of scenarios.

    Raises:
        ParameterError: names the parameter, and those that may be meant.
    """
    known = [*WHOLE, *_of_contact_models(), *_of_controllers(), *more]
    own = isinstance(controller, str) and controller not in (NONE, *CONTROLLERS)
    anything = (*OPEN, f"{controller_class(str(controller)).name}.") if own else OPEN
    for name in names:
        if name not in known and not name.startswith(anything):
            raise ParameterError(f"{name}: there is no such parameter; {suggestion(name, known)}")


def _of_contact_models() -> Iterator[str]:
    for model in MODELS.usable().values():
        yield from (f"contact.{model.name}.{name}" for name in model.parameter_names())


def _of_controllers() -> Iterator[str]:
    for name, kind in CONTROLLERS.items():
        yield from (f"{name}.{item.name}" for item in fields(kind.Parameters))
