"""Somebody else's contact model, installed by pip: listed, described and run like ours."""

import subprocess
import sys

import pytest
from other_models import install_by_pip

RUN = """
from legged_contact_sim import Simulator
sim = Simulator("quadruped12", "my_ground", friction=0.5, dent=0.2)
sim.hold(150.0, 4.0)
forces = sim.run(0.5).forces
print(sim.contact_model, sim.model.parameters.dent, forces[-1, :, 2].sum() / (9.81 * sim.robot.total_mass))
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return install_by_pip(tmp_path_factory.mktemp("other_package"))


def output(environment, *arguments):
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=1200.0).stdout


def test_the_command_line_lists_it(environment):
    lines = dict(
        line.split(maxsplit=1) for line in output(environment, "-m", "legged_contact_sim", "models").splitlines()
    )
    assert lines["my_ground"] == "a spring that keeps a dent (somebody else's package)"
    assert "exact_lcp" in lines


def test_the_simulator_runs_it(environment):
    name, dent, share = output(environment, "-c", RUN).split()
    assert (name, dent) == ("my_ground", "0.2")
    assert float(share) == pytest.approx(1.0, abs=0.05)
