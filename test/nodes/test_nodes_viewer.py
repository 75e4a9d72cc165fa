"""The browser view as a node: it finds the robot on its topics, whoever publishes them."""

import re
import urllib.request

import pytest
from ros_bench import STAND, wait_for

pytest.importorskip("viser", reason="the extra `viewer` is not installed")

from legged_contact_sim import RobotModel
from legged_contact_sim.nodes.viewer_node import ViewerNode


def test_the_viewer_shows_what_a_simulator_publishes(bench, monkeypatch):
    bench.simulator(*STAND)
    monkeypatch.setattr("rclpy.node.get_default_context", lambda: bench.context)
    node = ViewerNode()
    try:
        robot = RobotModel.from_urdf("quadruped16")
        wait_for(lambda: node.collect() and len(node.observed.contacts) == len(robot.contact_names), "frames")
        weight = 9.81 * robot.total_mass

        def stands():
            node.collect()
            return abs(node.frame.contact_forces[:, 2].sum() - weight) < 0.1 * weight

        wait_for(stands, "the weight on the feet")
        assert node.frame.positions.shape == (len(robot.links), 3)
        assert node.frame.positions[0, 2] == pytest.approx(robot.home[2], abs=0.05)
        acting = node.frame.contact_forces[:, 2] > 0.1 * weight
        assert node.frame.contact_positions[acting, 2] == pytest.approx(0.0, abs=5e-3)
    finally:
        node.destroy_node()


def test_the_node_serves_its_page_and_ends(bench):
    bench.simulator(*STAND)
    viewer = bench.start("nodes.viewer_node", "port:=0")
    wait_for(lambda: "open http" in viewer.said(), "the page", bench.processes)
    address = re.search(r"http://localhost:\d+", viewer.said())[0]
    with urllib.request.urlopen(address, timeout=1200) as answer:
        assert answer.status == 200
    viewer.end()
    assert viewer.wait() == 0
