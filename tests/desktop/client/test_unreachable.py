"""Tests of telling why a service cannot be reached."""

from __future__ import annotations

import socket
import ssl

import pytest

from cdb_desktop.client.unreachable import is_loopback, kind_and_reason


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (socket.gaierror(-2, "Name or service not known"), "dns"),
        (UnicodeError("label too long"), "dns"),
        (ConnectionRefusedError(111, "Connection refused"), "refused"),
        (ConnectionResetError(104, "reset"), "disconnected"),
        (ssl.SSLCertVerificationError(1, "certificate verify failed"), "tls"),
        (OverflowError("port"), "address"),
        (OSError(101, "Network is unreachable"), "network"),
    ],
)
def test_kind(cause: BaseException, kind: str) -> None:
    """The operating system's error decides, however deep it lies."""
    outer = OSError("All connection attempts failed")
    outer.__cause__ = ExceptionGroup("several addresses", [ValueError("other"), wrapped(cause)])
    assert kind_and_reason(outer, "network")[0] == kind


def wrapped(cause: BaseException) -> Exception:
    error = RuntimeError("wrapper")
    error.__context__ = cause
    cause.__context__ = error
    return error


def test_reason_is_the_system_s() -> None:
    """The reason is what the operating system said."""
    assert (
        kind_and_reason(ConnectionRefusedError(111, "Connection refused"), "network")[1]
        == "Connection refused"
    )
    assert kind_and_reason(RuntimeError(), "proxy") == ("proxy", "RuntimeError")


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.0.1", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("cdb.localhost.", True),
        ("10.0.0.1", False),
        ("localhost.example.org", False),
    ],
)
def test_is_loopback(host: str, loopback: bool) -> None:
    """This machine under all its names."""
    assert is_loopback(host) is loopback
