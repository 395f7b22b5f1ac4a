"""Tests that the window can be closed at any time: exit code 0, and nothing on stderr."""

import socket
import sys
import threading
from pathlib import Path

import pytest

from tests.desktop.app.processes import CLOSING_PROGRAM, complaints, program
from tests.desktop.app.services import service
from tests.desktop.patience import LONGEST

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="signals and pipes as on Linux")


def test_while_the_dialog_is_open(tmp_path: Path) -> None:
    """The connection dialog is open."""
    _close(tmp_path, "http://127.0.0.1:1", "root")


def test_while_signing_in_waits_for_the_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service has accepted the connection and does not answer."""
    monkeypatch.setenv("CDB_PASSWORD", "admin")
    with socket.create_server(("127.0.0.1", 0)) as server:
        _close(tmp_path, f"http://127.0.0.1:{server.getsockname()[1]}", "root")


def test_while_the_service_is_suspended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service is suspended after it has answered; all calls wait, and signing out would wait too."""
    monkeypatch.setenv("CDB_PASSWORD", "admin")
    with service(tmp_path) as running:
        stopping = threading.Timer(1.5, running.pause)
        stopping.start()
        _close(tmp_path, running.url, "root")
        stopping.cancel()


def _close(home: Path, url: str, login: str) -> None:
    with program(home, *CLOSING_PROGRAM, "--server", url, "--login", login) as process:
        out, err = process.communicate(timeout=LONGEST)
    assert (process.returncode, out, complaints(err)) == (0, "", "")
