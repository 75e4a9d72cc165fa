"""Environments in which a robot follows a commanded velocity: many worlds at once, or one."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..control.policy import Layout, Observer, Readings, load_layout, readings_of
from ..control.policy.observing import gravity_direction
from ..control.policy.policy import JointTargets
from ..dynamics.functions import checked
from ..errors import ParameterError
from ..model import RobotModel
from ..simulation import Simulator
from ..simulation.batch import WorldBatch
from ..simulation.checks import whole_number
from ..terrain import Terrain
from .curriculum import SLOW, Curriculum, RoughLanes
from .task import Randomisation, VelocityTask

LAYOUT = "quadruped12"
LARGEST_ACTION = 10.0


class VelocityVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """N robots that follow commanded velocities; by default, a world that ended begins anew in the same step."""

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        *,
        robot: RobotModel | str = "quadruped12",
        layout: Layout | str = LAYOUT,
        contact_models: Sequence[str] = ("exact_lcp",),
        time_step: float = 2e-3,
        terrain: str | Terrain = "plane",
        task: VelocityTask | None = None,
        randomisation: Randomisation | None = None,
        curriculum: RoughLanes | None = None,
        episode: float = 20.0,
        threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        """Make the worlds.

        Args:
            num_envs: N.
            robot: with a floating base.
            layout: of observation and action, see `legged_contact_sim.control.policy`.
            contact_models: each episode takes one of them at random.
            time_step: s.
            terrain: of all worlds.
            task: commands and rewards; None: the usual.
            randomisation: what is drawn at every reset; None: small velocities only.
            curriculum: lanes of rougher and rougher ground, instead of the terrain; each world finds its own.
            episode: s, after which an episode is truncated.
            threads: None: one per processor.
            autoreset_mode: Gymnasium's: a world that ended begins anew in the same step, in the next one (which takes
                no notice of its action), or when ``reset(options={"reset_mask": ...})`` asks for it.

        Raises:
            ParameterError: there are no worlds, the mode is unknown, the layout does not fit the robot, its period is
                no multiple of the time step.
        """
        self.robot = RobotModel.from_urdf(robot) if isinstance(robot, str) else robot
        self.layout = load_layout(layout) if isinstance(layout, str) else layout
        self.task, self.randomisation = task or VelocityTask(), randomisation or Randomisation()
        self.num_envs = whole_number("num_envs", num_envs)
        self.autoreset_mode = _mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.steps = round(self.layout.period / time_step)
        if self.steps < 1 or abs(self.steps * time_step - self.layout.period) > 1e-9:
            raise ParameterError(
                f"time_step: expected a part of the policy's {self.layout.period:g} s, found {time_step}"
            )
        self.period, self._longest = self.layout.period, round(episode / self.layout.period)
        self.targets = JointTargets(self.robot, self.layout)
        self.curriculum = None if curriculum is None else Curriculum(curriculum, num_envs)
        ground = terrain if self.curriculum is None else self.curriculum.terrain
        self.batch = WorldBatch(self.robot, num_envs, contact_models, time_step, ground, threads)
        self._observer = Observer(self.layout, len(self.targets.order), num_envs)
        places = self.robot.position_indices[self.targets.order]
        rates = self.robot.velocity_indices[self.targets.order]
        self._joints = (places, rates, self.targets.default)
        level = "plane" if self.curriculum else self.batch.terrain
        self._home = Simulator(self.robot, contact_models[0], time_step, level).home()
        self._home[self.robot.position_indices] = self.targets.rest
        self.single_observation_space = Box(-np.inf, np.inf, (self._observer.size,), np.float32)
        self.single_action_space = Box(-LARGEST_ACTION, LARGEST_ACTION, (len(self.targets.order),), np.float32)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._command = np.zeros((num_envs, 3))
        self._action = np.zeros((num_envs, len(self.targets.order)))
        self._age = np.zeros(num_envs, dtype=np.int64)  # periods since the reset
        self._walked = np.zeros(num_envs)  # along the command, m
        self._ended = np.zeros(num_envs, dtype=bool)
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin all episodes anew.

        ``options``: ``command``, (N, 3) or (3,), sets the commands; ``elapsed``, (N,), s, is how much of its first
        episode each world has behind it, so that episodes that begin together need not end together; ``reset_mask``,
        (N,), names the worlds to begin anew, while the others stay as they are.
        """
        super().reset(seed=seed)
        options = options or {}
        chosen = np.asarray(options.get("reset_mask", np.ones(self.num_envs)), dtype=bool)
        if chosen.shape != (self.num_envs,) or not (self._begun or chosen.all()):
            raise ParameterError(
                f"reset_mask: expected ({self.num_envs},) truths, all of them in the first reset, found {chosen}"
            )
        anew, self._begun = self._begun and not chosen.all(), True
        self._begin(chosen)
        if "command" in options:
            self._command[chosen] = np.broadcast_to(options["command"], self._command.shape)[chosen]
        if "elapsed" in options:
            elapsed = np.broadcast_to(np.asarray(options["elapsed"], dtype=float), self._age.shape)
            self._age[chosen] = np.round(elapsed / self.period)[chosen]
        observation = self._observer.observe_anew(self._read()) if anew else self._observer.observe(self._read())
        return observation.astype(np.float32), {"command": self._command.copy()}

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Advance all worlds by a period of the policy.

        Raises:
            ResetNeeded: no episode has begun.
            ParameterError: actions have another shape than the action space, or one is not a number.
        """
        if not self._begun:
            raise ResetNeeded("step: expected reset() before it")
        given = checked("actions", actions, self.num_envs, len(self.targets.order))
        resting = self._ended.copy()  # those that begin anew in this step, after the physics of the others
        before, self._action = self._action, np.clip(given, -LARGEST_ACTION, LARGEST_ACTION)
        self.batch.command(self.targets.of(self._action), self._wrench())
        self.batch.advance(self.steps)
        self._age += 1
        q, v = self.batch.q, self.batch.v
        gravity = gravity_direction(q[:, 3:7])
        posture = q[:, self._joints[0]] - self.targets.default
        rewards = self.period * self.task.reward(v, gravity, self._command, (self._action, before), posture)
        height = self.batch.terrain.gap(np.nan_to_num(q[:, :3], nan=-1.0))
        terminated = self.task.fallen(gravity, height, float(self._home[2]))
        terminated &= ~resting
        rewards = np.where(terminated | resting, 0.0, rewards)
        truncated = (self._age >= self._longest) & ~terminated & ~resting
        info: dict[str, Any] = {"command": self._command.copy(), "velocity": v[:, [0, 1, 5]]}
        ended = terminated | truncated
        self._walked += self.period * (v[:, :2] * self._command[:, :2]).sum(axis=1)
        if self.curriculum is not None:
            info["level"] = self.curriculum.level.copy()
        if ended.any():
            self._judge(ended, terminated)
        observation = self._observer.observe(self._read(v)).astype(np.float32)
        again = ended if self.autoreset_mode == AutoresetMode.SAME_STEP else resting
        if self.autoreset_mode == AutoresetMode.NEXT_STEP:
            self._ended = ended
        elif ended.any() and self.autoreset_mode == AutoresetMode.SAME_STEP:
            info["final_obs"], info["_final_obs"] = observation, ended
        if again.any():
            self._begin(again)
            observation = self._observer.observe_anew(self._read()).astype(np.float32)
        return observation, rewards, terminated, truncated, info

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self.batch.close()

    def _begin(self, chosen: np.ndarray) -> None:
        """Begin new episodes in the worlds of a mask (N,)."""
        random, drawn, count = self.np_random, self.randomisation, int(chosen.sum())
        worlds, batch = self.batch.worlds, self.batch
        batch.model_of[chosen] = random.integers(len(batch.contact_models), size=count)
        q = np.tile(self._home, (count, 1))
        if self.curriculum is not None:
            q[:, :3] += self.curriculum.starts(chosen, random)
        batch.place(chosen, q, random.normal(scale=drawn.velocity, size=(count, self.robot.nv)))
        worlds.frictions[chosen] = random.uniform(*drawn.friction, count)
        worlds.masses[chosen] = random.uniform(*drawn.mass, count)
        worlds.delays[chosen] = np.round(random.uniform(*drawn.latency, count) / batch.time_step).astype(np.int64)
        factor = random.uniform(*drawn.gains, (count, 1))
        batch.hold_in(chosen, factor * self.targets.stiffness, factor * self.targets.damping)
        worlds.commands[chosen] = 0.0
        worlds.commands[np.ix_(chosen, np.array([0, 1]), np.array([1]), self.robot.velocity_indices)] = (
            self.targets.rest
        )
        self._command[chosen] = self.task.commands(random, count)
        self._action[chosen] = 0.0
        self._age[chosen] = 0
        self._walked[chosen] = 0.0
        self._ended[chosen] = False
        self._observer.reset(chosen)

    def _judge(self, ended: np.ndarray, fallen: np.ndarray) -> None:
        """Let the curriculum choose new lanes for worlds of a mask (N,)."""
        if self.curriculum is not None:
            speed = np.linalg.norm(self._command[:, :2], axis=1)
            wanted = np.where(speed > SLOW, speed * self._longest * self.period, 0.0)
            walked = self._walked / np.maximum(speed, SLOW)
            self.curriculum.judge(ended, np.nan_to_num(walked), wanted, fallen, self.np_random)

    def _wrench(self) -> np.ndarray:
        """Return the pushes of the coming period, (N, 6), N and N m in world axes."""
        wrench, drawn = np.zeros((self.num_envs, 6)), self.randomisation
        if drawn.push > 0.0:
            pushed = self.np_random.uniform(size=self.num_envs) < self.period / drawn.push_every
            wrench[pushed, :2] = self.np_random.uniform(-drawn.push, drawn.push, (int(pushed.sum()), 2))
        return wrench

    def _read(self, v: np.ndarray | None = None) -> Readings:
        """Return what terms are made of; ``v``: the velocities now, if the caller has them."""
        v = self.batch.v if v is None else v
        return readings_of(self._age * self.period, self.batch.q, v, self._joints, self._action, self._command)


def _mode(given: AutoresetMode | str) -> AutoresetMode:
    """Return one of Gymnasium's ways to begin episodes anew, given it or its name."""
    modes = {name: mode for mode in AutoresetMode for name in (mode, mode.name, mode.value)}
    if given not in modes:
        names = ", ".join(mode.name for mode in AutoresetMode)
        raise ParameterError(f"autoreset_mode: expected one of {names}, found {given!r}")
    return modes[given]


class VelocityEnv(gymnasium.Env[np.ndarray, np.ndarray]):
    """One world of `VelocityVectorEnv`, with the same arguments."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(self, **options: Any) -> None:
        """See `VelocityVectorEnv`."""
        self.worlds = VelocityVectorEnv(1, threads=1, autoreset_mode=AutoresetMode.DISABLED, **options)
        self.observation_space = self.worlds.single_observation_space
        self.action_space = self.worlds.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        observation, info = self.worlds.reset(seed=seed, options=options)
        return observation[0], {"command": info["command"][0]}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Advance by a period of the policy."""
        observation, reward, terminated, truncated, info = self.worlds.step(np.asarray(action)[None])
        told = {"command": info["command"][0], "velocity": info["velocity"][0]}
        return observation[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), told

    def close(self) -> None:
        """End the threads."""
        self.worlds.close()
