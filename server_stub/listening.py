"""The socket that the server listens on, and what it says of it; knows no call and no server."""

from __future__ import annotations

import os
import socket
import sys
from ipaddress import ip_address

_UNPROTECTED = (
    "Warning: other machines can reach this server, and passwords and events cross the network unencrypted. "
    "Give it a certificate with --tls-cert and --tls-key, or let it listen on 127.0.0.1 only."
)


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
    if not encrypted and not _is_loopback(host):
        print(_UNPROTECTED, file=sys.stderr, flush=True)
    shown = f"[{host}]" if ":" in host else host
    print(f"Listening on http{'s' * encrypted}://{shown}:{bound.getsockname()[1]}", flush=True)


def _is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host; a name other than localhost may lead anywhere."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
