"""From event to event: which contacts hold next, and what is reported."""
