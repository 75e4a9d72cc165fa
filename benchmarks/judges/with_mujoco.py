"""MuJoCo, with several of its settings."""

import math
from typing import Any

import mujoco
import numpy as np

from .scene import Path, Scene, turned, turned_back

# 1/s^2, of its contact where a body has to rebound: it has no restitution, so its contact becomes a spring with the
# damping that gives e, its impedance as it comes.
STIFFNESS = 4e4
SETTINGS = ("default", "implicitfast", "RK4", "newest")


def play(scene: Scene, setting: str) -> Path:
    """Return what the robot does."""
    model = specification(scene, setting).compile()
    data = mujoco.MjData(model)
    joints = [model.joint(name) for name in scene.robot.joint_names]
    places, rates = [joint.qposadr[0] for joint in joints], [joint.dofadr[0] for joint in joints]
    positions, velocities = np.r_[0:3, 4:7, 3, places].astype(int), np.r_[0:6, rates].astype(int)
    data.qpos[positions], data.qvel[velocities] = scene.q, scene.v
    data.qvel[:3] = turned(scene.q[3:7], scene.v[:3])
    for name, angle in zip(scene.robot.joint_names, scene.q[7:]):
        if scene.drives is not None:
            data.ctrl[model.actuator(name).id] = angle
    rows = []
    for _ in range(scene.steps // scene.sample_every):
        mujoco.mj_step(model, data, nstep=scene.sample_every)
        rows.append(np.concatenate([[data.time], data.qpos[positions], data.qvel[velocities]]))
    table = np.array(rows)
    q, v = table[:, 1 : 1 + len(scene.q)], table[:, 1 + len(scene.q) :]
    v[:, :3] = turned_back(q[:, 3:7], v[:, :3])
    return Path(table[:, 0], q, v)


def specification(scene: Scene, setting: str) -> Any:
    """Return the robot on a plane, with drives as MuJoCo has them: position actuators, damping of the joints."""
    spec = mujoco.MjSpec.from_string(scene.urdf)
    spec.body(scene.robot.link_names[0]).add_freejoint()
    for shape in spec.geoms:
        shape.contype, shape.conaffinity = 1, 0
    ground = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
    ground.contype, ground.conaffinity = 0, 1
    for shape in spec.geoms:
        shape.friction[0] = scene.friction
        if scene.restitution > 0.0:
            decay = -math.log(scene.restitution)
            shape.solref = [-STIFFNESS, -2.0 * decay / math.hypot(math.pi, decay) * math.sqrt(STIFFNESS)]
    if scene.drives is not None:
        drive_joints(spec, scene.robot.joint_names, *scene.drives)
    spec.option.timestep, spec.option.gravity = scene.time_step, [0.0, 0.0, -scene.gravity]
    integrator = "IMPLICITFAST" if setting == "newest" else {"default": "EULER"}.get(setting, setting.upper())
    spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    if setting == "newest":
        spec.option.cone, spec.option.noslip_iterations = mujoco.mjtCone.mjCONE_ELLIPTIC, 10
    return spec


def drive_joints(spec: Any, names: tuple[str, ...], stiffness: float, damping: float) -> None:
    """Add an actuator to each joint that holds a position."""
    for name in names:
        spec.joint(name).damping[0] = damping
        drive = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        drive.gaintype, drive.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
        drive.gainprm[0], drive.biasprm[1] = stiffness, -stiffness
