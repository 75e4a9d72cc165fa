"""The records that kernels read: of moving bodies, contact points and pairs that can collide; SI units throughout."""

import numpy as np

# Kinds of joint between a body and its parent. A FREE joint (a floating base, a URDF "floating" joint) passes no force.
REVOLUTE, PRISMATIC, FREE = 0, 1, 2

LINK = np.dtype(
    [
        ("parent", "i8"),  # index of the parent body, smaller than the body's own; -1: the world
        ("joint_kind", "i8"),  # REVOLUTE, PRISMATIC or FREE
        ("position_index", "i8"),  # where the joint's coordinates begin in q (FREE: x y z qx qy qz qw)
        ("velocity_index", "i8"),  # where the joint's velocities begin in v (FREE: linear, angular)
        ("mass", "f8"),  # kg
        ("com", "f8", 3),  # centre of mass in the body's frame, m
        ("inertia", "f8", 6),  # about the centre of mass, body axes: xx xy xz yy yz zz, kg m^2
        ("placement", "f8", 3),  # joint origin in the parent's frame, m
        ("axis", "f8", 3),  # unit joint axis in the parent's frame
        ("home", "f8", 9),  # joint rotation is home + sin(q) sine_part + (1 - cos(q)) cosine_part, by rows,
        ("sine_part", "f8", 9),  # Rodrigues' formula with the placement's rotation multiplied in (zero: PRISMATIC)
        ("cosine_part", "f8", 9),
        ("rotor_inertia", "f8"),  # as felt at the joint (rotor times squared reduction), kg m^2 or kg
        ("reduction", "f8"),  # gear ratio of the transmission, 1 without one
        ("damping", "f8"),  # viscous friction, N m s/rad or N s/m
        ("friction", "f8"),  # Coulomb friction, N m or N
        ("stiffness", "f8"),  # joint spring, N m/rad or N/m
        ("rest_position", "f8"),  # where the spring is slack, rad or m
        ("lower_limit", "f8"),  # rad or m; -inf: none
        ("upper_limit", "f8"),  # rad or m; inf: none
        ("effort_limit", "f8"),  # N m or N; inf: none
        ("velocity_limit", "f8"),  # rad/s or m/s; inf: none
        ("corner_velocity", "f8"),  # rad/s or m/s; from here on the effort falls to zero at velocity_limit; inf: none
    ],
    align=True,
)

CONTACT_POINT = np.dtype(
    [
        ("link", "i8"),  # index of the body that carries the point
        ("position", "f8", 3),  # centre in the body's frame, m
        ("radius", "f8"),  # of the sphere around the centre, m; 0: a point
    ],
    align=True,
)

PAIR = np.dtype(
    [
        ("first", "i8"),  # index of one body, which carries a capsule
        ("second", "i8"),  # index of another one
        ("first_ends", "f8", 6),  # of the capsule's axis in the body's frame, m
        ("second_ends", "f8", 6),
        ("first_radius", "f8"),  # m
        ("second_radius", "f8"),
    ],
    align=True,
)
