"""How the simulation fares, on /diagnostics: time, commands, contact, solver and energy."""

from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from ..contact.records import COMPLIANCE, ITERATIONS, OPEN, RESIDUAL, UNCONVERGED, WORK_TERMS
from ..dynamics.functions import energies
from ..simulation import EnergyAudit, Simulator
from .cdr import put_stamp
from .qos import PICTURES
from .snapshot import Snapshot


class DiagnosticsOutput:
    """A status of this node, its name that of the node."""

    def __init__(self, node: Node) -> None:
        """Prepare the publisher."""
        self._name = f"{node.get_fully_qualified_name().lstrip('/')}: simulation"
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", PICTURES)
        self._missed = 0

    def publish(self, snapshot: Snapshot, simulator: Simulator, conditions: dict[str, Any]) -> None:
        """Publish how things stand: the node's conditions, and the simulator's contacts, solver and energies."""
        level, words = self._judge(conditions)
        values = {
            "simulated_time": snapshot.nanoseconds * 1e-9,
            **{name: value for name, value in conditions.items() if name != "trouble"},
            "contact_model": simulator.contact_model,
            **({} if (friction := friction_of(simulator)) is None else {"friction": friction}),
            **_contact_values(snapshot),
            **_energy_values(snapshot, simulator),
        }
        status = DiagnosticStatus(level=level, name=self._name, message=words, hardware_id=simulator.robot.name)
        status.values = [KeyValue(key=name, value=_text(value)) for name, value in values.items()]
        message = DiagnosticArray(status=[status])
        put_stamp(message.header.stamp, snapshot.stamp)
        self._publisher.publish(message)

    def _judge(self, conditions: dict[str, Any]) -> tuple[bytes, str]:
        missed, self._missed = conditions["missed_deadlines"] - self._missed, conditions["missed_deadlines"]
        if conditions["trouble"]:
            return DiagnosticStatus.ERROR, conditions["trouble"]
        if conditions["command"] == "timed out":
            return DiagnosticStatus.WARN, "no commands: joint efforts are zero"
        if conditions["command"] == "awaited":
            return DiagnosticStatus.WARN, "time stands until a command comes"
        if missed > 0 and not conditions["lockstep"]:  # in which time slows down instead of being late
            return DiagnosticStatus.WARN, f"{missed} deadlines missed"
        return DiagnosticStatus.OK, "paused" if conditions["command"] == "paused" else "running"


def friction_of(simulator: Simulator) -> float | None:
    """Return the coefficient of friction that acts now; None: the contact model has none."""
    return getattr(simulator.model.parameters, "friction", None)


def _text(value: Any) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def _contact_values(snapshot: Snapshot) -> dict[str, Any]:
    solver = snapshot.ledger[len(WORK_TERMS) :]
    touching = int(np.count_nonzero(snapshot.modes != OPEN))
    return {
        "contacts": touching,
        "contact_points": len(snapshot.modes),
        "penetration": max(0.0, float(-snapshot.gaps.min(initial=0.0))),
        "solver_iterations": int(solver[ITERATIONS]),
        "solver_residual": float(solver[RESIDUAL]),
        "solver_compliance": float(solver[COMPLIANCE]),
        "unconverged_steps": int(solver[UNCONVERGED]),
    }


def _energy_values(snapshot: Snapshot, simulator: Simulator) -> dict[str, float]:
    """Return the energy audit, J, each term by its name."""
    now = energies(simulator.robot, snapshot.q, snapshot.v)
    audit = EnergyAudit.from_ledger(now, simulator.start_energy, snapshot.ledger)
    terms = ("kinetic", "potential", "spring", "start", *WORK_TERMS, "total", "remainder")
    return {f"energy_{term}": float(getattr(audit, term)) for term in terms}
