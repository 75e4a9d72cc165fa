"""MuJoCo as a contender: its C functions called from Python, and steps in its own C loop; constraints are off."""

from functools import partial
from typing import Any

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from .case import CALL, CONTACT_INERTIA, EULER_STEP, FORWARD_DYNAMICS, LOOP, MASS_MATRIX, Case
from .timing import Contender

NAME = "MuJoCo"
STEPS = 100


class MuJoCo:
    """One robot in MuJoCo, whose base has its linear rates in world axes and its quaternion's w first."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.model = free_robot(case)
        self.data = mujoco.MjData(self.model)
        names = case.robot.joint_names
        self.positions = np.r_[0:3, 4:7, 3, [self.model.joint(name).qposadr[0] for name in names]]
        self.rates = np.r_[0:6, [self.model.joint(name).dofadr[0] for name in names]]
        self.bodies = [self.model.body(case.point_on_body(name)[0]).id for name in case.points]
        self.offsets = [case.point_on_body(name)[1] for name in case.points]
        self.jacobian = np.zeros((3 * len(case.points), self.model.nv))
        self.response = np.zeros_like(self.jacobian)
        self.reset()

    def reset(self) -> None:
        """Put the case's state and efforts into MuJoCo's, and its time back to zero."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[self.positions] = self.case.q
        self.data.qvel[self.rates] = self.case.v
        self.data.qvel[:3] = self._axes().apply(self.case.v[:3])
        self.data.qfrc_applied[self.rates] = self.case.effort

    def _axes(self) -> Rotation:
        return Rotation.from_quat(self.data.qpos[self.positions][3:7])

    def place(self) -> None:
        """Compute poses and the mass matrix from the coordinates."""
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_makeM(self.model, self.data)

    def contact_inertia(self) -> np.ndarray:
        """Return J A^-1 J^T from MuJoCo's Jacobians and its factorised mass matrix; the product is numpy's."""
        self.place()
        mujoco.mj_factorM(self.model, self.data)
        for k, (body, offset) in enumerate(zip(self.bodies, self.offsets)):
            point = self.data.xpos[body] + self.data.xmat[body].reshape(3, 3) @ offset
            mujoco.mj_jac(self.model, self.data, self.jacobian[3 * k : 3 * k + 3], None, point, body)
        mujoco.mj_solveM(self.model, self.data, self.response, self.jacobian)
        result: np.ndarray = self.jacobian @ self.response.T
        return result

    def contenders(self) -> list[Contender]:
        """Return all tasks as called from Python, and steps in MuJoCo's own loop."""
        model, data = self.model, self.data
        step, many = partial(mujoco.mj_step, model, data), partial(mujoco.mj_step, model, data, nstep=STEPS)
        forward = partial(mujoco.mj_forward, model, data)
        return [
            Contender(NAME, FORWARD_DYNAMICS, CALL, forward, reset=self.reset),
            Contender(NAME, MASS_MATRIX, CALL, self.place, reset=self.reset),
            Contender(NAME, CONTACT_INERTIA, CALL, self.contact_inertia, reset=self.reset),
            Contender(NAME, EULER_STEP, LOOP, many, STEPS, self.reset),
            Contender(NAME, EULER_STEP, CALL, step, reset=self.reset),
        ]

    def results(self) -> dict[str, np.ndarray]:
        """Return the result of every task in the package's conventions, a free step's as the change of v."""
        self.reset()
        matrix = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_forward(self.model, self.data)
        mujoco.mj_fullM(self.model, self.data, matrix)
        to_base = np.eye(self.model.nv)
        to_base[:3, :3] = self._axes().as_matrix()
        acceleration, inertia = self._acceleration(), self.contact_inertia()
        return {
            FORWARD_DYNAMICS: acceleration,
            MASS_MATRIX: to_base.T @ matrix[np.ix_(self.rates, self.rates)] @ to_base,
            CONTACT_INERTIA: inertia,
            EULER_STEP: self._step() - self.case.v,
        }

    def _acceleration(self) -> np.ndarray:
        """Return the acceleration, the base's linear part as the derivative of its velocity in base axes."""
        acceleration: np.ndarray = self.data.qacc[self.rates]
        acceleration[:3] = self._axes().inv().apply(acceleration[:3]) - np.cross(self.case.v[3:6], self.case.v[:3])
        return acceleration

    def _step(self) -> np.ndarray:
        """Return the rates after one step, the base's in base axes."""
        self.reset()
        mujoco.mj_step(self.model, self.data)
        rates: np.ndarray = self.data.qvel[self.rates]
        rates[:3] = self._axes().inv().apply(rates[:3])
        return rates


def free_robot(case: Case) -> Any:
    """Return MuJoCo's model of the robot on a free joint, which a URDF cannot hold; nothing constrains it."""
    spec = mujoco.MjSpec.from_string(case.urdf)
    spec.body(case.robot.link_names[0]).add_freejoint()
    spec.option.timestep = case.time_step
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    return spec.compile()
