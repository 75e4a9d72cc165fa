"""The report of a study: every experiment with the document's value, ours and a verdict; as Markdown, HTML and JSON."""

import json
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from ...simulation.documents import (
    bullets,
    figure,
    html_table,
    machine,
    markdown_table,
    page,
    plain,
    write_atomically,
)
from .declaration import Criterion, Experiment, Study
from .storage import Outcome, load

HEADER = ("quantity", "document", "expected", "ours", "verdict")


@dataclass(frozen=True)
class Verdict:
    """A criterion, the value that was found (None: none was), and whether it holds (None: it was not judged)."""

    criterion: Criterion
    value: Any
    held: bool | None

    @property
    def found(self) -> str:
        """The value with its unit, for people."""
        if self.value is None:
            return "not found"
        if isinstance(self.value, bool):
            return "yes" if self.value else "no"
        words = f"{self.value:.4g}" if isinstance(self.value, (int, float)) else str(self.value)
        return f"{words} {self.criterion.unit}".strip()

    @property
    def expected(self) -> str:
        """What was expected, with its unit."""
        return f"{self.criterion.expected.words} {self.criterion.unit}".strip()

    @property
    def cells(self) -> tuple[str, ...]:
        """A row of the table of criteria."""
        return (self.criterion.quantity, self.criterion.document, self.expected, self.found, self.word)

    @property
    def word(self) -> str:
        """The verdict in a word or two."""
        word = "not judged: quick" if self.held is None else "held" if self.held else "failed"
        return f"{word}, by this machine's speed" if self.criterion.timed else word


def verdicts(experiment: Experiment, outcome: Outcome | None, quick: bool) -> list[Verdict]:
    """Judge an experiment."""
    numbers = outcome.result.numbers if outcome else {}
    found = [(criterion, numbers.get(criterion.number)) for criterion in experiment.criteria]
    return [Verdict(criterion, value, judge(criterion, value, quick)) for criterion, value in found]


def judge(criterion: Criterion, value: Any, quick: bool) -> bool | None:
    """Return whether a value (None: none was found) is as expected; None: the quick version cannot tell."""
    if value is None:
        return False
    return None if quick and not criterion.in_quick else bool(criterion.expected.holds(value))


def write_report(study: Study, folder: Path, quick: bool) -> bool:
    """Write ``report.md``, ``report.html`` and ``summary.json`` of what is on disk; return whether all held."""
    outcomes = {item.name: load(folder, item.name, quick) for item in study.experiments}
    judged = {item.name: verdicts(item, outcomes[item.name], quick) for item in study.experiments}
    failed = [name for name, outcome in outcomes.items() if outcome is None or outcome.error]
    held = not failed and all(verdict.held is not False for found in judged.values() for verdict in found)
    write_atomically(folder / "report.md", markdown(study, outcomes, judged, quick))
    write_atomically(folder / "report.html", html(study, outcomes, judged, quick, folder))
    content = json.dumps(summary(study, outcomes, judged, quick, held), indent=2, default=plain)
    write_atomically(folder / "summary.json", content + "\n")
    return held


def summary(study: Study, outcomes: Any, judged: Any, quick: bool, held: bool) -> dict[str, Any]:
    """Return everything that was found and judged as plain data."""
    return {
        "study": study.key,
        "title": study.title,
        "quick": quick,
        "held": held,
        "machine": machine(),
        "experiments": [
            {
                "name": item.name,
                "title": item.title,
                "document": item.document,
                "error": outcomes[item.name].error if outcomes[item.name] else "not run",
                "cpu": outcomes[item.name].cpu if outcomes[item.name] else None,
                "criteria": [
                    {
                        "quantity": verdict.criterion.quantity,
                        "document": verdict.criterion.document,
                        "expected": verdict.expected,
                        "value": verdict.value,
                        "unit": verdict.criterion.unit,
                        "held": verdict.held,
                        "timed": verdict.criterion.timed,
                        "explanation": verdict.criterion.explanation,
                    }
                    for verdict in judged[item.name]
                ],
                "numbers": outcomes[item.name].result.numbers if outcomes[item.name] else {},
                "figures": {picture.number: f"{picture.name}.png" for picture in item.pictures},
            }
            for item in study.experiments
        ],
    }


def tally(judged: dict[str, list[Verdict]]) -> str:
    """Return how many criteria held, of those that were judged."""
    everything = [verdict for found in judged.values() for verdict in found if verdict.held is not None]
    return f"{sum(verdict.held is True for verdict in everything)} of {len(everything)} criteria held"


def heading(study: Study, judged: Any, quick: bool) -> str:
    """Return the line below the title."""
    where = ", ".join(f"{name} {value}" for name, value in machine().items())
    return f"{tally(judged)}. {'Quick version. ' if quick else ''}Made with {where}."


def markdown(study: Study, outcomes: Any, judged: Any, quick: bool) -> str:
    """Return the report as Markdown."""
    lines = [f"# {study.title}", "", study.document, "", heading(study, judged, quick), ""]
    lines += [f"- {remark}" for remark in study.remarks] + ([""] if study.remarks else [])
    for item in study.experiments:
        outcome = outcomes[item.name]
        lines += [f"## {item.title}", "", f"In the document: {item.document}.", ""]
        if outcome is None or outcome.error:
            lines += [f"**Not done**: {outcome.error if outcome else 'it was not run'}", ""]
        if judged[item.name]:
            rows = [(*verdict.cells[:-1], f"**{verdict.word}**") for verdict in judged[item.name]]
            lines += [*markdown_table(HEADER, rows), ""]
            reasons = [(v.criterion.quantity, v.criterion.explanation) for v in judged[item.name]]
            lines += [f"- {quantity}: {words}" for quantity, words in reasons if words]
        lines += [f"- {remark}" for remark in item.remarks] + [""]
        for picture in item.pictures:
            lines += [f"![{picture.number}]({picture.name}.png)", "", f"*{picture.number}: {picture.caption}*", ""]
    files = [(p.number, f"`{p.name}.png`") for item in study.experiments for p in item.pictures]
    lines += ["## Figures and tables of the document", "", *markdown_table(("document", "file"), files)]
    return "\n".join(lines) + "\n"


def html(study: Study, outcomes: Any, judged: Any, quick: bool, folder: Path) -> str:
    """Return the report as one HTML file with its figures inside."""
    parts = [
        f"<h1>{escape(study.title)}</h1><p>{escape(study.document)}</p><p>{escape(heading(study, judged, quick))}</p>"
    ]
    parts.append(bullets(study.remarks))
    for item in study.experiments:
        outcome = outcomes[item.name]
        parts.append(f'<h2 id="{item.name}">{escape(item.title)}</h2><p>In the document: {escape(item.document)}.</p>')
        if outcome is None or outcome.error:
            parts.append(f'<p class="bad">Not done: {escape(outcome.error if outcome else "it was not run")}</p>')
        if judged[item.name]:
            parts.append(html_table(HEADER, [verdict.cells for verdict in judged[item.name]]))
        reasons = [(v.criterion.quantity, v.criterion.explanation) for v in judged[item.name]]
        parts.append(bullets([*(f"{quantity}: {words}" for quantity, words in reasons if words), *item.remarks]))
        parts += [figure(folder / f"{p.name}.png", p.number, p.caption) for p in item.pictures]
    return page(study.title, parts)
