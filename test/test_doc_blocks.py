"""The code on the pages: Python blocks run, commands exist with the options that they are given.

A block after ``<!-- not run: REASON -->`` is only checked: Python for syntax and for what it imports, commands for
their options. Blocks of a page share their names, in order, in a folder of their own.
"""

import argparse
import ast
import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from legged_contact_sim.app import cli

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^(?:<!-- not run: (?P<reason>[^\n]+) -->\n)?```(?P<kind>\w*)\n(?P<text>.*?)^```", re.M | re.S)
SHELL = ("", "bash", "sh")
PROGRAM = "legged-contact-sim"
RUN_HERE = ("inspect", "models", "robots", "controllers", "scenarios")  # commands that end by themselves, soon


def blocks(page, kinds):
    found = [match.groupdict() for match in BLOCK.finditer(page.read_text())]
    return [block for block in found if block["kind"] in kinds]


def with_blocks(*kinds):
    return [pytest.param(page, id=page.relative_to(ROOT).as_posix()) for page in PAGES if blocks(page, kinds)]


def imports_only(text):
    """Return a program's import statements, wherever they stand."""
    lines = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    return ast.unparse(ast.Module(body=lines, type_ignores=[]))


@pytest.mark.parametrize("page", with_blocks("python"))
def test_python_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for block in blocks(page, ("python",)):
        text = imports_only(block["text"]) if block["reason"] else block["text"]
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(text, f"{page.name}: {block['text'].splitlines()[0]}", "exec"), names)


def commands(text):
    """Return the words of every command of this package in a block; comments and other programs are left out."""
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        programs = [k for k, word in enumerate(words) if word.rpartition("/")[2] == PROGRAM]
        if programs:
            yield words[programs[0] + 1 :]


class RefusedError(Exception):
    """An argument that the command line does not know."""


@pytest.fixture
def parser(monkeypatch):
    """The command line, which says what is wrong instead of ending the process."""

    def refuse(self, message):
        raise RefusedError(f"{self.prog}: {message}")

    monkeypatch.setattr(argparse.ArgumentParser, "error", refuse)
    return cli._parser()


@pytest.mark.parametrize("page", with_blocks(*SHELL))
def test_commands_are_those_of_the_command_line(page, parser):
    for block in blocks(page, SHELL):
        for words in commands(block["text"]):
            parser.parse_args(words)  # raises RefusedError


def test_a_wrong_option_is_noticed(parser):
    (words,) = commands("legged-contact-sim view pony.urdf --colour red  # a comment")
    with pytest.raises(RefusedError, match="--colour"):
        parser.parse_args(words)


def test_make_targets_on_the_pages_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    for page in PAGES:
        text = "\n".join(block["text"] for block in blocks(page, SHELL))
        assert set(re.findall(r"^make ([a-z-]+)", text, re.M)) <= targets, page


def test_commands_of_the_first_tutorial_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    """A page is typed from top to bottom: its Python makes the file that its commands read."""
    page = ROOT / "docs/tutorials/own_robot.md"
    monkeypatch.chdir(tmp_path)
    first = blocks(page, ("python",))[0]
    exec(compile(first["text"], "own_robot.md", "exec"), {})
    ran = []
    for block in blocks(page, SHELL):
        for words in commands(block["text"]):
            if not block["reason"] and words[0] in RUN_HERE:
                with pytest.raises(SystemExit) as end:
                    cli.main(words)
                assert end.value.code == 0, words
                ran.append(words[0])
    assert ran == ["inspect"]
    assert "pony" in capsys.readouterr().out


@pytest.mark.parametrize("page", [page for page in PAGES if "not run:" in page.read_text()], ids=lambda page: page.name)
def test_marks_stand_before_a_block(page):
    text = page.read_text()
    marked = sum(bool(block["reason"]) for block in (m.groupdict() for m in BLOCK.finditer(text)))
    assert len(re.findall(r"^<!-- not run:", text, re.M)) == marked


def test_the_reference_has_every_command_and_every_public_name():
    import importlib.util

    import legged_contact_sim

    spec = importlib.util.spec_from_file_location("site_reference", ROOT / "docs/site_reference.py")
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    listed = reference.command_line()
    for name, words, _ in reference.commands(cli._parser()):
        assert f"\n## {name}\n" in listed and words
    names = reference.api()
    assert all(f"### {name}\n" in names for name in ("RobotModel", "Simulator", "rollout"))
    assert len(names) > 20_000
    assert legged_contact_sim.__doc__
