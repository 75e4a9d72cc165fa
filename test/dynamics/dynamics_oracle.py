"""What the tests of the dynamics share: random states and robots, and Pinocchio with our coordinates on the outside."""

from dataclasses import replace
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pinocchio
from hypothesis import strategies as st
from random_urdf import ALL_KINDS, robot_xml

from legged_contact_sim import RobotModel
from legged_contact_sim.model.records import CONTACT_POINT, FREE

robot_named = cache(RobotModel.from_urdf)


def assert_close(found, expected, tolerance=1e-10, scale=1e-3):
    """Assert that two arrays agree relative to the largest number expected (or to ``scale``, if that is larger)."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    assert np.isfinite(found).all()
    error = np.abs(found - expected).max(initial=0.0)
    assert error <= tolerance * max(scale, np.abs(expected).max(initial=0.0)), f"differ by {error}"


def free_starts(robot):
    """Return where the coordinates of FREE joints begin in q."""
    return robot.links["position_index"][robot.links["joint_kind"] == FREE]


def random_position(robot, random, reach=1.5):
    """Return a random q (nq,) with unit quaternions."""
    q = random.normal(scale=reach, size=robot.nq)
    for start in free_starts(robot):
        q[start + 3 : start + 7] /= np.linalg.norm(q[start + 3 : start + 7])
    return q


def random_state(robot, seed):
    """Return random q, v and acceleration of a robot, and the generator for more."""
    random = np.random.default_rng(seed)
    return random_position(robot, random), *random.normal(scale=2.0, size=(2, robot.nv)), random


def with_links(robot, **fields):
    """Return the robot with other numbers in its LINK records, read-only as before."""
    links = robot.links.copy()
    for name, value in fields.items():
        links[name] = value
    links.setflags(write=False)
    return replace(robot, links=links)


def with_points(robot, random, links):
    """Return the robot with random contact points on the given links in place of its own."""
    points = np.zeros(len(links), CONTACT_POINT)
    points["link"] = links
    points["position"] = random.normal(size=(len(links), 3))
    points.setflags(write=False)
    names = tuple(f"point_{k}" for k in range(len(links)))
    return replace(robot, contact_points=points, contact_names=names)


@st.composite
def random_robots(draw, kinds=ALL_KINDS, links=(1, 8)):
    """Draw a robot with random tree, base, gravity and rotor inertias; the normals of planar joints are z.

    (Pinocchio knows no other normal.)
    """
    root = ElementTree.fromstring(draw(robot_xml(kinds=kinds, links=links)))
    for joint in root.iterfind("joint[@type='planar']"):
        joint.find("axis").set("xyz", "0 0 1")
    moves = any(joint.get("type") != "fixed" for joint in root.iterfind("joint"))
    base = draw(st.sampled_from(["floating", "fixed"])) if moves else "floating"
    gravity = draw(st.sampled_from([(0.0, 0.0, -9.81), (0.0, 0.0, 0.0), (1.0, -2.0, 3.0)]))
    robot = RobotModel.from_urdf(ElementTree.tostring(root, encoding="unicode"), base=base, gravity=gravity)
    rotors = np.zeros(len(robot.links))
    if draw(st.booleans()):
        for i, name in zip(robot.joint_links, robot.joint_names, strict=True):
            if root.find(f"joint[@name='{name}']") is not None:  # not one of the three that a planar joint becomes
                rotors[i] = 0.01 * (i + 1)
    return with_links(robot, rotor_inertia=rotors)


def chain(kinds, base):
    """Return a robot whose links hang one from the other, every joint turned and shifted."""
    inertial = (
        '<inertial><origin xyz="0.1 -0.2 0.05" rpy="0.3 0.1 -0.4"/><mass value="{mass}"/>'
        '<inertia ixx="0.03" iyy="0.04" izz="0.05" ixy="0.001" ixz="-0.002" iyz="0.003"/></inertial>'
    )
    links = "".join(
        f'<link name="link_{i}">{inertial.format(mass=1.0 + 0.3 * i)}</link>' for i in range(len(kinds) + 1)
    )
    limit = '<limit lower="-9" upper="9" effort="9" velocity="9"/>'
    joints = "".join(
        f'<joint name="joint_{i}" type="{kind}"><origin xyz="0.3 0.2 -0.1" rpy="0.5 -0.7 0.9"/>'
        f'<parent link="link_{i}"/><child link="link_{i + 1}"/>'
        f'<axis xyz="{"0 0 1" if kind == "planar" else "0.6 -0.48 0.64"}"/>{limit}</joint>'
        for i, kind in enumerate(kinds)
    )
    return RobotModel.from_urdf(f'<robot name="chain">{links}{joints}</robot>', base=base)


class Oracle:
    """Pinocchio's model of a robot, asked and answering in our coordinates.

    Its order of joints differs, its continuous joints have cosine and sine, its planar joints have rates in the axes of
    the moved body: V = T(q) v, which `turned` and `swing` give.
    """

    def __init__(self, robot):
        self.robot = robot
        root = [pinocchio.JointModelFreeFlyer()] if robot.base == "floating" else []
        self.model = pinocchio.buildModelFromXML(robot.urdf, *root)
        self.model.gravity.linear[:] = robot.gravity
        self.known = [self.model.existFrame(name) for name in robot.link_names]
        for i, joint in self._joints():
            if joint.nv == 1:
                self.model.armature[joint.idx_v] = robot.links[i]["rotor_inertia"]
        self.data = self.model.createData()
        assert self.model.nv == robot.nv

    def _carrier(self, link):
        return self.model.frames[self.model.getFrameId(link, pinocchio.BODY)].parentJoint

    def _joints(self):
        for i, name in enumerate(self.robot.link_names):
            if self.known[i]:
                yield i, self.model.joints[self._carrier(name)]

    def position(self, q):
        """Return their q."""
        theirs = np.full(self.model.nq, np.nan)
        for i, joint in self._joints():
            k, own = self.robot.links[i]["position_index"], theirs[joint.idx_q : joint.idx_q + joint.nq]
            if joint.nq == 4:
                own[:] = q[k - 2], q[k - 1], np.cos(q[k]), np.sin(q[k])
            elif joint.nq == 2:
                own[:] = np.cos(q[k]), np.sin(q[k])
            else:
                own[:] = q[k : k + joint.nq]
        return theirs

    def turned(self, q):
        """Return T (nv, nv)."""
        turned = np.zeros((self.model.nv, self.robot.nv))
        for i, joint in self._joints():
            j, k = self.robot.links[i]["velocity_index"], self.robot.links[i]["position_index"]
            theirs = slice(joint.idx_v, joint.idx_v + joint.nv)
            if joint.nv == 3:
                s, c = np.sin(q[k]), np.cos(q[k])
                turned[theirs, j - 2 : j + 1] = [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]
            else:
                turned[theirs, j : j + joint.nv] = np.eye(joint.nv)
        return turned

    def swing(self, q, v):
        """Return dT/dt v (nv,)."""
        theirs, swing = self.turned(q) @ v, np.zeros(self.model.nv)
        for _, joint in self._joints():
            if joint.nv == 3:
                x, y, rate = theirs[joint.idx_v : joint.idx_v + 3]
                swing[joint.idx_v : joint.idx_v + 2] = rate * y, -rate * x
        return swing

    def wrenches(self, q, forces):
        """Return our external forces (n, 6) as theirs: per joint, in the axes of the moved body."""
        pinocchio.forwardKinematics(self.model, self.data, self.position(q))
        theirs = [pinocchio.Force.Zero() for _ in range(self.model.njoints)]
        for i, name in enumerate(self.robot.link_names):
            if self.known[i]:
                joint = self._carrier(name)
                back = self.data.oMi[joint].rotation.T
                theirs[joint] = pinocchio.Force(back @ forces[i, :3], back @ forces[i, 3:])
        return theirs

    def forward_dynamics(self, q, v, effort, forces=None):
        turned = self.turned(q)
        arguments = self.position(q), turned @ v, np.linalg.solve(turned.T, effort)
        more = () if forces is None else (self.wrenches(q, forces),)
        theirs = pinocchio.aba(self.model, self.data, *arguments, *more)
        return np.linalg.solve(turned, theirs - self.swing(q, v))

    def inverse_dynamics(self, q, v, acceleration, forces=None):
        turned = self.turned(q)
        arguments = self.position(q), turned @ v, turned @ acceleration + self.swing(q, v)
        more = () if forces is None else (self.wrenches(q, forces),)
        return turned.T @ pinocchio.rnea(self.model, self.data, *arguments, *more)

    def mass_matrix(self, q):
        upper = np.triu(pinocchio.crba(self.model, self.data, self.position(q)))
        turned = self.turned(q)
        return turned.T @ (upper + np.triu(upper, 1).T) @ turned

    def _with_point(self, link, point):
        """Return model and data with one frame more, at a point of a link, and the frame's index."""
        model = pinocchio.Model(self.model)
        frame = model.frames[model.getFrameId(link, pinocchio.BODY)]
        placement = frame.placement * pinocchio.SE3(np.eye(3), np.asarray(point))
        index = model.addFrame(pinocchio.Frame("point", frame.parentJoint, placement, pinocchio.OP_FRAME))
        return model, model.createData(), index

    def link_jacobian(self, q, link, point):
        model, data, index = self._with_point(link, point)
        aligned = pinocchio.LOCAL_WORLD_ALIGNED
        theirs = pinocchio.computeFrameJacobian(model, data, self.position(q), index, aligned)
        return theirs.reshape(6, model.nv) @ self.turned(q)

    def point_bias_acceleration(self, q, v, link, point):
        model, data, index = self._with_point(link, point)
        pinocchio.forwardKinematics(model, data, self.position(q), self.turned(q) @ v, self.swing(q, v))
        pinocchio.updateFramePlacements(model, data)
        aligned = pinocchio.LOCAL_WORLD_ALIGNED
        return pinocchio.getFrameClassicalAcceleration(model, data, index, aligned).linear

    def poses(self, q):
        """Return rotations and positions of those of our bodies that they know, and a mask of these."""
        pinocchio.forwardKinematics(self.model, self.data, self.position(q))
        poses = [self.data.oMi[self._carrier(n)] for n, known in zip(self.robot.link_names, self.known) if known]
        return np.array([pose.rotation for pose in poses]), np.array([pose.translation for pose in poses]), self.known

    def center_of_mass(self, q):
        return pinocchio.centerOfMass(self.model, self.data, self.position(q)).copy()

    def centroidal_momentum(self, q, v):
        theirs = self.turned(q) @ v
        return pinocchio.computeCentroidalMomentum(self.model, self.data, self.position(q), theirs).vector

    def kinetic_energy(self, q, v):
        theirs = self.turned(q) @ v
        # The rotors' share is added here: Pinocchio 4.1 forgets it in revolute joints about an axis other than x, y, z.
        bare = pinocchio.Model(self.model)
        bare.armature[:] = 0.0
        energy = pinocchio.computeKineticEnergy(bare, self.data, self.position(q), theirs)
        return energy + 0.5 * self.model.armature @ theirs**2

    def potential_energy(self, q):
        return pinocchio.computePotentialEnergy(self.model, self.data, self.position(q))
