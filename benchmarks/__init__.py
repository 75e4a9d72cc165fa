"""How fast this package is, beside other engines on the same robot: ``python -m benchmarks``, or ``make bench``."""
