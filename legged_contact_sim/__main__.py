"""The command line as ``python -m legged_contact_sim``."""

from .programs import command_line

command_line()
