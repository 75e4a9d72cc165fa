"""What a URDF says of the drives and springs of its joints, in the tags that URDF parsers leave aside."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from ..errors import ModelError
from .schema import listed, numbers


@dataclass(frozen=True)
class Transmission:
    """A gear between a motor and a joint.

    Attributes:
        reduction: turns of the motor for one turn of the joint; its sign is the motor's sense.
        rotor_inertia: of the rotor about its own axis, before the gear, kg m^2.
    """

    reduction: float = 1.0
    rotor_inertia: float = 0.0

    @property
    def joint_inertia(self) -> float:
        """The rotor's inertia as the joint feels it, kg m^2 or kg."""
        return self.reduction * (self.reduction * self.rotor_inertia)


@dataclass(frozen=True)
class Spring:
    """A spring in a joint: effort = -stiffness (position - rest_position); N m/rad and rad, or N/m and m."""

    stiffness: float = 0.0
    rest_position: float = 0.0


def read_transmissions(robot: ElementTree.Element, joints: set[str], notes: list[str]) -> dict[str, Transmission]:
    """Return the transmission of each joint that has one; to the notes are added those of joints that are not there.

    A transmission that couples several joints is passed over if it has no rotor inertia: efforts act at the joints, so
    its gears have no part in the motion.

    Read are `<mechanicalReduction>` (in the actuator or, as on the PR2, beside it), `<rotorInertia>`, and Drake's
    `<drake:gear_ratio value=>` and `<drake:rotor_inertia value=>`.
    """
    found: dict[str, Transmission] = {}
    strange = []
    for element in robot.findall("transmission"):
        transmission = _transmission(element)
        driven = [joint.get("name", "") for joint in element.findall("joint")]
        if transmission == Transmission() or not driven:
            continue
        where = f"transmission {element.get('name', '')!r}"
        if len(driven) > 1 or len(element.findall("actuator")) > 1:
            if transmission.rotor_inertia == 0.0:
                continue
            raise ModelError(
                f"{where} couples several joints or actuators ({', '.join(driven)}) and has a rotor inertia; "
                "expected one of each"
            )
        if driven[0] not in joints:
            strange.append(driven[0])
            continue
        if driven[0] in found:
            raise ModelError(f"{where} is a second transmission of joint {driven[0]!r}; expected one")
        found[driven[0]] = transmission
    if strange:
        notes.append(f"transmissions of joints that the robot does not have are left out: {listed(strange)}")
    return found


def _transmission(element: ElementTree.Element) -> Transmission:
    where = f"transmission {element.get('name', '')!r}"
    reduction = _last_value(element, ("mechanicalReduction", "gear_ratio"), where, 1.0)
    rotor_inertia = _last_value(element, ("rotorInertia", "rotor_inertia"), where, 0.0)
    if reduction == 0.0:
        raise ModelError(f"{where} has a reduction of 0; expected any other number")
    if rotor_inertia < 0.0:
        raise ModelError(f"{where} has a rotor inertia of {rotor_inertia:g} kg m^2; expected 0 or more")
    transmission = Transmission(reduction, rotor_inertia)
    if not math.isfinite(transmission.joint_inertia):
        raise ModelError(
            f"{where} has a reduction of {reduction:g} and a rotor inertia of {rotor_inertia:g} kg m^2; "
            "expected a finite inertia at the joint"
        )
    return transmission


def _last_value(element: ElementTree.Element, names: tuple[str, ...], where: str, default: float) -> float:
    """Return the number in the element's descendant with the last of the names found, `default` without any."""
    value = default
    for name in names:
        for found in _descendants(element, name):
            text = found.get("value", found.text or "").strip().strip("\"'")  # CyberDog's has its quotes twice
            value = numbers(text, 1, f"{where}, <{name}>")[0]
    return value


def _descendants(element: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    """Yield the descendants of this name, in whatever namespace (Drake declares its own)."""
    return (found for found in element.iter() if str(found.tag).rpartition("}")[2] == name)


def read_springs(robot: ElementTree.Element, joints: set[str]) -> dict[str, Spring]:
    """Return the spring of each joint that has one, in Gazebo's `<springStiffness>` and `<springReference>`."""
    found: dict[str, Spring] = {}
    for element in robot.findall("gazebo"):
        if element.find("springStiffness") is None:
            continue
        joint = element.get("reference", "")
        where = f"gazebo reference {joint!r}"
        stiffness = _last_value(element, ("springStiffness",), where, 0.0)
        if stiffness < 0.0:
            raise ModelError(f"{where} has a spring stiffness of {stiffness:g}; expected 0 or more")
        if joint not in joints:
            raise ModelError(f"{where} refers to joint {joint!r}, which the robot does not have")
        found[joint] = Spring(stiffness, _last_value(element, ("springReference",), where, 0.0))
    return found
