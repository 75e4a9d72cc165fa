"""The report of a comparison: verdicts first, then a table of all runs, then plots; as HTML, Markdown and JSON."""

import json
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from ..simulation.documents import figure, html_table, machine, markdown_table, page, plain, write_atomically
from .running import Run
from .verdicts import Verdict, counted

COLUMNS = (
    ("simulated", "simulated (s)", "{:.3g}"),
    ("fell", "fell", "{}"),
    ("speed", "speed (m/s)", "{:.3f}"),
    ("speed_error", "speed error", "{:.1%}"),
    ("mean_force", "mean force (weights)", "{:.3f}"),
    ("largest_force", "largest force (weights)", "{:.2f}"),
    ("slip", "slip (m)", "{:.4f}"),
    ("penetration", "penetration (mm)", "{:.3f}"),
    ("contact_work", "contact work (J)", "{:.2f}"),
    ("energy_from_contact", "energy from contact (J)", "{:.2g}"),
    ("remainder", "audit remainder (J)", "{:.2g}"),
    ("iterations", "iterations", "{:.1f}"),
    ("unconverged", "unconverged", "{:.0f}"),
)
MOST_FEET = 16  # columns of the table of forces
DASHES = ("-", "--", "-.", ":")
TIMING = "time per step (us)"
PICTURES = (
    ("distance.png", "Distance between trajectories", "of the base from where it is under the first model, over time"),
    ("forces.png", "Forces", "normal force of all contact points together, over time"),
    ("figures.png", "Figures", "dots: every model as it is; bars: from the least to the most of all its runs"),
)


def cells(run: Run) -> list[str]:
    """Return a row of the table of runs."""
    row = [run.variant.label]
    for name, _, form in COLUMNS:
        value = run.figures.get(name)
        if isinstance(value, bool):
            row.append("yes" if value else "no")
        elif value is None:
            row.append("")
        else:
            row.append(form.format(1e3 * value + 0.0 if name == "penetration" else value))
    return row


def timing(run: Run) -> list[str]:
    """Return a row of the table of times."""
    value = run.figures.get("time_per_step")
    return [run.variant.label, "" if value is None else f"{value:.1f}"]


def distances(runs: list[Run]) -> dict[str, Any]:
    """Return how far the base (without one: all coordinates) is from that under the first model, by model; (T,)."""
    nominal = [run for run in runs if run.variant.nominal and not run.error]
    if not nominal:
        return {}
    first = nominal[0]
    base = slice(0, 3) if len(first.series["q"][0]) >= 7 else slice(None)
    found = {}
    for run in nominal[1:]:
        length = min(len(run.series["time"]), len(first.series["time"]))
        apart = run.series["q"][:length, base] - first.series["q"][:length, base]
        found[run.variant.model] = (run.series["time"][:length], np.linalg.norm(apart, axis=1))
    return found


def draw(runs: list[Run], folder: Path) -> None:
    """Draw the plots of a comparison."""
    from matplotlib.figure import Figure

    nominal = [run for run in runs if run.variant.nominal and not run.error]
    if not nominal:
        return
    drawing = Figure(figsize=(9, 4.5), layout="constrained")
    axes = drawing.subplots()
    for k, (model, (time, apart)) in enumerate(distances(runs).items()):  # lines that hide each other stay visible
        axes.semilogy(time, np.maximum(apart, 1e-12), DASHES[k % len(DASHES)], label=model)
    axes.set(xlabel="time (s)", ylabel=f"distance from {nominal[0].variant.model} (m)")
    finish(axes)
    drawing.savefig(folder / "distance.png", dpi=110)
    drawing = Figure(figsize=(9, 1.6 * len(nominal) + 1), layout="constrained")
    for axes, run in zip(drawing.subplots(len(nominal), 1, sharex=True, squeeze=False)[:, 0], nominal, strict=True):
        total = sum(run.series["forces"].values(), np.zeros(len(run.series["time"])))
        axes.plot(run.series["time"], total, linewidth=0.7)
        axes.set_ylim(0.0, 1.2 * float(np.percentile(total, 99.0)) + 1e-9)  # touchdowns would squash the rest
        axes.set_ylabel("force (N)")
        axes.set_title(run.variant.model, fontsize=9, loc="left")
        axes.grid(alpha=0.3)
    axes.set_xlabel("time (s)")
    drawing.savefig(folder / "forces.png", dpi=110)
    draw_figures(runs, folder / "figures.png")


def draw_figures(runs: list[Run], path: Path) -> None:
    """Draw the figures of every model with the range over its variants."""
    from matplotlib.figure import Figure

    shown = [item for item in COLUMNS if item[0] in ("speed", "mean_force", "largest_force", "slip", "penetration")]
    models = list(dict.fromkeys(run.variant.model for run in runs))
    drawing = Figure(figsize=(9, 2.2 * len(shown)), layout="constrained")
    for axes, (name, words, _) in zip(drawing.subplots(len(shown), 1, squeeze=False)[:, 0], shown, strict=True):
        factor = 1e3 if name == "penetration" else 1.0
        for k, model in enumerate(models):
            values = [factor * run.figures[name] for run in runs if run.variant.model == model and name in run.figures]
            if values:
                axes.vlines(k, min(values), max(values), color="tab:gray", linewidth=3)
                axes.plot(k, values[0], "o", color="tab:blue")
        wanted = [run.figures["commanded_speed"] for run in runs if "commanded_speed" in run.figures]
        if name == "speed" and wanted:
            axes.axhline(wanted[0], color="tab:red", linestyle="--", linewidth=1, label="commanded")
            axes.legend(fontsize=8, loc="lower left")
        axes.set_ylabel(words, fontsize=9)
        axes.set_ylim(0.0, 1.15 * max(axes.get_ylim()[1], 1e-9))
        axes.set_xticks(range(len(models)), models, fontsize=8)
        axes.grid(alpha=0.3)
    drawing.savefig(path, dpi=110)


def finish(axes: Any) -> None:
    """Add grid and legend."""
    axes.grid(alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))


def summary(title: str, duration: float, runs: list[Run], judged: list[Verdict]) -> dict[str, Any]:
    """Return the comparison as plain data."""
    return {
        "scenario": title,
        "duration": duration,
        "machine": machine(),
        "verdicts": [{"claim": v.words, "holds": v.holds, "sentence": v.sentence} for v in judged],
        "runs": [
            {
                "model": run.variant.model,
                "step_factor": run.variant.step,
                "friction_factor": run.variant.friction,
                "seed": run.variant.seed,
                "error": run.error,
                "cut": run.cut,
                **run.figures,
            }
            for run in runs
        ],
    }


def feet(runs: list[Run]) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of the table of mean normal forces, N, on the links that touched."""
    links = list(dict.fromkeys(link for run in runs for link in run.figures.get("foot_forces", {})))
    if len(links) > MOST_FEET:
        return [], []
    rows = [[f"{run.figures.get('foot_forces', {}).get(link, 0.0):.1f}" for link in links] for run in runs]
    return ["run", *links], [[run.variant.label, *row] for run, row in zip(runs, rows, strict=True)]


def write(folder: Path, title: str, about: str, duration: float, runs: list[Run], judged: list[Verdict]) -> None:
    """Write ``report.html``, ``report.md``, ``summary.json`` and the plots to a folder; ``about``: what was run."""
    folder.mkdir(parents=True, exist_ok=True)
    draw(runs, folder)
    header = ["run", *(words for _, words, _ in COLUMNS)]
    made = "Made with " + ", ".join(f"{name} {value}" for name, value in machine().items()) + "."
    nominal, others = ([run for run in runs if run.variant.nominal is wanted] for wanted in (True, False))
    tables = [("Models", header, [cells(run) for run in nominal])]
    if others:
        tables.append(("Other time steps, friction and starts", header, [cells(run) for run in others]))
    header, rows = feet(nominal)
    if rows:
        tables.append(("Mean normal force on each foot (N)", header, rows))
    tables.append(("Time", ["run", TIMING], [timing(run) for run in nominal]))
    lines = [f"# {title}: one run under every law of contact", "", about, ""]
    lines += ["## Verdict", "", counted(judged), "", *(f"- **{v.label}**: {v.sentence}" for v in judged), ""]
    for name, words, caption in PICTURES:
        lines += [f"![{words}]({name})", "", f"*{words}: {caption}*", ""]
    for words, columns, rows in tables:
        lines += [f"## {words}", "", *markdown_table(columns, rows), ""]
    lines += [made, ""]
    write_atomically(folder / "report.md", "\n".join(lines))
    parts = [
        f"<h1>{escape(title)}: one run under every law of contact</h1>",
        f"<p>{escape(about)}</p>",
        f"<h2>Verdict</h2><p>{escape(counted(judged))}</p>",
        html_table(["verdict", "in words"], [[verdict.label, verdict.sentence] for verdict in judged]),
        *(figure(folder / name, words, caption) for name, words, caption in PICTURES),
        *(f"<h2>{words}</h2>{html_table(columns, rows)}" for words, columns, rows in tables),
        f"<p>{escape(made)}</p>",
    ]
    write_atomically(folder / "report.html", page(title, parts))
    content = json.dumps(summary(title, duration, runs, judged), indent=2, default=plain)
    write_atomically(folder / "summary.json", content + "\n")
