"""Rows of the array that a time step works in, (DOF_ROWS, nv): numbers of each degree of freedom."""

EFFORT, APPLIED, ADDED, MIDDLE, FREE_VELOCITY, ACCELERATION, TREND, CHANGE, HOLD = range(9)  # work of a step
BOUND = 9  # the side of its effort limit, -1 or 1, that a drive with gains is at; 0: none
FEED, TARGET, STIFFNESS, DAMPING, COMPLIANCE = range(10, 15)  # the drives: command, gains, what these add to inertia
POSITION, LOWER, UPPER = range(15, 18)  # of the joints in the middle of the step, and their limits
DOF_ROWS = 18
