"""This package, under one of its contact models."""

from legged_contact_sim import Simulator

from .scene import Path, Scene

MODELS = ("exact_lcp", "moreau", "hybrid")


def play(scene: Scene, model: str) -> Path:
    """Return what the robot does."""
    ground = {"friction": scene.friction, "restitution": scene.restitution}
    simulator = Simulator(scene.robot, model, scene.time_step, **ground)
    if scene.drives is not None:
        simulator.hold(*scene.drives, target=scene.q[scene.robot.position_indices])
    simulator.reset(scene.q, scene.v)
    run = simulator.run(scene.duration, sample_every=scene.sample_every)
    return Path(run.time, run.q, run.v)
