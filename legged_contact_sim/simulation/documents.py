"""Files that people read: written as a whole or not at all, HTML pages with their figures inside, and where made."""

import base64
import os
import platform
from collections.abc import Iterable, Sequence
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

COLOURS = {"held": "good", "holds": "good", "failed": "bad", "does not hold": "bad", "depends": "mixed"}
WIDE = 8  # columns
LIBRARIES = ("numpy", "scipy", "numba")
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; }
td, th { border: 1px solid #ccc; padding: .3em .6em; text-align: left; }
img { max-width: 100%; } figure { margin: 1.5em 0; } figcaption { color: #555; }
.good { color: #0a6b2d; font-weight: bold; } .bad { color: #b00020; font-weight: bold; }
.mixed { color: #9a5b00; font-weight: bold; } td.good, td.bad, td.mixed { white-space: nowrap; }
.wide { overflow-x: auto; } .wide table { font-size: 13px; }
"""


def write_atomically(path: Path, text: str) -> None:
    """Write a file that is there as a whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(text)
    part.replace(path)


def plain(value: Any) -> Any:
    """Return numpy numbers and arrays as JSON knows them."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no place in a JSON file")


def machine() -> dict[str, str]:
    """Return what a file was made with."""
    libraries = {name: version(name) for name in LIBRARIES}
    return {"processor": processor(), "python": platform.python_version(), **libraries}


def processor() -> str:
    """Return the processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def page(title: str, parts: Iterable[str]) -> str:
    """Return a whole HTML page from parts of its body."""
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    style = f"<style>{STYLE}</style>"
    return f"<!doctype html><html lang=en><head>{head}{style}</head><body>{''.join(parts)}</body></html>\n"


def bullets(lines: Sequence[str]) -> str:
    """Return lines as an HTML list."""
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>" if lines else ""


def figure(path: Path, title: str, caption: str) -> str:
    """Return a figure as HTML, the picture inside."""
    if not path.is_file():
        return f"<p>{escape(title)}: not drawn</p>"
    data = base64.b64encode(path.read_bytes()).decode()
    picture = f'<img alt="{escape(title)}" src="data:image/png;base64,{data}">'
    return f"<figure>{picture}<figcaption>{escape(title)}: {escape(caption)}</figcaption></figure>"


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as HTML; a cell with a verdict is coloured, and a table too wide for the page can be moved."""
    lines = ["<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in header) + "</tr>"]
    for row in rows:
        lines.append(f"<tr>{''.join(map(html_cell, row))}</tr>")
    table = f"<table>{''.join(lines)}</table>"
    return f'<div class="wide">{table}</div>' if len(header) > WIDE else table


def html_cell(text: str) -> str:
    """Return a cell of a table as HTML."""
    colour = f' class="{COLOURS[text]}"' if text in COLOURS else ""
    return f"<td{colour}>{escape(text)}</td>"


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table in Markdown."""
    lines = [f"| {' | '.join(header)} |", "|" + "---|" * len(header)]
    return lines + [f"| {' | '.join(row)} |" for row in rows]
