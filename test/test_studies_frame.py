"""The frame of the studies: experiments are run once, judged, drawn and reported; what failed is said."""

import json
from importlib.metadata import version

import numpy as np
import pytest

from legged_contact_sim.app.cli import main
from legged_contact_sim.app.reproduce import failures
from legged_contact_sim.errors import ParameterError
from legged_contact_sim.studies.frame import (
    Criterion,
    Experiment,
    Picture,
    Result,
    Study,
    at_least,
    at_most,
    find_study,
    running,
    studies,
    within,
)

RUNS = []


def throw(quick):
    """A ball thrown upward: its height over time, and the apex."""
    RUNS.append(quick)
    time = np.linspace(0.0, 1.0, 11 if quick else 101)
    height = 4.905 * time - 4.905 * time**2
    return Result({"apex": float(height.max())}, {"path": {"time": time, "height": height}})


def draw(result):
    from matplotlib.figure import Figure

    figure = Figure()
    figure.subplots().plot(result.tables["path"]["time"], result.tables["path"]["height"])
    return figure


def study(expected, run=throw, in_quick=True, timed=False):
    criterion = Criterion("apex", "apex", "1.2 m", expected, "m", "air is left out", in_quick, timed)
    picture = Picture("Fig. 1", "path", "height over time", draw)
    return Study("toy", "A throw", "nowhere", (Experiment("throw", "Throw", "p. 1", run, (criterion,), (picture,)),))


@pytest.fixture
def reproduce(monkeypatch, tmp_path):
    """Reproduce a study of the test's own in this process."""
    RUNS.clear()

    def call(what, **options):
        monkeypatch.setattr(running, "find_study", lambda key: what)
        return running.reproduce(["toy"], tmp_path, jobs=1, **options)

    return call


def test_a_study_leaves_report_figures_series_and_summary(reproduce, tmp_path):
    assert reproduce(study(within(1.2, 1.3)))
    folder = tmp_path / "toy"
    names = {path.name for path in folder.iterdir()}
    assert names == {"report.md", "report.html", "summary.json", "path.png", "throw_path.csv", "throw.json"}
    report, page = (folder / "report.md").read_text(), (folder / "report.html").read_text()
    assert "| apex | 1.2 m | 1.2 to 1.3 m | 1.226 m | **held** |" in report
    assert "air is left out" in report and "air is left out" in page
    assert "data:image/png;base64," in page
    found = json.loads((folder / "summary.json").read_text())
    assert found["held"] and found["machine"]["numba"] == version("numba")
    assert found["experiments"][0]["criteria"][0]["value"] == pytest.approx(1.22625)
    header, first = (folder / "throw_path.csv").read_text().splitlines()[:2]
    assert header == "time,height" and first == "0,0"


def test_what_is_done_is_not_done_again(reproduce):
    toy = study(at_least(1.0))
    reproduce(toy)
    reproduce(toy)
    assert len(RUNS) == 1
    reproduce(toy, quick=True)
    reproduce(toy, quick=True, fresh=True)
    assert RUNS == [False, True, True]


def test_a_criterion_that_fails_is_said_to_fail(reproduce, tmp_path):
    assert not reproduce(study(at_most(1.0)))
    assert "**failed**" in (tmp_path / "toy" / "report.md").read_text()
    assert not json.loads((tmp_path / "toy" / "summary.json").read_text())["held"]


def test_what_failed_is_named_on_the_terminal_and_what_a_slow_machine_may_fail_is_told(reproduce, tmp_path):
    reproduce(study(at_most(1.0)))
    assert failures(tmp_path / "toy") == ["Throw: apex"]
    reproduce(study(at_most(1.0), timed=True))
    assert failures(tmp_path / "toy") == ["Throw: apex (this machine's speed)"]
    assert "**failed, by this machine's speed**" in (tmp_path / "toy" / "report.md").read_text()
    reproduce(study(at_least(1.0)))
    assert failures(tmp_path / "toy") == []


def test_what_a_quick_run_cannot_tell_is_judged_in_the_full_one_only(reproduce, tmp_path):
    late = study(at_most(1.0), in_quick=False)
    assert reproduce(late, quick=True)
    report = (tmp_path / "toy" / "report.md").read_text()
    assert "not judged: quick" in report and "0 of 0 criteria held" in report
    assert not reproduce(late)
    lost = study(at_most(1.0), lambda quick: Result({}, throw(quick).tables), in_quick=False)
    assert not reproduce(lost, quick=True, fresh=True)  # a number that is not there fails in any version


def test_an_experiment_that_raises_is_reported_and_tried_again(reproduce, tmp_path):
    def broken(quick):
        RUNS.append(quick)
        raise ParameterError("gravity: none")

    for _ in range(2):
        assert not reproduce(study(at_least(0.0), broken))
    assert len(RUNS) == 2
    assert "ParameterError: gravity: none" in (tmp_path / "toy" / "report.md").read_text()


def test_every_study_declares_files_and_names_of_its_own():
    for key in studies():
        found = find_study(key)
        assert found.key == key and found.experiments
        names = [item.name for item in found.experiments]
        files = [picture.name for item in found.experiments for picture in item.pictures]
        assert len(set(names)) == len(names) and len(set(files)) == len(files)


@pytest.mark.parametrize("named", [["newton"], ["all", "newton"]])
def test_an_unknown_study_is_named(capsys, named):
    with pytest.raises(SystemExit) as end:
        main(["reproduce", *named])
    assert end.value.code == 1
    assert "'newton'" in capsys.readouterr().err


@pytest.mark.parametrize("named", [["singh", "singh"], ["singh", "all", "ayit"]])
def test_a_study_that_is_named_twice_is_done_once(monkeypatch, named):
    begun = []
    monkeypatch.setattr(running, "reproduce", lambda keys, *_: begun.append(list(keys)) or True)
    monkeypatch.setattr("legged_contact_sim.app.reproduce.failures", lambda folder: [])
    with pytest.raises(SystemExit) as end:
        main(["reproduce", *named])
    assert end.value.code == 0
    assert len(begun[0]) == len(set(begun[0])) and set(begun[0]) >= set(named) - {"all"}


@pytest.mark.parametrize(
    ("folder", "jobs", "said"),
    [("file/below", "1", "Not a directory"), (".", "-3", "jobs: expected 0 or more, found -3")],
)
def test_an_option_that_cannot_be_met_is_told_in_one_line(capsys, tmp_path, folder, jobs, said):
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as end:
        main(["reproduce", "bruneau", "--quick", "--out", str(tmp_path / folder), "--jobs", jobs])
    assert end.value.code == 1
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1


def test_a_study_in_its_quick_version_holds_every_criterion_and_draws_every_figure(tmp_path):
    assert running.reproduce(["bruneau"], tmp_path, quick=True, jobs=1)
    folder = tmp_path / "bruneau"
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["held"] and all(item["criteria"] for item in summary["experiments"])
    for item in find_study("bruneau").experiments:
        assert all((folder / f"{picture.name}.png").stat().st_size > 5000 for picture in item.pictures)
