"""Encoders, foot contacts, the base's velocity and the height scan."""

import numpy as np
import pytest

from legged_contact_sim import ParameterError, RobotModel, Simulator
from legged_contact_sim.sensing import (
    BaseVelocity,
    Encoders,
    EncoderSettings,
    FootContacts,
    FootSettings,
    HeightScan,
    NoiseSettings,
    ScanSettings,
    VelocitySettings,
)

ROBOT = RobotModel.from_urdf("quadruped12")


@pytest.fixture(scope="module")
def sim():
    return Simulator(ROBOT, friction=0.8)


def moving(sim):
    sim.reset(None, np.r_[np.zeros(6), np.linspace(-1.0, 1.0, 12)])


def test_encoders_are_exact_unless_errors_are_asked_for(sim):
    moving(sim)
    encoders = Encoders(ROBOT)
    encoders.reset(sim)
    sim.step()
    reading = encoders.read(sim)
    assert encoders.exact
    np.testing.assert_array_equal(reading.position, sim.q[7:])
    np.testing.assert_array_equal(reading.velocity, sim.v[6:])


def test_a_resolution_gives_multiples_and_velocities_that_add_up(sim):
    moving(sim)
    resolution = 2 * np.pi / 4096
    encoders = Encoders(ROBOT, EncoderSettings(resolution=resolution, velocity="difference"))
    before = encoders.reset(sim)
    total = before.position.copy()
    for _ in range(40):
        sim.step()
        reading = encoders.read(sim)
        counts = reading.position / resolution
        np.testing.assert_allclose(counts, np.round(counts), atol=1e-9)
        assert np.abs(reading.position - sim.q[7:]).max() <= 0.5 * resolution + 1e-12
        total += reading.velocity * sim.time_step
    np.testing.assert_allclose(total, reading.position, atol=1e-9)


def test_noise_of_encoders_comes_again_and_a_delay_keeps_the_time(sim):
    encoders = Encoders(ROBOT, EncoderSettings(noise=1e-3, velocity_noise=0.1, delay=2e-3, seed=3))
    assert not encoders.exact
    runs = []
    for _ in range(2):
        moving(sim)
        encoders.reset(sim)
        readings = []
        for _ in range(100):
            sim.step()
            readings.append(encoders.read(sim))
        runs.append(np.array([reading.velocity for reading in readings]))
    np.testing.assert_array_equal(*runs)
    assert readings[-1].time == pytest.approx(sim.time - 2e-3)


def test_feet_land_with_hysteresis_and_count_their_times():
    feet = FootContacts(ROBOT, ROBOT.feet[:1], FootSettings(on=10.0, off=4.0))
    column, points = ROBOT.contact_names.index(ROBOT.feet[0]), len(ROBOT.contact_names)
    normal, force, slip = np.tile([0.0, 0.0, 1.0], (points, 1)), np.zeros((points, 3)), np.zeros(points)
    told = []
    for load in (0.0, 0.0, 9.0, 10.0, 5.0, 4.0, 3.9, 9.0, 12.0):
        force[column], slip[column] = (3.0, 0.0, load), 0.2
        feet.update(force, normal, slip, 0.1)
        told.append((bool(feet.touching[0]), *feet.air_time.round(9), *feet.contact_time.round(9)))
    assert [touching for touching, *_ in told] == [False, False, False, True, True, True, False, False, True]
    assert [air for _, air, _ in told] == pytest.approx([0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 0.1, 0.2, 0.0])
    assert [ground for _, _, ground in told] == pytest.approx([0.0, 0.0, 0.0, 0.1, 0.2, 0.3, 0.0, 0.0, 0.1])
    assert feet.last_air_time[0] == pytest.approx(0.2) and feet.last_contact_time[0] == pytest.approx(0.3)
    assert feet.slip_distance[0] == pytest.approx(0.02), "since touchdown"
    np.testing.assert_array_equal(feet.force[0], [3.0, 0.0, 12.0])


def test_feet_of_a_standing_robot_touch_and_slide_as_far_as_they_do(sim):
    sim.reset()
    sim.hold(500.0, 20.0)
    feet = FootContacts(ROBOT)
    assert feet.names == ROBOT.feet
    feet.reset(sim)
    for _ in range(400):
        sim.step()
        feet.read(sim)
    assert feet.touching.all() and feet.contact_time.min() > 0.15
    weight = ROBOT.total_mass * 9.81
    assert feet.normal_force.sum() == pytest.approx(weight, rel=0.02)
    v = sim.v.copy()
    v[0] += 1.0
    sim.set_state(sim.q, v)
    begin, slid = feet.slip_distance.copy(), np.zeros(4)
    columns = [ROBOT.contact_names.index(name) for name in feet.names]
    for _ in range(100):
        sim.step()
        feet.read(sim)
        slid += np.linalg.norm(sim.contacts.slip_velocity[columns], axis=1) * sim.time_step * feet.touching
    np.testing.assert_allclose(feet.slip_distance - begin, slid, atol=1e-12)


def test_the_scan_turns_with_the_heading_and_sees_the_slope(sim):
    angle = 0.2
    sloped = Simulator(ROBOT, terrain={"kind": "slope", "angle": angle})
    heading = 0.7
    q = ROBOT.home.copy()
    q[:7] = 1.0, 2.0, 3.0, 0.0, 0.0, np.sin(heading / 2), np.cos(heading / 2)
    sloped.reset(q)
    scan = HeightScan(ROBOT, ScanSettings(length=1.0, width=0.6, spacing=0.2))
    heights = scan.read(sloped)
    assert heights.shape == (6, 4)
    along, across = scan.offsets[..., 0], scan.offsets[..., 1]
    x = 1.0 + np.cos(heading) * along - np.sin(heading) * across
    np.testing.assert_allclose(heights, np.tan(angle) * x - 3.0, atol=1e-9)
    noisy = HeightScan(ROBOT, ScanSettings(noise=0.05))
    first = noisy.read(sloped)
    noisy.reset()
    np.testing.assert_array_equal(first, noisy.read(sloped))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: EncoderSettings(resolution=-1.0), "resolution"),
        (lambda: EncoderSettings(velocity="guessed"), "velocity"),
        (lambda: FootContacts(ROBOT, ["tail"]), "'tail' is no contact point"),
        (lambda: FootContacts(ROBOT, None, FootSettings(on=1.0, off=2.0)), "off"),
        (lambda: HeightScan(ROBOT, ScanSettings(length=100.0, width=100.0, spacing=1e-3)), "spacing"),
        (lambda: ScanSettings(spacing=float("nan")), "spacing"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(make, words):
    with pytest.raises(ParameterError, match=words):
        make()


def test_a_base_velocity_without_errors_is_the_truth_and_late_if_told_so(sim):
    sim.reset(None, np.r_[0.3, 0.1, 0.0, 0.0, 0.0, 0.5, np.zeros(12)])
    exact, late = BaseVelocity(ROBOT), BaseVelocity(ROBOT, VelocitySettings(latency=2 * sim.time_step))
    exact.reset(sim), late.reset(sim)
    told = []
    for _ in range(5):
        sim.step()
        told.append((exact.read(sim), late.read(sim)))
        np.testing.assert_array_equal(np.r_[told[-1][0].linear, told[-1][0].angular], sim.v[:6])
    assert told[4][1].time == told[2][0].time
    np.testing.assert_array_equal(told[4][1].linear, told[2][0].linear)


def test_a_base_velocity_is_as_noisy_as_it_is_told_and_the_same_again(sim):
    """A reading of every step h has the standard deviation density / sqrt(h) about truth plus its bias."""
    errors = VelocitySettings(
        linear=NoiseSettings(density=1e-3, bias=0.05), angular=NoiseSettings(density=2e-3), seed=3
    )
    sensor, told = BaseVelocity(ROBOT, errors), []
    for _ in range(2):
        sim.reset()
        sensor.reset(sim)
        told.append([])
        for _ in range(400):
            sim.step()
            reading = sensor.read(sim)
            told[-1].append(np.r_[reading.linear, reading.angular] - sim.v[:6])
    np.testing.assert_array_equal(told[0], told[1])
    spread = np.std(told[0], axis=0) * np.sqrt(sim.time_step)
    assert spread == pytest.approx([1e-3] * 3 + [2e-3] * 3, rel=0.15)
    assert np.abs(np.mean(told[0], axis=0)[:3]).max() > 0.01


def test_a_base_that_does_not_float_has_no_such_velocity():
    with pytest.raises(ParameterError, match="base_velocity: expected a floating base, found double_pendulum"):
        BaseVelocity(RobotModel.from_urdf("double_pendulum"))
