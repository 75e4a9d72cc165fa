"""The words of the event log: kinds of events, and notes that say what had to be done."""

# Kinds of event.
IMPACT, CONTACT, SEPARATION, STICKING, SLIPPING, LIMIT, UNRESOLVED = range(7)
KINDS = ("impact", "contact", "separation", "stick", "slip", "limit", "unresolved")

# Notes, added up.
ATTENUATED, NO_REBOUND, WITHOUT_FRICTION, REVERSAL, JAMMED, NO_MODES, CHATTERING, CALMED, STUCK = (
    1 << k for k in range(9)
)
LEFT_OUT, UNBOUNDED, NOT_DRY, ENDLESS, LOWERED = (1 << k for k in range(9, 14))
NOTES = {
    ATTENUATED: "velocities attenuated to the energetic restitution",
    NO_REBOUND: "slower than the impact threshold: no rebound",
    WITHOUT_FRICTION: "no impulses within friction: resolved without friction",
    REVERSAL: "slip reversal",
    JAMMED: "the slip jammed (Painleve) and was stopped by impulses",
    NO_MODES: "no forces fit contact and friction: no friction until the end of the step",
    CALMED: "too many events in a step: no rebound until its end",
    CHATTERING: "too many events in a step: no friction until its end",
    STUCK: "the integrator's step vanished: no friction until the end of the step",
    LEFT_OUT: "not resolved without friction either: the rest of the step is left out",
    UNBOUNDED: "the energy constraint could not be met",
    NOT_DRY: "dry joint friction goes in circles: from here on it is damping near rest",
    LOWERED: "restitution lowered to the energetic bound",
    ENDLESS: "the impact did not end: the rest of it without friction",
}
