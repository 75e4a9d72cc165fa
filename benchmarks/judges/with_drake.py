"""Drake: its discrete plant (SAP solver), hydroelastic contact where shapes allow it, implicit PD drives."""

import logging
from typing import Any

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import (
    AddContactMaterial,
    AddRigidHydroelasticProperties,
    HalfSpace,
    ProximityProperties,
    Role,
    RoleAssign,
)
from pydrake.math import RigidTransform
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, ContactModel, CoulombFriction
from pydrake.multibody.tree import PdControllerGains
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from .scene import Path, Scene, turned, turned_back

logging.getLogger("drake").setLevel(logging.ERROR)  # it warns of half spaces under deformable bodies; there are none


def play(scene: Scene) -> Path:
    """Return what the robot does, as far as numbers stay finite."""
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, scene.time_step)
    config = graph.get_config()
    config.default_proximity_properties.compliance_type = "compliant"  # of the robot; the ground is rigid
    graph.set_config(config)
    joints = build(plant, graph, scene)
    simulator = Simulator(builder.Build())
    context = simulator.get_mutable_context()
    own = plant.GetMyMutableContextFromRoot(context)
    place(plant, own, joints, scene)
    simulator.Initialize()
    rows = []
    for k in range(scene.steps // scene.sample_every):
        try:
            simulator.AdvanceTo((k + 1) * scene.sample_every * scene.time_step)
        except RuntimeError:  # it stops at numbers that are not finite
            break
        rows.append(np.concatenate([[context.get_time()], state(plant, own, joints, scene)]))
    rows += [np.full(1 + len(scene.q) + len(scene.v), np.nan)] * (scene.steps // scene.sample_every - len(rows))
    table = np.array(rows)
    return Path(table[:, 0], table[:, 1 : 1 + len(scene.q)], table[:, 1 + len(scene.q) :])


def build(plant: Any, graph: Any, scene: Scene) -> list[Any]:
    """Put the robot and the ground into a plant; return its joints in the order of this package."""
    plant.set_contact_model(ContactModel.kHydroelasticWithFallback)
    Parser(plant).AddModelsFromString(scene.urdf, "urdf")
    friction = CoulombFriction(scene.friction, scene.friction)
    for shape in graph.model_inspector().GetAllGeometryIds(Role.kProximity):
        material = ProximityProperties(graph.model_inspector().GetProximityProperties(shape))
        material.UpdateProperty("material", "coulomb_friction", friction)  # its reader of URDF takes 1
        graph.AssignRole(plant.get_source_id(), shape, material, RoleAssign.kReplace)
    rigid = ProximityProperties()
    AddRigidHydroelasticProperties(rigid)
    AddContactMaterial(rigid, friction=friction)
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "ground", rigid)
    plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -scene.gravity])
    joints = [plant.GetJointByName(name) for name in scene.robot.joint_names]
    if scene.drives is not None:
        for joint in joints:
            drive = plant.AddJointActuator(joint.name(), joint)
            drive.set_controller_gains(PdControllerGains(p=scene.drives[0], d=scene.drives[1]))
    plant.Finalize()
    return joints


def place(plant: Any, own: Any, joints: list[Any], scene: Scene) -> None:
    """Bring the robot to where the scene begins; drives hold the joints there."""
    base = plant.GetBodyByName(scene.robot.link_names[0])
    x, y, z, w = scene.q[3:7]
    plant.SetFreeBodyPose(own, base, RigidTransform(Quaternion(w, x, y, z), scene.q[:3]))
    angular, linear = turned(scene.q[3:7], scene.v[3:6]), turned(scene.q[3:7], scene.v[:3])
    plant.SetFreeBodySpatialVelocity(own, base, SpatialVelocity(angular, linear))
    for joint, angle, rate in zip(joints, scene.q[7:], scene.v[6:]):
        joint.set_angle(own, angle)
        joint.set_angular_rate(own, rate)
    if scene.drives is not None:
        targets = plant.get_desired_state_input_port(base.model_instance())
        targets.FixValue(own, np.concatenate([scene.q[7:], np.zeros(len(joints))]))


def state(plant: Any, own: Any, joints: list[Any], scene: Scene) -> np.ndarray:
    """Return the state in this package's coordinates, q and then v."""
    base = plant.GetBodyByName(scene.robot.link_names[0])
    pose, motion = plant.EvalBodyPoseInWorld(own, base), plant.EvalBodySpatialVelocityInWorld(own, base)
    quaternion = pose.rotation().ToQuaternion()
    turn = np.array([quaternion.x(), quaternion.y(), quaternion.z(), quaternion.w()])
    angles, rates = [joint.get_angle(own) for joint in joints], [joint.get_angular_rate(own) for joint in joints]
    linear, angular = (turned_back(turn, x) for x in (motion.translational(), motion.rotational()))
    return np.concatenate([pose.translation(), turn, angles, linear, angular, rates])
