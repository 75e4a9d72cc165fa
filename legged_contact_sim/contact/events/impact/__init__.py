"""Impact laws: how velocities jump."""
