"""The examples: each runs as it stands, and what it prints is what mechanics says."""

import json
import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


@pytest.fixture
def say(tmp_path, monkeypatch, capsys):
    """Run an example in a folder of its own; return what it says."""
    monkeypatch.chdir(tmp_path)

    def call(name):
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return capsys.readouterr().out

    return call


def test_the_audit_of_a_push_explains_nearly_all(say):
    lines = say("push_and_audit.py").splitlines()
    assert len(lines) == 2
    for line in lines:
        push, rest = float(re.search(r"push (\S+) J", line)[1]), float(re.search(r"unexplained (\S+) J", line)[1])
        assert push > 0.0 and abs(rest) < 0.02 * push


def test_a_block_slides_as_coulomb_says(say):
    pairs = re.findall(r": (\S+) m; closed form (\S+) m", say("friction_on_a_slope.py"))
    assert len(pairs) == 4
    for found, expected in pairs:
        assert float(found) == pytest.approx(float(expected), abs=2e-3)


def test_worlds_dropped_from_higher_touch_down_harder(say, tmp_path):
    loads = [float(word) for word in re.findall(r"at most (\S+) times", say("many_worlds.py"))]
    assert len(loads) == 8 and loads[-1] > loads[0]
    assert (tmp_path / "drop.npz").is_file()


def test_the_notebook_runs(monkeypatch, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((EXAMPLES / "laws_of_contact.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names = {}
    for number, text in enumerate(cells):
        exec(compile(text, f"cell {number}", "exec"), names)
    assert "weights" in capsys.readouterr().out
    assert not [cell for cell in notebook["cells"] if cell.get("outputs")]  # results belong to whoever runs it


def test_every_example_is_listed_and_compiles():
    page = (EXAMPLES / "README.md").read_text()
    for path in EXAMPLES.iterdir():
        if path.suffix in (".py", ".ipynb"):
            assert f"`{path.name}`" in page, path.name
        if path.suffix == ".py":
            compile(path.read_text(), path.name, "exec")
