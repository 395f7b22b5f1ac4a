"""Tests of the clock of the process, and of Python's plain ``import``."""

from __future__ import annotations

import json
import subprocess
import sys
import time

_TELLING = """
import builtins, json
import PySide6.QtCore
from cdb_desktop.app.startup import load_qt_core
seen = [builtins.__import__.__name__]
load_qt_core()
seen.append(builtins.__import__.__name__)
from PySide6.QtWidgets import QApplication
seen.append(builtins.__import__.__name__)
print(json.dumps(seen))
"""


def test_the_clock_counts_from_the_start_of_the_process() -> None:
    """What the interpreter needed before the clock was made is part of it."""
    code = (
        "import time; end = time.process_time() + 0.2\n"
        "while time.process_time() < end: pass\n"
        "from cdb_desktop.app.startup import process_clock\n"
        "print(process_clock()())"
    )
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=20
    )
    outside = (time.perf_counter() - started) * 1000
    assert 200 <= float(done.stdout) <= outside


def test_qt_s_wrapper_is_taken_off() -> None:
    """It is there at first, else nothing would have to be done; nothing brings it back."""
    done = subprocess.run([sys.executable, "-c", _TELLING], capture_output=True, text=True, check=True)
    before, *after = json.loads(done.stdout)
    assert before == "__feature_import__"
    assert before not in after
