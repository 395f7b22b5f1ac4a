"""The narrator: a process that tells the same as this one, never runs ahead for long, and ends with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from server_stub.demo.narrative import Commission, Events, narrative
from server_stub.demo.narrator import NarratorLostError, narrated_apart
from tests.server_stub.demo.conftest import NOW
from tests.server_stub.demo.narrators import narrators

_COMMISSION = Commission(NOW, 9_000, 3)
_LONG = Commission(NOW, 3_000_000, 3)
_SECONDS = 30


def test_it_tells_what_is_told_here() -> None:
    """Part for part; then its process is gone."""
    with narrated_apart(_COMMISSION) as parts:
        assert list(parts) == list(narrative(_COMMISSION))
    assert narrators() == []


def test_who_stops_listening_ends_it() -> None:
    """In the middle of a long narrative, at once."""
    with narrated_apart(_LONG) as parts:
        while not isinstance(next(parts), Events):
            pass
        (narrator,) = narrators()
        before = time.monotonic()
    assert time.monotonic() - before < 5
    assert narrators() == []
    assert narrator.exitcode is not None


def test_a_killed_narrator_is_told_of() -> None:
    """Not taken for the end of the narrative."""
    with narrated_apart(_LONG) as parts:
        next(parts)
        (narrator,) = narrators()
        narrator.kill()
        with pytest.raises(NarratorLostError, match=r"ended with -9|ended with 1"):
            list(parts)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_it_waits_for_the_listener() -> None:
    """Nobody takes a part: it stops telling, and so takes no more memory."""
    with narrated_apart(_LONG) as parts:
        next(parts)
        (narrator,) = narrators()
        before, now = -1.0, _processor_seconds(narrator.pid or 0)
        until = time.monotonic() + _SECONDS
        while now != before:
            assert time.monotonic() < until
            time.sleep(1)
            before, now = now, _processor_seconds(narrator.pid or 0)
        assert narrator.is_alive()


def _processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


_LISTENER = """
from server_stub.demo.narrative import Commission
from server_stub.demo.narrator import narrated_apart
from tests.server_stub.demo.narrators import narrators
from tests.server_stub.demo.narrators import narrators
if __name__ == "__main__":
    with narrated_apart(Commission(1731000000, 3000000, 3)) as parts:
        next(parts)
        print("told", flush=True)
        for _ in parts:
            pass
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_it_does_not_outlive_a_killed_listener(tmp_path: Path) -> None:
    """The pipe breaks, and it ends without a word."""
    script = tmp_path / "listener.py"
    script.write_text(_LISTENER)
    command = [sys.executable, str(script)]
    with subprocess.Popen(
        command, cwd=Path.cwd(), env=os.environ | {"PYTHONPATH": str(Path.cwd())}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as listener:  # fmt: skip
        assert listener.stdout is not None
        assert listener.stdout.readline() == "told\n"
        listener.send_signal(signal.SIGKILL)
        # The narrator has inherited what the listener wrote to: that ends with the last of them.
        told, errors = listener.communicate(timeout=_SECONDS)
    assert (told, errors) == ("", "")
