"""Friction and complementarity problems, one method a file."""
