"""Scenarios in one process: what a parameter file says of its robot and ground, and names that nothing reads."""

import numpy as np
import pytest

from legged_contact_sim import ModelError, ParameterError
from legged_contact_sim.control.joint_pid import JointPid
from legged_contact_sim.control.scenario import Scenario
from legged_contact_sim.terrain import Plane, Slope, make_terrain

STAND = Scenario("stand", {"robot": "quadruped12", "controller": "none"})


def test_what_a_scenario_says_of_its_robot_is_read():
    """The same names as those of the nodes: gravity, home, feet, contact points, drives, play in gears."""
    told = {
        "gravity": [0.0, 0.0, -1.62],
        "contact_points.nose.link": "base_link",
        "contact_points.nose.offset": [0.3, 0.0, 0.0],
        "actuator.effort_limit": 7.0,
    }
    robot, plain = STAND.changed(told).robot(), STAND.robot()
    assert robot.gravity[2] == -1.62 and "nose" in robot.contact_names
    assert (robot.links["effort_limit"][robot.joint_links] == 7.0).all()
    assert set(robot.contact_names) - set(plain.contact_names) == {"nose"}
    with pytest.raises((ParameterError, ModelError), match="siting"):
        STAND.changed({"home": "siting"}).robot()


class Own(JointPid):
    """A user's own controller, whose parameters stand under its name."""

    name = "own"


def test_a_name_that_nothing_reads_is_refused():
    for name, meant in (("frction", "friction"), ("zmp_trot.swingtime", "swing_time"), ("initial.lft", "initial.lift"),
                        ("contact.penalty.stiffness", "normal_stiffness"), ("none.velocity", "")):  # fmt: skip
        with pytest.raises(ParameterError, match=f"{name}: there is no such parameter.*{meant}"):
            STAND.changed({name: 1.0})
    own = STAND.changed({"controller": f"{__name__}:Own", "own.speed": 1.0})
    assert own["own.speed"] == 1.0
    assert STAND.changed({"friction": None}).values == STAND.values


def test_a_rate_is_a_number_above_0():
    with pytest.raises(ParameterError, match="rate"):
        STAND.changed({"controller": "joint_pid", "rate": 0.0}).start()


def test_a_ground_takes_the_place_of_the_one_before():
    hill = STAND.changed({"terrain.kind": "slope", "terrain.angle": 0.2, "terrain.azimuth": 1.0})
    assert make_terrain(hill.terrain()) == Slope(0.2, 1.0)
    assert make_terrain(hill.changed({"terrain": "plane"}).terrain()) == Plane()
    assert make_terrain(hill.changed({"terrain": "slope"}).changed({"terrain.angle": 0.1}).terrain()) == Slope(0.1)
    with pytest.raises(ParameterError, match=r"terrain\.angle"):
        hill.changed({"terrain": Plane()}).changed({"terrain.angle": 0.1}).terrain()


def test_rough_ground_is_that_of_its_seed():
    first, again, other = (make_terrain({"kind": "rough", "seed": seed, "roughness": 0.1}) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.heights, again.heights)
    assert (first.heights != other.heights).any()
    assert first.heights.shape == (101, 101) and 0.04 < np.abs(first.heights).max() <= 0.05
    for wrong in ({"seed": -1}, {"seed": 0.5}, {"roughness": -1.0}, {"cell_size": 0.0}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            make_terrain({"kind": "rough", **wrong})
