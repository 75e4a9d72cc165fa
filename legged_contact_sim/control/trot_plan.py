"""The joint positions of a trot led by the zero moment point, planned ahead for drives that follow them."""

import numpy as np

from ..model import RobotModel
from .controller import BaseState, Observation
from .joint_pid import JointPidParameters, PidLaw
from .parameters import make_parameters
from .zmp_trot import ZmpTrot, ZmpTrotParameters


class _Writer(PidLaw):
    """Stands in for the law of the joints and writes down the positions that it is asked for."""

    def __init__(self, robot: RobotModel) -> None:
        super().__init__(robot, JointPidParameters())
        self.positions: list[np.ndarray] = []

    def effort(self, seen: Observation, position: np.ndarray, velocity: np.ndarray, feed: float = 0.0) -> np.ndarray:
        """Note the position; no effort."""
        self.positions.append(position.copy())
        return np.zeros(len(position))


def trot_plan(robot: RobotModel, speed: float, duration: float, period: float) -> np.ndarray:
    """Return the joint positions of a trot from the home pose, (T, joint_count), rad.

    Args:
        robot: with four legs.
        speed: forward, m/s.
        duration: s.
        period: of the rows, s.
    """
    given = {"feedback": False, "velocity": [speed, 0.0, 0.0]}
    controller = ZmpTrot(robot, make_parameters(ZmpTrotParameters, "zmp_trot", given))
    controller.law = writer = _Writer(robot)
    joints, rest = robot.home[robot.position_indices], np.zeros(robot.joint_count)
    base = BaseState(robot.home[:3], robot.home[3:7], np.zeros(3), np.zeros(3))
    for k in range(round(duration / period)):
        seen = Observation(k * period, joints, rest, base)
        if k == 0:
            controller.reset(seen)
        controller.effort(seen)
    return np.array(writer.positions)
