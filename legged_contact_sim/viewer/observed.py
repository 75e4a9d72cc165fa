"""A robot as its topics tell of it: poses from joint states and the base, forces from wrenches or contact states.

Messages come from a bag or from a node; both have the same fields, so that any simulator that publishes them is shown.
"""

import warnings
from typing import Any

import numpy as np

from ..contact.records import OPEN, SLIP, STICK
from ..dynamics import forward_kinematics
from ..errors import LeggedContactSimError, ModelWarning, ParameterError
from ..model import RobotModel
from ..terrain import Terrain
from .stage import Array, Frame, Stage

KINDS = {  # what is listened to, by the end of a topic's name
    "/robot_description": "std_msgs/msg/String",
    "/joint_states": "sensor_msgs/msg/JointState",
    "/odom": "nav_msgs/msg/Odometry",
    "/tf": "tf2_msgs/msg/TFMessage",
    "/wrench": "geometry_msgs/msg/WrenchStamped",
    "/state": "legged_contact_sim_msgs/msg/ContactState",
}
NOT_CONTACTS = ("external_wrench",)
SLIPPING = 0.999  # of the force that friction can bear; what uses more slips, where nobody says so


class Contact:
    """The last that was heard of a contact point."""

    def __init__(self) -> None:
        """Begin in the air at the world's origin."""
        self.force, self.position, self.normal = np.zeros(3), np.zeros(3), np.array([0.0, 0.0, 1.0])
        self.frame, self.mode, self.told = "", OPEN, False


class Observed:
    """Takes messages in any order and gives frames.

    Attributes:
        robot: of the description; None: it has not come yet.
        contacts: by name, in the order in which they were heard of first.
        time: of the last joint state, s.
        version: counts changes of robot and contact names.
    """

    def __init__(self, terrain: Terrain, friction: float = 0.8, label: str = "", prefix: str = "") -> None:
        """Stand on a ground, which topics do not tell; frames of /tf bear the prefix."""
        self._prefix = prefix
        self._terrain, self._friction, self._label = terrain, friction, label
        self.robot: RobotModel | None = None
        self.contacts: dict[str, Contact] = {}
        self.time, self.version = 0.0, 0
        self._description = ""
        self._placed: dict[str, tuple[str, Array, Array]] = {}  # parent, translation, quaternion of frames of /tf
        self._q = np.zeros(0)
        self._joints: dict[str, int] = {}

    @property
    def ready(self) -> bool:
        """Whether there is anything to show."""
        return self.robot is not None

    @property
    def stage(self) -> Stage:
        """Where the robot is."""
        if self.robot is None:
            raise ParameterError("robot_description: nothing was heard of it")
        return Stage(self.robot, None, self._terrain, self._friction, tuple(self.contacts), self._label)

    def take(self, topic: str, message: Any) -> bool:
        """Take a message; return whether it was a joint state, which begins another moment."""
        kind = topic[topic.rindex("/") :]
        if kind == "/robot_description":
            self._describe(message.data)
        elif kind == "/joint_states":
            return self._take_joints(message)
        elif kind == "/odom":
            pose = message.pose.pose
            self._take_base(_vector(pose.position), _quaternion(pose.orientation))
        elif kind == "/tf":
            for moved in message.transforms:
                place = moved.transform
                placed = moved.header.frame_id, _vector(place.translation), _quaternion(place.rotation)
                self._placed[moved.child_frame_id] = placed
                if self.robot and moved.child_frame_id == self._prefix + self.robot.link_names[0]:
                    self._take_base(*placed[1:])
        elif kind == "/wrench":
            contact = self._contact(topic.split("/")[-2])
            contact.frame = message.header.frame_id
            contact.force = _vector(message.wrench.force)
        elif kind == "/state":
            self._take_state(self._contact(topic.split("/")[-2]), message)
        return False

    def hear_of(self, topic: str) -> None:
        """Know the contact point of a topic, ``<point>/wrench`` or ``<point>/state``, before its first message."""
        self._contact(topic.split("/")[-2])

    def frame(self) -> Frame:
        """Return the present moment; forces are at the points that contact states tell, or at the wrenches' frames."""
        assert self.robot is not None
        rotations, positions = forward_kinematics(self.robot, self._q)
        for contact in self.contacts.values():
            if not contact.told:
                self._place(contact, positions)
        gathered = [(c.position, c.normal, c.force) for c in self.contacts.values()]
        places, normals, forces = np.array(gathered).reshape(-1, 3, 3).swapaxes(0, 1).copy()
        modes = np.array([contact.mode for contact in self.contacts.values()], dtype=int)
        return Frame(self.time, rotations, positions, places, normals, forces, modes)

    def _describe(self, text: str) -> None:
        if text == self._description:
            return
        self._description = text
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ModelWarning)
                self.robot = RobotModel.from_urdf(text, meshes="skip")
        except LeggedContactSimError as error:
            raise ParameterError(f"robot_description: {error}") from None
        self._q = self.robot.home.copy()
        self._joints = dict(zip(self.robot.joint_names, self.robot.position_indices.tolist(), strict=True))
        self.version += 1

    def _take_joints(self, message: Any) -> bool:
        self.time = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
        for name, value in zip(message.name, message.position, strict=False):
            if name in self._joints and np.isfinite(value):
                self._q[self._joints[name]] = value
        return self.ready

    def _take_base(self, position: Array, quaternion: Array) -> None:
        if self.robot is None or self.robot.base != "floating":
            return
        length = float(np.linalg.norm(quaternion))
        if np.isfinite(position).all() and np.isfinite(length) and length > 0.0:
            self._q[:3], self._q[3:7] = position, quaternion / length

    def _take_state(self, contact: Contact, message: Any) -> None:
        contact.told = True
        contact.position, contact.normal = _vector(message.position), _vector(message.normal)
        contact.force = _vector(message.force)
        contact.mode = SLIP if contact.force.any() and message.mode == OPEN else int(message.mode)

    def _contact(self, name: str) -> Contact:
        if name not in self.contacts:
            self.contacts[name] = Contact()
            self.version += 1
        return self.contacts[name]

    def _place(self, contact: Contact, positions: Array) -> None:
        """Find where a wrench acts, and whether its contact slips: when it uses all the friction that there is."""
        assert self.robot is not None
        placed = self._placed.get(contact.frame)
        name = contact.frame.removeprefix(self._prefix)
        if placed is not None and placed[0].removeprefix(self._prefix) not in self.robot.frames:
            contact.position = placed[1]
        elif name in self.robot.frames and self.robot.frames[name].link >= 0:
            contact.position = positions[self.robot.frames[name].link]
        contact.normal = self._terrain.normal(contact.position)
        normal = float(contact.force @ contact.normal)
        along = float(np.linalg.norm(contact.force - normal * contact.normal))
        slips = along > SLIPPING * self._friction * normal
        contact.mode = (SLIP if slips else STICK) if contact.force.any() else OPEN


def _vector(message: Any) -> Array:
    return np.array([message.x, message.y, message.z], dtype=float)


def _quaternion(message: Any) -> Array:
    return np.array([message.x, message.y, message.z, message.w], dtype=float)
