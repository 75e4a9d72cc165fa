"""Pinocchio's own reading of a URDF, with our q written in its coordinates."""

import numpy as np
import pinocchio

from legged_contact_sim.model import FREE


def pinocchio_model(robot):
    """Return Pinocchio's model of the robot's URDF, with the same base."""
    if robot.base == "floating":
        return pinocchio.buildModelFromXML(robot.urdf, pinocchio.JointModelFreeFlyer())
    return pinocchio.buildModelFromXML(robot.urdf)


def pinocchio_position(robot, model, q):
    """Return q in Pinocchio's order (siblings by name) and coordinates (a continuous joint as cosine and sine)."""
    theirs = pinocchio.neutral(model)
    for link, name in zip(robot.links, robot.link_names, strict=True):
        joint = model.joints[carrier(model, name)]
        start = link["position_index"]
        if link["joint_kind"] == FREE:
            theirs[joint.idx_q : joint.idx_q + 7] = q[start : start + 7]
        elif joint.nq == 2:
            theirs[joint.idx_q : joint.idx_q + 2] = np.cos(q[start]), np.sin(q[start])
        else:
            theirs[joint.idx_q] = q[start]
    return theirs


def carrier(model, link):
    """Return the index of Pinocchio's joint that carries a URDF link."""
    return model.frames[model.getFrameId(link, pinocchio.BODY)].parentJoint


def random_position(robot, seed):
    """Return a random q (nq,) with unit quaternions."""
    random = np.random.default_rng(seed)
    q = random.uniform(-2.0, 2.0, robot.nq)
    for start in robot.links["position_index"][robot.links["joint_kind"] == FREE]:
        q[start + 3 : start + 7] /= np.linalg.norm(q[start + 3 : start + 7])
    return q
