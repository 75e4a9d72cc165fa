"""Rows of the array of rates that a time step works in, (RATE_ROWS, nv): efforts, rates and accelerations."""

EFFORT, APPLIED, ADDED, MIDDLE, FREE_RATES, ACCELERATION, TREND, CHANGE, HOLD = range(9)  # work of a step
FEED, TARGET, STIFFNESS, DAMPING, COMPLIANCE = range(9, 14)  # the drives: command, gains, what the gains add to inertia
POSITION, LOWER, UPPER = range(14, 17)  # of the joints in the middle of the step, and their limits
RATE_ROWS = 17
