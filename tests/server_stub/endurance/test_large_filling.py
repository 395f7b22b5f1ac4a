"""Ending a server during a large filling leaves no processes and files, and the next start repeats it."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

_SECONDS = 60
_COMMAND = [sys.executable, "-m", "server_stub", "--port", "0", "--demo", "--demo-events", "400000"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no process groups")


@contextmanager
def _filling(file: Path) -> Iterator[subprocess.Popen[str]]:
    """A server during its filling, in a separate process group."""
    with subprocess.Popen(
        [*_COMMAND, "--database", str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as server:
        try:
            beside, until = file.with_name(f"{file.name}.filling"), time.monotonic() + _SECONDS
            while not beside.exists() or beside.stat().st_size < 4 << 20:
                assert time.monotonic() < until
                assert server.poll() is None
                time.sleep(0.005)
            yield server
        finally:
            server.kill()


def test_an_interrupt_ends_it_quietly(tmp_path: Path) -> None:
    """Ctrl+C, sent to the process group, ends the server and removes the temporary file."""
    with _filling(tmp_path / "a.sqlite") as server:
        os.killpg(server.pid, signal.SIGINT)
        # Standard output and error end with the last process that has them.
        output, errors = server.communicate(timeout=_SECONDS)
    assert (server.returncode, output, errors) == (130, "", "")
    assert list(tmp_path.iterdir()) == []


def test_a_killed_server_leaves_no_process_and_is_started_again(tmp_path: Path) -> None:
    """After SIGKILL nobody has its output open, and no database is there; the next start makes all of it."""
    file = tmp_path / "a.sqlite"
    with _filling(file) as server:
        server.send_signal(signal.SIGKILL)
        assert server.communicate(timeout=_SECONDS) == ("", "")
    assert not file.exists()
    command = [*_COMMAND[:-1], "10", "--exit-with-stdin", "--database", str(file)]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=True, timeout=_SECONDS)
    assert done.stdout.startswith("Listening on ")
    assert [found.name for found in tmp_path.iterdir()] == ["a.sqlite"]
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("SELECT count(*) FROM _event WHERE id <= 10").fetchall() == [(10,)]
        assert database.execute("SELECT count(*) > 0 FROM _user").fetchall() == [(1,)]
