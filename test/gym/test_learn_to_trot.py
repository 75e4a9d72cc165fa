"""The learning example: gradients, good actions become likelier, what it saves; and the policy that ships walks."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from legged_contact_sim.control.policy import policies

EXAMPLE = Path(__file__).parents[2] / "examples" / "learn_to_trot.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("learn_to_trot", EXAMPLE)
    module = sys.modules["learn_to_trot"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["learn_to_trot"]


@pytest.fixture(scope="module")
def learner(example):
    env = example.VelocityVectorEnv(8, layout=example.LAYOUT, time_step=example.TIME_STEP)
    yield example.Learner(env, example.Settings(worlds=8, periods=4, epochs=2, batches=2))
    env.close()


def test_gradients_are_those_of_finite_differences(example):
    random = np.random.default_rng(0)
    weights = {key: value.astype(float) for key, value in example.layers(random, (5, 4, 3, 2), 1.0, "some_").items()}
    seen, slope = random.normal(size=(6, 5)), random.normal(size=(6, 2))
    found = example.backward(weights, "some_", example.forward(weights, "some_", seen), slope)
    for key, value in weights.items():
        for place in ((0,) * value.ndim, tuple(n - 1 for n in value.shape)):
            both = []
            for shift in (1e-6, -1e-6):
                moved = {**weights, key: value.copy()}
                moved[key][place] += shift
                both.append(float((example.forward(moved, "some_", seen)[-1] * slope).sum()))
            assert found[key][place] == pytest.approx((both[0] - both[1]) / 2e-6, rel=1e-6, abs=1e-9), key


def test_the_policy_begins_as_a_trot_on_the_spot(learner):
    """Diagonal legs bend together, the others half a period later; the feet go straight up."""
    seen = np.zeros((1, learner.weights["linear"].shape[0]), np.float32)
    seen[0, -2] = 1.0  # sine of the clock
    targets = (seen @ learner.weights["linear"])[0] * learner.env.targets.scale
    moved = dict(zip(learner.env.targets.names, targets * np.sign(learner.env.targets.default), strict=True))
    for leg in ("lf", "rh"):
        assert moved[f"{leg}_hfe"] > 0.1 and moved[f"{leg}_kfe"] == pytest.approx(2.0 * moved[f"{leg}_hfe"])
    for leg in ("rf", "lh"):
        assert moved[f"{leg}_hfe"] == pytest.approx(-moved["lf_hfe"])


def test_actions_that_did_better_become_likelier(example, learner):
    seen, _ = learner.env.reset(seed=0)
    samples, _, _ = learner.collect(seen)
    better = samples["actions"][:, 0] > samples["means"][:, 0]
    samples["advantages"] = np.where(better, 1.0, -1.0).astype(np.float32)
    before = learner.mean(samples["states"])[:, 0].mean()
    learner.improve(samples)
    assert learner.mean(samples["states"])[:, 0].mean() > before


def test_what_is_saved_acts_as_what_has_learnt(example, learner, tmp_path):
    example.save(learner.weights, tmp_path / "policy.onnx")
    assert (tmp_path / "policy.yaml").is_file()
    seen = np.random.default_rng(1).normal(size=(3, learner.weights["linear"].shape[0])).astype(np.float32)
    np.testing.assert_allclose(example.load(tmp_path / "policy.onnx")(seen), learner.mean(seen), rtol=1e-4, atol=1e-5)


def test_the_policy_that_ships_follows_commands(example):
    found = example.trials(example.load(policies()["quadruped12"]), count=12, duration=5.0)
    assert found["upright"].all()
    error = np.linalg.norm(found["velocity"][:, :2] - found["command"][:, :2], axis=1)
    assert (error < 0.2 * np.maximum(np.linalg.norm(found["command"][:, :2], axis=1), 0.2)).all()
