"""Run the points of a sweep: on processes of this machine by joblib, or on a Dask cluster."""

import json
import warnings
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import lru_cache
from logging import ERROR
from typing import Any

import numpy as np

from ...control.controller import InProcess
from ...control.scenario import Scenario
from ...control.scenario_names import check_names
from ...errors import LeggedContactSimError, ParameterError, ParameterWarning
from ...model import RobotModel
from ...simulation import Simulator
from ...simulation.documents import plain
from ...simulation.processes import interrupts_left_to_parent, own_script_left_out
from ...simulation.scenario_robot import of_robot, scenario_robot
from ..measures import measure
from ..running import SAMPLE_PERIOD, run_within
from ..variants import SEED_SPEED
from .points import Point, Variation

PUSH_AT = 0.4  # share of the run after which a push begins
PUSH_DURATION = 0.1  # s
PARTS = 20  # of a run, whose every step is looked at
# What a point may hold besides parameters of the scenario: factor on all masses, sideways force on the base, N, and
# the seed of random velocities at the start (0: none).
SPECIAL = ("mass", "push", "seed")
MOST_TRIED = 20  # values of a variation that are tried before anything runs


def run_point(number: int, point: Point, base: Scenario, duration: float) -> dict[str, Any]:
    """Run one point of a sweep; return its number, its figures and what went wrong, if anything."""
    found: dict[str, Any] = {"run": number, "error": ""}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ParameterWarning)  # a model may not honour friction; the table shows it
            found |= _figures(point, base, duration)
    except LeggedContactSimError as error:
        found |= {"fell": True, "error": str(error)}
    return found


def _figures(point: Point, base: Scenario, duration: float) -> dict[str, Any]:
    sim, law = start_of(point, base)
    controller = None if law is None else law.controller
    every = max(1, round(SAMPLE_PERIOD / sim.time_step))
    push = point.get("push", 0.0)
    driven = Pushing(sim, law, push, PUSH_AT * duration) if push else law
    run, forces = run_within(sim, driven, duration, every, parts=PARTS)
    figures = measure(run, forces, sim, controller)
    return {name: value for name, value in figures.items() if not isinstance(value, dict)}


def start_of(point: Point, base: Scenario) -> tuple[Simulator, InProcess | None]:
    """Return the simulator of a point at its start, and its controller; None: it has none.

    Raises:
        LeggedContactSimError: the point cannot begin.
    """
    for name in SPECIAL:
        check_special(name, point.get(name, 0))
    scenario = base.changed({name: value for name, value in point.items() if name not in SPECIAL})
    robot = scaled(_robot(scenario), point.get("mass", 1.0))
    if point.get("seed", 0):
        disturbance = np.random.default_rng(int(point["seed"])).normal(scale=SEED_SPEED, size=robot.nv)
        scenario = scenario.changed({"initial.v": (np.asarray(scenario["initial.v"] or 0.0) + disturbance).tolist()})
    sim = scenario.simulator(robot)
    return sim, scenario.driving(sim)


def check_special(name: str, value: Any) -> None:
    """Refuse a value of what no scenario has that is no number, or no seed."""
    right = isinstance(value, int | float) and not isinstance(value, bool) and np.isfinite(value)
    if name == "seed":
        right = right and value == int(value) >= 0
    if not right:
        raise ParameterError(
            f"{name}: expected a {'whole number >= 0' if name == 'seed' else 'number'}, found {value!r}"
        )


def check_start(variations: list[Variation], points: list[Point], base: Scenario) -> None:
    """Refuse names that nothing reads, and values with which the first point cannot begin.

    Raises:
        ParameterError: names the parameter and what was found.
    """
    first = points[0]
    check_names([variation.name for variation in variations], base["controller"], SPECIAL)
    begin(first, base, "")
    for variation in variations:
        for value in variation.values[:MOST_TRIED] or (variation.low, variation.high):
            if value != first[variation.name]:
                begin({**first, variation.name: value}, base, f"{variation.name}={value}: ")


def begin(point: Point, base: Scenario, words: str) -> None:
    """Try whether a point can begin; words stand before what it says if it cannot."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start_of(point, base)
    except LeggedContactSimError as error:
        raise ParameterError(f"{words}{error}") from None


class Pushing:
    """A controller, or none, and once a sideways push of a force, N, on the base at a time, s."""

    def __init__(self, simulator: Simulator, law: Any, force: float, begin: float) -> None:
        """Keep what to do and when."""
        self._simulator, self._law, self._force, self._begin = simulator, law, force, begin

    def __call__(self, time: float, q: np.ndarray, v: np.ndarray) -> Any:
        """Return the controller's effort; None: zero."""
        if self._force and time >= self._begin:
            self._simulator.push(self._simulator.robot.link_names[0], (0.0, self._force, 0.0), duration=PUSH_DURATION)
            self._force = 0.0
        return None if self._law is None else self._law(time, q, v)


def scaled(robot: RobotModel, factor: float) -> RobotModel:
    """Return the robot with all masses and inertias multiplied by a factor."""
    if factor == 1.0:
        return robot
    if not factor > 0.0:
        raise ParameterError(f"mass: expected a factor above 0, found {factor}")
    links = robot.links.copy()
    links["mass"] *= factor
    links["inertia"] *= factor
    links.flags.writeable = False
    return replace(robot, links=links)


def _robot(scenario: Scenario) -> RobotModel:
    """Return the scenario's robot; a process that runs many points reads it once."""
    described = {"robot": scenario["robot"], **of_robot(scenario.values)}
    return (
        scenario.robot() if isinstance(described["robot"], RobotModel) else _read(json.dumps(described, default=plain))
    )


@lru_cache(maxsize=8)
def _read(described: str) -> RobotModel:
    return scenario_robot(json.loads(described))


def on_processes(tasks: list[tuple[Any, ...]], jobs: int) -> Iterator[dict[str, Any]]:
    """Yield results as they come, from processes of this machine; ``jobs`` 1: from this one."""
    import joblib
    from joblib.externals.loky.backend import resource_tracker

    pool = joblib.Parallel(n_jobs=jobs, batch_size=1, return_as="generator_unordered")
    with interrupts_left_to_parent(resource_tracker) if jobs > 1 else nullcontext():
        results = pool(joblib.delayed(run_point)(*task) for task in tasks)  # which begins the processes
    yield from results


def on_cluster(tasks: list[tuple[Any, ...]], address: str, jobs: int) -> Iterator[dict[str, Any]]:
    """Yield results as they come, from a Dask cluster: ``local``, of this machine, or the address of a scheduler.

    Raises:
        ParameterError: Dask is not installed, or nothing answers at the address.
    """
    try:
        from distributed import Client, LocalCluster, as_completed
    except ImportError:
        raise ParameterError("cluster: needs Dask: pip install 'legged_contact_sim[sweep]'") from None
    if address == "local":
        with own_script_left_out(()), interrupts_left_to_parent():  # what a script defines is sent by value
            workers = LocalCluster(
                n_workers=jobs, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=ERROR
            )
    else:
        workers = None
    try:
        with Client(address if workers is None else workers, timeout="10s") as client:
            waiting = [client.submit(run_point, *task, pure=False) for task in tasks]
            for _, result in as_completed(waiting, with_results=True):
                yield result
    except (OSError, ValueError) as error:
        raise ParameterError(f"cluster: {address!r}: {' '.join(str(error).split())}") from None
    finally:
        if workers is not None:
            workers.close()
