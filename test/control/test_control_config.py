"""Every controller's parameter file makes its controller; every controller has one, a launch file and a page."""

import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from control_cases import robot_named

from legged_contact_sim.contact import MODELS
from legged_contact_sim.control import controllers, make_controller
from legged_contact_sim.control.scenario import Scenario
from legged_contact_sim.studies.frame import studies

ROOT = Path(__file__).resolve().parents[2]
PATHS = (ROOT / "config").glob("*.yaml")
FILES = {path.stem: yaml.safe_load(path.read_text())["/**"]["ros__parameters"] for path in PATHS}
OURS = {name: values for name, values in FILES.items() if values.get("controller") in controllers()}


@pytest.mark.parametrize("name", OURS)
def test_the_file_makes_its_controller(name):
    values = OURS[name]
    kind = values["controller"]
    assert make_controller(kind, robot_named(values["robot"]), values.get(kind)).name == kind


@pytest.mark.parametrize("kind", [kind for kind in controllers() if kind != "policy"])  # needs a file of the user's
def test_every_controller_has_a_launch_file_and_a_page_that_names_it(kind):
    launch = (ROOT / "launch" / f"{kind}.launch.py").read_text()
    (scenario,) = re.findall(r"\"scenario\": \"(\w+)\"", launch)
    assert OURS[scenario]["controller"] == kind
    page = (ROOT / "docs" / "control" / f"{kind}.md").read_text()
    assert f"ros2 launch legged_contact_sim {kind}.launch.py" in page
    assert f"legged-contact-sim run {scenario}" in page and f"config/{scenario}.yaml" in page


@pytest.mark.parametrize("name", OURS)
def test_simulator_and_controller_agree_on_the_rate(name):
    """In lockstep the simulator waits for `command_rate` answers a second; at another rate it would hang."""
    values = OURS[name]
    assert values["lockstep"] is True
    assert values["command_rate"] == values["rate"] <= values["control_rate"]
    steps = 1.0 / (values["control_rate"] * values["time_step"])
    assert steps == pytest.approx(round(steps)) and steps > 0.5


def test_every_contact_model_is_used_by_a_scenario_and_every_study_has_one():
    used = {values.get("contact_model") for values in FILES.values()}
    assert {
        name for name, model in MODELS.usable().items() if model.__module__.startswith("legged_contact_sim")
    } <= used
    for study in studies():
        names = [name for name in FILES if name.startswith(f"{study}_")]
        assert names
        for name in names:
            assert (ROOT / "launch" / f"{name}.launch.py").is_file()


@pytest.mark.parametrize("robot", ["quadruped12", "quadruped16"])
def test_any_robot_stands_by_drives_inside_the_step(robot):
    scenario = Scenario.load("stand", robot=robot)
    sim, controller = scenario.start()
    assert controller is None
    start = sim.state
    sim.run(1.0, sample_every=1000)
    assert np.abs(sim.state.q - start.q).max() < 0.05
    assert np.abs(sim.state.v).max() < 1e-3
    held, _ = scenario.changed({"controller": "joint_pid"}).start()  # then only the controller acts
    held.step()
    assert held.step().energy.actuators == 0.0


def test_the_integral_gain_of_the_drives_takes_the_sag_out():
    gains = {"hold.proposed": False, "hold.stiffness": 150.0, "hold.damping": 4.0}
    errors = []
    for integral in (0.0, 600.0):
        sim, _ = Scenario.load("stand").changed({**gains, "hold.integral": integral}).start()
        target = sim.robot.home[sim.robot.position_indices]
        sim.run(2.0, sample_every=1000)
        errors.append(np.abs(sim.state.q[sim.robot.position_indices] - target).max())
    assert errors[0] > 0.01 and errors[1] < 0.1 * errors[0]
