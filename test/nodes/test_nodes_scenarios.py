"""Every packaged scenario names parameters that the simulator node has, with values it takes; no node is started."""

import pytest

from legged_contact_sim.control.scenario import controllers_of, flattened
from legged_contact_sim.nodes.declared import take_value
from legged_contact_sim.nodes.parameters import WHAT_OTHERS_DECLARE, contact_settings, declarations
from legged_contact_sim.nodes.robot_parameters import POINTS, ROBOT_PARAMETERS
from legged_contact_sim.nodes.sensor_parameters import sensor_declarations
from legged_contact_sim.simulation.scenarios import read_scenario, scenarios


@pytest.mark.parametrize("name", sorted(scenarios()))
def test_the_simulator_knows_and_takes_all_parameters(name):
    told = flattened(read_scenario(scenarios()[name]))
    for robot in controllers_of(told):
        own = f"robots.{robot}."
        takes_all(told | {key.removeprefix(own): value for key, value in told.items() if key.startswith(own)})


def takes_all(given):
    declared = declarations(given["contact_model"]) | sensor_declarations() | ROBOT_PARAMETERS
    values = {key: item.default for key, item in declared.items() if isinstance(item.default, bool | int | float | str)}
    for key, value in given.items():
        if key.split(".")[0] in WHAT_OTHERS_DECLARE or key.startswith(POINTS):
            continue
        assert key in declared, key
        take_value(values, key, declared[key], value)
    assert contact_settings(values)[0] == given["contact_model"]
