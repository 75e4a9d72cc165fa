"""The simulation behind the view, without a browser: requests, pace, what goes wrong, and who may connect."""

import socket
import threading
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from legged_contact_sim.errors import LeggedContactSimError, ParameterError
from legged_contact_sim.viewer import find_world
from legged_contact_sim.viewer.controls import HIDDEN_FOR, Plots
from legged_contact_sim.viewer.guard import COOKIE, refusal
from legged_contact_sim.viewer.history import ENERGIES, SPAN, History
from legged_contact_sim.viewer.panel import LONG
from legged_contact_sim.viewer.session import Session
from legged_contact_sim.viewer.view import View, check_address

PATIENCE = 1200.0  # s; what is waited for comes, however slow and busy the machine: this only ends what hangs


@pytest.fixture
def world():
    return find_world("quadruped12")


def wait_until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def turn_of(session):
    """Return when the session's thread has carried out a request: what it was at before is over."""
    done = threading.Event()
    session.ask(lambda _: done.set())
    assert done.wait(PATIENCE)


def test_a_push_gives_its_impulse(world):
    world.set_gravity(0.0)
    world.sim.reset(world.sim.q + np.eye(world.robot.nq)[2], None)  # a metre above the ground
    momentum = 10.0 * 0.1
    world.push(np.array([0.0, 10.0, 0.0]), 0.1)
    before = world.frame().positions[0, 1]
    world.advance(0.3)
    speed = momentum / world.robot.total_mass
    assert world.frame().positions[0, 1] - before == pytest.approx(speed * (0.3 - 0.05), rel=0.1)


def test_changes_hold_while_it_runs_and_after_a_reset(world):
    world.advance(0.05)
    q = world.sim.q.copy()
    world.change({"contact_model": "compliant"})
    world.change({"friction": 0.3})
    np.testing.assert_array_equal(world.sim.q, q)
    assert (world.sim.contact_model, world.friction) == ("compliant", 0.3)
    world.reset()
    assert (world.sim.contact_model, world.friction, world.time) == ("compliant", 0.3, 0.0)
    with pytest.raises(LeggedContactSimError, match="friction"):
        world.change({"friction": -1.0})
    assert world.friction == 0.3


def test_gravity_changes_in_mid_run(world):
    world.advance(0.02)
    world.set_gravity(1.62)
    assert world.time == pytest.approx(0.02)
    world.advance(0.4)
    frame = world.frame()
    assert frame.contact_forces[:, 2].sum() == pytest.approx(1.62 * world.robot.total_mass, rel=0.1)
    with pytest.raises(ParameterError, match="gravity"):
        world.set_gravity(float("nan"))


def test_who_watches_too_late_sees_the_newest_frame_and_errors_pause(world):
    session = Session(world)
    session.start()
    try:
        wait_until(lambda: session.frame.time > 0.1)
        session.ask(lambda s: s.world.change({"friction": -1.0}))
        wait_until(lambda: "friction" in session.message)
        session.paused = True
        turn_of(session)
        stands = session.frame.time
        time.sleep(0.2)
        assert session.frame.time == stands
        session.ask(lambda s: s.world.step())
        wait_until(lambda: session.frame.time > stands)
        session.ask(lambda s: s.add_ghost("penalty"))
        wait_until(lambda: session.ghost_frame is not None)
        assert session.ghost.sim.contact_model == "penalty"
        assert session.world.time == session.ghost.time == 0.0
    finally:
        session.end()


def test_who_waits_for_the_compiler_is_told(world):
    pytest.importorskip("viser")
    with View(Session(world), port=0) as view:
        free = threading.Event()
        view.session.ask(lambda session: free.wait(PATIENCE))
        wait_until(lambda: view.session.busy > LONG)
        assert "compiling kernels" in view.panel.state()
        free.set()
        wait_until(lambda: view.session.busy < LONG)
        assert "x real time" in view.panel.state()


def test_history_keeps_the_last_frames_in_order(world):
    history = History(world.stage, length=5)
    for _ in range(8):
        world.advance(0.01)
        history.take(world.frame())
        history.take(world.frame())
    times, *forces = history.forces
    assert len(history) == 5 and len(times) == 6
    assert (times[0], times[-1]) == (-SPAN, 0.0) and (np.diff(times) > 0.0).all()
    assert sum(forces)[-1] > 0.0
    assert len(history.energies) == 1 + len(ENERGIES)
    assert history.trails().shape == (1 + len(history.feet), 5, 3)
    world.reset()
    history.take(world.frame())
    assert len(history) == 1


@pytest.mark.parametrize(
    ("path", "headers", "token", "refused"),
    [
        ("/", {"Host": "localhost:8080"}, "", False),
        ("/", {"Host": "127.0.0.1:8080", "Origin": "http://127.0.0.1:8080"}, "", False),
        ("/", {"Host": "localhost:8080", "Origin": "http://elsewhere.example"}, "", True),
        ("/", {"Host": "elsewhere.example"}, "", True),  # another name for this machine: DNS rebinding
        ("/", {"Host": "robot.lan:8080"}, "secret", True),
        ("/?token=wrong", {"Host": "robot.lan:8080"}, "secret", True),
        ("/?token=secret", {"Host": "robot.lan:8080"}, "secret", False),
        ("/a.js", {"Host": "robot.lan:8080", "Cookie": f"{COOKIE}=secret"}, "secret", False),
        ("/a.js", {"Host": "robot.lan:8080", "Cookie": "\x00;=;;"}, "secret", True),
    ],
)
def test_who_may_connect(path, headers, token, refused):
    assert bool(refusal(path, headers, token)) == refused


def status(address):
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def test_a_server_for_others_asks_for_its_token(world):
    pytest.importorskip("viser")
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    with View(Session(world), host="127.0.0.2", port=0) as view:
        assert view.token in view.address
        assert status(f"http://127.0.0.2:{view.port}/") == 403
        assert status(view.address) == 200
        place = f"127.0.0.2:{view.port}"
        options = {"origin": f"http://{place}", "subprotocols": ["viser-v1.1.1"], "max_size": None}
        with pytest.raises(InvalidStatus, match="403"):  # who skips the page and opens the socket
            connect(f"ws://{place}", **options)
        with connect(f"ws://{place}", additional_headers={"Cookie": f"{COOKIE}={view.token}"}, **options) as known:
            assert known.recv(timeout=PATIENCE)


def test_a_browser_that_never_reads_stalls_nothing(world, monkeypatch):
    pytest.importorskip("viser")
    from websockets.sync.client import connect

    with View(Session(world), port=0) as view:
        # viser counts a browser only when it has told where its camera is, which this one never does
        monkeypatch.setattr(view._server, "get_clients", lambda: {0: None})
        address = f"localhost:{view.port}"
        silent = socket.create_connection(("localhost", view.port))  # says nothing at all
        with connect(f"ws://{address}", origin=f"http://{address}", subprotocols=["viser-v1.1.1"], max_queue=1):
            view.run(1.5)
            before = view.session.frame.time
            view.run(0.5)
            assert view.session.frame.time > before
        silent.close()


def test_the_robot_stays_before_the_camera_and_the_ground_beneath_it(world):
    pytest.importorskip("viser")
    with View(Session(world), port=0) as view:
        page, frame = view._page, world.frame()
        camera, target = page.viewpoint(frame)
        walked = replace(frame, positions=frame.positions + [30.0, -7.0, 0.0])
        np.testing.assert_allclose(page.viewpoint(walked)[1], target, atol=1e-12)  # for who comes before it is shown
        page.show(walked, None)
        for before, now in zip((camera, target), page.viewpoint(walked), strict=True):
            np.testing.assert_allclose(now, before, atol=1e-12)
        assert np.linalg.norm(page._laid - walked.positions[0, :2]) < 1e-9
        page.follow = False
        page.show(frame, None)
        np.testing.assert_allclose(page.viewpoint(frame)[1] - target, [-30.0, 7.0, 0.0], atol=1e-12)


def test_a_reset_leaves_a_walker_its_velocity():
    world = find_world("quadruped_trot")
    assert world.command == (0.1, 0.0, 0.0)
    world.reset()
    world.advance(2.0)
    assert world.frame().positions[0, 0] > 0.08
    assert find_world("quadruped12").command == (0.0, 0.0, 0.0)


def test_the_axis_of_time_stays_while_time_passes(world):
    """What changes with every picture, a page follows until it falls behind; then its plots are empty."""
    history, frame = History(world.stage), world.frame()
    for now in (0.0, 0.02, 1.0, 4.9, 7.0, 7.1, 0.3):  # then a reset
        history.take(replace(frame, time=now))
        for times, *curves in (history.forces, history.energies, history.solver, history.residuals):
            assert (times[0], times[-1]) == (-SPAN, 0.0) and (np.diff(times) > 0.0).all()
            assert all(len(curve) == len(times) and np.isfinite(curve).all() for curve in curves)


class Gui:
    """Keeps what it is told of plots."""

    def __init__(self):
        self.plots = []

    def add_folder(self, _):
        return nullcontext()

    def add_uplot(self, **told):
        self.plots.append(SimpleNamespace(visible=True, legend={}, **told))
        return self.plots[-1]


@pytest.mark.parametrize("feet", [("one", "two"), None], ids=["other curves", "equal curves"])
def test_plots_of_another_robot_are_there_and_empty_while_time_stands(world, feet):
    history, frame, gui = History(world.stage), world.frame(), Gui()
    plots = Plots(gui)
    plots.begin(history)
    for now in (1.0, 2.0):
        history.take(replace(frame, time=now, iterations=7))
        plots.draw(history)
    assert gui.plots[2].data[1][-1] == 7.0
    another = History(world.stage)
    another.feet = feet or another.feet
    plots.begin(another)
    another.take(frame)
    for _ in range(HIDDEN_FOR):
        plots.draw(another)
    assert all(plot.visible for plot in gui.plots)
    assert [len(plot.data) for plot in gui.plots] == [1 + len(another.feet), 1 + len(ENERGIES), 2, 2]
    assert not any(curve.any() for plot in gui.plots for curve in plot.data[1:])


def test_curves_of_forces_that_rest_are_level(world):
    history, frame = History(world.stage), world.frame()
    for k in range(3):
        forces = np.tile([0.0, 0.0, 61.0 + 1e-4 * k], (len(frame.contact_forces), 1))
        history.take(replace(frame, time=frame.time + k, contact_forces=forces))
    assert np.ptp(history.forces[1]) == 0.0
    assert history.forces[1][0] == pytest.approx(61.0, abs=0.2)


JUNK = (b"", b"\xff" * 64, b"\x81\xa4type\xa7nothing", "text where bytes belong", b"\x00" * 100_000)


def test_ten_browsers_and_hostile_ones_stall_nothing(world):
    """Ten get the scene, one sends junk, and one vanishes; simulated time goes on, and so do the others."""
    pytest.importorskip("viser")
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    with View(Session(world), port=0) as view, ExitStack() as stack:
        address = f"localhost:{view.port}"

        def join():
            return connect(f"ws://{address}", origin=f"http://{address}", subprotocols=["viser-v1.1.1"], max_size=None)

        clients = [stack.enter_context(join()) for _ in range(10)]
        for client in clients:
            assert client.recv(timeout=PATIENCE)
        with suppress(ConnectionClosed):
            hostile = stack.enter_context(join())
            for junk in JUNK:
                hostile.send(junk)
        gone = join()
        gone.socket.close()  # no farewell
        view.run(0.3)
        before = view.session.frame.time
        wait_until(lambda: view.refresh() or view.session.frame.time > before + 0.2)
        assert stack.enter_context(join()).recv(timeout=PATIENCE)  # the server still takes new ones
        for client in clients:
            client.ping()
            assert client.state.name == "OPEN"


def test_a_drag_pulls_and_lets_go(world):
    world.set_gravity(0.0)
    world.sim.reset(world.sim.q + np.eye(world.robot.nq)[2], None)
    for _ in range(3):
        world.pull(np.array([0.0, 10.0, 0.0]), 5.0)  # the last one counts, not the sum
    world.advance(0.1)
    world.pull(np.zeros(3), 5.0)
    before = world.frame().positions[0, 1]
    world.advance(0.2)
    assert world.frame().positions[0, 1] - before == pytest.approx(0.2 * 0.1 * 10.0 / world.robot.total_mass, rel=0.1)


def test_where_nobody_can_listen_is_one_clear_error():
    with socket.create_server(("localhost", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ParameterError, match=f"port: {port} is in use"):
            check_address("localhost", port)
    check_address("localhost", port)
    with pytest.raises(ParameterError, match="port: expected .* 0 to 65535, found 65536"):
        check_address("localhost", 65536)
    with pytest.raises(ParameterError, match="host: cannot listen at '300.1.1.1'"):
        check_address("300.1.1.1", 0)


@pytest.mark.parametrize("name", ["nothing_like_it", "nothing.yaml"])
def test_a_wrong_name_is_one_clear_error(name):
    with pytest.raises(ParameterError, match="nothing"):
        find_world(name)
