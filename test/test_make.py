"""How `make` installs into an environment, here one whose programs only note what they are asked for."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTES = '#!/bin/sh\necho "$(basename "$0") $*" >> "{notes}"\nexit {status}\n'


@pytest.fixture
def environment(tmp_path):
    """Return a function that makes an environment whose `python` and `uv` end with a status each, and their notes."""

    def make(python=0, uv=0):
        notes = tmp_path / "notes"
        notes.touch()
        for name, status in (("env/bin/python", python), ("env/.uv/bin/uv", uv)):
            program = tmp_path / name
            program.parent.mkdir(parents=True)
            program.write_text(NOTES.format(notes=notes, status=status))
            program.chmod(0o755)
        return tmp_path / "env", notes

    return make


def install(folder):
    command = ["sh", ROOT / "requirements/install.sh", folder, "--no-deps", "some-thing"]
    return subprocess.run(command, capture_output=True, text=True, timeout=1200)


def test_uv_installs_and_pip_is_not_asked(environment):
    folder, notes = environment(python=1)
    assert install(folder).returncode == 0
    assert notes.read_text() == f"uv pip install --quiet --python {folder}/bin/python --no-deps some-thing\n"


def test_where_uv_fails_pip_decides(environment):
    folder, notes = environment(uv=1)
    assert install(folder).returncode == 0
    assert notes.read_text().splitlines()[1] == "python -m pip --quiet --quiet install --no-deps some-thing"


def test_an_installation_that_fails_says_so_in_a_line(environment):
    done = install(environment(python=1, uv=1)[0])
    assert done.returncode == 1
    assert done.stderr == "pip could not install it; is its package index in reach?\n"


@pytest.mark.parametrize("target", ["docs", "view"])
def test_a_bare_checkout_installs_the_package_before_it_needs_it(target, tmp_path):
    command = ["make", "--dry-run", f"VENV={tmp_path}/env", target]
    steps = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    uses = {"docs": "-m mkdocs build", "view": "legged-contact-sim view"}[target]
    assert 0 < steps.index("-r requirements/sim.txt") < steps.index("--editable .") < steps.index(uses)
