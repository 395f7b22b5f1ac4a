"""Tests that the window can be closed whatever goes on: exit code 0, and nothing on stderr."""

from __future__ import annotations

import socket
import sys
import threading
from pathlib import Path

import pytest

from tests.desktop.app.processes import CLOSING_PROGRAM, complaints, program
from tests.desktop.app.services import service

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="signals and pipes as on Linux")


def test_while_the_sheet_asks(tmp_path: Path) -> None:
    """Nobody has answered yet."""
    _close(tmp_path, "http://127.0.0.1:1", "root")


def test_while_a_service_keeps_the_sign_in_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has taken the connection and says nothing."""
    monkeypatch.setenv("CDB_PASSWORD", "admin")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        _close(tmp_path, f"http://127.0.0.1:{silent.getsockname()[1]}", "root")


def test_while_sessions_end_all_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are renewed as fast as they end."""
    monkeypatch.setenv("CDB_PASSWORD", "admin")
    with service(tmp_path, "--set", "session.timeout=1") as running:
        _close(tmp_path, running.url, "root")


def test_while_the_service_has_stopped_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was answering a moment ago; now whatever was asked waits, and signing out would wait too."""
    monkeypatch.setenv("CDB_PASSWORD", "admin")
    with service(tmp_path) as running:
        stopping = threading.Timer(1.5, running.pause)
        stopping.start()
        _close(tmp_path, running.url, "root")
        stopping.cancel()


def _close(home: Path, url: str, login: str) -> None:
    with program(home, *CLOSING_PROGRAM, "--server", url, "--login", login) as process:
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, complaints(err)) == (0, "", "")
