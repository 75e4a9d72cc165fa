"""The browser view: page, panel, and the loop that keeps them up to date."""

import errno
import io
import socket
import time as clock
from collections.abc import Callable
from contextlib import redirect_stdout
from types import TracebackType
from typing import Any

from ..errors import ParameterError
from .buffers import make_buffers_safe
from .controls import Controls
from .guard import LOOPBACK, guarded, make_token
from .page import Page
from .panel import Panel
from .stage import Show

FRAMES = 30.0  # a second
PLOT_EVERY = 6  # frames


class View:
    """Serves a show to browsers until it is closed; a browser that is slow or gone holds up nothing.

    Frames are handed to viser, which keeps only the newest of each kind for every browser.
    """

    def __init__(
        self, session: Show, host: str = "localhost", port: int = 8080, panel: Callable[..., Controls] = Panel
    ) -> None:
        """Start the server on a host and port (0: any that is free); outside localhost it asks for a token.

        Args:
            session: what is shown: a `Session`, or another `Show` with a panel of its own.
            host: address to listen at.
            port: to listen at.
            panel: of the controls, made from server, session and page.
        """
        viser = _viser()
        make_buffers_safe()
        check_address(host, port)
        self.session = session
        self.token = "" if host in LOOPBACK else make_token()
        with guarded(self.token), redirect_stdout(io.StringIO()):  # viser prints an address without the token
            self._server = viser.ViserServer(host=host, port=port, label="legged_contact_sim", verbose=False)
        self.host, self.port = host, self._server.get_port()
        self._page = Page(self._server)
        self._version = session.version
        self._page.build(session)
        self.panel = panel(self._server, session, self._page)
        self._shown, self._count = -1.0, 0
        self._server.on_client_connect(self._place_camera)

    @property
    def address(self) -> str:
        """What to type into a browser."""
        host = "localhost" if self.host in LOOPBACK else self.host
        return f"http://{host}:{self.port}" + (f"/?token={self.token}" if self.token else "")

    def __enter__(self) -> "View":
        """Let time run."""
        self.session.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the simulation and the server."""
        self.session.end()
        with redirect_stdout(io.StringIO()):
            self._server.stop()

    def run(self, duration: float = float("inf")) -> None:
        """Show frames for a duration, s."""
        end = clock.monotonic() + duration
        due = clock.monotonic()
        while clock.monotonic() < end:
            self.refresh()
            due = max(due + 1.0 / FRAMES, clock.monotonic())
            clock.sleep(max(0.0, due - clock.monotonic()))

    def refresh(self) -> None:
        """Show what the session is like now, if anybody is there to see it."""
        session = self.session
        if session.version != self._version:
            self._version = session.version
            self._page.build(session)
            self.panel.rebuilt()
        if not self._server.get_clients():
            return
        frame, ghost = session.frame, session.ghost_frame
        self._count += 1
        self.panel.take()
        if frame.time != self._shown:
            self._shown = frame.time
            self._page.show(frame, ghost)
        if self._count % PLOT_EVERY == 0:
            self.panel.draw()

    def _place_camera(self, client: Any) -> None:
        """Let a new browser see the robot, whatever it does now."""
        with client.atomic():
            client.camera.position, client.camera.look_at = self._page.viewpoint(self.session.frame)


def check_address(host: str, port: int) -> None:
    """See whether a server can listen at a host and port; viser would take another port, or fail in a thread.

    Raises:
        ParameterError: it cannot, and why.
    """
    if not 0 <= port <= 65535:
        raise ParameterError(f"port: expected a whole number from 0 to 65535, found {port}")
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
            0
        ]
        with socket.socket(family, kind) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(address)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ParameterError(f"port: {port} is in use; choose another one with --port") from None
        raise ParameterError(f"host: cannot listen at {host!r}: {error.strerror or error}") from None


def _viser() -> Any:
    try:
        import viser
    except ImportError:
        raise ParameterError("viewer: viser is not installed; pip install 'legged_contact_sim[viewer]'") from None
    return viser
