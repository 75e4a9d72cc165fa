"""The records of contact: one per contact point (identity, warm start, report), and the settings of a solver."""

from typing import Any

import numpy as np

# What a contact point does.
OPEN, STICK, SLIP = 0, 1, 2
MODES = ("open", "stick", "slip")

# What all models share. A model that keeps more per contact point extends it by fields of its own.
CONTACT = np.dtype(
    [
        ("link", "i8"),  # index of the body that carries the point
        ("motion", "i8"),  # index of the body record that holds its motion: the link's, or that of a pair of bodies
        ("offset", "f8", 3),  # centre in the body's frame, m
        ("radius", "f8"),  # of the sphere around the centre, m
        ("mode", "i8"),  # OPEN, STICK or SLIP
        ("near", "i8"),  # 0: too far from the ground to matter in this step
        ("clearance", "f8"),  # m; while the point is not near, its gap is at least this
        ("closed", "i8"),  # 1: it touched at the end of the last step
        ("position", "f8", 3),  # of the touching point, relative to the reference point, m
        ("gap", "f8"),  # at the pose that is being solved, m
        ("normal", "f8", 3),  # out of the ground
        ("ground_velocity", "f8", 3),  # of the ground's material there, world axes, m/s
        ("first_tangent", "f8", 3),
        ("second_tangent", "f8", 3),
        # velocities of the touching point relative to the ground, (normal, first tangent, second tangent), m/s:
        ("start_velocity", "f8", 3),  # with the velocities at the start of the step
        ("free_velocity", "f8", 3),  # with the velocities that the step would end with if nothing touched
        ("end_velocity", "f8", 3),  # with the velocities that it ends with
        ("stuck", "i8"),  # 1: it stuck at the end of the last solve
        ("lapse", "f8"),  # how long that solve's step was, s
        ("turning", "f8", 2),  # what the robot's turning adds to the tangential velocities by the end of the step, m/s
        ("force", "f8", 3),  # (normal, tangents), N: mean over the last solve, the next one's first guess
        ("impulse", "f8", 3),  # of the whole step, impacts included, world axes, N s
        ("end_gap", "f8"),  # at the end of the step, m
        ("arrival", "f8"),  # when it will hit the ground, s from the start of the step; inf: not in this step
    ],
    align=True,
)

IDENTITY = ["link", "motion", "offset", "radius"]  # what stays when a contact's past is forgotten


def extended(record: np.dtype, own: list[tuple[Any, ...]]) -> np.dtype:
    """Return a record with a model's own fields behind those that it shares (see `ContactModel.contact_record`)."""
    shared = [(name, record.fields[name][0]) for name in record.names or ()] if record.fields else []
    return np.dtype([*shared, *own], align=True)


# What all that solve for impulses in a step share. A solver with settings of its own extends it.
SETTINGS = np.dtype(
    [
        ("friction", "f8"),  # Coulomb coefficient
        ("viscous_friction", "f8"),  # N s/m, widens the friction disc with the slip speed (Ayit)
        ("restitution", "f8"),  # Newton's, normal
        ("tangential_restitution", "f8"),
        ("impact_threshold", "f8"),  # m/s; slower arrivals are no impacts
        ("recovery_speed", "f8"),  # m/s; fastest way out of the ground for a point that began inside it
        ("time_step", "f8"),  # s; of a whole step, which impacts may split
        ("extent", "f8"),  # m; no point of the robot is farther from any of its joints
        ("tolerance", "f8"),  # of the solver, relative to the largest impulse (prox: to each component)
        ("max_iterations", "i8"),
        ("dry", "i8"),  # 1: some joint has dry friction
        ("warm_start", "i8"),  # 1: a solve begins with the last step's forces; 0: with none
        ("activation", "i8"),  # code of the rule by which a contact acts
    ],
    align=True,
)

# Work done on the robot since the start, J, by ...
# Contacts work on the way of their points relative to the ground; what a moving ground carries along is its own work.
ACTUATORS, JOINT_LOSSES, CONTACT_NORMAL, CONTACT_TANGENTIAL, EXTERNAL, LIMITS, MOVING_GROUND = range(7)
WORK_TERMS = (
    "actuators",
    "joint_losses",
    "contact_normal",
    "contact_tangential",
    "external",
    "joint_limits",
    "moving_ground",
)

# What a step reports about its solver.
ITERATIONS, RESIDUAL, UNCONVERGED, IMPACTS, ENERGY_LIMITED, CONTACTS = range(6)
BLENDING, JOINT_ROWS, FACTORED, COMPLIANCE, REASON = range(6, 11)
SOLVER_TERMS = (
    "iterations",
    "residual",
    "unconverged",
    "impacts",
    "energy_limited",
    "contacts",
    "blending",
    "joint_rows",
    "factored",  # 1: the last solve had G as a product
    "compliance",  # by which contacts that contradict one another gave way, relative to their inverse inertia
    "reason",  # why the step is unconverged, one of `REASONS`
)

# Why a step is unconverged: impulses that do not fit within the solver's iterations; joints whose drives and dry
# friction change from pass to pass for ever; an event that could not be resolved, which its note explains.
NO_REASON, ITERATION_LIMIT, PASS_LIMIT, NOTED = range(4)
REASONS = ("none", "iteration_limit", "pass_limit", "noted")
