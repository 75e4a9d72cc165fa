"""A study as data: experiments with their functions, what the document says, what ours must show, and the figures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Number = float | int | bool
Table = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Result:
    """What an experiment found.

    Attributes:
        numbers: single figures by name, in SI units; they are judged and end in ``summary.json``.
        tables: series by name; each is a set of columns (T,) of one length, and becomes a CSV file.
    """

    numbers: dict[str, Any] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)


@dataclass(frozen=True)
class Expectation:
    """What a number must be: a test, and the same in words."""

    words: str
    holds: Callable[[Any], bool]


def within(low: float, high: float) -> Expectation:
    """Expect a number in [low, high]."""
    return Expectation(f"{low:g} to {high:g}", lambda value: low <= value <= high)


def at_least(low: float) -> Expectation:
    """Expect a number of ``low`` or more."""
    return Expectation(f"at least {low:g}", lambda value: value >= low)


def at_most(high: float) -> Expectation:
    """Expect a number of ``high`` or less."""
    return Expectation(f"at most {high:g}", lambda value: value <= high)


def true(words: str = "yes") -> Expectation:
    """Expect that something is so."""
    return Expectation(words, bool)


@dataclass(frozen=True)
class Criterion:
    """One number of an experiment, held against what the document says and what ours must show.

    Attributes:
        quantity: what is judged, in words.
        number: its name in `Result.numbers`.
        document: what the document says of it.
        expected: when ours passes.
        unit: of the number.
        explanation: what is known of the difference; it is printed whether the criterion holds or not.
        in_quick: whether the quick version is judged by it, too; False where its runs are too short or too few.
        timed: whether it holds the speed of this machine against another's, so that a slower one may fail it.
    """

    quantity: str
    number: str
    document: str
    expected: Expectation
    unit: str = ""
    explanation: str = ""
    in_quick: bool = True
    timed: bool = False


@dataclass(frozen=True)
class Picture:
    """A figure of the document drawn again.

    Attributes:
        number: of the figure or table in the document, for instance "Fig. 5.2".
        name: of the PNG file, without its ending.
        caption: what it shows, and what differs from the document's.
        draw: returns a matplotlib figure of a `Result`.
    """

    number: str
    name: str
    caption: str
    draw: Callable[[Result], Any]


@dataclass(frozen=True)
class Experiment:
    """One experiment of a document.

    Attributes:
        name: of its files.
        title: for people.
        document: where it stands there.
        run: ``run(quick)`` does it and returns a `Result`; ``quick`` asks for a shorter version of the same.
        criteria: what is judged.
        pictures: what is drawn.
        remarks: choices that were made where the document is silent, and what does not come out as printed.
    """

    name: str
    title: str
    document: str
    run: Callable[[bool], Result]
    criteria: tuple[Criterion, ...] = ()
    pictures: tuple[Picture, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Study:
    """All experiments of one document.

    Attributes:
        key: its name on the command line; that of its module in `studies`.
        title: of the study.
        document: what document it is.
        experiments: in the order of the document.
        remarks: that concern all of them.
    """

    key: str
    title: str
    document: str
    experiments: tuple[Experiment, ...]
    remarks: tuple[str, ...] = ()

    def experiment(self, name: str) -> Experiment:
        """Return an experiment by its name."""
        return next(item for item in self.experiments if item.name == name)
