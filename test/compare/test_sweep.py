"""Sweeps: which runs they make, that nothing is done twice or lost, and that every way to run them agrees."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow.parquet as parquet
import pytest

from legged_contact_sim import ParameterError, RobotModel
from legged_contact_sim.app.cli import main
from legged_contact_sim.compare.sweep import points_of, run_point, sweep, variations_of
from legged_contact_sim.compare.sweep.running import scaled, start_of
from legged_contact_sim.compare.sweep.store import Journal
from legged_contact_sim.control.scenario import Scenario

BALL = (
    '<robot name="ball"><link name="ball"><inertial><mass value="2"/>'
    '<inertia ixx="0.008" iyy="0.008" izz="0.008" ixy="0" ixz="0" iyz="0"/></inertial>'
    '<collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>'
)
# A program that drops the ball 10,000 times on two processes, and ends as the command line does.
DROPS = f"""
import sys
from legged_contact_sim.compare.sweep import sweep
from legged_contact_sim.control.scenario import Scenario
drop = Scenario("drop", {{"robot": {BALL!r}, "time_step": 1e-3}})
try:
    sweep(drop, ["initial.lift=0.05:0.4:10000"], sys.argv[1], duration=2.0, jobs=2)
except KeyboardInterrupt:
    sys.exit(130)
"""
DROP = Scenario("drop", {"robot": BALL, "initial.lift": 0.2, "time_step": 1e-3, "friction": 0.5})


def test_a_grid_has_all_combinations_and_samples_stay_inside():
    vary = variations_of(["friction=0.2:1.0:3", "contact_model=moreau,penalty"])
    grid = points_of(vary)
    assert len(grid) == 6 and grid[1] == {"friction": 0.2, "contact_model": "penalty"}
    some = points_of(vary, sample=50, seed=3)
    assert some == points_of(vary, sample=50, seed=3) != points_of(vary, sample=50, seed=4)
    assert all(0.2 <= point["friction"] <= 1.0 for point in some)
    assert len({point["friction"] for point in some}) == 50
    assert {point["contact_model"] for point in some} == {"moreau", "penalty"}


@pytest.mark.parametrize(
    ("words", "culprit"),
    [(["friction"], "NAME=A:B:N"), (["friction=1:0:3"], "LOW < HIGH"), (["friction=0:1"], "--sample"),
     (["friction=a:b:3"], "in numbers"), (["a=1", "a=2"], "twice"), ([], "at least one")],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(words, culprit):
    with pytest.raises(ParameterError, match=culprit):
        points_of(variations_of(words))


def test_a_lift_gives_the_work_that_contact_takes(tmp_path):
    table = sweep(
        DROP, {"initial.lift": [0.1, 0.2, 0.3], "mass": [1.0, 2.0]}, tmp_path / "a.parquet", duration=0.6, jobs=1
    )
    lift, mass, work = (np.array(table.column(name).to_pylist()) for name in ("initial.lift", "mass", "contact_work"))
    np.testing.assert_allclose(work, -2.0 * mass * 9.81 * lift, rtol=1e-6)
    assert (tmp_path / "a.png").stat().st_size > 1000
    assert not (tmp_path / "a.parquet.journal").exists()


def test_masses_scale_and_a_push_moves(tmp_path):
    robot = RobotModel.from_urdf(BALL)
    assert scaled(robot, 1.5).total_mass == pytest.approx(3.0)
    pushed = run_point(0, {"push": 20.0, "friction": 0.0}, DROP.changed({"initial.lift": 0.0}), 1.0)
    assert pushed["error"] == ""
    # 20 N for 0.1 s on 2 kg without friction: 1 m/s, from 0.4 s on; mean over the last 60 %.
    assert pushed["speed"] == pytest.approx((0.05 + 0.5) / 0.6, rel=0.02)


def test_an_interrupted_sweep_goes_on_where_it_was(tmp_path, monkeypatch):
    """The second call makes only what the journal lacks; a line that was cut short does not count."""
    out, lifts = tmp_path / "a.parquet", [0.05, 0.1, 0.15, 0.2]
    whole = sweep(DROP, {"initial.lift": lifts}, tmp_path / "b.parquet", duration=0.3, jobs=1)
    plan = {
        "scenario": DROP.name,
        "values": dict(DROP.values),
        "points": [{"initial.lift": x} for x in lifts],
        "duration": 0.3,
    }
    journal = Journal(out, plan)
    for k in (2, 0):
        journal.add(run_point(k, {"initial.lift": lifts[k]}, DROP, 0.3))
    journal.close()
    with journal.path.open("ab") as file:
        file.write(b'{"run": 1, "err')
    made = []
    monkeypatch.setattr(
        "legged_contact_sim.compare.sweep.on_processes",
        lambda tasks, jobs: (made.append(task[0]) or run_point(*task) for task in tasks),
    )
    table = sweep(DROP, {"initial.lift": lifts}, out, duration=0.3, jobs=1)
    assert made == [1, 3]
    assert table.to_pydict() == whole.to_pydict()
    sweep(DROP, {"initial.lift": lifts}, out, duration=0.3, jobs=1)
    assert made == [1, 3]
    with pytest.raises(ParameterError, match="another sweep"):
        sweep(DROP, {"initial.lift": lifts}, out, duration=0.4, jobs=1)


def test_a_run_that_fails_is_a_row_with_its_error(tmp_path, monkeypatch):
    """Values are tried one by one before anything runs; what fails in combination, or later, is told in the table."""
    monkeypatch.setattr("legged_contact_sim.compare.sweep.check_start", lambda *_: None)
    table = sweep(DROP, {"contact_model": ["exact_lcp", "glue"]}, tmp_path / "a.parquet", duration=0.1, jobs=1)
    errors = table.column("error").to_pylist()
    assert errors[0] == "" and "glue" in errors[1]


@pytest.mark.parametrize(
    ("vary", "culprit"),
    [({"frction": [0.2]}, "frction.*friction"), ({"friction": [0.2, -1.0]}, "friction=-1"),
     ({"contact_model": ["exact_lcp", "glue"]}, "contact_model=glue"), ({"mass": [0.0]}, "mass"),
     ({"seed": [0.5]}, "seed"), ({"push": ["hard"]}, "push"), ({"terrain.seed": [1]}, "terrain"),
     ({"robot": ["quadruped12", "nobody"]}, "nobody"), ({"friction": []}, "at least one value"),
     ({"friction": [0.2, 0.4, 0.2]}, "every value once, found 0.2")],
)  # fmt: skip
def test_what_cannot_begin_is_refused_and_leaves_no_journal(tmp_path, vary, culprit):
    with pytest.raises(ParameterError, match=culprit):
        sweep(DROP, vary, tmp_path / "a.parquet", duration=0.1, jobs=1)
    assert not list(tmp_path.iterdir())


def test_values_as_they_are_written():
    seeds, lifts = variations_of(["terrain.seed=0:9:4", "initial.lift=0:1:3"])
    assert [str(value) for value in seeds.values + lifts.values] == ["0", "3", "6", "9", "0.0", "0.5", "1.0"]
    drawn = {point["terrain.seed"] for point in points_of([seeds], sample=50)}
    assert drawn == set(range(10))
    with pytest.raises(ParameterError, match="whole numbers"):
        variations_of(["seed=0:9:3"])
    found = variations_of(["time_step=1e-3,5e-4", "initial.place=[0, 1],[2, 3]", "terrain={kind: slope, angle: 1e-1}"])
    assert [variation.values for variation in found] == [
        (1e-3, 5e-4), ([0, 1], [2, 3]), ({"kind": "slope", "angle": 0.1},)
    ]  # fmt: skip


def test_grounds_and_drives_vary():
    on_rough = DROP.changed({"terrain": "rough"})
    assert not run_point(0, {"terrain.seed": 1}, on_rough, 0.05)["error"]
    one, two = (start_of({"terrain.seed": seed}, on_rough)[0].terrain.heights for seed in (1, 2))
    assert (one != two).any()
    weak = start_of({"actuator.effort_limit": 1.0}, Scenario.load("stand"))[0].robot
    assert (weak.links["effort_limit"][weak.joint_links] == 1.0).all()


def test_two_writers_are_refused(tmp_path):
    first = Journal(tmp_path / "a.parquet", {"points": []})
    with pytest.raises(ParameterError, match="another sweep is writing"):
        Journal(tmp_path / "a.parquet", {"points": []})
    first.close()


@pytest.mark.parametrize("content", [b"notes\n", b"notes", b"[1]\n", b"\x00\xff\n", b'{"plan": "of another"}\n'])
def test_a_journal_that_is_none_is_refused_and_stays(tmp_path, content):
    path = tmp_path / "a.parquet.journal"
    path.write_bytes(content)
    with pytest.raises(ParameterError, match="holds another sweep, or none"):
        Journal(tmp_path / "a.parquet", {"points": []})
    assert path.read_bytes() == content


def test_lines_that_cannot_be_read_are_runs_to_be_made(tmp_path):
    journal = Journal(tmp_path / "a.parquet", {"points": []})
    journal.add({"run": 0})
    journal.close()
    with journal.path.open("ab") as file:
        file.write(b'{"run": 1, "er\n\x00\x00\n{"walk": 2}\n7\n{"run": 3}\n')
    again = Journal(tmp_path / "a.parquet", {"points": []})
    assert list(again.done) == [0, 3]
    again.close()


def test_a_plan_that_was_cut_short_begins_anew_and_without_results_nothing_stays(tmp_path):
    path = tmp_path / "a.parquet.journal"
    path.write_bytes(b'{"pl')
    Journal(tmp_path / "a.parquet", {"points": []}).close()
    assert not path.exists()


@pytest.mark.parametrize("out", ["", "folder", "a.png"])
def test_a_table_goes_into_a_file_of_its_own(tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(ParameterError, match="out: expected a file"):
        sweep(DROP, {"friction": [0.5]}, out, duration=0.1, jobs=1)


def test_ctrl_c_ends_all_processes_with_a_line(tmp_path):
    """A terminal sends the signal to every process of the command; only the first one answers it."""
    script = tmp_path / "drops.py"
    script.write_text(DROPS)
    out = tmp_path / "a.parquet"
    journal = out.with_name("a.parquet.journal")
    command = [sys.executable, str(script), str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    while process.poll() is None and not (journal.is_file() and journal.read_bytes().count(b"\n") >= 2):
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate()[0].decode()
    assert process.returncode == 130, said
    assert "runs are kept, the same command goes on" in said and "Traceback" not in said


def test_killed_and_resumed_equals_a_dask_cluster(tmp_path):
    """The command is killed by SIGKILL after some runs; what it goes on with equals what a cluster finds."""
    scenario = tmp_path / "drop.yaml"
    values = {"robot": BALL, "initial": {"lift": 0.2}, "time_step": 1e-3, "friction": 0.5}
    scenario.write_text(json.dumps({"/**": {"ros__parameters": values}}))
    vary = "initial.lift=0.05:0.4:8"
    words = [
        "sweep",
        str(scenario),
        "--vary",
        vary,
        "--duration",
        "2",
        "--jobs",
        "1",
        "--out",
        str(tmp_path / "a.parquet"),
    ]
    command = [sys.executable, "-m", "legged_contact_sim", *words]
    journal = tmp_path / "a.parquet.journal"
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (journal.is_file() and journal.read_bytes().count(b"\n") >= 3):
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    kept = [
        json.loads(line)["run"] for line in journal.read_bytes().splitlines(keepends=True)[1:] if line.endswith(b"\n")
    ]
    assert 2 <= len(kept) < 8 and len(set(kept)) == len(kept)
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 0
    other = sweep(str(scenario), [vary], tmp_path / "b.parquet", duration=2.0, jobs=2, cluster="local")
    assert parquet.read_table(tmp_path / "a.parquet").to_pydict() == other.to_pydict()
