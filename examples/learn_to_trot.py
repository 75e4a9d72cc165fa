#!/usr/bin/env python3
"""Teach `quadruped12` to follow commanded velocities: a short PPO in numpy on the vector environment.

    pip install 'legged_contact_sim[gym,policy,plot]' onnx
    python examples/learn_to_trot.py --out results/learn       # learns, tries, saves the policy and its learning curve
    python examples/learn_to_trot.py --try config/policies/quadruped12.onnx                      # only tries a policy

Proximal policy optimisation (Schulman et al., 2017, arXiv:1707.06347) with advantages of Schulman et al., 2016,
arXiv:1506.02438, and a learning rate that keeps the change of the policy near a set divergence. What makes it short is
the start: the policy has a linear path beside its network, and that begins as a trot on the spot, led by the clock that
the observation holds. The policy is saved as ONNX beside the YAML file of its layout, so that it runs as a controller
(`legged-contact-sim compare learned_trot --policy results/learn/quadruped12.onnx`).
"""

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small: threads would only wait for each other
import numpy as np

from legged_contact_sim.control.policy import layouts
from legged_contact_sim.gym import Randomisation, VelocityTask, VelocityVectorEnv
from legged_contact_sim.simulation.progress import Progress

LAYOUT = "quadruped12"
TASK = VelocityTask(low=(-0.4, -0.25, -0.7), high=(0.7, 0.25, 0.7), width=0.25)
RANDOMISATION = Randomisation(friction=(0.5, 1.1), mass=(0.9, 1.1), gains=(0.9, 1.1), push=60.0, velocity=0.1)
TIME_STEP = 4e-3  # s; half the work of the 2 ms at which the policy is tried
EPISODE = 6.0  # s; a new command comes with every episode
LIFT = 0.15  # rad; of the upper legs in the trot that the policy begins with
Weights = dict[str, np.ndarray]


@dataclass(frozen=True)
class Settings:
    """Of the learning.

    Attributes:
        iterations: how often worlds are run and the policy is changed.
        worlds: that run side by side.
        periods: of the policy that each of them runs in an iteration.
        epochs: times that an iteration's samples are used.
        batches: into which they are split.
        discount: of rewards, a period.
        decay: lambda of the generalised advantages.
        clip: of the ratio of probabilities.
        divergence: Kullback-Leibler divergence between two policies that the learning rate aims at.
        entropy: what unpredictable actions are worth.
        narrow: share of the iterations after which the bell curve of the velocity error narrows.
        seed: of everything random.
    """

    iterations: int = 700
    worlds: int = 256
    periods: int = 32
    epochs: int = 4
    batches: int = 4
    discount: float = 0.98
    decay: float = 0.95
    clip: float = 0.2
    divergence: float = 0.01
    entropy: float = 1e-3
    narrow: float = 0.4
    seed: int = 0


def layers(random: np.random.Generator, sizes: tuple[int, ...], last: float, name: str) -> Weights:
    """Return the weights of a network with tanh between its layers; ``last``: size of those of the last layer."""
    found: Weights = {}
    for k, (inputs, outputs) in enumerate(pairwise(sizes)):
        size = last if k == len(sizes) - 2 else 1.0
        found[f"{name}w{k}"] = (size * random.normal(size=(inputs, outputs)) / np.sqrt(inputs)).astype(np.float32)
        found[f"{name}b{k}"] = np.zeros(outputs, np.float32)
    return found


def forward(weights: Weights, name: str, x: np.ndarray) -> list[np.ndarray]:
    """Return what every layer gives, inputs first."""
    depth = sum(key.startswith(f"{name}w") for key in weights)
    values = [x]
    for k in range(depth):
        y = values[-1] @ weights[f"{name}w{k}"] + weights[f"{name}b{k}"]
        values.append(np.tanh(y) if k < depth - 1 else y)
    return values


def backward(weights: Weights, name: str, values: list[np.ndarray], slope: np.ndarray) -> Weights:
    """Return the gradients with regard to a network's weights, from that with regard to its output."""
    found: Weights = {}
    for k in reversed(range(len(values) - 1)):
        found[f"{name}w{k}"] = values[k].T @ slope
        found[f"{name}b{k}"] = slope.sum(axis=0)
        if k:
            slope = (slope @ weights[f"{name}w{k}"].T) * (1.0 - values[k] ** 2)
    return found


class Adam:
    """Gradient descent of Kingma and Ba, arXiv:1412.6980, with gradients of at most length 1."""

    def __init__(self, weights: Weights, rate: float) -> None:
        self.weights, self.rate, self._count = weights, rate, 0
        self._mean = {key: np.zeros_like(value) for key, value in weights.items()}
        self._square = {key: np.zeros_like(value) for key, value in weights.items()}

    def step(self, gradients: Weights) -> None:
        """Change the weights against the gradients."""
        self._count += 1
        length = np.sqrt(sum(float((part**2).sum()) for part in gradients.values()))
        for key, whole in gradients.items():
            part = whole / max(1.0, length)
            self._mean[key] += 0.1 * (part - self._mean[key])
            self._square[key] += 0.001 * (part**2 - self._square[key])
            mean = self._mean[key] / (1.0 - 0.9**self._count)
            square = self._square[key] / (1.0 - 0.999**self._count)
            self.weights[key] -= (self.rate * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)


class Learner:
    """A policy, the value of states, and how samples change both."""

    def __init__(self, env: VelocityVectorEnv, settings: Settings) -> None:
        self.env, self.settings = env, settings
        self.random = np.random.default_rng(settings.seed)
        inputs = env.single_observation_space.shape[0]
        outputs = env.single_action_space.shape[0]
        self.weights = {
            **layers(self.random, (inputs, 64, 64, outputs), 0.01, "policy_"),
            **layers(self.random, (inputs, 64, 64, 1), 1.0, "value_"),
            "linear": trot_on_the_spot(env),
            "noise": np.full(outputs, np.log(0.3), np.float32),  # logarithm of the standard deviation
        }
        self.adam = Adam(self.weights, 5e-4)

    def mean(self, seen: np.ndarray) -> np.ndarray:
        """Return the actions without noise, (N, n)."""
        return forward(self.weights, "policy_", seen)[-1] + seen @ self.weights["linear"]

    def value(self, seen: np.ndarray) -> np.ndarray:
        """Return the discounted rewards that the policy may expect, (N,)."""
        return forward(self.weights, "value_", seen)[-1][:, 0]

    def collect(self, seen: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray, float]:
        """Run all worlds; return samples with advantages, what is seen at the end, and the mean reward a second."""
        own, shape = self.settings, (self.settings.periods, self.settings.worlds)
        states = np.zeros((*shape, seen.shape[1]), np.float32)
        means = np.zeros((*shape, len(self.weights["noise"])), np.float32)
        actions, values = np.zeros_like(means), np.zeros((own.periods + 1, own.worlds))
        rewards, ends, total = np.zeros(shape), np.zeros(shape), 0.0
        for k in range(own.periods):
            states[k], values[k], means[k] = seen, self.value(seen), self.mean(seen)
            noise = self.random.standard_normal(means[k].shape, np.float32)
            actions[k] = means[k] + np.exp(self.weights["noise"]) * noise
            seen, rewards[k], fallen, late, told = self.env.step(actions[k])
            ends[k] = fallen | late
            total += float(rewards[k].mean())
            if late.any():  # an episode that was only cut off would have gone on as its last state promises
                rewards[k, late] += own.discount * self.value(told["final_obs"][late])
        values[-1] = self.value(seen)
        advantages, ahead = np.zeros(shape), np.zeros(own.worlds)
        for k in reversed(range(own.periods)):
            surprise = rewards[k] + own.discount * values[k + 1] * (1.0 - ends[k]) - values[k]
            ahead = advantages[k] = surprise + own.discount * own.decay * (1.0 - ends[k]) * ahead
        samples = {"states": states, "actions": actions, "means": means, "advantages": advantages}
        samples["returns"] = advantages + values[:-1]
        flat = {key: part.reshape(-1, *part.shape[2:]).astype(np.float32) for key, part in samples.items()}
        return flat, seen, total / (own.periods * self.env.period)

    def improve(self, samples: dict[str, np.ndarray]) -> None:
        """Change policy and value by the samples of an iteration."""
        own, count = self.settings, len(samples["states"])
        before = np.exp(self.weights["noise"])
        for _ in range(own.epochs):
            for chosen in np.array_split(self.random.permutation(count), own.batches):
                self._descend({key: part[chosen] for key, part in samples.items()}, before)

    def _descend(self, some: dict[str, np.ndarray], before: np.ndarray) -> None:
        """Take one step down the gradient of the clipped loss."""
        own, count, states = self.settings, len(some["states"]), some["states"]
        hidden = forward(self.weights, "policy_", states)
        mean, deviation = hidden[-1] + states @ self.weights["linear"], np.exp(self.weights["noise"])
        shift = (some["actions"] - mean) / deviation
        old = (some["actions"] - some["means"]) / before
        ratio = np.exp((0.5 * (old**2 - shift**2) + np.log(before / deviation)).sum(axis=1))
        gain = (some["advantages"] - some["advantages"].mean()) / (some["advantages"].std() + 1e-8)
        free = np.where(gain > 0.0, ratio < 1.0 + own.clip, ratio > 1.0 - own.clip)
        weight = (-(gain * ratio * free) / count)[:, None]  # slope of the loss by the logarithm of the probability
        slope = (weight * shift / deviation).astype(np.float32)
        gradients = backward(self.weights, "policy_", hidden, slope)
        gradients["linear"] = states.T @ slope
        gradients["noise"] = (weight * (shift**2 - 1.0)).sum(axis=0) - own.entropy
        known = forward(self.weights, "value_", states)
        error = (known[-1][:, 0] - some["returns"]) / count
        gradients |= backward(self.weights, "value_", known, error[:, None].astype(np.float32))
        self.adam.step(gradients)
        self._set_rate(some["means"] - mean, before, deviation)

    def _set_rate(self, moved: np.ndarray, before: np.ndarray, deviation: np.ndarray) -> None:
        """Learn faster or slower as the policy moved little or much."""
        spread = np.log(deviation / before) + (before**2 + moved**2) / (2.0 * deviation**2) - 0.5
        divergence = float(spread.sum(axis=1).mean())
        if divergence > 2.0 * self.settings.divergence:
            self.adam.rate = max(1e-5, self.adam.rate / 1.5)
        elif divergence < 0.5 * self.settings.divergence:
            self.adam.rate = min(2e-3, self.adam.rate * 1.5)


def trot_on_the_spot(env: VelocityVectorEnv) -> np.ndarray:
    """Return the linear path of the policy, (inputs, actions): diagonal pairs of legs bend in turn, by the clock."""
    found = np.zeros((env.single_observation_space.shape[0], env.single_action_space.shape[0]), np.float32)
    for k, joint in enumerate(env.targets.names):
        leg, kind = joint.split("_")
        turn = 1.0 if leg in ("lf", "rh") else -1.0
        share = {"haa": 0.0, "hfe": 1.0, "kfe": 2.0}[kind]  # knees bend twice as much, so that feet move straight up
        # The clock stands last in the layout: sine, cosine.
        found[-2, k] = turn * share * LIFT * np.sign(env.targets.default[k]) / env.targets.scale[k]
    return found


def learn(settings: Settings, tell: Callable[[int, float, float], None]) -> tuple[Learner, list[float]]:
    """Return what has learnt, and the mean reward a second of every iteration."""
    env = VelocityVectorEnv(
        settings.worlds, layout=LAYOUT, task=TASK, randomisation=RANDOMISATION, time_step=TIME_STEP, episode=EPISODE
    )
    learner, curve = Learner(env, settings), []
    seen, _ = env.reset(seed=settings.seed, options={"elapsed": learner.random.uniform(0.0, EPISODE, settings.worlds)})
    for k in range(settings.iterations):
        if k == round(settings.narrow * settings.iterations):
            env.task = replace(TASK, width=0.12)
        samples, seen, reward = learner.collect(seen)
        learner.improve(samples)
        curve.append(reward)
        tell(k + 1, reward, float(np.exp(learner.weights["noise"]).mean()))
    env.close()
    return learner, curve


def save(weights: Weights, path: Path) -> None:
    """Save the policy as ONNX, with the layout beside it."""
    from onnx import TensorProto, checker, helper, numpy_helper
    from onnx import save as write

    mine = {key: value for key, value in weights.items() if key.startswith("policy_") or key == "linear"}
    depth, nodes, last = sum(key.startswith("policy_w") for key in mine), [], "observation"
    for k in range(depth):
        nodes.append(helper.make_node("Gemm", [last, f"policy_w{k}", f"policy_b{k}"], [f"layer{k}"]))
        last = f"layer{k}"
        if k < depth - 1:
            nodes.append(helper.make_node("Tanh", [last], [f"bent{k}"]))
            last = f"bent{k}"
    nodes.append(helper.make_node("Gemm", ["observation", "linear", last], ["action"]))
    sizes = {"observation": mine["linear"].shape[0], "action": mine["linear"].shape[1]}
    ends = {key: helper.make_tensor_value_info(key, TensorProto.FLOAT, ["worlds", n]) for key, n in sizes.items()}
    held = [numpy_helper.from_array(value, key) for key, value in mine.items()]
    graph = helper.make_graph(nodes, "learn_to_trot", [ends["observation"]], [ends["action"]], held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    checker.check_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    write(model, str(path))
    beside = path.with_suffix(".yaml")
    if beside.resolve() != layouts()[LAYOUT].resolve():
        beside.write_text(layouts()[LAYOUT].read_text())


def load(path: Path) -> Callable[[np.ndarray], np.ndarray]:
    """Return a saved policy: actions (N, n) for observations (N, inputs)."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return lambda seen: session.run(None, {"observation": seen})[0]


def trials(policy: Callable[[np.ndarray], np.ndarray], count: int = 100, duration: float = 20.0, seed: int = 1) -> dict:
    """Try a policy at random commands; return commands (count, 3), mean velocities, and which robots stayed upright."""
    env = VelocityVectorEnv(count, layout=LAYOUT, task=replace(TASK, standing=0.0), episode=2.0 * duration)
    seen, told = env.reset(seed=seed)
    command, upright, periods = told["command"], np.ones(count, dtype=bool), round(duration / env.period)
    velocities = np.zeros((periods, count, 3))
    for k in range(periods):
        seen, _, fallen, _, told = env.step(policy(seen))
        upright &= ~fallen
        velocities[k] = told["velocity"]
    env.close()
    return {"command": command, "velocity": velocities[periods // 5 :].mean(axis=0), "upright": upright}


def judged(found: dict) -> str:
    """Return what trials showed, in words."""
    wanted, moved, upright = found["command"], found["velocity"], found["upright"]
    speed = np.linalg.norm(wanted[:, :2], axis=1)
    errors = np.linalg.norm(moved[:, :2] - wanted[:, :2], axis=1) / speed
    fast = upright & (speed > 0.2)
    turning = upright & (np.abs(wanted[:, 2]) > 0.2)
    turns = np.abs(moved[turning, 2] / wanted[turning, 2] - 1.0)
    return (
        f"upright in {upright.sum()} of {len(upright)} trials; error of the velocity, of commands above 0.2 m/s: "
        f"mean {errors[fast].mean():.1%}, 90 % of them below {np.percentile(errors[fast], 90):.1%}; "
        f"of turning above 0.2 rad/s: mean {turns.mean():.1%}, 90 % of them below {np.percentile(turns, 90):.1%}"
    )


def draw(curve: list[float], narrowed: int, path: Path) -> None:
    """Draw the learning curve."""
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(8, 4), layout="constrained")
    axes = drawing.subplots()
    axes.plot(np.arange(1, len(curve) + 1), curve)
    axes.axvline(narrowed, color="tab:gray", linestyle="--", label="the reward becomes stricter")
    axes.set(xlabel="iteration", ylabel="mean reward (1/s); 1.5 is the most", title="Learning to follow a velocity")
    axes.grid(alpha=0.3)
    axes.legend()
    drawing.savefig(path, dpi=110)


def main() -> None:
    """Learn, try and save."""
    parser = argparse.ArgumentParser(description="Teach quadruped12 to follow commanded velocities.")
    parser.add_argument("--iterations", type=int, default=Settings.iterations)
    parser.add_argument("--worlds", type=int, default=Settings.worlds)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    parser.add_argument("--out", type=Path, default=Path("results/learn"), metavar="DIR", help="default: %(default)s")
    parser.add_argument("--try", dest="tried", type=Path, metavar="FILE.onnx", help="learn nothing, try this policy")
    options = parser.parse_args()
    if options.tried:
        print(judged(trials(load(options.tried))))
        return
    settings = Settings(options.iterations, options.worlds, seed=options.seed)
    progress, begin, cpu = Progress("learn", settings.iterations), time.monotonic(), time.process_time()
    learner, curve = learn(
        settings, lambda k, reward, noise: progress.step(f"reward {reward:.3f} a second, noise {noise:.2f}")
    )
    spent = f"{time.monotonic() - begin:.0f} s, {time.process_time() - cpu:.0f} s of processor time"
    path = options.out / f"{LAYOUT}.onnx"
    save(learner.weights, path)
    draw(curve, round(settings.narrow * settings.iterations), options.out / "learning_curve.png")
    print(f"learnt in {spent}: {judged(trials(load(path)))}")
    print(path)


if __name__ == "__main__":
    main()
