"""The browser view: a simulation to watch, change and push, without ROS; pictures and films of runs."""

from .world import Frame, World, find_world

__all__ = ["Frame", "World", "find_world"]
