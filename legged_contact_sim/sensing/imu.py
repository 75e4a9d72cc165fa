"""An inertial measurement unit on any link: specific force, rates and orientation."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..contact.parameters import Parameters, number, whole
from ..dynamics.workspace import workspace
from ..errors import ParameterError
from ..model import RobotModel
from ..simulation import Simulator
from .imperfections import BIG, Delay, Noise, NoiseSettings
from .motion import MOUNT, move_mount_entry


class ImuReading(NamedTuple):
    """What an IMU measures.

    Attributes:
        time: at which it was taken, s.
        orientation: of its link in the world, x y z w, (4,).
        angular_velocity: in the link's axes, rad/s, (3,).
        specific_force: mean since the reading before, in the link's axes halfway between both, m/s^2, (3,). At rest
            it points up with 9.81 m/s^2, in free fall it is zero.
    """

    time: float
    orientation: np.ndarray
    angular_velocity: np.ndarray
    specific_force: np.ndarray


@dataclass(frozen=True)
class ImuSettings(Parameters):
    """An IMU and its errors; none by default.

    Attributes:
        link: whose frame it measures in; empty: the base.
        name: of the sensor; empty: "imu".
        gyroscope: errors of the rates, rad/s.
        accelerometer: errors of the specific force, m/s^2.
        latency: s, after which a reading is given; it keeps its time.
        seed: of the errors.
    """

    link: str = field(default="", metadata={"check": lambda name, value: str(value)})
    name: str = field(default="imu", metadata={"check": lambda name, value: str(value) or "imu"})
    gyroscope: NoiseSettings = field(default=NoiseSettings(), metadata={"check": lambda name, value: value})
    accelerometer: NoiseSettings = field(default=NoiseSettings(), metadata={"check": lambda name, value: value})
    latency: float = number(0.0, 0.0, BIG, "s")
    seed: int = whole(0, 0, 2**31 - 1)


class Imu:
    """Reads a simulator whenever it is asked, as often as one likes.

    The specific force is the mean since the last reading, made from the change of velocity: through an impact, too,
    ``sum R_half f T = v_end - v_begin - g t`` to rounding, with R_half halfway between the orientations of a reading
    and the one before. Rates and orientation are those of the instant. The orientation has no errors.

    Example:
        >>> imu = Imu(sim.robot, ImuSettings(link="imu_link"))
        >>> imu.reset(sim)
        >>> sim.step(effort)
        >>> imu.read(sim).specific_force
    """

    def __init__(self, robot: RobotModel, settings: ImuSettings | None = None) -> None:
        """Mount it; None: at the base, without errors.

        Raises:
            ParameterError: the robot has no such link.
        """
        settings = settings or ImuSettings()
        self.settings = settings
        self.link = settings.link or robot.link_names[0]
        if self.link not in robot.frames:
            raise ParameterError(f"imu {settings.name!r}: {robot.name} has no link {self.link!r}")
        frame = robot.frames[self.link]
        self._mount = np.zeros(1, MOUNT)
        self._mount["link"], self._mount["position"] = frame.link, frame.position
        self._mount["rotation"] = frame.rotation.ravel()
        self._links, self._gravity = robot.links, robot.gravity
        self._bodies = workspace(robot)
        self._q, self._v, self._rates = np.zeros(robot.nq), np.zeros(robot.nv), np.zeros(robot.nv)
        self._gyroscope = Noise(settings.gyroscope, 3, (settings.seed, 0))
        self._accelerometer = Noise(settings.accelerometer, 3, (settings.seed, 1))
        self._delay: Delay[ImuReading] = Delay(settings.latency)
        self._last = 0.0

    def reset(self, simulator: Simulator) -> ImuReading:
        """Begin anew with the state that a simulator has now: as if it had moved with this velocity all along."""
        for part in (self._gyroscope, self._accelerometer, self._delay):
            part.reset()
        self._last = simulator.time
        return self._take(simulator, 0.0)

    def read(self, simulator: Simulator) -> ImuReading:
        """Return the present reading."""
        elapsed, self._last = simulator.time - self._last, simulator.time
        return self._take(simulator, elapsed)

    def _take(self, simulator: Simulator, elapsed: float) -> ImuReading:
        self._q[:], self._v[:] = simulator.q, simulator.v
        work = (self._links, self._bodies, self._q, self._v, self._rates)
        move_mount_entry(*work, self._mount, self._gravity, elapsed)
        mount = self._mount[0]
        reading = ImuReading(
            simulator.time,
            mount["orientation"].copy(),
            self._gyroscope.spoil(mount["angular_velocity"], elapsed),
            self._accelerometer.spoil(mount["specific_force"], elapsed),
        )
        return self._delay.pass_on(reading)
