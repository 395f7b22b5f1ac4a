"""The socket that the server listens on, and what it says of it; knows no call and no server."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Sequence
from ipaddress import ip_address

from server_stub.errors import ApiError

HOST_NAME = re.compile(r"\[[0-9A-Fa-f:.]+\]|[^\[\]:/@\s]+", re.ASCII)
# A name or an address, an IPv6 address in brackets, then perhaps a port.
_HOST = re.compile(rf"(?P<name>{HOST_NAME.pattern})(:\d*)?", re.ASCII)
_SHOWN = 100
_UNPROTECTED = (
    "Warning: other machines can reach this server, and passwords and events cross the network unencrypted. "
    "Give it a certificate with --tls-cert and --tls-key, or let it listen on 127.0.0.1 only."
)


class HostNames:
    """The names under which a server on a loopback address may be called.

    A web page may have its own name lead to this machine (DNS rebinding): the browser then takes what the
    server answers for the page's own. But the name stands in the request, so that it can be refused.
    """

    def __init__(self, allowed: Sequence[str] = ()) -> None:
        self._allowed = frozenset(_normal(name) for name in allowed)

    def refusal(self, named: Sequence[str], version: str) -> ApiError | None:
        """The error where a request of this version of HTTP, with these `Host` headers, is for another name.

        A request without `Host` is taken where HTTP allows that, in version 1.0: no browser sends such a one.
        """
        if not named and version == "1.0":
            return None
        if len(named) != 1:
            return ApiError("generic", "A request names exactly one Host.")
        if self._is_allowed(named[0]):
            return None
        return ApiError(
            "generic",
            f"This server is not called {named[0][:_SHOWN]!r}: it listens on this machine only. "
            "Start it with --allow-host NAME to let it be called by another name.",
        )

    def _is_allowed(self, named: str) -> bool:
        found = _HOST.fullmatch(named)
        if found is None:
            return False
        name = _normal(found["name"])
        return name in self._allowed or name.endswith(".localhost") or is_loopback(name.strip("[]"))


def _normal(name: str) -> str:
    return name.lower().removesuffix(".")


class CannotServeError(Exception):
    """The server cannot start; the message is for whoever starts it."""


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; CannotServeError when the address is taken or not this machine's."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family)
    try:
        # A port that only lingers after a restart is free; one that somebody listens on stays taken.
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(os.name == "posix"))
        bound.bind((host, port))
        bound.listen(2048)
    except OSError as error:
        bound.close()
        raise CannotServeError(
            f"The server cannot listen on {host}, port {port}: {error.strerror}. "
            "Choose another port with --port, or --port 0 for any free one."
        ) from error
    return bound


def announce(bound: socket.socket, host: str, *, encrypted: bool) -> None:
    """The one line on standard output, after a warning where others could listen in."""
    if not encrypted and not is_loopback(host):
        print(_UNPROTECTED, file=sys.stderr, flush=True)
    shown = f"[{host}]" if ":" in host else host
    print(f"Listening on http{'s' * encrypted}://{shown}:{bound.getsockname()[1]}", flush=True)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host; a name other than localhost may lead anywhere."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
