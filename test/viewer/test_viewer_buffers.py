"""Messages to browsers come from other threads than the one that sends them."""

import asyncio
import sys
import threading

import pytest

from legged_contact_sim.viewer import find_world
from legged_contact_sim.viewer.buffers import LoopEvent, make_buffers_safe
from legged_contact_sim.viewer.session import Session

PATIENCE = 1200.0  # s


class WakesAtOnce(asyncio.Future):
    """A task's wait; where another thread ends it, the task goes on before that thread does."""

    def set_result(self, value):
        super().set_result(value)
        loop = self.get_loop()
        if threading.get_ident() != loop.thread:
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result(PATIENCE)


class Loop(asyncio.SelectorEventLoop):
    def create_future(self):
        return WakesAtOnce(loop=self)


@pytest.fixture
def loop():
    loop = Loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    loop.thread = thread.ident
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


async def two_that_wait(event):
    tasks = [asyncio.ensure_future(event.wait()) for _ in range(2)]
    await asyncio.sleep(0)
    return tasks


def test_a_plain_event_set_by_another_thread_fails(loop):
    """As viser sets it; this is why buffers have an event of our own."""
    event = asyncio.Event()
    asyncio.run_coroutine_threadsafe(two_that_wait(event), loop).result(PATIENCE)
    with pytest.raises(RuntimeError, match="mutated"):
        event.set()


def test_an_event_of_a_buffer_is_set_by_its_loop(loop):
    event = LoopEvent(loop)
    tasks = asyncio.run_coroutine_threadsafe(two_that_wait(event), loop).result(PATIENCE)
    event.set()
    assert not event.is_set()
    loop.call_soon_threadsafe(event.set)

    async def woken():
        return await asyncio.gather(*tasks)

    assert asyncio.run_coroutine_threadsafe(woken(), loop).result(PATIENCE) == [True, True]


def test_all_buffers_of_a_view_have_it():
    pytest.importorskip("viser")
    from websockets.sync.client import connect

    from legged_contact_sim.viewer.view import View

    with View(Session(find_world("quadruped12")), port=0) as view:
        address = f"localhost:{view.port}"
        server = view._server._websock_server
        with connect(
            f"ws://{address}", origin=f"http://{address}", subprotocols=["viser-v1.1.1"], max_size=None
        ) as one:
            assert one.recv(timeout=PATIENCE)
            (client,) = server._client_state_from_id.values()
            for buffer in (server.get_message_buffer(), client.message_buffer):
                assert isinstance(buffer.message_event, LoopEvent)


class WithoutEvent:
    """A buffer as another viser may have it."""

    def __init__(self, event_loop, persistent_messages):
        self.made_of = event_loop, persistent_messages


@pytest.mark.parametrize("buffer", [WithoutEvent, lambda event_loop: None, 3], ids=lambda buffer: type(buffer).__name__)
def test_buffers_that_take_no_event_are_left_alone(monkeypatch, buffer):
    infra = pytest.importorskip("viser.infra._infra")
    monkeypatch.setattr(infra, "AsyncMessageBuffer", buffer)
    make_buffers_safe()
    assert infra.AsyncMessageBuffer is buffer


def test_a_viser_without_such_buffers_is_left_alone(monkeypatch):
    infra = pytest.importorskip("viser.infra._infra")
    monkeypatch.delattr(infra, "AsyncMessageBuffer")
    make_buffers_safe()
    assert not hasattr(infra, "AsyncMessageBuffer")
    monkeypatch.delattr(sys.modules["viser.infra"], "_infra")
    monkeypatch.setitem(sys.modules, "viser.infra._infra", None)
    make_buffers_safe()
