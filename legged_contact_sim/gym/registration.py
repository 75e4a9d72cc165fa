"""Names of our Gymnasium environments: known as soon as both packages are imported, in either order.

Since version 1 Gymnasium looks for no plugins, and importing it here would cost everybody else its time.
"""

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

GYMNASIUM = "gymnasium"
NAME = "legged_contact_sim/Quadruped12Velocity-v0"


def register_environments() -> None:
    """Let `gymnasium.make` and `gymnasium.make_vec` find the environments by name."""
    import gymnasium

    if NAME not in gymnasium.registry:
        gymnasium.register(
            NAME,
            entry_point="legged_contact_sim.gym.velocity:VelocityEnv",
            vector_entry_point="legged_contact_sim.gym.velocity:VelocityVectorEnv",
        )


def register_when_imported() -> None:
    """Register the environments now if Gymnasium is there, else when a program imports it."""
    if GYMNASIUM in sys.modules:
        register_environments()
    else:
        sys.meta_path.insert(0, _AfterGymnasium())


class _AfterGymnasium(MetaPathFinder):
    """Registers the environments once Gymnasium has been imported, in the usual way."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return Gymnasium's own spec, with the registration at its end; None: of every other module."""
        if fullname != GYMNASIUM:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_register(module: ModuleType) -> None:
                execute(module)
                register_environments()

            spec.loader.exec_module = execute_and_register  # type: ignore[method-assign]
        return spec
