"""Parameters of the robot's sensors, and the sensors made from them."""

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

from rclpy.parameter import Parameter

from ..errors import ParameterError
from ..model import RobotModel
from ..sensing import (
    BaseVelocity,
    Encoders,
    EncoderSettings,
    FootContacts,
    FootSettings,
    HeightScan,
    Imu,
    ImuSettings,
    NoiseSettings,
    ScanSettings,
    VelocitySettings,
    described_imus,
)
from .declared import Declared

Settings = TypeVar("Settings")

RATES = {
    "imu_rate": Declared(500.0, "Hz; each the mean specific force since the last; 0: none", 0.0, 1e5),
    "contact_state_rate": Declared(100.0, "Hz; 0: none", 0.0, 1e5),
    "energy_rate": Declared(100.0, "Hz; the energy audit; 0: none", 0.0, 1e5),
    "height_scan_rate": Declared(0.0, "Hz; 0: none", 0.0, 1e5),
    "base_velocity_rate": Declared(0.0, "Hz; of a floating base, with errors, unlike odom; 0: none", 0.0, 1e5),
}
LINKS = Parameter.Type.STRING_ARRAY
IMU = {
    "imu.links": Declared(LINKS, "links that carry an IMU; unset: those of the URDF, else the base", fixed=True),
    "imu.latency": Declared(Parameter.Type.DOUBLE, "s; a reading is told so late and keeps its stamp", fixed=True),
    "imu.seed": Declared(0, "of the errors", 0, 2**31 - 1, fixed=True),
}
BASE = {
    "base_velocity.latency": Declared(0.0, "s; a reading is told so late and keeps its stamp", 0.0, 1e9, fixed=True),
    "base_velocity.seed": Declared(0, "of the errors", 0, 2**31 - 1, fixed=True),
}
PARTS = {
    "imu.gyroscope": "rad/s",
    "imu.accelerometer": "m/s^2",
    "base_velocity.linear": "m/s",
    "base_velocity.angular": "rad/s",
}
WORDS = {
    "density": "{}/sqrt(Hz); of white noise",
    "bias": "{}; standard deviation of a constant error",
    "bias_walk": "{}/sqrt(s); random walk of the bias",
    "range": "{}; largest reading, 0: none",
}


def sensor_declarations() -> dict[str, Declared]:
    """Return the parameters of all sensors by name."""
    noise = {
        f"{part}.{item.name}": Declared(Parameter.Type.DOUBLE, WORDS[item.name].format(unit), fixed=True)
        for part, unit in PARTS.items()
        for item in dataclasses.fields(NoiseSettings)
    }
    others = {"encoder": EncoderSettings, "contact_switch": FootSettings, "height_scan": ScanSettings}
    plain = {
        f"{family}.{item.name}": _declared(item) for family, kind in others.items() for item in dataclasses.fields(kind)
    }
    return RATES | IMU | BASE | noise | plain


def _declared(item: Any) -> Declared:
    rule = item.metadata
    words = f"one of {', '.join(rule['allowed'])}" if "allowed" in rule else rule["unit"]
    return Declared(item.default, words, rule.get("low"), rule.get("high"), fixed=True)


def make_imus(robot: RobotModel, values: Mapping[str, Any]) -> dict[str, Imu]:
    """Return the IMUs by topic: `imu` if there is one, else `<name>/imu`; parameters go before the description.

    Raises:
        LeggedContactSimError: the description or a parameter cannot be used.
    """
    links = values.get("imu.links")
    told = described_imus(robot)
    if links:
        found = [ImuSettings(link=link, name=link) for link in links]
    elif told or robot.base == "fixed":
        found = told
    else:
        found = [ImuSettings(link=robot.link_names[0])]
    names = [settings.name for settings in found]
    if len(set(names)) != len(names):
        raise ParameterError(f"imu: expected every sensor once, found {names}")
    chosen = [_changed(settings, k, values) for k, settings in enumerate(found)]
    return {"imu" if len(chosen) == 1 else f"{each.name}/imu": Imu(robot, each) for each in chosen}


def _changed(settings: ImuSettings, number: int, values: Mapping[str, Any]) -> ImuSettings:
    """Return an IMU's settings as the parameters change them; no two share their errors."""
    parts = {
        part: dataclasses.replace(getattr(settings, part), **_given(f"imu.{part}", NoiseSettings, values))
        for part in ("gyroscope", "accelerometer")
    }
    latency = values.get("imu.latency", settings.latency)
    return dataclasses.replace(settings, **parts, latency=latency, seed=values["imu.seed"] + number)


def _given(family: str, kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    names = [item.name for item in dataclasses.fields(kind)]
    return {name: values[f"{family}.{name}"] for name in names if f"{family}.{name}" in values}


def make_encoders(robot: RobotModel, values: Mapping[str, Any]) -> Encoders:
    """Return the encoders of all joints."""
    return Encoders(robot, EncoderSettings(**_given("encoder", EncoderSettings, values)))


def make_contact_switches(robot: RobotModel, values: Mapping[str, Any]) -> FootContacts:
    """Return contact switches for all contact points."""
    return FootContacts(robot, robot.contact_names, FootSettings(**_given("contact_switch", FootSettings, values)))


def make_height_scan(robot: RobotModel, values: Mapping[str, Any]) -> HeightScan:
    """Return the height scan around the base."""
    return HeightScan(robot, ScanSettings(**_given("height_scan", ScanSettings, values)))


def make_base_velocity(robot: RobotModel, values: Mapping[str, Any]) -> BaseVelocity | None:
    """Return the sensor of the base's velocity; None: the base does not float."""
    if robot.base != "floating":
        return None
    parts = {
        part: NoiseSettings(**_given(f"base_velocity.{part}", NoiseSettings, values)) for part in ("linear", "angular")
    }
    settings = VelocitySettings(**parts, latency=values["base_velocity.latency"], seed=values["base_velocity.seed"])
    return BaseVelocity(robot, settings)
