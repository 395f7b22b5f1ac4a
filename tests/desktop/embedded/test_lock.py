"""Tests of the lock on the demo's data."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from cdb_desktop.embedded.lock import locked

_HOLDER = """
import sys, pathlib
from cdb_desktop.embedded.lock import locked
held = locked(pathlib.Path(sys.argv[1]))
print("held" if held else "refused", flush=True)
sys.stdin.read()
"""


def test_only_one_holds_it(tmp_path: Path) -> None:
    """Whoever comes second is told so and does not wait."""
    first = locked(tmp_path / "lock")
    assert first is not None
    assert locked(tmp_path / "lock") is None
    first.close()
    again = locked(tmp_path / "lock")
    assert again is not None
    again.close()


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    """The operating system lifts the lock however its holder ends."""
    command = [sys.executable, "-c", _HOLDER, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert locked(tmp_path / "lock") is None
        holder.kill()
    free = locked(tmp_path / "lock")
    assert free is not None
    free.close()
