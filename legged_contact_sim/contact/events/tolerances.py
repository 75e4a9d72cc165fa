"""What counts as touching, resting and arriving, for all event-driven models: each number stands here only."""

TOUCHING = 1e-9  # m (rad); a point nearer to the ground, or a joint nearer to its limit, touches it
GAP_TOLERANCE = 1e-10  # m (rad); a point this deep in the ground, or a joint beyond its limit, still only touches it
DEEP = 1e-8  # m; where points are moved out of the ground by more, the work of that is booked

SOFTEST = 1e-9  # m/s or rad/s; what arrives slower does not strike
LEAVING_SPEED = 1e-4  # m/s or rad/s; what touches and leaves, or comes on, slower than this is at rest there
RESTING_RATE = 1e-9  # rad/s or m/s; a slower joint with dry friction is at rest
ACCELERATION_TOLERANCE = 1e-7  # m/s^2 or rad/s^2; smaller accelerations fit any mode

TIME_TOLERANCE = 1e-13  # s; of an event's instant
SMALLEST_STEP = 1e-13  # s; of the integrator
INSTANT = 1e-11  # s; events closer together than this happen at one instant,
MOST_AT_ONCE = 20  # and no more than these are resolved there
