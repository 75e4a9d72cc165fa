"""A robot of the user's own over ROS 2: meshes that are not there, contact points and gravity by parameters."""

import pytest
import rclpy
from geometry_msgs.msg import WrenchStamped
from rclpy.parameter import Parameter
from ros_bench import wait_for

from legged_contact_sim import LeggedContactSimError
from legged_contact_sim.nodes.robot_parameters import declare_robot

MASS, MOON = 2.0, 1.62  # kg, m/s^2
STOOL = f"""<robot name="stool"><link name="seat">
<inertial><mass value="{MASS}"/><inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><mesh filename="package://furniture/seat.stl"/></geometry></collision></link></robot>"""
FEET = {"front": [0.2, 0.0, -0.3], "left": [-0.1, 0.2, -0.3], "right": [-0.1, -0.2, -0.3]}
POINTS = [
    setting
    for name, offset in FEET.items()
    for setting in (
        f"contact_points.{name}.link:=seat",
        f"contact_points.{name}.offset:={offset}",
        f"contact_points.{name}.radius:=0.02",
    )
]


@pytest.fixture
def load():
    """A function that loads the robot of a node with these parameters."""
    context = rclpy.Context()
    rclpy.init(context=context)
    nodes = []

    def loaded(**parameters):
        overrides = [Parameter(name.replace("__", "."), value=value) for name, value in parameters.items()]
        nodes.append(rclpy.create_node("loader", context=context, parameter_overrides=overrides))
        return declare_robot(nodes[-1])

    yield loaded
    for node in nodes:
        node.destroy_node()
    rclpy.shutdown(context=context)


def test_robot_is_loaded_as_the_parameters_say(load):
    robot = load(
        robot=STOOL,
        base="floating",
        meshes="skip",
        gravity=[0.0, 0.0, -MOON],
        contact_points__front__link="seat",
        contact_points__front__offset=FEET["front"],
        contact_points__back__leg__link="seat",
        contact_points__back__leg__radius=0.5,
    )
    assert robot.gravity.tolist() == [0.0, 0.0, -MOON]
    assert robot.contact_names == ("front", "back.leg")
    assert robot.contact_points["position"].tolist() == [FEET["front"], [0.0, 0.0, 0.0]]
    assert robot.contact_points["radius"].tolist() == [0.0, 0.5]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"robot": "quadruped12", "feet": ["paw"]}, "feet names 'paw'"),
        ({"robot": "quadruped12", "home": "sitting"}, "home is 'sitting'"),
        ({"meshes": "melt"}, "meshes is 'melt'"),
        ({"gravity": [0.0, -9.81]}, "gravity"),
        ({"contact_points__toe__link": "tail"}, "contact point 'toe' is on link 'tail'"),
        ({"contact_points__toe__radius": 0.1}, "contact point 'toe'"),
        ({"contact_points__toe__link": "base_link", "contact_points__toe__offset": [1.0]}, "offset"),
    ],
)
def test_what_cannot_be_loaded_is_refused_by_name(load, parameters, words):
    with pytest.raises(LeggedContactSimError, match=words):
        load(**parameters)


def test_a_lost_mesh_is_noted_and_a_box_stands_in(load):
    robot = load(robot=STOOL)
    assert len(robot.contact_names) == 8
    assert "seat.stl" in " ".join(robot.notes)


def test_a_stool_stands_on_the_moon(bench, tmp_path):
    path = tmp_path / "stool.urdf"
    path.write_text(STOOL)
    simulator = bench.simulator(f"robot:={path}", "meshes:=skip", f"gravity:=[0.0, 0.0, -{MOON}]", *POINTS)
    boxes = {name: bench.mailbox(WrenchStamped, f"/contacts/{name}/wrench") for name in FEET}

    def rests():
        forces = [bench.latest(box).wrench.force for box in boxes.values()]
        return all(force.z > 0.0 for force in forces) and sum(force.z for force in forces)

    weight = wait_for(rests, "it stands", [simulator])
    assert weight == pytest.approx(MASS * MOON, rel=1e-6)


def test_a_parameter_that_no_contact_point_has_is_refused(bench):
    simulator = bench.simulator("contact_points.toe.colour:=red")
    assert simulator.wait() == 1
    assert "contact_points.toe.colour: there is no such parameter" in simulator.said()
