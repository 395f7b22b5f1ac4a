"""Tests of the process's age."""

from __future__ import annotations

import subprocess
import sys
import time


def test_the_clock_counts_from_the_start_of_the_process() -> None:
    """What the interpreter needed before the clock was made is part of it."""
    code = (
        "import time; end = time.process_time() + 0.2\n"
        "while time.process_time() < end: pass\n"
        "from cdb_desktop.app.age import process_clock\n"
        "print(process_clock()())"
    )
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=20
    )
    outside = (time.perf_counter() - started) * 1000
    assert 200 <= float(done.stdout) <= outside
