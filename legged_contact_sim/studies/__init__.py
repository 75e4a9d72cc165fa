"""The published experiments, one module per study."""
