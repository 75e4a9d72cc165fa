"""Ground that moves: a belt and a tilting plate against closed forms, under every model that steps through time."""

import math

import numpy as np
import pytest
from contact_cases import GRAVITY, box_xml, robot_named, tilted

from legged_contact_sim import ParameterError, Simulator
from legged_contact_sim.contact import MODELS
from legged_contact_sim.simulation.batch import WorldBatch
from legged_contact_sim.terrain import Plane, Slope, TiltingPlate, Treadmill, make_terrain

MASS, FRICTION, SPEED, H = 10.0, 0.4, 0.5, 5e-4
MOVING = [name for name, model in MODELS.items() if model.moves_ground]
RIGID = ("exact_lcp", "moreau")
BOX = box_xml(size=(0.3, 0.3, 0.02), mass=MASS)
moving_models = pytest.mark.parametrize("name", MOVING)
# the testing points of `distributed` are dragged by their dampers, beyond friction, until their foot breaks away
slipping_models = pytest.mark.parametrize("name", [name for name in MOVING if name != "distributed"])


def box_on(terrain, name, friction=FRICTION, time_step=H):
    """Return a box that lies on the ground, springs loaded."""
    sim = Simulator(robot_named(BOX), name, time_step, terrain, friction=friction)
    q = sim.home()
    if isinstance(terrain, TiltingPlate):
        q[3:7] = tilted(terrain.angle)
    sim.reset(sim.grounded(q))
    return sim


@slipping_models
def test_a_block_on_a_belt_gains_mu_g_until_it_moves_along(name):
    """Of the work m u^2 that the belt does, half heats the ground and half is the block's."""
    sim = box_on(Treadmill(speed=SPEED), name)
    run = sim.run(SPEED / (FRICTION * GRAVITY) + 0.2, sample_every=2)
    velocity = run.v[:, 0]
    sliding = (velocity > 0.2 * SPEED) & (velocity < 0.8 * SPEED)
    pull, weight = (run.forces[sliding][..., axis].sum() for axis in (0, 2))  # on springs the weight varies
    assert pull / weight == pytest.approx(FRICTION, rel=1e-9 if name in RIGID else 0.08)
    if name in RIGID:
        acceleration = np.polyfit(run.time[sliding], velocity[sliding], 1)[0]
        assert acceleration == pytest.approx(FRICTION * GRAVITY, rel=1e-9)
    assert velocity[-1] == pytest.approx(SPEED, abs=1e-9 if name in RIGID else 5e-3)
    audit = sim.report.energy
    energy = MASS * SPEED**2
    assert audit.moving_ground == pytest.approx(energy, rel=2e-3 if name in RIGID else 0.05)
    assert audit.contact_tangential == pytest.approx(-0.5 * energy, rel=2e-3 if name in RIGID else 0.1)
    assert abs(audit.remainder) < 1e-9 if name in RIGID else 2e-3 * energy


@moving_models
def test_a_robot_cannot_tell_a_belt_from_ground_past_which_it_moves(name):
    """Galilei: a robot that lands on a belt at the belt's speed moves as one that lands on ground at rest."""
    robot, velocity = robot_named("quadruped12"), np.array([-0.7 * math.cos(0.3), -0.7 * math.sin(0.3), 0.0])
    runs = []
    for terrain, carried in ((Plane(), np.zeros(3)), (Treadmill(speed=-0.7, azimuth=0.3), velocity)):
        sim = Simulator(robot, name, 1e-3, terrain, friction=0.6)
        sim.hold(stiffness=150.0, damping=4.0)
        q = sim.home()
        q[2] += 0.01
        sim.reset(q, np.concatenate([carried, np.zeros(robot.nv - 3)]))
        runs.append(sim.run(0.15, sample_every=10))
    still, moved = runs
    assert moved.q[:, :3] - np.outer(moved.time, velocity) == pytest.approx(still.q[:, :3], abs=1e-8)
    assert moved.q[:, 7:] == pytest.approx(still.q[:, 7:], abs=1e-8)
    assert moved.slip_velocities == pytest.approx(still.slip_velocities, abs=1e-6)
    assert still.modes.any()


def test_a_block_that_is_held_on_a_belt_takes_its_work_and_heats_it_away():
    """Held at rest by a rope, the block loses friction times speed to the ground, and the belt gives nothing to it."""
    sim = box_on(Treadmill(speed=SPEED), "exact_lcp")
    sim.push("box", [-FRICTION * MASS * GRAVITY, 0.0, 0.0], duration=1.0)
    sim.run(0.2)
    assert np.abs(sim.v).max() < 1e-9
    assert sim.contacts.slip_velocity[sim.contacts.mode > 0][:, 0] == pytest.approx(-SPEED)
    lost = FRICTION * MASS * GRAVITY * SPEED * 0.2
    assert sim.report.energy.contact_tangential == pytest.approx(-lost)
    assert sim.report.energy.moving_ground == pytest.approx(lost)


def test_a_belt_up_a_slope_carries_a_block_that_sticks():
    """What the belt does is the block's gain of height."""
    sim = Simulator(robot_named(BOX), "exact_lcp", 1e-3, Treadmill(speed=0.3, angle=0.2), friction=FRICTION)
    along = np.array([math.cos(0.2), 0.0, math.sin(0.2)])
    sim.reset(sim.grounded(np.concatenate([np.zeros(3), tilted(0.2)])), np.array([0.3, 0, 0, 0, 0, 0]))
    begin = sim.q[:3].copy()
    sim.run(0.5)
    assert sim.q[:3] - begin == pytest.approx(0.15 * along, abs=1e-6)
    assert sim.report.energy.moving_ground == pytest.approx(MASS * GRAVITY * 0.15 * math.sin(0.2), rel=1e-5)


@slipping_models
def test_a_block_on_a_tilting_plate_slides_at_the_angle_of_friction(name):
    """Beyond atan(mu) it slides g rate t^3 / (6 cos(atan mu)) down the plate; before, it stays where it is on it."""
    rate, friction = 0.1, 0.3
    critical = math.atan(friction)
    sim = box_on(TiltingPlate(angle=critical - 0.04, speed=rate, stop=1.0), name, friction, 1e-3)
    sim.reset(sim.q.copy(), [0.0, 0.0, 0.0, 0.0, -rate, 0.0])

    def place():
        angle = sim.terrain_now.angle
        return sim.q[0] * math.cos(angle) + sim.q[2] * math.sin(angle)

    begin = place()
    sim.run(0.38)
    assert place() == pytest.approx(begin, abs=1e-6 if name in RIGID else 1e-3)
    sim.run(0.02)
    begin = place()
    sim.run(0.5)
    way = GRAVITY * rate * 0.5**3 / (6.0 * math.cos(critical))
    assert begin - place() == pytest.approx(way, rel=0.03 if name in RIGID else 0.1)
    assert sim.terrain_now.angle == pytest.approx(critical + 0.05)


def test_a_plate_lifts_what_lies_off_its_axis_and_stays_at_its_stop():
    """A block that sticks turns with the plate: its place in the plate's axes stays, the plate does the lifting."""
    plate = TiltingPlate(angle=0.0, speed=0.5, stop=0.15)
    sim = Simulator(robot_named(BOX), "exact_lcp", 1e-3, plate, friction=1.0)
    q = sim.home()
    q[0] = 0.5
    sim.reset(q, [0.0, 0.0, 0.5 * 0.5, 0.0, -0.5, 0.0])
    before = sim.report.energy.potential
    sim.run(1.0)
    assert sim.terrain_now == TiltingPlate(angle=0.15, speed=0.5, stop=0.15)
    gained = sim.report.energy.potential - before
    assert gained == pytest.approx(MASS * GRAVITY * (0.5 * math.sin(0.15)), rel=0.05)
    assert np.abs(sim.v).max() < 1e-6
    assert abs(sim.report.energy.remainder) < 1e-6
    still = Simulator(robot_named(BOX), "exact_lcp", 1e-3, Slope(0.15), friction=1.0)
    assert still.terrain.gap(sim.contacts.position) == pytest.approx(sim.contacts.gap, abs=1e-9)


def test_resets_copies_and_changes_of_the_model_know_where_the_plate_is():
    sim = box_on(TiltingPlate(speed=0.2), "exact_lcp", 1.0, 1e-3)
    sim.run(0.3)
    tilt = sim.model.system.terrain["angle"][0]
    assert tilt == pytest.approx(0.06)
    sim.switch_contact_model("moreau")
    assert sim.model.system.terrain["angle"][0] == pytest.approx(tilt)
    sim.run(0.1)
    assert sim.model.system.terrain["angle"][0] == pytest.approx(0.08)
    sim.reset()
    assert sim.model.system.terrain["angle"][0] == 0.0
    assert sim.terrain.record["angle"][0] == 0.0


def test_models_that_cannot_say_so():
    for name in MODELS:
        if name not in MOVING:
            with pytest.raises(ParameterError, match=f"^contact_model: {name} cannot move the ground; [^\n]*$"):
                Simulator(robot_named(BOX), name, terrain="treadmill")
    with pytest.raises(ParameterError, match="terrain: worlds share one ground that keeps its shape"):
        WorldBatch(robot_named("quadruped12"), 2, ("exact_lcp",), 1e-3, TiltingPlate())


@pytest.mark.parametrize(
    ("terrain", "culprit"),
    [
        ({"kind": "treadmill", "speed": math.nan}, "Treadmill.speed = nan"),
        ({"kind": "treadmill", "speed": 1e4}, "Treadmill.speed = 10000.0; expected a number from -100 to 100 m/s"),
        ({"kind": "tilting_plate", "speed": -0.1}, "TiltingPlate.stop = .* a speed of -0.1 rad/s reaches from 0 rad"),
        ({"kind": "tilting_plate", "stop": 2.0}, "TiltingPlate.stop = 2.0; expected a number"),
    ],
)
def test_motions_that_are_refused(terrain, culprit):
    with pytest.raises(ParameterError, match=culprit):
        make_terrain(terrain)


def test_a_plate_at_a_time():
    plate = TiltingPlate(angle=0.3, speed=-0.1, stop=0.1)
    assert plate.at(1.0).angle == pytest.approx(0.2)
    assert plate.at(5.0).angle == 0.1
    assert TiltingPlate(angle=0.1, speed=0.0).at(3.0).angle == 0.1
