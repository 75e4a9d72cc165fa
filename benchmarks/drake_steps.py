"""Drake as a player: its C++ loop over discrete steps (SAP solver); implicit PD drives of its actuators."""

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from pydrake.geometry import HalfSpace, SceneGraphConfig
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
from pydrake.multibody.tree import PdControllerGains
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from .step_case import CONTROL_PERIOD, FRICTION, StepCase

NAME = "Drake"
logging.getLogger("drake").setLevel(logging.ERROR)  # it warns of half spaces under deformable bodies; there are none


class DrakePlayer:
    """One robot in a diagram of its own; the joints' targets are fixed inputs."""

    piece = 5

    def __init__(self, case: StepCase) -> None:
        self.case = case
        self.name = NAME
        self.settings: Mapping[str, Any] = {"solver": "SAP", "contact": "point"}
        builder = DiagramBuilder()
        self.plant, scene = AddMultibodyPlantSceneGraph(builder, case.time_step)
        scene.set_config(rubbing(scene.get_config()))
        (self.instance,) = Parser(self.plant).AddModelsFromString(case.urdf, "urdf")
        friction = CoulombFriction(FRICTION, FRICTION)
        self.plant.RegisterCollisionGeometry(self.plant.world_body(), RigidTransform(), HalfSpace(), "ground", friction)
        self.joints = [self.plant.GetJointByName(name) for name in case.robot.joint_names]
        for joint in self.joints:
            drive = self.plant.AddJointActuator(joint.name(), joint)
            drive.set_controller_gains(PdControllerGains(p=case.drive.stiffness, d=case.drive.damping))
        self.plant.Finalize()
        self.diagram = builder.Build()
        self.simulator = Simulator(self.diagram)
        self.context = self.simulator.get_mutable_context()
        self.own = self.plant.GetMyMutableContextFromRoot(self.context)
        self.targets = self.plant.get_desired_state_input_port(self.instance)
        self._place()
        self._kept: Any = None

    def _place(self) -> None:
        base = self.plant.GetBodyByName(self.case.robot.link_names[0])
        self.plant.SetFreeBodyPose(self.own, base, RigidTransform(self.case.robot.home[:3]))
        for joint, angle in zip(self.joints, self.case.joint_home):
            joint.set_angle(self.own, angle)
        self._drive(self.case.joint_home)
        self.simulator.Initialize()

    def _drive(self, row: np.ndarray) -> None:
        """Set the targets; drives stand in the order in which they were added, that of the joints."""
        self.targets.FixValue(self.own, np.concatenate([row, np.zeros(len(row))]))

    def ready(self, rows: np.ndarray) -> Callable[[], Any]:
        """See `Player.ready`."""
        return partial(self._follow, rows)

    def _follow(self, rows: np.ndarray) -> None:
        for row in rows:
            self._drive(row)
            self.simulator.AdvanceTo(self.context.get_time() + CONTROL_PERIOD)

    def coordinates(self) -> np.ndarray:
        """See `Player.coordinates`."""
        pose = self.plant.GetFreeBodyPose(self.own, self.plant.GetBodyByName(self.case.robot.link_names[0]))
        turn = pose.rotation().ToQuaternion()
        angles = [joint.get_angle(self.own) for joint in self.joints]
        return np.concatenate([pose.translation(), [turn.x(), turn.y(), turn.z(), turn.w()], angles])

    def save(self) -> None:
        """See `Player.save`."""
        self._kept = self.context.Clone()

    def restore(self) -> None:
        """See `Player.restore`."""
        self.context.SetTimeStateAndParametersFrom(self._kept)
        self.simulator.Initialize()

    def single_step(self) -> Callable[[], Any]:
        """Return one step as a Python user takes it; the joints hold the stance."""
        return lambda: self.simulator.AdvanceTo(self.context.get_time() + self.case.time_step)


def rubbing(config: SceneGraphConfig) -> SceneGraphConfig:
    """Return a configuration that gives all shapes the friction of the case."""
    properties = config.default_proximity_properties
    properties.static_friction = properties.dynamic_friction = FRICTION
    return config
