"""The published fall and jump of the planar leg, event by event."""

from functools import cache

import pytest

from legged_contact_sim.studies.singh import fall as singh
from legged_contact_sim.studies.singh import jump as singh_jump
from legged_contact_sim.studies.singh import set_point


@cache
def jump():
    found = singh_jump.jump()
    return found, singh_jump.summary(found)


def test_fall_keeps_its_energy_in_flight_and_stands_on_both_ends():
    numbers = singh.summary(singh.fall())
    assert numbers["flight_energy_drift"] < 1e-6
    assert numbers["largest_energy_gain_of_an_event"] <= 1e-9
    assert numbers["largest_gap_of_a_bearing_foot"] < 1e-8


def test_jump_goes_through_its_phases_the_heel_first():
    _, numbers = jump()
    phases = [name for name, _ in numbers["phases"]]
    assert phases == ["fall", "settle", "crouch", "thrust", "toe", "flight", "landing"]
    assert numbers["heel_leaves"] < numbers["toe_leaves"] - 0.02
    assert numbers["foot_clearance"] > 0.1


def test_energy_minus_motor_work_is_constant_through_the_jump():
    assert jump()[1]["energy_minus_motor_work_drift"] < 1e-8


def test_jump_lands_within_its_bounds_and_every_event_is_resolved():
    found, numbers = jump()
    assert numbers["unresolved_events"] == 0
    assert numbers["largest_effort"] <= numbers["effort_bound"] + 1e-9
    assert numbers["largest_penetration"] < 1e-8
    assert numbers["end_speed"] < 0.1
    assert max(event.energy_after - event.energy_before for event in found.run.events) == pytest.approx(0.0, abs=1e-6)


def test_the_documents_own_control_lifts_the_heel_first_and_rests_after_lift_off():
    found = set_point.summary(set_point.set_point_jump(0.3))
    assert found["phases"] == ["fall", "whole", "toe", "off"]
    assert found["effort_after_lift_off"] == 0.0
    assert found["foot_clearance"] > 0.1
    assert found["energy_drift"] < 1e-6
