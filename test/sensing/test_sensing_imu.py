"""IMU: equal to the analytic value for a body that rests, falls, spins, slides; through an impact it adds up."""

import numpy as np
import pytest

from legged_contact_sim import ModelError, ParameterError, RobotModel, Simulator
from legged_contact_sim.sensing import Imu, ImuSettings, NoiseSettings, described_imus

G = 9.81
BRICK = """
<robot name="brick">
  <link name="body">
    <inertial><mass value="2"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>
    <collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision>
  </link>
  <joint name="imu_joint" type="fixed">
    <parent link="body"/><child link="sensor"/><origin xyz="0.3 0 0" rpy="0 0 1.5707963267948966"/>
  </joint>
  <link name="sensor"/>
  {extra}
</robot>
"""


@pytest.fixture(scope="module")
def brick():
    return RobotModel.from_urdf(BRICK.format(extra=""))


@pytest.fixture(scope="module")
def sim(brick):
    return Simulator(brick, time_step=1e-3, friction=0.5)


def quaternion(axis, angle):
    return [*(np.sin(0.5 * angle) * np.asarray(axis, float)), np.cos(0.5 * angle)]


def rotation(quaternion):
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def halfway(first, second):
    sum_ = np.asarray(second) + np.sign(np.dot(first, second)) * np.asarray(first)
    return rotation(sum_ / np.linalg.norm(sum_))


def test_at_rest_it_feels_the_ground_push_upward(sim):
    sim.reset()
    imu = Imu(sim.robot, ImuSettings(link="sensor"))
    first = imu.reset(sim)
    np.testing.assert_allclose(first.specific_force, [0.0, 0.0, G], atol=1e-12)
    for _ in range(200):
        sim.step()
        reading = imu.read(sim)
    assert reading.time == sim.time
    np.testing.assert_allclose(reading.specific_force, [0.0, 0.0, G], atol=1e-8)
    np.testing.assert_allclose(reading.angular_velocity, 0.0, atol=1e-9)
    np.testing.assert_allclose(reading.orientation, quaternion([0, 0, 1], np.pi / 2), atol=1e-9)


def test_in_free_fall_it_feels_nothing_and_spinning_the_pull_to_the_axis(sim):
    """A frame at r = 0.3 m on a body that spins about z feels -w^2 r along r, in the mean over T times sin(x) / x.

    Here x = w T / 2, and the frame's axes are turned by 90 degrees, so that r is along its -y.
    """
    spin = 12.0
    sim.reset([0, 0, 5, *quaternion([0, 0, 1], 0.4)], [0.2, 0.1, 0, 0, 0, spin])
    center, edge = Imu(sim.robot), Imu(sim.robot, ImuSettings(link="sensor"))
    center.reset(sim), edge.reset(sim)
    for _ in range(50):
        sim.advance(5)
        middle, outer = center.read(sim), edge.read(sim)
    half = 0.5 * spin * 5e-3
    np.testing.assert_allclose(middle.specific_force, 0.0, atol=1e-9)
    np.testing.assert_allclose(outer.specific_force, [0.0, spin**2 * 0.3 * np.sin(half) / half, 0.0], atol=1e-8)
    np.testing.assert_allclose(outer.angular_velocity, [0.0, 0.0, spin], atol=1e-10)


def test_sliding_it_feels_friction(sim):
    sim.reset(None, [2.0, 0, 0, 0, 0, 0])
    imu = Imu(sim.robot)
    imu.reset(sim)
    forces = []
    for _ in range(100):
        sim.step()
        forces.append(imu.read(sim).specific_force)
    np.testing.assert_allclose(np.mean(forces, axis=0), [-0.5 * G, 0.0, G], atol=0.02)


@pytest.mark.parametrize("every", [1, 4])
def test_what_one_integrates_through_impacts_is_the_change_of_velocity(sim, every):
    """A brick falls on an edge and tumbles: from readings alone, with the orientations between them, follows v."""
    sim.reset([0, 0, 0.3, *quaternion([0.6, 0.8, 0.0], 0.5)], [0.5, 0, -1, 1, -2, 3])
    imu = Imu(sim.robot)
    before = imu.reset(sim)
    begin = rotation(sim.q[3:7]) @ sim.v[:3]
    gained, largest = np.zeros(3), 0.0
    for _ in range(400 // every):
        sim.advance(every)
        reading = imu.read(sim)
        span = reading.time - before.time
        gained += span * halfway(before.orientation, reading.orientation) @ reading.specific_force
        largest, before = max(largest, np.abs(reading.specific_force).max()), reading
    end = rotation(sim.q[3:7]) @ sim.v[:3]
    assert largest > 20 * G, "it has hit the ground"
    np.testing.assert_allclose(gained + [0, 0, -G * sim.time], end - begin, atol=1e-9)


def test_errors_have_the_size_that_was_asked_for_and_come_again(sim):
    gyroscope = NoiseSettings(density=0.01, bias=0.2, bias_walk=0.5)
    accelerometer = NoiseSettings(range=5.0)
    settings = ImuSettings("sensor", "noisy", gyroscope, accelerometer, seed=7)
    runs, imu = [], Imu(sim.robot, settings)
    for _ in range(2):
        sim.reset()
        imu.reset(sim)
        rates = []
        for _ in range(2000):
            sim.advance(1)
            reading = imu.read(sim)
            rates.append(reading.angular_velocity)
        runs.append(np.array(rates))
    np.testing.assert_array_equal(runs[0], runs[1])
    assert reading.specific_force[2] == 5.0, "the range ends there"
    steps = np.diff(runs[0], axis=0)
    white, walk = 0.01 / np.sqrt(1e-3), 0.5 * np.sqrt(1e-3)
    assert steps.std() == pytest.approx(np.sqrt(2 * white**2 + walk**2), rel=0.05)
    other = Imu(sim.robot, ImuSettings("sensor", "other", gyroscope, seed=8))
    assert (other.reset(sim).angular_velocity != imu.reset(sim).angular_velocity).any()


def test_a_late_reading_keeps_its_time(sim):
    sim.reset([0, 0, 5, 0, 0, 0, 1], [0, 0, 0, 0, 0, 3])
    prompt, late = Imu(sim.robot), Imu(sim.robot, ImuSettings(latency=0.01))
    told = {0.0: prompt.reset(sim)}
    late.reset(sim)
    for _ in range(50):
        sim.step()
        told[sim.time] = prompt.read(sim)
        reading = late.read(sim)
    assert reading.time == pytest.approx(sim.time - 0.01, abs=1e-9)
    np.testing.assert_array_equal(reading.orientation, told[reading.time].orientation)


def test_any_link_of_a_legged_robot_moves_as_its_jacobian_says():
    from legged_contact_sim.dynamics import point_jacobian

    robot = RobotModel.from_urdf("quadruped12")
    sim = Simulator(robot)
    random = np.random.default_rng(3)
    sim.reset(None, random.normal(size=robot.nv))
    link = robot.contact_links[0]
    imu = Imu(robot, ImuSettings(link=link))
    imu.reset(sim)
    frame = robot.frames[link]
    body, reading = robot.link_names[frame.link], imu.read(sim)

    def velocity(offset):
        return point_jacobian(robot, sim.q, body, frame.position + frame.rotation @ offset) @ sim.v

    np.testing.assert_allclose(imu._mount["velocity"][0], velocity(np.zeros(3)), atol=1e-12)
    for arm in np.eye(3):
        turning = rotation(reading.orientation) @ np.cross(reading.angular_velocity, arm)
        np.testing.assert_allclose(velocity(arm) - velocity(np.zeros(3)), turning, atol=1e-12)


NOISE = "<{0}><x><noise type='gaussian'><stddev>{1}</stddev><bias_stddev>{2}</bias_stddev></noise></x></{0}>"
SENSOR = """<gazebo reference="{link}"><sensor name="trunk_imu" type="imu"><update_rate>400</update_rate>
  <imu>{noise}</imu></sensor></gazebo>"""


def test_imus_are_read_from_the_description(brick):
    assert described_imus(brick) == [ImuSettings(link="sensor")], "found by imu_joint"
    noise = NOISE.format("angular_velocity", "0.02", "0.3") + NOISE.format("linear_acceleration", "0.2", "0.0")
    tagged = RobotModel.from_urdf(BRICK.format(extra=SENSOR.format(link="body", noise=noise)))
    (imu,) = described_imus(tagged)
    assert (imu.link, imu.name) == ("body", "trunk_imu")
    assert (imu.gyroscope.density, imu.gyroscope.bias) == pytest.approx((0.001, 0.3))
    assert (imu.accelerometer.density, imu.accelerometer.bias) == pytest.approx((0.01, 0.0))
    assert described_imus(RobotModel.from_urdf("quadruped16")) == []


def test_what_cannot_be_meant_is_refused_by_name(brick):
    lost = RobotModel.from_urdf(BRICK.format(extra=SENSOR.format(link="tail", noise="")))
    with pytest.raises(ModelError, match="'trunk_imu' refers to link 'tail'"):
        described_imus(lost)
    odd = NOISE.format("angular_velocity", "much", "0")
    with pytest.raises(ModelError, match="stddev is 'much'"):
        described_imus(RobotModel.from_urdf(BRICK.format(extra=SENSOR.format(link="body", noise=odd))))
    with pytest.raises(ParameterError, match="no link 'tail'"):
        Imu(brick, ImuSettings(link="tail"))
    with pytest.raises(ParameterError, match="latency"):
        ImuSettings(latency=-1.0)
