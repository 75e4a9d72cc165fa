"""The time step, shared by the time-stepping models."""
