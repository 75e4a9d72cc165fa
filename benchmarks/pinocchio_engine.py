"""Pinocchio as a contender: its C++ functions called from Python, and forward dynamics in its own C++ loop."""

from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin
from scipy.linalg import block_diag

from .case import CALL, CONTACT_INERTIA, EULER_STEP, FORWARD_DYNAMICS, LOOP, MASS_MATRIX, MIDPOINT_STEP, Case
from .timing import Contender

NAME = "Pinocchio"
BATCH = 100


class Pinocchio:
    """One robot in Pinocchio; coordinates and rates are in its conventions already."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.model = pin.buildModelFromXML(case.urdf, pin.JointModelFreeFlyer())
        self.data = self.model.createData()
        self.contacts = self._contacts()
        self.contact_data = pin.StdVec_RigidConstraintData()
        self.contact_data.extend([contact.createData() for contact in self.contacts])

    def _contacts(self) -> Any:
        """Return a three-dimensional contact per point, in the axes of the point's body."""
        contacts = pin.StdVec_RigidConstraintModel()
        for name in self.case.points:
            link, offset = self.case.point_on_body(name)
            joint = self.model.frames[self.model.getFrameId(link)].parentJoint
            placement, axes = pin.SE3(np.eye(3), offset), pin.ReferenceFrame.LOCAL
            contacts.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.model, joint, placement, axes))
        return contacts

    def acceleration(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the forward dynamics under the case's efforts."""
        result: np.ndarray = pin.aba(self.model, self.data, q, v, self.case.effort)
        return result

    def contact_inertia(self) -> np.ndarray:
        """Return J A^-1 J^T in world axes; Pinocchio's own is in body axes, whatever frame one asks it for."""
        own = pin.computeDelassusMatrix(self.model, self.data, self.case.q, self.contacts, self.contact_data)
        pin.forwardKinematics(self.model, self.data, self.case.q)
        turns = block_diag(*(self.data.oMi[contact.joint1_id].rotation for contact in self.contacts))
        result: np.ndarray = turns @ own @ turns.T
        return result

    def euler_step(self) -> tuple[np.ndarray, np.ndarray]:
        """Return q and v after one step: forward dynamics, then integrate with the new rates."""
        case, h = self.case, self.case.time_step
        v = case.v + h * self.acceleration(case.q, case.v)
        return pin.integrate(self.model, case.q, h * v), v

    def midpoint_step(self) -> tuple[np.ndarray, np.ndarray]:
        """Return q and v after one step of the midpoint rule: twice forward dynamics, twice integrate."""
        case, h = self.case, self.case.time_step
        v_middle = case.v + 0.5 * h * self.acceleration(case.q, case.v)
        q_middle = pin.integrate(self.model, case.q, 0.5 * h * case.v)
        v = case.v + h * self.acceleration(q_middle, v_middle)
        return pin.integrate(self.model, case.q, h * v_middle), v

    def loop(self) -> Contender:
        """Return forward dynamics of a batch in one call: Pinocchio's own loop, in C++, on one thread."""
        batch = [np.asfortranarray(np.tile(x[:, None], BATCH)) for x in (self.case.q, self.case.v, self.case.effort)]
        out = np.asfortranarray(np.zeros((self.model.nv, BATCH)))
        call = partial(pin.abaInParallel, 1, pin.ModelPool(self.model, 1), *batch, out)
        return Contender(NAME, FORWARD_DYNAMICS, LOOP, call, BATCH)

    def call(self) -> Contender:
        """Return forward dynamics as a Python user calls it."""
        case = self.case
        call = partial(pin.aba, self.model, self.data, case.q, case.v, case.effort)
        return Contender(NAME, FORWARD_DYNAMICS, CALL, call)

    def contenders(self) -> list[Contender]:
        """Return all tasks, as called from Python, and what Pinocchio can loop over by itself."""
        model, data, q = self.model, self.data, self.case.q
        delassus = partial(pin.computeDelassusMatrix, model, data, q, self.contacts, self.contact_data)
        return [
            self.loop(),
            self.call(),
            Contender(NAME, MASS_MATRIX, CALL, partial(pin.crba, model, data, q)),
            Contender(NAME, CONTACT_INERTIA, CALL, delassus),
            Contender(NAME, EULER_STEP, CALL, self.euler_step),
            Contender(NAME, MIDPOINT_STEP, CALL, self.midpoint_step),
        ]

    def results(self) -> dict[str, np.ndarray]:
        """Return the result of every task, a free step's as the change of v."""
        matrix = np.triu(pin.crba(self.model, self.data, self.case.q))
        return {
            FORWARD_DYNAMICS: self.acceleration(self.case.q, self.case.v).copy(),
            MASS_MATRIX: matrix + np.triu(matrix, 1).T,
            CONTACT_INERTIA: self.contact_inertia(),
            EULER_STEP: self.euler_step()[1] - self.case.v,
            MIDPOINT_STEP: self.midpoint_step()[1] - self.case.v,
        }
