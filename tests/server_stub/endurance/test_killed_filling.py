"""SIGKILL while the demo is made: the file is whole, and the next start makes all of it anew."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

_EVENTS = 20_000
_SECONDS = 30


def _start(file: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "server_stub", "--port", "0", "--exit-with-stdin", "--demo"]
    return subprocess.Popen(
        [*command, "--demo-events", str(_EVENTS), "--database", str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _kill_at(file: Path, size: int) -> None:
    with _start(file) as child:
        until = time.monotonic() + _SECONDS
        while not file.exists() or file.stat().st_size < size:
            assert time.monotonic() < until
            time.sleep(0.001)
        child.send_signal(signal.SIGKILL)


def _look(file: Path) -> tuple[list[object], int, int]:
    database = sqlite3.connect(file)
    try:
        (users,) = database.execute("SELECT count(*) FROM _user").fetchone()
        # What the server logs of itself comes after the demo's.
        (events,) = database.execute("SELECT count(*) FROM _event WHERE id <= ?", (_EVENTS,)).fetchone()
        return database.execute("PRAGMA integrity_check").fetchall(), users, events
    finally:
        database.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_killed_filling_is_done_anew(tmp_path: Path) -> None:
    """At three places of it, one after the other in the same file."""
    file = tmp_path / "killed.sqlite"
    for megabytes in (1, 4, 9):
        _kill_at(file, megabytes << 20)
        whole, users, events = _look(file)
        assert whole == [("ok",)]
        assert users == 0
        assert 0 < events <= _EVENTS
    with _start(file) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline().startswith("Listening on ")
        child.stdin.close()
        assert child.wait(_SECONDS) == 0
    whole, users, events = _look(file)
    assert whole == [("ok",)]
    assert users > 0
    assert events == _EVENTS
