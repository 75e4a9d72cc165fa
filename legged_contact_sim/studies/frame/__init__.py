"""What all studies share: how experiments are declared, run, judged, drawn and reported."""

from .declaration import Criterion, Expectation, Experiment, Picture, Result, Study, at_least, at_most, true, within
from .finding import find_study, studies

__all__ = [
    "Criterion",
    "Expectation",
    "Experiment",
    "Picture",
    "Result",
    "Study",
    "at_least",
    "at_most",
    "find_study",
    "studies",
    "true",
    "within",
]
