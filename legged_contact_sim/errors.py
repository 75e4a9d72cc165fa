"""Exceptions and warnings: every mistake of a user ends in one of these, with the culprit's name in the text."""


class LeggedContactSimError(ValueError):
    """Base of all errors that a user's input can cause."""


class ModelError(LeggedContactSimError):
    """A robot description that cannot be simulated; the text names file, link or joint, and what was expected."""


class SimulationError(LeggedContactSimError):
    """A simulation that cannot go on: its state is no longer finite."""


class ParameterWarning(UserWarning):
    """A parameter that a contact model cannot honour: the text names it and says why."""


class ParameterError(LeggedContactSimError):
    """A parameter or argument outside its range: the text names it, what was found, and what is allowed."""


class ModelWarning(UserWarning):
    """Something about a robot description that was guessed or left out; the text names it and what was done."""
