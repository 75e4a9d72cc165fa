"""PyBullet as a player: one C++ call per step, which is all it offers; with its PD drives and its position motors."""

import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pybullet

from .step_case import FRICTION, StepCase

# PD drives have the case's gains but are explicit, so that long steps may be beyond them; position motors are what
# most users take: constraints that close a share of the error, here this one, in a step.
PD, MOTORS = "PyBullet, PD drives", "PyBullet, position motors"
MOTOR_GAIN = 0.2
STRONG = 1e9


class PyBulletPlayer:
    """One robot in a world of its own."""

    piece = 10

    def __init__(self, case: StepCase, name: str) -> None:
        self.case = case
        self.name = name
        self.settings: Mapping[str, Any] = {"drive": "PD_CONTROL" if name == PD else "POSITION_CONTROL"}
        self.world = pybullet.connect(pybullet.DIRECT)
        self._set_up_world()
        self.robot = self._load()
        count = pybullet.getNumJoints(self.robot, self.world)
        joints = {pybullet.getJointInfo(self.robot, k, self.world)[1].decode(): k for k in range(count)}
        self.joints = [joints[name] for name in case.robot.joint_names]
        self._release_motors()
        self._place()
        self._kept: Any = None

    def _set_up_world(self) -> None:
        pybullet.setGravity(0.0, 0.0, -9.81, physicsClientId=self.world)
        pybullet.setTimeStep(self.case.time_step, physicsClientId=self.world)
        plane = pybullet.createCollisionShape(pybullet.GEOM_PLANE, physicsClientId=self.world)
        ground = pybullet.createMultiBody(0.0, plane, physicsClientId=self.world)
        pybullet.changeDynamics(ground, -1, lateralFriction=1.0, restitution=0.0, physicsClientId=self.world)

    def _load(self) -> Any:
        flags = pybullet.URDF_USE_INERTIA_FROM_FILE
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.urdf"
            path.write_text(self.case.urdf)
            return pybullet.loadURDF(str(path), flags=flags, physicsClientId=self.world)

    def _release_motors(self) -> None:
        """Free the joints from the brakes they come with, and the links from the damping of the air."""
        for k in range(-1, pybullet.getNumJoints(self.robot, self.world)):
            pybullet.changeDynamics(
                self.robot, k, lateralFriction=FRICTION, linearDamping=0.0, angularDamping=0.0, jointDamping=0.0,
                physicsClientId=self.world,
            )  # fmt: skip
        pybullet.setJointMotorControlArray(
            self.robot, self.joints, pybullet.VELOCITY_CONTROL, forces=[0.0] * len(self.joints),
            physicsClientId=self.world,
        )  # fmt: skip

    def _place(self) -> None:
        home = self.case.robot.home
        pybullet.resetBasePositionAndOrientation(self.robot, home[:3], home[3:7], physicsClientId=self.world)
        for joint, angle in zip(self.joints, self.case.joint_home):
            pybullet.resetJointState(self.robot, joint, angle, physicsClientId=self.world)

    def _drive(self, row: np.ndarray) -> None:
        count, drive, pd = len(self.joints), self.case.drive, self.name == PD
        pybullet.setJointMotorControlArray(
            self.robot, self.joints, pybullet.PD_CONTROL if pd else pybullet.POSITION_CONTROL, targetPositions=row,
            targetVelocities=[0.0] * count, positionGains=[drive.stiffness if pd else MOTOR_GAIN] * count,
            velocityGains=[drive.damping if pd else 1.0] * count, forces=[STRONG] * count, physicsClientId=self.world,
        )  # fmt: skip

    def ready(self, rows: np.ndarray) -> Callable[[], Any]:
        """See `Player.ready`."""
        return partial(self._follow, rows)

    def _follow(self, rows: np.ndarray) -> None:
        for row in rows:
            self._drive(row)
            for _ in range(self.case.every):
                pybullet.stepSimulation(self.world)

    def coordinates(self) -> np.ndarray:
        """See `Player.coordinates`."""
        position, turn = pybullet.getBasePositionAndOrientation(self.robot, physicsClientId=self.world)
        states = pybullet.getJointStates(self.robot, self.joints, physicsClientId=self.world)
        return np.concatenate([position, turn, [state[0] for state in states]])

    def save(self) -> None:
        """See `Player.save`."""
        self._kept = pybullet.saveState(physicsClientId=self.world)

    def restore(self) -> None:
        """See `Player.restore`."""
        pybullet.restoreState(self._kept, physicsClientId=self.world)

    def single_step(self) -> Callable[[], Any]:
        """Return one step as a Python user takes it; the joints hold the stance."""
        self._drive(self.case.joint_home)
        return partial(pybullet.stepSimulation, self.world)
