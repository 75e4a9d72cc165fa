"""Somebody else's package: it brings a contact model by an entry point, and nothing else."""
