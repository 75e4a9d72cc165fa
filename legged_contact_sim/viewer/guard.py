"""Who may see the page: on localhost this machine's own pages, elsewhere whoever knows the token."""

import hmac
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ..errors import ParameterError

LOOPBACK = ("localhost", "127.0.0.1", "::1")
COOKIE = "legged_contact_sim_token"


def make_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_urlsafe(24)


def refusal(path: str, headers: Any, token: str) -> str:
    """Return why a request is refused, in words; "": it is not.

    A page of another site must not reach a simulator that runs here: a browser tells where a page is from (Origin), and
    by which name this server was called (Host). Where a token is asked for, it comes in the address or in a cookie.

    Args:
        path: of the request, with its query.
        headers: of the request, read with ``get``.
        token: that is asked for; "": none, and the server must be called by a name of this machine.
    """
    host = headers.get("Host") or ""
    origin = headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc != host:
        return "a page from elsewhere may not connect"
    if not token:
        return "" if urlsplit(f"//{host}").hostname in LOOPBACK else "call this server localhost"
    given = [*parse_qs(urlsplit(path).query).get("token", []), _cookie(headers.get("Cookie") or "")]
    if any(hmac.compare_digest(one.encode(), token.encode()) for one in given):
        return ""
    return "the address needs the token that the program printed: ?token=..."


def _cookie(header: str) -> str:
    try:
        morsel = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return morsel.value if morsel else ""


@contextmanager
def guarded(token: str) -> Iterator[None]:
    """Let a viser server that starts inside ask `refusal` about every request, pages and websockets alike.

    viser has no hook for it, so what it starts is wrapped; a viser that starts its server otherwise is refused.
    """
    from websockets.asyncio import server

    begun = []
    plain = server.serve

    def serve(*arguments: Any, process_request: Any, **options: Any) -> Any:
        def checked(connection: Any, request: Any) -> Any:
            reason = refusal(request.path, request.headers, token)
            if reason:
                return connection.respond(HTTPStatus.FORBIDDEN, f"{reason}\n")
            response = process_request(connection, request)
            if token and response is not None:
                response.headers["Set-Cookie"] = f"{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/"
            return response

        begun.append(True)
        return plain(*arguments, process_request=checked, **options)

    server.serve = serve  # type: ignore[assignment,misc]
    try:
        yield
    finally:
        server.serve = plain  # type: ignore[misc]
    if not begun:
        raise ParameterError("viewer: this version of viser cannot be guarded; install the one of requirements")
