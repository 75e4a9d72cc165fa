"""Compile what the tests run in one process: ``make test`` begins so.

Compiled one by one, as tests come to need them, kernels take more processor time: each begins from nothing. Besides
what ``legged-contact-sim compile`` does, these are the model of `contact/other_package`, the step of robots with loops
and of those whose bodies collide, the worlds of the gym, entries of a study and of a test.
"""

import sys
from contextlib import suppress
from pathlib import Path

import numpy as np

from legged_contact_sim import RobotModel, Simulator, dynamics
from legged_contact_sim.app.cli import main
from legged_contact_sim.simulation.batch import WorldBatch
from legged_contact_sim.studies.gehring.alpha import iterations_over_alpha

sys.path.append(str(Path(__file__).resolve().parent / "contact"))
import test_embedding_impact
from other_models import install
from test_closed_loops import FOUR_BAR
from test_self_collision import SLIDERS

if __name__ == "__main__":
    install()
    with suppress(SystemExit):
        main(["compile"])
    linkage = RobotModel.from_urdf(FOUR_BAR)
    Simulator(linkage).step()
    dynamics.forward_dynamics(linkage, linkage.home, np.zeros(linkage.nv))
    sliders = RobotModel.from_urdf(SLIDERS, self_collision=True)
    for name in ("exact_lcp", "moreau"):
        Simulator(sliders, name).step()
    worlds = WorldBatch(RobotModel.from_urdf("quadruped12"), 1)
    worlds.advance(1)
    worlds.close()
    test_embedding_impact.impact(np.eye(3), np.array([-1.0, 0.0, 0.0]), 0.5, 0.0)
    simulator = Simulator("quadruped12", contact_model="moreau")
    simulator.run(0.01)
    iterations_over_alpha(simulator.model, [0.6])
