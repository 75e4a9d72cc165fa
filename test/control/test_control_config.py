"""Every controller's parameter file makes its controller; every controller has one, and a page."""

from pathlib import Path

import pytest
import yaml
from control_cases import robot_named

from legged_contact_sim.control import controllers, make_controller

ROOT = Path(__file__).resolve().parents[2]
PATHS = (ROOT / "config").glob("*.yaml")
FILES = {path.stem: yaml.safe_load(path.read_text())["/**"]["ros__parameters"] for path in PATHS}
OURS = {name: values for name, values in FILES.items() if values.get("controller") in controllers()}


@pytest.mark.parametrize("name", OURS)
def test_the_file_makes_its_controller(name):
    values = OURS[name]
    kind = values["controller"]
    assert make_controller(kind, robot_named(values["robot"]), values.get(kind)).name == kind


@pytest.mark.parametrize("kind", controllers())
def test_every_controller_has_a_file_and_a_page(kind):
    assert any(values["controller"] == kind for values in OURS.values())
    assert (ROOT / "docs" / "control" / f"{kind}.md").is_file()
