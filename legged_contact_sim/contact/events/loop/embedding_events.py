"""What happens at an event: impact, contact or separation (Singh eq. 2.1), and which points stick or slip afterwards.

A point on the ground that comes on faster than the threshold makes an impact of all points that touch, resolved in the
impulse domain. Then every point that touches and does not leave faster than the threshold may bear: all are assumed to
stick if they have no slip, and the complementarity of `stick_slip` on accelerations tells which bear, which stick and
which slip. Those that bear come to rest along the rows that they hold, which ends bouncing below the threshold.

What cannot be resolved (no forces fit, an impact does not end) has a fallback each, and is noted in the event.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ....actuation.rows import HOLD
from ....dynamics.functions import energies, to_base_axes
from ....model import RobotModel
from ....model.records import FREE
from ...model import Event
from ...records import CONTACT_NORMAL, CONTACT_TANGENTIAL, IMPACTS, LIMITS, OPEN, SLIP, STICK, UNCONVERGED, WORK_TERMS
from ...solvers.stick_slip import LOOSE, RESTING, SLIPPING, Problem
from ...system import SOLVER, System
from ..impact.impulse_impact import CUT_OFF, JAMMED, contact_solver
from ..motion import CONTACT_COUNT, STOP_COUNT, Motion

TOUCHING = 1e-9  # m (rad); a point nearer to the ground (a joint nearer to its limit) touches it
RESTING_RATE = 1e-9  # rad/s or m/s; a slower joint with dry friction is at rest
FALLING = 1e-7  # m/s^2; acceleration into the ground at which a point that was let go bears after all
BEYOND = 1e-6  # share of the static friction that is left out where a point has just used it up
MAX_STRIKES = 8  # impacts at one instant

JAM = "the slip jammed (Painleve) and was stopped by impulses"
ENDLESS = "the impact did not end: the rest of it without friction"
NO_FORCES = "no forces fit contact and friction: no friction until the end of the step"


class Resolver:
    """Resolves the events of one robot on one terrain.

    Attributes:
        events: where events are entered.
        bounce: whether impacts rebound.
    """

    def __init__(
        self,
        robot: RobotModel,
        system: System,
        motion: Motion,
        problem: Problem,
        parameters: Any,
        look: Callable[[], None],
        events: list[Event],
    ) -> None:
        """Take the arrays that the motion works in, and ``look``, which evaluates them in the present state."""
        self.robot, self.system, self.motion, self.problem = robot, system, motion, problem
        self.parameters, self.look, self.events = parameters, look, events
        self.bounce = True
        self._solve = contact_solver(problem)
        self._joints = robot.links["joint_kind"] != FREE
        self._limited = self._joints & (robot.links["lower_limit"] < robot.links["upper_limit"])
        self._dry = self._joints & (robot.links["friction"] > 0.0)

    @property
    def _rates(self) -> np.ndarray:
        """The rates at this instant, (nv,), a view."""
        return self.motion.y[self.robot.nq : self.robot.nq + self.robot.nv]

    @property
    def _joint_rates(self) -> np.ndarray:
        """The rate of every link's joint, (links,); of a FREE joint, its first."""
        return self._rates[self.robot.links["velocity_index"]]

    def energy(self) -> float:
        """Return kinetic, potential and elastic energy together, J."""
        q = self.motion.y[: self.robot.nq].copy()
        return float(energies(self.robot, q, to_base_axes(self.robot, q, self._rates)).sum())

    def resolve(self, time: float, code: int) -> None:
        """Do what an event asks for: impacts, then the modes of all touching points.

        ``code`` is the event function that reached zero (-1: none). Its force is still within its bound to the last
        digit, so its point is let go, or slips, for sure.
        """
        contacts, modes = self.system.contacts, self.system.contacts["mode"].copy()
        self._find_touching()
        for strike in range(MAX_STRIKES + 1):
            if not self._arrives():
                break
            self._strike(time, friction=strike < MAX_STRIKES)
        if not self._settle(code, modes):
            self._find_touching()
            self._strike(time, friction=True)
            if not self._settle(-1, modes):
                self.note(time, NO_FORCES)
                self.leave_friction_out()
                self._find_touching()
                self._settle(-1, modes)
        self._come_to_rest(time, modes)
        energy = self.energy()
        for kind, mode in (("separation", OPEN), ("stick", STICK), ("slip", SLIP)):
            changed = np.flatnonzero((contacts["mode"] == mode) & (modes != mode))
            if len(changed):
                self._enter(time, kind, changed, np.zeros((len(contacts), 3)), energy, energy)

    def note(self, time: float, text: str) -> None:
        """Enter a fallback among the events and count it in the ledger."""
        energy = self.energy()
        self.events.append(Event(time, "unresolved", (), np.zeros((0, 3)), energy, energy, text))
        self.system.ledger[SOLVER + UNCONVERGED] += 1.0

    def leave_friction_out(self) -> None:
        """Let the ground be smooth until the end of the step."""
        self.motion.flow[["static_friction", "dynamic_friction"]] = 0.0

    def _enter(
        self,
        time: float,
        kind: str,
        points: np.ndarray,
        impulses: np.ndarray,
        before: float,
        after: float,
        note: str = "",
    ) -> None:
        names = tuple(self.robot.contact_names[k] for k in points)
        self.events.append(Event(time, kind, names, impulses[points], before, after, note))

    def _find_touching(self) -> None:
        """Close all points on the ground and stop all joints at a limit; all joints are free to move."""
        contacts, links, motion = self.system.contacts, self.robot.links, self.motion
        self.look()
        contacts["closed"] = contacts["gap"] <= TOUCHING
        contacts["mode"] = np.where(contacts["closed"], STICK, OPEN)
        place = motion.y[links["position_index"]]
        below = self._limited & (place - links["lower_limit"] <= TOUCHING)
        above = self._limited & (links["upper_limit"] - place <= TOUCHING)
        motion.stops[:] = np.where(below, 1.0, np.where(above, -1.0, 0.0))
        self._held = self.system.slides == 0.0
        self.system.slides[self._dry] = 1.0
        self.look()

    def _arrives(self) -> bool:
        """Return whether a touching point or a joint at its limit comes on faster than the threshold."""
        contacts, threshold = self.system.contacts, self.parameters.impact_threshold
        comes = (contacts["end_velocity"][:, 0] < -threshold) & (contacts["closed"] == 1)
        return bool(comes.any() or (self.motion.stops * self._joint_rates < -threshold).any())

    def _fill_problem(self) -> tuple[int, int]:
        """Copy G and the velocities of the listed rows; return the number of contacts and of rows."""
        system, problem = self.system, self.problem
        contacts, stops = int(self.motion.counts[CONTACT_COUNT]), int(self.motion.counts[STOP_COUNT])
        rows = 3 * contacts + stops
        problem.G[:rows, :rows] = system.G[:rows, :rows]
        problem.velocity[: 3 * contacts] = system.contacts["end_velocity"][system.active[:contacts]].ravel()
        rates = self._joint_rates[system.limited[:stops]]
        problem.velocity[3 * contacts : rows] = system.sides[3 * contacts : rows] * rates
        return contacts, rows

    def _push(self, impulses: np.ndarray, contacts: int, works: np.ndarray) -> np.ndarray:
        """Apply the rows' impulses to the rates and book them with their works; return them per point, world axes."""
        system, motion, rows = self.system, self.motion, len(impulses)
        free = np.ones(self.robot.nv, dtype=bool)
        free[self.robot.links["velocity_index"][system.bodies["locked"][:-1] == 1]] = False
        A, J = motion.reduction.A[np.ix_(free, free)], motion.reduction.J[:rows, free]
        self._rates[free] += np.linalg.solve(A, J.T @ impulses)
        active = system.active[:contacts]
        touched, parts = system.contacts[active], impulses[: 3 * contacts].reshape(contacts, 3)
        world = np.zeros((len(system.contacts), 3))
        world[active] = (
            parts[:, :1] * touched["normal"]
            + parts[:, 1:2] * touched["first_tangent"]
            + parts[:, 2:] * touched["second_tangent"]
        )
        start = self.robot.nq + self.robot.nv
        motion.y[start + np.array([CONTACT_NORMAL, CONTACT_TANGENTIAL, LIMITS])] += works
        motion.y[start + len(WORK_TERMS) :] += world.ravel()
        return world

    def _strike(self, time: float, friction: bool) -> None:
        """Resolve an impact of all that touches, and look again."""
        before, problem, given = self.energy(), self.problem, self.parameters
        contacts, rows = self._fill_problem()
        static, dynamic = (given.friction, given.sliding_friction) if friction else (0.0, 0.0)
        restitution = given.restitution if self.bounce and friction else 0.0
        outcome, _ = self._solve(problem, contacts, rows, static, dynamic, restitution)
        world = self._push(problem.impulse[:rows].copy(), contacts, problem.works)
        note = JAM if outcome == JAMMED else (ENDLESS if outcome == CUT_OFF or not friction else "")
        self.system.ledger[SOLVER + UNCONVERGED] += note == ENDLESS
        self.system.ledger[SOLVER + IMPACTS] += contacts > 0
        struck = np.sort(self.system.active[:contacts][problem.impulse[: 3 * contacts : 3] > 0.0])
        self._enter(time, "impact" if contacts else "limit", struck, world, before, self.energy(), note)
        self._find_touching()

    def _settle(self, code: int, modes: np.ndarray) -> bool:
        """Find which of the touching points bear, stick and slip; return whether forces were found."""
        contacts, motion, points = self.system.contacts, self.motion, len(modes)
        threshold = self.parameters.impact_threshold
        released = slipped = -1
        if 0 <= code < 2 * points and modes[code // 2] != OPEN:
            released = code // 2 if code % 2 == 0 else -1
            slipped = code // 2 if code % 2 == 1 and modes[code // 2] == STICK else -1
        contacts["closed"] &= contacts["end_velocity"][:, 0] <= threshold
        motion.stops[motion.stops * self._joint_rates > threshold] = 0.0
        self._begin_joints(code - 2 * points)
        for looks in range(4 * len(self.robot.links) + 8):
            self.look()
            if not self._find_forces(released, 1.0 - BEYOND if slipped >= 0 else 1.0):
                return False
            if released >= 0 and self._falls(released):
                released = -1
                continue
            self._adopt()
            if not self._dry.any():
                break
            candidates = contacts["closed"].copy(), contacts["mode"].copy(), motion.stops.copy()
            self.look()
            if not self._revise_joints(one=looks > 4):
                break
            contacts["closed"], contacts["mode"], motion.stops[:] = candidates
        if slipped >= 0 and contacts["mode"][slipped] == STICK:
            self._give_way(slipped)
        return True

    def _begin_joints(self, code: int) -> None:
        """Let joints with dry friction slide the way they move, hold those at rest, let go the one of the event."""
        rates, slides = self._joint_rates, self.system.slides
        slides[self._dry] = (np.sign(rates) * (np.abs(rates) > RESTING_RATE))[self._dry]
        still = self._dry & (slides == 0.0)
        self._rates[self.robot.links["velocity_index"][still]] = 0.0
        i = code // 2
        if code >= 0 and code % 2 == 1 and still[i] and self._held[i]:
            slides[i] = -np.sign(self.system.rates[HOLD, self.robot.links["velocity_index"][i]])

    def _revise_joints(self, one: bool) -> bool:
        """Let joints slide that dry friction cannot hold, hold those that would go the wrong way; return if any were.

        If ``one``, only the first: changing all at once is faster but can go in circles (Murty's least-index rule).
        """
        index, slides = self.robot.links["velocity_index"], self.system.slides
        hold, rates = self.system.rates[HOLD, index], self._joint_rates
        acceleration = self.motion.stages[0, self.robot.nq + index]
        most = self.robot.links["friction"] + self.motion.flow["force_tolerance"]
        weak = self._dry & (slides == 0.0) & (np.abs(hold) > most)
        wrong = self._dry & (rates == 0.0) & (acceleration * slides < -FALLING)
        chosen = np.flatnonzero(weak | wrong)
        chosen = chosen[:1] if one else chosen
        slides[chosen] = np.where(wrong[chosen], 0.0, -np.sign(hold[chosen]))
        return len(chosen) > 0

    def _find_forces(self, released: int, share: float) -> bool:
        """Find the forces of all rows that may bear but the released contact's; return whether any fit.

        Points rest within a share of the static friction: less than 1 where it has just been used up.
        """
        problem, flow, system = self.problem, self.motion.flow[0], self.system
        contacts, rows = self._fill_problem()
        slip = problem.velocity[: 3 * contacts].reshape(contacts, 3)[:, 1:]
        speed = np.linalg.norm(slip, axis=1)
        slips = (speed > flow["stick_speed"]) | (flow["static_friction"] <= 0.0)
        problem.motion[:contacts] = np.where(slips, SLIPPING, RESTING)
        problem.motion[:contacts][system.active[:contacts] == released] = LOOSE
        problem.motion[contacts : rows - 2 * contacts] = RESTING
        scale = (flow["static_friction"] > 0.0) / np.maximum(speed, flow["stick_speed"])
        problem.heading[:contacts] = slip * scale[:, None]
        problem.offset[:rows] = system.offsets[:rows]
        static = share * flow["static_friction"]
        found, _ = self._solve(problem, contacts, rows, float(static), float(flow["dynamic_friction"]), -1.0)
        return bool(found)

    def _falls(self, released: int) -> bool:
        """Return whether the released contact accelerates into the ground without its force."""
        contacts = int(self.motion.counts[CONTACT_COUNT])
        for k in np.flatnonzero(self.system.active[:contacts] == released):
            return bool(self.problem.offset[3 * k] + self.problem.response[3 * k] < -FALLING)
        return False

    def _adopt(self) -> None:
        """Let points bear, stick and slip, and joints stay at their limits, as the forces of the problem say."""
        system, motion, problem = self.system, self.motion, self.problem
        contacts, least = int(motion.counts[CONTACT_COUNT]), motion.flow["force_tolerance"][0]
        system.contacts["mode"] = OPEN
        for k in range(contacts):
            index = system.active[k]
            contact, point = system.contacts[index], motion.points[index]
            contact["closed"] = problem.force[3 * k] > least
            if contact["closed"]:
                contact["mode"] = SLIP if problem.motion[k] == SLIPPING else STICK
                contact["force"] = problem.force[3 * k], 0.0, 0.0  # friction is shared anew, by the loads
            if contact["mode"] == SLIP:
                point["armed"] = np.hypot(*contact["end_velocity"][1:]) > motion.flow["stick_speed"][0]
                point["slip_direction"] = problem.heading[k]
        for k in range(int(motion.counts[STOP_COUNT])):
            if problem.force[3 * contacts + k] <= least:
                motion.stops[system.limited[k]] = 0.0

    def _give_way(self, k: int) -> None:
        """Let a sticking point slip against the force that has held it."""
        contact, point = self.system.contacts[k], self.motion.points[k]
        size = np.hypot(*contact["force"][1:])
        if size > 0.0:
            contact["mode"], point["armed"] = SLIP, 0
            point["slip_direction"] = -contact["force"][1:] / size

    def _come_to_rest(self, time: float, modes: np.ndarray) -> None:
        """Take what is left of velocity off the rows that are held now; enter the points that were open."""
        system, before = self.system, self.energy()
        self.look()
        contacts, rows = self._fill_problem()
        if rows == 0:
            return
        active = system.active[:contacts]
        held = np.ones(rows, dtype=bool)
        at_rest = (system.contacts["mode"][active] == STICK) | (self.motion.points["armed"][active] == 0)
        held[: 3 * contacts] = np.repeat(at_rest, 3)
        held[: 3 * contacts : 3] = True
        velocity, impulses = self.problem.velocity[:rows], np.zeros(rows)
        impulses[held] = np.linalg.lstsq(system.G[:rows, :rows][np.ix_(held, held)], -velocity[held], rcond=1e-10)[0]
        work = 0.5 * impulses * velocity
        triples = work[: 3 * contacts].reshape(contacts, 3)
        works = np.array([triples[:, 0].sum(), triples[:, 1:].sum(), work[3 * contacts :].sum()])
        world = self._push(impulses, contacts, works)
        landed = np.sort(active[modes[active] == OPEN])
        if len(landed):
            self._enter(time, "contact", landed, world, before, self.energy())
