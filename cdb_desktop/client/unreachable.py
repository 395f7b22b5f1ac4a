"""Tells from the operating system's errors why a service cannot be reached; knows no HTTP library."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from ipaddress import ip_address

from cdb_desktop.client.errors import UnreachableKind

_DISCONNECTED = (ConnectionResetError, ConnectionAbortedError, BrokenPipeError, EOFError)


def kind_and_reason(error: BaseException, otherwise: UnreachableKind) -> tuple[UnreachableKind, str]:
    """The kind and an English reason for ``error``, judged by everything that led to it."""
    found = list(causes(error))
    for kind, classes in _KINDS:
        for cause in found:
            # Waiting for more is how a TLS connection reads, and no error.
            if isinstance(cause, classes) and not isinstance(cause, ssl.SSLWantReadError):
                return kind, _said(cause)
    return otherwise, _said(error)


def is_loopback(host: str) -> bool:
    """Whether ``host`` is this machine, which no proxy can reach."""
    name = host.strip("[]").rstrip(".").lower()
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


_KINDS: tuple[tuple[UnreachableKind, tuple[type[BaseException], ...]], ...] = (
    ("tls", (ssl.SSLError,)),
    ("dns", (socket.gaierror, UnicodeError)),
    ("refused", (ConnectionRefusedError,)),
    ("disconnected", _DISCONNECTED),
    ("address", (OverflowError,)),
)


def causes(error: BaseException) -> Iterator[BaseException]:
    """``error`` and everything that led to it."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        grouped = one.exceptions if isinstance(one, BaseExceptionGroup) else ()
        waiting += [cause for cause in (*grouped, one.__cause__, one.__context__) if cause is not None]


def _said(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
