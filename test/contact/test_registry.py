"""Contact models are found: ours by their file, others by entry points; a broken one troubles only who wants it."""

import subprocess
import sys

import pytest

from legged_contact_sim import ParameterError, contact_models
from legged_contact_sim.contact import MODELS
from legged_contact_sim.contact.registry import GROUP, own_names

BROKEN = {
    "absent": ("no_such_module:Ground", "ModuleNotFoundError: No module named 'no_such_module'"),
    "function": ("json:dumps", "json:dumps is no ContactModel"),
    "misnamed": (
        "legged_contact_sim.contact.models.penalty:Penalty",
        "legged_contact_sim.contact.models.penalty:Penalty calls itself 'penalty'",
    ),
}


@pytest.fixture
def installed(tmp_path):
    """Return a call that makes Python believe in a package of that name with these entry points."""

    def install(package, entries):
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = "\n".join(f"{name} = {value}" for name, value in entries.items())
        (info / "entry_points.txt").write_text(f"[{GROUP}]\n{lines}\n")

    return install


def test_names_are_those_of_the_files_and_cost_no_import():
    code = (
        "import sys; from legged_contact_sim.contact import MODELS; print(*MODELS); "
        "sys.exit(any(name.startswith('legged_contact_sim.contact.models.') for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(own_names()) <= set(done.stdout.split())
    assert "exact_lcp" in own_names()


def test_broken_models_are_one_line_each_and_leave_the_others_alone(installed, tmp_path, monkeypatch):
    installed("rubble", {name: value for name, (value, _) in BROKEN.items()})
    monkeypatch.syspath_prepend(str(tmp_path))
    assert set(BROKEN) < set(MODELS)
    listed = contact_models()
    for name, (_, reason) in BROKEN.items():
        line = f"contact_model: {name} of rubble cannot be used: {reason}"
        assert listed[name] == line
        with pytest.raises(ParameterError) as refused:
            MODELS.named(name)
        assert str(refused.value) == line
    with pytest.warns(UserWarning, match="rubble cannot be used"):
        usable = MODELS.usable()
    assert set(usable) == set(MODELS) - set(BROKEN)


def test_names_are_given_away_once(installed, tmp_path, monkeypatch):
    installed("first", {"exact_lcp": "json:dumps", "sand": "json:loads"})
    installed("second", {"sand": "json:dumps"})
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.warns(UserWarning) as told:
        names = list(MODELS)
    assert names.count("exact_lcp") == names.count("sand") == 1
    assert MODELS["exact_lcp"].__name__ == "ExactLcp"
    assert {str(one.message).split(" is left out")[0] for one in told} >= {"contact_model: exact_lcp of first"}
    assert any("contact_model: sand of " in str(one.message) for one in told)


@pytest.mark.parametrize("name", ["no_such", "", None, 3])
def test_an_unknown_name_is_told_what_there_is(name):
    with pytest.raises(ParameterError, match="contact_model: expected one of .*exact_lcp"):
        MODELS.named(name)
