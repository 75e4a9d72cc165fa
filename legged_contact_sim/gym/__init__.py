"""Gymnasium environments: robots that learn to follow a commanded velocity, many worlds in one compiled call."""

import gymnasium

from .curriculum import RoughLanes
from .task import Randomisation, VelocityTask
from .velocity import VelocityEnv, VelocityVectorEnv

__all__ = ["Randomisation", "RoughLanes", "VelocityEnv", "VelocityTask", "VelocityVectorEnv", "register_environments"]

NAME = "legged_contact_sim/Quadruped12Velocity-v0"


def register_environments() -> None:
    """Let `gymnasium.make` and `gymnasium.make_vec` find the environments by name."""
    if NAME not in gymnasium.registry:
        gymnasium.register(
            NAME,
            entry_point="legged_contact_sim.gym.velocity:VelocityEnv",
            vector_entry_point="legged_contact_sim.gym.velocity:VelocityVectorEnv",
        )


register_environments()
