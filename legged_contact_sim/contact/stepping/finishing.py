"""The end of a time step, or of an impact within it: positions, momentum in flight, the books."""

from ...actuation.joint_laws import joint_work
from ...actuation.rows import TREND
from ...dynamics.integrators import keep_momentum
from ...dynamics.kinematics import copy
from ...dynamics.manifold import move
from ...dynamics.momentum import carries_all
from ...jit import inlined, inlined_always
from ...terrain.motion import carry_ground
from ..bookkeeping import close_gaps, external_work, limit_work
from ..records import ACTUATORS, CONTACTS, EXTERNAL, JOINT_LOSSES, LIMITS
from ..system import SOLVER


@inlined
def finish_impact(system, contacts, joints):
    """Take the velocities after an impact, and book what joint limits did."""
    nv = system.dofs.shape[1]
    nq = len(system.state) - nv
    v, v_end = system.state[nq:], system.result[nq:]
    system.ledger[LIMITS] += limit_work(system, contacts, joints, v, v_end)
    for j in range(nv):
        v[j] = v_end[j]
        system.dofs[TREND, j] = 0.0


@inlined_always
def finish_step(system, h, contacts, joints, pushed):
    """Second half of the position step, momentum of a robot in flight, bookkeeping."""
    links, dofs, ledger = system.links, system.dofs, system.ledger
    nv = dofs.shape[1]
    nq = len(system.state) - nv
    v, v_end = system.state[nq:], system.result[nq:]
    close_gaps(system, h, contacts + joints)
    drives, losses = joint_work(system, v, v_end, h)
    ledger[ACTUATORS] += drives
    ledger[JOINT_LOSSES] += losses
    ledger[LIMITS] += limit_work(system, contacts, joints, v, v_end)
    if pushed:
        ledger[EXTERNAL] += external_work(system, v, v_end, h)
    ledger[SOLVER + CONTACTS] = contacts
    for j in range(nv):
        dofs[TREND, j] = (v_end[j] - v[j]) / h
    move(links, system.result[:nq], v_end, 0.5 * h, system.result[:nq])
    if contacts + joints == 0 and not pushed and carries_all(links):
        keep_momentum(links, system.bodies, system.state, system.result, nv, h)
    copy(system.result, system.state)
    carry_ground(system.terrain[0], h)
