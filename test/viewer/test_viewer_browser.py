"""The view in a real browser: headless Chromium loads the page, sees the robot and uses the controls."""

import io
import threading
import time

import chromium
import numpy as np
import pytest

pytest.importorskip("viser", reason="the extra `viewer` is not installed")

from legged_contact_sim.viewer import find_world
from legged_contact_sim.viewer.session import Session
from legged_contact_sim.viewer.view import View

pytestmark = pytest.mark.skipif(chromium.find() is None, reason="no chromium is installed (apt-get install chromium)")


def wait_until(condition, seconds=180.0):  # kernels may have to be compiled first
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def red_pixels(browser):
    """Count the pixels that have the red of the robot's trunk, which nothing else on the page has."""
    import imageio.v3 as imageio

    picture = imageio.imread(io.BytesIO(browser.picture())).astype(int)
    scene = picture[:, : picture.shape[1] // 2]
    return int(np.count_nonzero((scene[..., 0] > 90) & (scene[..., 0] > 2 * scene[..., 1:3].max(axis=2))))


@pytest.fixture
def view():
    session = Session(find_world("quadruped12"))
    with View(session, port=0) as page:
        ended = threading.Event()

        def show():
            while not ended.is_set():
                page.run(0.1)

        thread = threading.Thread(target=show)
        thread.start()
        yield page
        ended.set()
        thread.join()


def test_page_shows_the_robot_and_obeys(view):
    session = view.session
    with chromium.Chromium() as browser:
        browser.open(view.address)
        browser.until("document.body.innerText.includes('quadruped12')")
        wait_until(lambda: red_pixels(browser) > 500)

        browser.click("button", "pause")
        wait_until(lambda: session.paused)
        time.sleep(0.2)
        stands = session.frame.time
        time.sleep(0.3)
        assert session.frame.time == stands

        browser.click("input[value=exact_lcp]")
        browser.click("[role=option]", "compliant")
        wait_until(lambda: session.world.sim.contact_model == "compliant")
        browser.click("button", "pause")
        wait_until(lambda: session.frame.time > stands)

        before = session.frame.positions[0, 1]
        browser.click("[role=tab], .mantine-Tabs-tab, [class*=tab] *", "Push")
        browser.click("button", "left")
        wait_until(lambda: session.frame.positions[0, 1] > before + 0.02)
        browser.until("document.body.innerText.includes('under compliant')")
        assert browser.errors == []
