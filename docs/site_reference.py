"""Pages of the site that are made from the sources: the command line, the nodes' parameters, and the API."""

import argparse
import contextlib
import importlib
import inspect
from collections.abc import Iterator
from typing import Any

MODULES = (
    "legged_contact_sim",
    "legged_contact_sim.dynamics",
    "legged_contact_sim.terrain",
    "legged_contact_sim.contact",
    "legged_contact_sim.simulation",
    "legged_contact_sim.sensing",
    "legged_contact_sim.control",
    "legged_contact_sim.compare",
    "legged_contact_sim.viewer",
)


def pages() -> dict[str, str]:
    """Return the pages by path; that of the parameters only where ROS 2 is there."""
    made = {"reference/command_line.md": command_line(), "reference/python.md": api()}
    with contextlib.suppress(ImportError):
        made["reference/parameters.md"] = parameters()
    return made


def command_line() -> str:
    """Return the page of all commands with their arguments."""
    from legged_contact_sim.app.cli import _parser

    lines = ["# Command line", ""]
    for name, words, parser in commands(_parser()):
        lines += [f"## {name}", "", f"{words}.", ""]
        rows = [_argument(action) for action in parser._actions if not isinstance(action, argparse._HelpAction)]
        if rows:
            lines += ["| argument | |", "|---|---|", *rows, ""]
    return "\n".join(lines)


def commands(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    """Yield name, summary and parser of every command."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            words = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, found in action.choices.items():
                yield name, words[name], found


def _argument(action: argparse.Action) -> str:
    value = str(action.metavar or action.dest.upper())
    names = ", ".join(action.option_strings) or value
    takes = f" {value}" if action.option_strings and action.nargs != 0 else ""
    words = (action.help or "").replace("%(default)s", str(action.default))
    return f"| `{_code(names + takes)}` | {_cell(words)} |"


def parameters() -> str:
    """Return the page of the parameters of all nodes."""
    from legged_contact_sim.nodes import recorder_node, viewer_node
    from legged_contact_sim.nodes.parameters import declarations
    from legged_contact_sim.nodes.robot_parameters import ROBOT_PARAMETERS

    parts = {
        "The robot, of simulator and controllers": ROBOT_PARAMETERS,
        "Simulator": declarations(),
        "Recorder": recorder_node.PARAMETERS,
        "Viewer": viewer_node.PARAMETERS,
    }
    lines = ["# Parameters of the nodes", "", "Those without a default are unset.", ""]
    for title, declared in parts.items():
        lines += [f"## {title}", "", "| name | default | |", "|---|---|---|"]
        for name, item in declared.items():
            default = f"`{item.default!r}`" if isinstance(item.default, str | bool | int | float | list) else ""
            lines.append(f"| `{name}` | {_code(default)} | {_cell(item.description)} |")
        lines.append("")
    return "\n".join(lines)


def api() -> str:
    """Return the page of the public names with their docstrings."""
    lines = ["# From Python, name by name", ""]
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        lines += [f"## {module_name}", "", inspect.getdoc(module) or "", ""]
        for name in sorted(getattr(module, "__all__", ())):
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                lines += _documented(name, thing)
    return "\n".join(lines)


def _documented(name: str, thing: Any) -> list[str]:
    lines = [f"### {name}", "", "```text", f"{name}{_signature(thing)}", "", inspect.getdoc(thing) or "", "```", ""]
    if inspect.isclass(thing):
        rows = [
            f"| `{member}{_signature(found)}` | {_cell((inspect.getdoc(found) or '').split(chr(10))[0])} |"
            for member, found in vars(thing).items()
            if not member.startswith("_") and (inspect.isfunction(found) or isinstance(found, property | classmethod))
        ]
        if rows:
            lines += ["| | |", "|---|---|", *rows, ""]
    return lines


def _signature(thing: Any) -> str:
    if isinstance(thing, property):
        return ""
    try:
        whole = inspect.signature(thing.__func__ if isinstance(thing, classmethod) else thing)
    except (TypeError, ValueError):
        return ""
    bare = [item.replace(annotation=item.empty) for key, item in whole.parameters.items() if key not in ("self", "cls")]
    return _code(str(inspect.Signature(bare)))


def _code(words: str) -> str:
    """Return code as a cell of a table allows it."""
    return " ".join(words.split()).replace("|", "\\|")


def _cell(words: str) -> str:
    """Return prose as a cell of a table allows it."""
    return _code(words).replace("<", "&lt;")
