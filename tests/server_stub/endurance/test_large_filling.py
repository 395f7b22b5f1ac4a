"""A filling large enough for two processes: whichever of them is ended, how ever, nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_SECONDS = 60
_COMMAND = [sys.executable, "-m", "server_stub", "--port", "0", "--demo", "--demo-events", "400000"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@contextmanager
def _filling(file: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server in the middle of its filling, in a process group of its own, and its narrator's number."""
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
            yield server, _narrator(server.pid)
        finally:
            server.kill()


def _narrator(server: int) -> int:
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    (found,) = (child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes())
    return int(found)


def test_a_killed_narrator_fails_the_filling(tmp_path: Path) -> None:
    """One sentence says so, and the file is in no place."""
    with _filling(tmp_path / "a.sqlite") as (server, narrator):
        os.kill(narrator, signal.SIGKILL)
        told, errors = server.communicate(timeout=_SECONDS)
    sentence = "cdb-server: The demo was not made: the process that tells its history ended with -9.\n"
    assert (server.returncode, told, errors) == (1, "", sentence)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("stopped", [0.0, 0.3])
def test_an_interrupt_ends_both_quietly(tmp_path: Path, stopped: float) -> None:
    """Ctrl+C reaches the whole group, a narrator that has only begun as well."""
    with _filling(tmp_path / "a.sqlite") as (server, _):
        time.sleep(stopped)
        os.killpg(server.pid, signal.SIGINT)
        # Standard output and error end with the last process that has them.
        told, errors = server.communicate(timeout=_SECONDS)
    assert (server.returncode, told, errors) == (130, "", "")
    assert list(tmp_path.iterdir()) == []


def test_a_killed_server_takes_its_narrator_along(tmp_path: Path) -> None:
    """Without a word; its place stays empty."""
    file = tmp_path / "a.sqlite"
    with _filling(file) as (server, _):
        server.send_signal(signal.SIGKILL)
        assert server.communicate(timeout=_SECONDS) == ("", "")
    assert not file.exists()
