"""DART: implicit joint springs are its drives, its restitution that of both bodies."""

from typing import Any

import dartpy
import numpy as np
from scipy.spatial.transform import Rotation

from ..dart_steps import ground
from .scene import Path, Scene, turned, turned_back


def play(scene: Scene) -> Path:
    """Return what the robot does."""
    world = dartpy.simulation.World()
    world.setTimeStep(scene.time_step)
    world.setGravity([0.0, 0.0, -scene.gravity])
    world.getConstraintSolver().setCollisionDetector(dartpy.collision.DARTCollisionDetector())
    robot = dartpy.utils.DartLoader().parseSkeletonString(scene.urdf, "")
    joints = [robot.getDof(name) for name in scene.robot.joint_names]
    for joint, angle, rate in zip(joints, scene.q[7:], scene.v[6:]):
        joint.setPosition(angle)
        joint.setVelocity(rate)
        if scene.drives is not None:
            joint.setSpringStiffness(scene.drives[0])
            joint.setDampingCoefficient(scene.drives[1])
            joint.setRestPosition(angle)
    place(robot, scene)
    plane = ground()
    for skeleton in (plane, robot):
        world.addSkeleton(skeleton)
        for body in skeleton.getBodyNodes():
            for shape in body.getShapeNodes():
                if shape.getDynamicsAspect():
                    shape.getDynamicsAspect().setFrictionCoeff(scene.friction)
                    shape.getDynamicsAspect().setRestitutionCoeff(scene.restitution if skeleton is robot else 1.0)
    rows = []
    for _ in range(scene.steps // scene.sample_every):
        for _ in range(scene.sample_every):
            world.step()
        rows.append(state(world, robot, joints))
    table = np.array(rows)
    return Path(table[:, 0], table[:, 1 : 1 + len(scene.q)], table[:, 1 + len(scene.q) :])


def place(robot: Any, scene: Scene) -> None:
    """Put the free base where the scene begins."""
    base = robot.getBodyNode(0)
    robot.getJoint(0).setPositions([*Rotation.from_quat(scene.q[3:7]).as_rotvec(), *scene.q[:3]])
    robot.getJoint(0).setLinearVelocity(turned(scene.q[3:7], scene.v[:3]))
    robot.getJoint(0).setAngularVelocity(turned(scene.q[3:7], scene.v[3:6]))
    assert np.allclose(base.getTransform().translation(), scene.q[:3])


def state(world: Any, robot: Any, joints: list[Any]) -> np.ndarray:
    """Return the time and the state in this package's coordinates."""
    base = robot.getBodyNode(0)
    pose = base.getTransform()
    turn = Rotation.from_matrix(pose.rotation()).as_quat()
    linear, angular = (turned_back(turn, x) for x in (base.getLinearVelocity(), base.getAngularVelocity()))
    angles, rates = [joint.getPosition() for joint in joints], [joint.getVelocity() for joint in joints]
    return np.concatenate([[world.getTime()], pose.translation(), turn, angles, linear, angular, rates])
