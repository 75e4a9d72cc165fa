"""Rows of the array that a time step works in, (DOF_ROWS, nv): numbers of each degree of freedom."""

EFFORT, APPLIED, ADDED, MIDDLE, FREE_VELOCITY, ACCELERATION, TREND, CHANGE, HOLD = range(9)  # work of a step
BOUND = 9  # the side of its effort limit, -1 or 1, that a drive with gains is at; 0: none
FEED, TARGET, ACCUMULATED = range(10, 13)  # the drives: command, integral's effort included, and that effort alone
STIFFNESS, DAMPING, INTEGRAL = range(13, 16)  # the drives' gains; the integral's for a step, N m/rad
COMPLIANCE = 16  # what the gains add to a joint's inertia
POSITION, LOWER, UPPER = range(17, 20)  # of the joints in the middle of the step, and their limits
DOF_ROWS = 20
