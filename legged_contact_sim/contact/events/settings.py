"""Numbers that the loop of events and all impact laws read."""

import numpy as np

EVENT_FIELDS = [
    ("friction", "f8"),  # static coefficient mu_s
    ("dynamic_friction", "f8"),  # mu_d
    ("restitution", "f8"),  # of the impact law: Newton's e_n or Stronge's e
    ("impact_threshold", "f8"),  # m/s; slower arrivals do not rebound
    ("max_events", "i8"),  # per output step
    ("loads_first", "i8"),  # 1: redundant forces stay near the last ones, so new modes begin with loads of their own
]
EVENT_SETTINGS = np.dtype(EVENT_FIELDS, align=True)
