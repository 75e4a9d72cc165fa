"""A plate that rests on many points in MuJoCo, with its default settings and with the fastest that hold it."""

from functools import partial
from typing import Any

import mujoco
import numpy as np

from .mujoco_steps import DEFAULT, FASTEST, Options, candidates, set_options
from .timing import Contender, interleave

MASS, INERTIA, RADIUS = 20.0, (1.7, 1.7, 3.3), 0.01  # kg, kg m^2, m
LOWEST = -0.005  # m, that a plate may sink
SPEED = 1e-2  # m/s or rad/s, that a plate at rest may have
SEARCH_ROUNDS = 3


def plate_model(places: np.ndarray, friction: float, time_step: float, options: Options) -> Any:
    """Return the model of a plate on spheres whose centres have the places (n, 3), m, from its own."""
    spec = mujoco.MjSpec()
    ground = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
    ground.contype, ground.conaffinity, ground.friction[0] = 0, 1, friction
    plate = spec.worldbody.add_body(pos=[0.0, 0.0, RADIUS - places[0, 2]])
    plate.add_freejoint()
    plate.mass, plate.inertia, plate.explicitinertial = MASS, INERTIA, True
    for place in places:
        sphere = plate.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[RADIUS, 0.0, 0.0], pos=place)
        sphere.contype, sphere.conaffinity, sphere.friction[0] = 1, 0, friction
    set_options(spec.option, options, time_step)
    return spec.compile()


def contender(places: np.ndarray, friction: float, time_step: float, options: Options, name: str) -> Contender | None:
    """Return steps of a plate at rest, or None if it does not rest on all its points with these options."""
    mujoco.set_mju_user_warning(lambda text: None)
    model = plate_model(places, friction, time_step, options)
    data, steps = mujoco.MjData(model), 20
    height = data.qpos[2]
    mujoco.mj_step(model, data, nstep=round(0.5 / time_step))
    if not (data.qpos[2] - height > LOWEST and np.abs(data.qvel).max() < SPEED and data.ncon == len(places)):
        return None
    return Contender(name, f"{len(places)} contacts", "run", partial(mujoco.mj_step, model, data, nstep=steps), steps)


def contenders(places: np.ndarray, friction: float, time_step: float) -> list[Contender]:
    """Return MuJoCo as it comes, and with the fastest of its settings that hold the plate."""
    default = contender(places, friction, time_step, Options(), DEFAULT)
    tried = [contender(places, friction, time_step, options, FASTEST) for options in candidates()]
    able = [one for one in tried if one is not None]
    times = [timing.minimum for timing in interleave(able, SEARCH_ROUNDS, 1e-3)]
    fastest = [able[int(np.argmin(times))]] if able else []
    return ([default] if default else []) + fastest
