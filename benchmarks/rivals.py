"""The engines besides MuJoCo, as far as they are installed: PyPI does not have all of them for every Python."""

from collections.abc import Callable
from importlib import import_module, metadata

from .step_case import StepCase
from .step_timing import Player


def pybullet_players(case: StepCase) -> list[Player]:
    """Return PyBullet with its two kinds of drives."""
    module = import_module(".pybullet_steps", __package__)
    return [module.PyBulletPlayer(case, name) for name in (module.PD, module.MOTORS)]


def dart_players(case: StepCase) -> list[Player]:
    """Return DART."""
    return [import_module(".dart_steps", __package__).DartPlayer(case)]


def drake_players(case: StepCase) -> list[Player]:
    """Return Drake."""
    return [import_module(".drake_steps", __package__).DrakePlayer(case)]


ENGINES: dict[str, Callable[[StepCase], list[Player]]] = {
    "PyBullet": pybullet_players,
    "DART": dart_players,
    "Drake": drake_players,
}


def versions() -> dict[str, str]:
    """Return the versions of the engines that are installed, by the names of their packages."""
    found = {}
    for package in ("pybullet", "dartpy", "drake"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def rivals(case: StepCase) -> tuple[list[Player], list[str]]:
    """Return all players of the engines that are installed, and the names of those that are not."""
    players: list[Player] = []
    missing = []
    for name, make in ENGINES.items():
        try:
            players += make(case)
        except ImportError:
            missing.append(name)
    return players, missing
