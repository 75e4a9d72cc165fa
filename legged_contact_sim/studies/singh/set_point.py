"""The document's own control of the planar leg: a fixed goal of the centre of mass, unbounded, off after lift-off."""

from typing import Any

import numpy as np

from ...control import InProcess
from ...control.set_point_jump import SetPointJump, SetPointJumpParameters
from ...model import RobotModel
from ...simulation import Simulator
from .jump import CONTROL_PERIOD, START, Jump, largest_gain

BOUND = 1000.0  # N m of a motor in the robot's description, which the document does not have


def unbounded_leg() -> RobotModel:
    """Return the planar leg with motors that give whatever is asked for."""
    return RobotModel.from_urdf(
        RobotModel.from_urdf("planar_leg").urdf.replace(f'effort="{BOUND:g}"', 'effort="1e9"'),
        contact_points=contact_points(),
    )


def contact_points() -> dict[str, Any]:
    """Return the packaged leg's contact points as a description of them."""
    robot = RobotModel.from_urdf("planar_leg")
    links = [robot.link_names[k] for k in robot.contact_points["link"]]
    points = zip(robot.contact_names, links, robot.contact_points, strict=True)
    return {
        name: {"link": link, "offset": point["position"].tolist(), "radius": float(point["radius"])}
        for name, link, point in points
    }


def set_point_jump(duration: float, **parameters: float) -> Jump:
    """Return the jump from the study's start, s: fall, whole foot, toe, lift-off, and flight without effort."""
    robot = unbounded_leg()
    sim = Simulator(robot, "embedding", CONTROL_PERIOD)
    sim.reset(START)
    controller = SetPointJump(robot, SetPointJumpParameters(**parameters))
    law, phases = InProcess(controller, sim, CONTROL_PERIOD), []

    def drive(time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        effort = law(time, q, v)
        phases.append(controller.phase)
        return effort

    return Jump(sim.run(duration, drive), np.array(phases), np.full(3, np.inf))


def summary(found: Jump) -> dict[str, Any]:
    """Return phases and checks of the jump: times in s, efforts in N m, energies as parts of the start's."""
    run, begun = found.run, dict(reversed(found.changes))
    driven = np.isin(found.phases, ("whole", "toe", "off")) & (run.time > begun["whole"] + 2.0 * CONTROL_PERIOD)
    feet = [run.robot.contact_names.index(name) for name in ("E", "F")]
    return {
        "phases": [name for name, _ in found.changes],
        "phase_times": [time for _, time in found.changes],
        "heel_leaves": begun.get("toe"),
        "toe_leaves": begun.get("off"),
        "heel_before_toe": [name for name, _ in found.changes] == ["fall", "whole", "toe", "off"],
        "foot_clearance": float(run.gaps[:, feet].min(axis=1).max()),
        "largest_effort": float(np.abs(run.effort).max()),
        "effort_after_lift_off": float(np.abs(run.effort[found.phases == "off"]).max(initial=0.0)),
        "energy_drift": float(np.ptp((found.balance - run.works[:, 1:].sum(axis=1))[driven]) / run.start_energy),
        "friction_loss": float(-run.works[driven][-1, 1:].sum() + run.works[driven][0, 1:].sum()),
        "largest_energy_gain_of_an_event": largest_gain(run),
    }
