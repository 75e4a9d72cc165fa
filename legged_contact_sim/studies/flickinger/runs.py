"""Flickinger's hybrid simulations: double pendulum, bicycle on a wedge, and the block with spring and friction.

What the document leaves open is settled here: the speed below which nothing rebounds (0.1 m/s), the friction of the
bicycle's runs of chapters 3 and 5 (the double pendulum's), the restitution of its runs on the wedges (0.5), how the
elliptic wheels stand at the start (upright: then sticking is feasible at the first impact on 0, 15 and 30 degrees and
infeasible on 45, as the document says; lying, it is feasible on all), and the block's forcing (a sine).

The document shows energy rising in the bicycle's run without control, with circular wheels (table 3.2). It cannot: the
normal impulse of a circular wheel goes through its hub and the friction along the rod, so neither changes the other's
velocity, ``G_nt = 0``, and an impact with e_n = 1 can only lose what friction takes. The document approximates where
its wheels touch. The same run with its elliptic wheels, whose impulses are coupled, does gain; it is added here.
"""

import math
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from ...dynamics import integrate, mass_matrix, point_jacobian
from ...model import RobotModel
from ...simulation import Simulator, Trajectory
from ...terrain import Slope, Terrain

OUTPUT_STEP = 0.01  # s (tables 2.1 and 5.3)
THRESHOLD = 0.1  # m/s
STEEL = {"friction": 0.74, "dynamic_friction": 0.57, "stribeck_speed": 1e-5, "impact_threshold": THRESHOLD}
WEDGE = {"friction": 0.5, "dynamic_friction": 0.25, "stribeck_speed": 1.4e-4, "impact_threshold": THRESHOLD}
ELLIPSE = (0.125, 0.0, 0.25)  # semi-axes of the elliptic wheels, m
WHEELS = ("back_wheel", "front_wheel")
WEDGE_CPU = {0: 89.96, 15: 30.71, 30: 29.61, 45: 406.05}  # CPU time in the document, s, by the wedge's angle, degrees
WEDGE_FIGURES = {0: ("4.6, 4.8", ""), 15: ("4.7, 4.9", ""), 30: ("4.10", ""), 45: ("4.11", "")}


@dataclass(frozen=True)
class Run:
    """One of the document's simulations.

    Attributes:
        title: what it is called here.
        robot: packaged name.
        q: start, (nq,).
        v: velocities at the start, (nv,).
        duration: s.
        parameters: of the contact model `hybrid`.
        slope: of the wedge, which falls along x, degrees.
        paper_cpu: CPU time that the document gives, s; None: none.
        figures: numbers in the document of path and energy, and of the forces; "": not there.
    """

    title: str
    robot: str
    q: tuple[float, ...]
    v: tuple[float, ...]
    duration: float
    parameters: Mapping[str, Any] = field(default_factory=dict)
    slope: float = 0.0
    paper_cpu: float | None = None
    figures: tuple[str, str] = ("", "")

    @property
    def name(self) -> str:
        """Its title as the name of files."""
        return "".join(c if c.isalnum() else "_" for c in f"{self.robot} {self.title}".replace("*", "star"))

    def simulator(self) -> Simulator:
        """Return the simulator at the start of the run."""
        sim = Simulator(
            RobotModel.from_urdf(self.robot), "hybrid", OUTPUT_STEP, terrain=wedge(self.slope), **self.parameters
        )
        sim.reset(self.q, self.v)
        return sim


@dataclass(frozen=True)
class Outcome:
    """A run that was done: its trajectory with events, and the CPU time it took, s."""

    run: Run
    trajectory: Trajectory
    cpu: float

    @property
    def impacts(self) -> list[Any]:
        """The impacts among the events."""
        return [event for event in self.trajectory.events if event.kind == "impact"]

    def summary(self) -> dict[str, Any]:
        """Return the numbers that tell what happened."""
        gains = [event.energy_after - event.energy_before for event in self.impacts]
        return {
            "cpu": self.cpu,
            "paper_cpu": self.run.paper_cpu,
            "events": dict(Counter(event.kind for event in self.trajectory.events)),
            "first_impact": self.impacts[0].time,
            "last_impact": self.impacts[-1].time,
            "impacts_with_gain": sum(gain > 1e-9 for gain in gains),
            "largest_gain": max(gains),
            "smallest_normal_force": float(normal_forces(self).min()),
            "largest_drift": drift(self.trajectory),
            "end_speed": float(np.abs(self.trajectory.v[-1]).max()),
            "end_modes": self.trajectory.modes[-1].tolist(),
            "friction_used": friction_used(self),
            "notes": dict(Counter(event.note for event in self.trajectory.events if event.note)),
        }


def wedge(degrees: float) -> Terrain | str:
    """Return a wedge that falls along x; 0: the plane."""
    return Slope(-math.radians(degrees)) if degrees else "plane"


def wedge_axes(degrees: float) -> tuple[np.ndarray, np.ndarray]:
    """Return normal and downhill tangent of a wedge."""
    s, c = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    return np.array([s, 0.0, c]), np.array([c, 0.0, -s])


def pendulum_run(
    title: str, figures: tuple[str, str], cpu: float | None, duration: float, q: tuple[float, float], **control: Any
) -> Run:
    """Return a run of the double pendulum from rest."""
    return Run(title, "double_pendulum", q, (0.0, 0.0), duration, {**STEEL, **control}, 0.0, cpu, figures)


def bicycle_run(
    title: str,
    figures: tuple[str, str],
    cpu: float | None,
    slope: float,
    speed: float,
    ellipses: bool,
    given: Mapping[str, Any],
    **control: Any,
) -> Run:
    """Return a run of the bicycle from (5, 5) m with a speed, m/s, along x."""
    shapes = {"contact_shapes": dict.fromkeys(WHEELS, ELLIPSE)} if ellipses else {}
    start, rates = (5.0, 5.0, 0.0, 0.0, 0.0), (speed, 0.0, 0.0, 0.0, 0.0)
    return Run(title, "bicycle", start, rates, 5.0, {**given, **shapes, **control}, slope, cpu, figures)


def control(restitution: float, energetic: float, energy_control: str = "attenuation") -> dict[str, Any]:
    """Return the parameters that most runs differ in: e_n and e*."""
    return {"restitution": restitution, "energetic_restitution": energetic, "energy_control": energy_control}


LEVEL, BENT = (0.0, 0.0), (math.pi / 4, -3 * math.pi / 4)
PENDULUM_RUNS = (
    pendulum_run("no energy control", ("3.2, 3.4", "3.3"), 849.45, 10.0, LEVEL, **control(1.0, 5.0)),
    pendulum_run("low restitution", ("3.8", "3.9"), 490.86, 10.0, LEVEL, **control(0.0, 0.5)),
    pendulum_run("minimum energy control", ("5.2", "5.3"), 54.32, 10.0, LEVEL, **control(1.0, 1.0)),
    pendulum_run("moderate energy control", ("5.4", "5.5"), 67.04, 10.0, LEVEL, **control(1.0, 0.5)),
    pendulum_run("moderate, low restitution", ("5.6", "5.7"), 63.88, 10.0, LEVEL, **control(0.1, 0.5)),
    pendulum_run("bent, no energy control", ("5.14", ""), None, 5.0, BENT, **control(1.0, 5.0)),
    pendulum_run("velocity attenuation", ("5.15a, 5.16a", ""), 91.42, 5.0, BENT, **control(1.0, 1.0)),
    pendulum_run("energy constraint", ("5.15b, 5.16b", ""), 244.73, 5.0, BENT, **control(1.0, 1.0, "constraint")),
)
BICYCLE_RUNS = (
    bicycle_run("no energy control", ("3.5, 3.7", "3.6"), 416.70, 0, 2.0, False, STEEL, **control(1.0, 5.0)),
    bicycle_run("no energy control, ellipses", ("", ""), None, 0, 2.0, True, STEEL, **control(1.0, 5.0)),
    bicycle_run("20 deg, e_n 0.75", ("3.10", "3.11"), 69.11, 20, 0.0, True, STEEL, **control(0.75, 0.5)),
    bicycle_run("20 deg, e_n 0.5", ("3.12", "3.13"), 580.33, 20, 0.0, True, STEEL, **control(0.5, 0.5)),
    bicycle_run("20 deg, e_n 0.25", ("3.14", "3.15"), 1321.12, 20, 0.0, True, STEEL, **control(0.25, 0.5)),
    *(
        bicycle_run(
            f"wedge {angle} deg",
            WEDGE_FIGURES[angle],
            cpu,
            angle,
            0.0 if angle else 2.0,
            True,
            WEDGE,
            **control(0.5, 1.0),
        )
        for angle, cpu in WEDGE_CPU.items()
    ),
    bicycle_run("e_n 1, e* 0.95", ("5.8", "5.9"), None, 0, 2.0, False, STEEL, **control(1.0, 0.95)),
    bicycle_run("e_n 0.5, e* 1", ("5.10", "5.11"), None, 0, 2.0, False, STEEL, **control(0.5, 1.0)),
    bicycle_run("e_n 0, e* 1", ("5.12", "5.13"), None, 0, 2.0, False, STEEL, **control(0.0, 1.0)),
)


def do_run(run: Run) -> Outcome:
    """Do a run and time it."""
    sim = run.simulator()
    begin = time.process_time()
    trajectory = sim.run(run.duration)
    return Outcome(run, trajectory, time.process_time() - begin)


def normal_forces(outcome: Outcome) -> np.ndarray:
    """Return the normal parts of all contact forces, (T, points), N."""
    return outcome.trajectory.forces @ wedge_axes(outcome.run.slope)[0]


def force_columns(outcome: Outcome) -> dict[str, np.ndarray]:
    """Return time and the mean forces of every output step, N, along normal and downhill tangent, point by point."""
    normal, downhill = wedge_axes(outcome.run.slope)
    trajectory, found = outcome.trajectory, {"time": outcome.trajectory.time}
    for k, name in enumerate(trajectory.robot.contact_names):
        found[f"normal_{name}"] = trajectory.forces[:, k] @ normal
        found[f"tangential_{name}"] = trajectory.forces[:, k] @ downhill
    return found


def path_columns(outcome: Outcome) -> dict[str, np.ndarray]:
    """Return time and coordinates of all samples and impacts in order of time; ``impact`` is 1 in the latter's rows."""
    trajectory = outcome.trajectory
    rows = [(time, 0.0, *q) for time, q in zip(trajectory.time, trajectory.q, strict=True)]
    rows += [(event.time, 1.0, *event.q) for event in outcome.impacts]
    table = np.array(sorted(rows)).T
    return dict(zip(("time", "impact", *(f"q{k}" for k in range(len(table) - 2))), table, strict=True))


def drift(trajectory: Trajectory) -> float:
    """Return the largest change of the audit's remainder between two impacts, relative to the energy at the start."""
    remainder = np.concatenate([[0.0], trajectory.remainder])
    times = np.concatenate([[0.0], trajectory.time])
    edges = [0.0, *(event.time for event in trajectory.events), math.inf]
    spans = [remainder[(times >= a) & (times < b)] for a, b in pairwise(edges)]
    return max(float(np.ptp(span)) for span in spans if len(span)) / abs(trajectory.start_energy)


def friction_used(outcome: Outcome) -> list[list[float]]:
    """Return (time, |p_t| / p_n) of every point in every impact."""
    normal = wedge_axes(outcome.run.slope)[0]
    found = []
    for event in outcome.impacts:
        for impulse in event.impulses:
            along = float(impulse @ normal)
            if along > 0.0:
                found.append([event.time, float(np.linalg.norm(impulse - along * normal)) / along])
    return found


def coefficient(run: Run, used: np.ndarray) -> np.ndarray:
    """Return the document's coefficient of friction: the dynamic one of an impulse that slips, else the static one."""
    static, dynamic = (float(run.parameters[name]) for name in ("friction", "dynamic_friction"))
    return np.where(np.abs(used - dynamic) < 1e-3, dynamic, static)


def first_impact_state(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Return q and v just before the first impact of a run that begins in flight."""
    sim = run.simulator()
    while not sim.events:
        sim.step()
    return integrate(sim.robot, run.q, run.v, sim.events[0].time, sim.events[0].time, "dormand_prince")


def friction_curves(
    angle: float, tangential: np.ndarray, restitutions: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the coefficient of friction that the first impact needs, over post-impact tangential velocity (eq. 4.2).

    Args:
        angle: of the wedge, degrees.
        tangential: downhill velocities of the touching point after the impact, (T,), m/s.
        restitutions: normal coefficients, (E,).

    Returns:
        The coefficients, (E, T); whether the normal impulse is positive, (E, T); the ones of sticking, mu_f, (E,).
    """
    run = bicycle_run("", ("", ""), None, angle, 0.0 if angle else 2.0, True, WEDGE, **control(0.5, 1.0))
    robot = RobotModel.from_urdf(run.robot)
    q, v = first_impact_state(run)
    normal, downhill = wedge_axes(angle)
    spread = np.square(ELLIPSE) * normal  # no wheel has turned yet: body axes are world axes
    touching = -spread / math.sqrt(spread @ normal)
    J = np.array([normal, downhill]) @ point_jacobian(robot, q, "back_wheel_link", touching)
    G = J @ np.linalg.solve(mass_matrix(robot, q), J.T)
    before = J @ v

    def impulses(restitution: float, velocity: Any) -> np.ndarray:
        after = np.stack(np.broadcast_arrays(-restitution * before[0], velocity))
        return np.linalg.solve(G, after.reshape(2, -1) - before[:, None])

    solved = np.array([impulses(e, tangential) for e in restitutions])
    at_rest = np.array([impulses(e, 0.0)[:, 0] for e in restitutions])
    needed = np.abs(solved[:, 1]) / np.abs(solved[:, 0])
    sticking = np.where(at_rest[:, 0] > 0.0, np.abs(at_rest[:, 1] / at_rest[:, 0]), np.inf)
    return needed, solved[:, 0] > 0.0, sticking
