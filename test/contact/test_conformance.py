"""What every contact model that is found has to do, ours and others': nothing here knows a model by name.

A model gets all of this without a line: by its file in ``contact/models/``, or by an entry point of its package.
"""

import contextlib
import copy
import dataclasses
import inspect
import pickle
import re
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import other_models
import pytest
from contact_cases import GRAVITY, ball_xml, box_xml, gaps, robot_named, simulator

from legged_contact_sim import ParameterError, contact_models
from legged_contact_sim.contact import MODELS
from legged_contact_sim.contact.parameters import GROUND
from legged_contact_sim.contact.records import CONTACT
from legged_contact_sim.contact.registry import own_names
from legged_contact_sim.errors import ParameterWarning

other_models.install()
models = pytest.mark.parametrize("name", list(MODELS))

ROOT = Path(__file__).resolve().parent.parent.parent
TIME_STEP = 5e-4
BOX_MASS, FRICTION = 10.0, 0.4
WEIGHT = BOX_MASS * GRAVITY
REFERENCE = "exact_lcp"  # to switch to and from


def box(name, **parameters):
    """Return a box of 10 kg, 2 cm above the ground, that turns a little as it falls."""
    sim = simulator(box_xml(mass=BOX_MASS), name, TIME_STEP, **parameters)
    sim.reset(*fall())
    return sim


def fall():
    turn = np.array([0.05, 0.03, 0.0, 1.0])
    return [0.0, 0.0, 0.08, *turn / np.linalg.norm(turn)], [0.3, -0.1, 0.0, 0.2, 0.1, 0.5]


@cache
def fallen(name):
    """Return the simulator and the run of a box that falls and comes to rest."""
    sim = box(name)
    return sim, sim.run(1.5)


def same(first, second):
    return all(np.array_equal(getattr(first, part), getattr(second, part)) for part in ("q", "v", "forces", "works"))


@models
def test_rests(name):
    """Weight on the ground, no motion, and no point that bears a load is called open."""
    _, run = fallen(name)
    assert run.forces[-100:].sum(axis=1).mean(axis=0) == pytest.approx([0.0, 0.0, WEIGHT], abs=1e-2 * WEIGHT)
    assert np.abs(run.v[-1]).max() < 5e-3
    assert (run.modes[-1][run.forces[-1, :, 2] > 0.01 * WEIGHT] > 0).all()
    assert (run.forces[:, :, 2] >= -1e-9 * WEIGHT).all()  # the ground pushes
    assert run.gaps.min() > -0.05


@models
def test_forces_and_gaps_that_are_reported_are_those_that_act(name):
    """Impulses and weight change the momentum; gaps are those of the pose."""
    sim, run = fallen(name)
    impulse = run.forces.sum(axis=(0, 1)) * TIME_STEP + [0.0, 0.0, -WEIGHT * run.time[-1]]
    start, end = (BOX_MASS * np.array(v[:3]) for v in (fall()[1], run.v[-1]))  # nothing turns fast at the end
    assert impulse == pytest.approx(end - in_world(start), abs=1e-2 * BOX_MASS * 0.3)
    assert run.gaps[-1] == pytest.approx(gaps(sim), abs=1e-9)


def in_world(velocity):
    x, y, z, w = fall()[0][3:]
    axis = np.array([x, y, z])
    return velocity + 2.0 * np.cross(axis, np.cross(axis, velocity) + w * velocity)


@models
def test_audit_closes(name):
    _, run = fallen(name)
    assert np.abs(run.remainder).max() < 1e-2 * np.abs(run.works).max()


@models
def test_contacts_give_no_work_where_that_is_promised(name):
    if not MODELS[name].passive:
        pytest.skip("it does not promise it")
    _, run = fallen(name)
    work = run.works[:, 2] + run.works[:, 3]
    assert work[-1] < -0.1  # the fall ends in the ground
    assert work.max() < 1e-6


@models
def test_slides_and_sticks(name):
    """A push beyond the friction accelerates the box by what is left of it; half of the friction holds."""
    duration, speeds = 0.2, []
    for push in (WEIGHT, 0.5 * FRICTION * WEIGHT):
        sim = box(name, friction=FRICTION)
        sim.reset([0.0, 0.0, float(fallen(name)[1].q[-1, 2]), 0.0, 0.0, 0.0, 1.0])
        sim.run(0.1)
        sim.push("box", [push, 0.0, 0.0], duration=duration)
        run = sim.run(duration)
        speeds.append(run.v[-1, 0])
        assert (run.modes[-1][run.forces[-1, :, 2] > 0.0] == (2 if push == WEIGHT else 1)).all()
    assert speeds[0] == pytest.approx((1.0 - FRICTION) * GRAVITY * duration, rel=0.15)
    assert abs(speeds[1]) < 0.01


@models
def test_drops(name):
    """A ball never comes back higher than it was, nor sinks deep."""
    sim = simulator(ball_xml(), name, TIME_STEP)
    sim.reset([0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 1.0])
    run = sim.run(0.8)
    landed = np.argmax(run.forces[:, 0, 2] > 0.0)
    assert run.time[landed] == pytest.approx(np.sqrt(2 * 0.2 / GRAVITY), abs=2 * TIME_STEP)
    assert run.q[landed:, 2].max() < 0.3
    assert run.gaps.min() > -0.1
    assert np.abs(run.q[:, :2]).max() < 1e-9  # straight down, straight up


@models
def test_is_identical_twice_and_after_a_reset(name):
    sim, run = fallen(name)
    again = box(name)
    assert same(run, again.run(1.5))
    again.reset(*fall())
    assert again.time == 0.0 and again.events == []
    assert same(run, again.run(1.5))
    assert [event.time for event in again.events] == [event.time for event in sim.events]


@models
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda sim: pickle.loads(pickle.dumps(sim))], ids=["copy", "pickle"])
def test_a_copy_goes_on_as_the_original_does(name, copied):
    sim = box(name)
    sim.run(0.07)  # in the middle of its impacts
    twin = copied(sim)
    first = sim.run(0.1)
    assert (twin.time, twin.contact_model) == (pytest.approx(0.07), name)  # the original's run has not moved it
    assert same(first, twin.run(0.1))
    assert twin.model.parameters == sim.model.parameters


@models
def test_reports(name):
    """A step's report says of every point what the arrays say."""
    sim = copy.deepcopy(fallen(name)[0])
    unconverged = sim.step().unconverged
    report = sim.step()
    assert [contact.name for contact in report.contacts] == list(sim.robot.contact_names)
    for contact in report.contacts:
        assert contact.mode in ("open", "stick", "slip")
        assert contact.impulse == pytest.approx(contact.force * TIME_STEP)
        assert contact.normal == pytest.approx([0.0, 0.0, 1.0])
        assert contact.mode != "open" or abs(contact.force[2]) < 1e-9 * WEIGHT
    assert report.unconverged == unconverged
    assert abs(report.energy.remainder) < 1e-2


@models
def test_switches_in_and_out_while_it_runs(name):
    sim = box(REFERENCE, friction=FRICTION)
    sim.run(0.3)
    for model in (name, REFERENCE):
        before = sim.state
        sim.switch_contact_model(model)
        assert sim.contact_model == model and sim.model.parameters.friction == FRICTION
        assert np.array_equal(sim.state.q, before.q) and sim.time == pytest.approx(0.3, abs=0.8)
        run = sim.run(0.7)
        assert run.forces[-100:, :, 2].sum(axis=1).mean() == pytest.approx(WEIGHT, rel=2e-2)


def bad_values(rule):
    """Return values that a parameter has to refuse."""
    if "check" in rule:
        return []
    if "allowed" in rule:
        return ["no such word", None, 3.0]
    if "switch" in rule:
        return ["no such word", None, 1, 0.0]
    return [rule["low"] - 1.0, rule["high"] * 2.0 + 1.0, np.nan, "much", None, True]


@models
def test_refuses_bad_parameters_by_name(name):
    model = MODELS[name]
    for item in dataclasses.fields(model.Parameters):
        for value in bad_values(item.metadata):
            with pytest.raises(ParameterError, match=f"^{item.name}: expected"):
                model.make_parameters(**{item.name: value})
    for item, rule in GROUND.items():  # whether the model has it or not
        for value in bad_values(rule):
            with pytest.raises(ParameterError, match=f"^{item}: expected"):
                model.make_parameters(**{item: value})
    with pytest.raises(ParameterError, match=f"^stickiness: {name} has no such parameter; it has"):
        model.make_parameters(stickiness=1.0)


@models
def test_friction_and_restitution_are_understood_or_it_says_why_not(name):
    model = MODELS[name]
    for item in GROUND:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            parameters = model.make_parameters(**{item: 0.25})
        if item in model.parameter_names():
            assert getattr(parameters, item) == 0.25 and not told
        else:
            assert len(told) == 1 and issubclass(told[0].category, ParameterWarning)
            assert f"{item}: {name} cannot honour it: {model.cannot_honour[item]}" == str(told[0].message)


@models
def test_owns_its_record_and_shares_the_rest(name):
    shared = MODELS[name].contact_record.names[: len(CONTACT.names)]
    assert shared == CONTACT.names
    assert robot_named(box_xml(mass=BOX_MASS)).contact_names  # something to keep records of
    assert fallen(name)[0].model.system.contacts.dtype == MODELS[name].contact_record


@models
def test_is_listed_with_a_line_and_has_a_page_with_all_parameters(name):
    model = MODELS[name]
    assert contact_models()[name] == model.summary and "\n" not in model.summary
    page = ROOT / f"docs/contact/{name}.md" if name in own_names() else Path(inspect.getfile(model)).with_suffix(".md")
    text = page.read_text()
    assert text.startswith(f"# `{name}`")
    for item in dataclasses.fields(model.Parameters):
        row = re.search(rf"^\| `{item.name}` \| ([^|]*)\|", text, re.MULTILINE)
        assert row, f"{page} does not list {item.name}"
        assert says(row[1].strip(" `"), item.default), f"{page}: {item.name} is {row[1]}, expected {item.default!r}"


def says(words, default):
    """Return whether a page's words tell a default: a number in any notation, true, a word, or "none" for nothing."""
    if isinstance(default, bool):
        return words == str(default).lower()
    if isinstance(default, str):
        return words == (default or "none")
    with contextlib.suppress(ValueError):
        return float(words) == default
    return False
