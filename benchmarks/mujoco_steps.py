"""MuJoCo as a player: its C loop over steps, with default settings and with the fastest that still do the job."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from typing import Any

import mujoco
import numpy as np
from mujoco import rollout

from .step_case import FRICTION, StepCase
from .step_timing import time_players, watch

DEFAULT, FASTEST = "MuJoCo, default", "MuJoCo, fastest"
PHYSICS = mujoco.mjtState.mjSTATE_FULLPHYSICS
# What a quadruped on a plane does not need; its joints stay far from their limits, which cost nothing then.
NEEDLESS = ("ISLAND", "MIDPHASE", "SENSOR", "EQUALITY", "FRICTIONLOSS", "SPRING", "CLAMPCTRL", "AUTORESET", "MULTICCD")
SEARCH_ROUNDS, FINALISTS = 5, 3


@dataclass(frozen=True)
class Options:
    """What the search for the fastest settings varies; the values here are MuJoCo's defaults."""

    solver: str = "NEWTON"
    cone: str = "PYRAMIDAL"
    iterations: int = 100
    disabled: tuple[str, ...] = ()


def candidates() -> list[Options]:
    """Return all settings of the search.

    Few iterations: more never make a step faster, and the solver stops earlier by itself when it has converged.
    Without EULERDAMP joint damping is explicit, which is faster where it is stable.
    """
    found = product(("NEWTON", "CG", "PGS"), ("PYRAMIDAL", "ELLIPTIC"), (1, 2, 4), ((), ("EULERDAMP",)))
    return [Options(solver, cone, count, NEEDLESS + more) for solver, cone, count, more in found]


def robot_on_ground(case: StepCase, options: Options) -> Any:
    """Return MuJoCo's specification of the robot on a plane: feet touch the ground, position drives turn the joints."""
    spec = mujoco.MjSpec.from_string(case.urdf)
    spec.body(case.robot.link_names[0]).add_freejoint()
    for foot in spec.geoms:
        foot.contype, foot.conaffinity, foot.friction[0] = 1, 0, FRICTION
    ground = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
    ground.contype, ground.conaffinity, ground.friction[0] = 0, 1, FRICTION
    for name in case.robot.joint_names:
        spec.joint(name).damping[0] = case.drive.damping  # damping of the joint: implicit in MuJoCo's Euler steps
        drive = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        drive.gaintype, drive.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
        drive.gainprm[0], drive.biasprm[1] = case.drive.stiffness, -case.drive.stiffness
    set_options(spec.option, options, case.time_step)
    return spec


def set_options(option: Any, options: Options, time_step: float) -> None:
    """Put options and a time step, s, into those of a MuJoCo model or its specification."""
    option.timestep, option.iterations = time_step, options.iterations
    option.solver = getattr(mujoco.mjtSolver, f"mjSOL_{options.solver}")
    option.cone = getattr(mujoco.mjtCone, f"mjCONE_{options.cone}")
    for flag in options.disabled:
        option.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}")


class MuJoCoPlayer:
    """One robot in MuJoCo; a run along targets is one call of its own rollout, or of mj_step when it stands."""

    piece = 60

    def __init__(self, case: StepCase, options: Options, name: str) -> None:
        mujoco.set_mju_user_warning(lambda text: None)  # settings that blow up are found by their behaviour
        self.case = case
        self.name = name
        self.settings: Mapping[str, Any] = asdict(options)
        self.model = robot_on_ground(case, options).compile()
        self.data = mujoco.MjData(self.model)
        self.size = mujoco.mj_stateSize(self.model, PHYSICS)
        names = case.robot.joint_names
        self.positions = np.r_[0:3, 4:7, 3, [self.model.joint(joint).qposadr[0] for joint in names]]
        self.drives = [self.model.actuator(joint).id for joint in names]
        self.data.qpos[self.positions] = case.robot.home
        self._kept = (np.zeros(0), np.zeros(0), np.zeros(0))

    def ready(self, rows: np.ndarray) -> Callable[[], Any]:
        """See `Player.ready`."""
        controls = np.zeros((1, len(rows), len(self.drives)))
        controls[0][:, self.drives] = rows
        if (controls == controls[:, :1]).all():
            return partial(self._hold, controls[0, 0], self.case.every * len(rows))
        controls = np.repeat(controls, self.case.every, axis=1)
        count = controls.shape[1]
        start, out = np.empty((1, self.size)), np.empty((1, count, self.size))
        roll = partial(
            rollout.rollout, [self.model], [self.data], start, controls, nstep=count, skip_checks=True,
            state=out, sensordata=np.empty((1, count, 0)),
        )  # fmt: skip
        return partial(self._follow, roll, start)

    def _hold(self, controls: np.ndarray, count: int) -> None:
        self.data.ctrl = controls
        mujoco.mj_step(self.model, self.data, nstep=count)

    def _follow(self, roll: Callable[..., Any], start: np.ndarray) -> None:
        mujoco.mj_getState(self.model, self.data, start[0], PHYSICS)
        roll(initial_warmstart=self.data.qacc_warmstart[None].copy())

    def coordinates(self) -> np.ndarray:
        """See `Player.coordinates`."""
        q: np.ndarray = self.data.qpos[self.positions]
        return q

    def save(self) -> None:
        """See `Player.save`."""
        self._kept = (self.state(), self.data.qacc_warmstart.copy(), self.data.ctrl.copy())

    def restore(self) -> None:
        """See `Player.restore`."""
        state, warm_start, controls = self._kept
        mujoco.mj_setState(self.model, self.data, state, PHYSICS)
        self.data.qacc_warmstart, self.data.ctrl = warm_start, controls

    def single_step(self) -> Callable[[], Any]:
        """Return one step as a Python user takes it; the joints hold the stance."""
        self.data.ctrl[self.drives] = self.case.joint_home
        return partial(mujoco.mj_step, self.model, self.data)

    def state(self) -> np.ndarray:
        """Return what MuJoCo needs to go on from here."""
        state = np.zeros(self.size)
        mujoco.mj_getState(self.model, self.data, state, PHYSICS)
        return state


def default_player(case: StepCase) -> MuJoCoPlayer:
    """Return MuJoCo as it comes."""
    return MuJoCoPlayer(case, Options(), DEFAULT)


def fastest_players(case: StepCase) -> list[MuJoCoPlayer]:
    """Return MuJoCo with the fastest few of all settings that do what the case asks for; a long race decides."""
    found = [(options, MuJoCoPlayer(case, options, FASTEST)) for options in (Options(), *candidates())]
    able = [(options, player) for options, player in found if not watch(case, player).failure]
    times = [timing.minimum for timing in time_players(case, [player for _, player in able], SEARCH_ROUNDS)]
    return [MuJoCoPlayer(case, able[k][0], FASTEST) for k in np.argsort(times)[:FINALISTS]]
