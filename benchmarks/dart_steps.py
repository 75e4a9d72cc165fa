"""DART as a player: one C++ call per step, which is all it offers; its implicit joint springs are the drives."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import dartpy
import numpy as np
from scipy.spatial.transform import Rotation

from .step_case import FRICTION, StepCase

NAME = "DART"


class DartPlayer:
    """One robot in a world of its own."""

    piece = 10

    def __init__(self, case: StepCase) -> None:
        self.case = case
        self.name = NAME
        self.settings: Mapping[str, Any] = {"collision": "DART", "drive": "joint springs"}
        self.world = dartpy.simulation.World()
        self.world.setTimeStep(case.time_step)
        self.world.setGravity([0.0, 0.0, -9.81])
        self.world.getConstraintSolver().setCollisionDetector(dartpy.collision.DARTCollisionDetector())
        self.robot = dartpy.utils.DartLoader().parseSkeletonString(case.urdf, "")
        self.world.addSkeleton(ground())
        self.world.addSkeleton(self.robot)
        self.drives = [self.robot.getDof(name) for name in case.robot.joint_names]
        for body in self.robot.getBodyNodes():
            rub(body)
        for drive, angle in zip(self.drives, case.joint_home):
            drive.setSpringStiffness(case.drive.stiffness)
            drive.setDampingCoefficient(case.drive.damping)
            drive.setRestPosition(angle)
            drive.setPosition(angle)
        self.robot.setPosition(5, case.robot.home[2])  # a free joint: rotation vector, then place
        self._kept = (np.zeros(0), np.zeros(0))

    def ready(self, rows: np.ndarray) -> Callable[[], Any]:
        """See `Player.ready`."""
        return partial(self._follow, rows)

    def _follow(self, rows: np.ndarray) -> None:
        for row in rows.tolist():
            for drive, angle in zip(self.drives, row):
                drive.setRestPosition(angle)
            for _ in range(self.case.every):
                self.world.step()

    def coordinates(self) -> np.ndarray:
        """See `Player.coordinates`."""
        free = self.robot.getPositions()[:6]
        angles = [drive.getPosition() for drive in self.drives]
        return np.concatenate([free[3:], Rotation.from_rotvec(free[:3]).as_quat(), angles])

    def save(self) -> None:
        """See `Player.save`."""
        self._kept = (self.robot.getPositions().copy(), self.robot.getVelocities().copy())

    def restore(self) -> None:
        """See `Player.restore`."""
        self.robot.setPositions(self._kept[0])
        self.robot.setVelocities(self._kept[1])

    def single_step(self) -> Callable[[], Any]:
        """Return one step as a Python user takes it; the joints hold the stance."""
        step: Callable[[], Any] = self.world.step
        return step


def ground() -> Any:
    """Return a box that does not move, with its upper side at z = 0."""
    skeleton = dartpy.dynamics.Skeleton("ground")
    joint, body = skeleton.createWeldJointAndBodyNodePair()
    place = dartpy.math.Isometry3()
    place.set_translation([0.0, 0.0, -0.5])
    joint.setTransformFromParentBodyNode(place)
    shape = body.createShapeNode(dartpy.dynamics.BoxShape([20.0, 20.0, 1.0]))
    shape.createCollisionAspect()
    shape.createDynamicsAspect()
    rub(body)
    return skeleton


def rub(body: Any) -> None:
    """Give all shapes of a body the friction of the case."""
    for shape in body.getShapeNodes():
        shape.getDynamicsAspect().setFrictionCoeff(FRICTION)
