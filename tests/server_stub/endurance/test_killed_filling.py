"""SIGKILL during the creation of the demo: the file is missing or complete, and the next start repeats it."""

import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

_EVENTS = 20_000
_SECONDS = 60


def _start(file: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "server_stub", "--port", "0", "--exit-with-stdin", "--demo"]
    return subprocess.Popen(
        [*command, "--demo-events", str(_EVENTS), "--database", str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _kill_at(file: Path, size: int) -> None:
    """Kills a server when the temporary file has reached a size."""
    beside = file.with_name(f"{file.name}.filling")
    with _start(file) as child:
        until = time.monotonic() + _SECONDS
        while not beside.exists() or beside.stat().st_size < size:
            assert time.monotonic() < until
            assert not file.exists()
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


def _serves_all(file: Path) -> None:
    """An uninterrupted start serves the whole demo and removes temporary files."""
    with _start(file) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline().startswith("Listening on ")
        child.stdin.close()
        assert child.wait(_SECONDS) == 0
    whole, users, events = _look(file)
    assert (whole, events) == ([("ok",)], _EVENTS)
    assert users > 0
    assert [found.name for found in file.parent.iterdir()] == [file.name]


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_killed_filling_is_repeated(tmp_path: Path) -> None:
    """After a kill the next start creates the demo."""
    file = tmp_path / "killed.sqlite"
    _kill_at(file, 4 << 20)
    assert not file.exists()
    _serves_all(file)
