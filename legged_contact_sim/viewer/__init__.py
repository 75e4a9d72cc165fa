"""The browser view: a simulation to watch, change and push, without ROS; replays, pictures and films of runs."""

from .stage import Frame, Show, Stage
from .world import World, find_world

__all__ = ["Frame", "Show", "Stage", "World", "find_world"]
