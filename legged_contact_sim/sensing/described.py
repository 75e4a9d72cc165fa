"""Sensors that a robot's description speaks of: `<gazebo>` sensor tags, and links that are called after an IMU."""

from collections.abc import Iterator
from math import sqrt
from xml.etree import ElementTree

from ..errors import ModelError
from ..model import RobotModel
from .imperfections import NoiseSettings
from .imu import ImuSettings

USUAL_LINKS = ("imu_link", "imu")
USUAL_JOINTS = ("imu_joint",)
DEFAULT_RATE = 1000.0  # Hz, of an IMU whose tag has none


def described_imus(robot: RobotModel) -> list[ImuSettings]:
    """Return the IMUs of a robot: those of its `<gazebo>` tags, else one at a link or joint that is called after it.

    Of a tag are read its name, the link that it refers to, and the noise of rates and accelerations: ``stddev`` is of
    one reading at ``update_rate``, so the density is ``stddev / sqrt(update_rate)``; ``bias_mean`` and ``bias_stddev``
    count as the deviation of a constant bias.

    Raises:
        ModelError: a sensor refers to a link that is not there, or a number cannot be read.
    """
    root = ElementTree.fromstring(robot.urdf)
    if root.tag != "robot":
        return []
    found = list(_tagged(robot, root))
    if found:
        return found
    children = {
        joint.get("name"): child.get("link", "") for joint in root.iter("joint") for child in joint.iter("child")
    }
    candidates = [*USUAL_LINKS, *(children[name] for name in USUAL_JOINTS if name in children)]
    link = next((name for name in candidates if name in robot.frames), None)
    return [] if link is None else [ImuSettings(link=link)]


def _tagged(robot: RobotModel, root: ElementTree.Element) -> Iterator[ImuSettings]:
    for gazebo in root.findall("gazebo"):
        for sensor in gazebo.findall("sensor"):
            if sensor.get("type") in ("imu", "imu_sensor"):
                yield _imu(robot, gazebo.get("reference", ""), sensor)


def _imu(robot: RobotModel, link: str, sensor: ElementTree.Element) -> ImuSettings:
    name = sensor.get("name") or "imu"
    if link not in robot.frames:
        raise ModelError(f"gazebo sensor {name!r} refers to link {link!r}, which is not there")
    rate = _number(sensor, "update_rate", name) or DEFAULT_RATE
    gyroscope = _noise(sensor, "angular_velocity", rate, name)
    return ImuSettings(link, name, gyroscope, _noise(sensor, "linear_acceleration", rate, name))


def _noise(sensor: ElementTree.Element, quantity: str, rate: float, name: str) -> NoiseSettings:
    """Return the noise of a quantity, that of its x axis: real ones do not differ between axes."""
    noise = sensor.find(f"imu/{quantity}/x/noise")
    if noise is None:
        return NoiseSettings()
    deviation, bias = _number(noise, "stddev", name), _number(noise, "bias_mean", name)
    spread = _number(noise, "bias_stddev", name)
    return NoiseSettings(deviation / sqrt(rate), sqrt(bias * bias + spread * spread))


def _number(element: ElementTree.Element, tag: str, name: str) -> float:
    text = element.findtext(tag)
    try:
        value = float(text) if text and text.strip() else 0.0
    except ValueError:
        value = float("nan")
    if not 0.0 <= abs(value) < 1e9:
        raise ModelError(f"gazebo sensor {name!r}: {tag} is {text!r}; expected a number")
    return value
