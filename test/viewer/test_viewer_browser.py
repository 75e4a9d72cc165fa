"""The view in a real browser: headless Chromium loads the page, sees the robot and uses the controls."""

import dataclasses
import io
import os
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import chromium
import numpy as np
import pytest

pytest.importorskip("viser", reason="the extra `viewer` is not installed")

from legged_contact_sim.simulation.trajectory_file import SavedRuns
from legged_contact_sim.viewer import find_world
from legged_contact_sim.viewer.history import SPAN
from legged_contact_sim.viewer.panel import Panel
from legged_contact_sim.viewer.recordings import recordings_of
from legged_contact_sim.viewer.replay import Replay
from legged_contact_sim.viewer.replay_panel import ReplayPanel
from legged_contact_sim.viewer.session import Session
from legged_contact_sim.viewer.view import View

pytestmark = pytest.mark.skipif(chromium.find() is None, reason="no chromium is installed (apt-get install chromium)")


# Whether the axes of time of all four plots show what there is to see, by viser's own hook for tests.
TIMES_SHOWN = (
    "(plots => plots.length === 4 && plots.every(({chart: {scales: {x}}}) =>"
    f" Math.abs(x.min + {SPAN}) < 0.01 && Math.abs(x.max) < 0.01))"
    "(Object.values((window.__viserTestpoints || {}).uplots || {}))"
)


def wait_until(condition):
    end = time.monotonic() + chromium.PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def red_pixels(browser):
    """Count the pixels that have the red of the robot's trunk, which nothing else on the page has."""
    import imageio.v3 as imageio

    picture = imageio.imread(io.BytesIO(browser.picture())).astype(int)
    scene = picture[:, : picture.shape[1] // 2]
    return int(np.count_nonzero((scene[..., 0] > 90) & (scene[..., 0] > 2 * scene[..., 1:3].max(axis=2))))


@contextmanager
def served(show, panel):
    """Serve a show from a thread of its own."""
    with View(show, port=0, panel=panel) as page:
        ended = threading.Event()

        def show():
            while not ended.is_set():
                page.run(0.1)

        thread = threading.Thread(target=show)
        thread.start()
        try:
            yield page
        finally:
            ended.set()
            thread.join()


@pytest.fixture
def view():
    with served(Session(find_world("quadruped12")), Panel) as page:
        yield page


def test_page_shows_the_robot_and_obeys(view):
    session = view.session
    with chromium.Chromium() as browser:
        browser.open(view.address)
        browser.until("document.body.innerText.includes('quadruped12')")
        wait_until(lambda: red_pixels(browser) > 500)

        browser.click("button", "pause")
        wait_until(lambda: session.paused)
        done = threading.Event()
        session.ask(lambda _: done.set())  # its thread has done what it was at before
        assert done.wait(chromium.PATIENCE)
        stands = session.frame.time
        time.sleep(0.3)
        assert session.frame.time == stands

        browser.click("input[value=exact_lcp]")
        browser.click("[role=option]", "compliant")
        wait_until(lambda: session.world.sim.contact_model == "compliant")
        browser.click("button", "go on")
        wait_until(lambda: session.frame.time > stands)

        before = session.frame.positions[0, 1]
        browser.click("[role=tab], .mantine-Tabs-tab, [class*=tab] *", "Push")
        browser.click("button", "left")
        wait_until(lambda: session.frame.positions[0, 1] > before + 0.02)
        browser.until("document.body.innerText.includes('under compliant')")

        browser.click("[role=tab], .mantine-Tabs-tab, [class*=tab] *", "Push")
        browser.click("label", "drag")
        wait_until(lambda: view.panel.drag.value)
        keep(browser, "simulation")
        browser.click("[role=tab], .mantine-Tabs-tab, [class*=tab] *", "Contact")
        browser.click("input[value=stand]")
        browser.click("[role=option]", "robot: quadruped16")  # another robot: other curves, another scene
        browser.until("document.body.innerText.includes('quadruped16 under')")
        browser.until(TIMES_SHOWN)
        time.sleep(1.0)
        assert browser.errors == []


def keep(browser, name):
    """Keep a screenshot to be looked at, where SCREENSHOTS names a folder."""
    if folder := os.environ.get("SCREENSHOTS"):
        (Path(folder) / f"{name}.png").write_bytes(browser.picture())


def test_the_slider_of_a_replay_goes_to_its_time():
    world = find_world("quadruped12")
    runs = {"exact_lcp": world.sim.run(0.5, sample_every=20)}
    runs["beside"] = dataclasses.replace(runs["exact_lcp"], q=runs["exact_lcp"].q + 0.4 * np.eye(world.robot.nq)[1])
    replay = Replay(recordings_of(SavedRuns(runs)), "beside")
    replay.paused = True
    with served(replay, ReplayPanel) as view, chromium.Chromium() as browser:
        browser.open(view.address)
        browser.until("document.body.innerText.includes('quadruped12')")
        wait_until(lambda: red_pixels(browser) > 500)
        slider = "document.querySelector('[role=slider]')"
        browser.until(f"{slider} !== null")
        browser.run(f"{slider}.focus()")
        for key in ("End", "Home", *["ArrowRight"] * 12):
            for kind in ("keyDown", "keyUp"):
                browser.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)
            if key == "End":
                wait_until(lambda: replay.frame.time == replay.playing.end)
        wait_until(lambda: replay.time == pytest.approx(0.12))
        assert replay.ghost_frame.time == replay.frame.time == pytest.approx(0.12, abs=0.0101)
        browser.click("button", "play")
        wait_until(lambda: replay.frame.time == replay.playing.end)
        keep(browser, "replay")
        assert browser.errors == []
