"""Tests of the process clock, and of Python's plain ``import``."""

import json
import subprocess
import sys
import time

_TELLING = """
import builtins, json
import PySide6.QtCore
from cdb_desktop.app.startup import load_qt_core
names = [builtins.__import__.__name__]
load_qt_core()
names.append(builtins.__import__.__name__)
from PySide6.QtWidgets import QApplication
names.append(builtins.__import__.__name__)
print(json.dumps(names))
"""


def test_the_clock_counts_from_the_start_of_the_process() -> None:
    """The time that the interpreter needed before the clock was created is included."""
    code = (
        "import time; end = time.process_time() + 0.2\n"
        "while time.process_time() < end: pass\n"
        "from cdb_desktop.app.startup import process_clock\n"
        "print(process_clock()())"
    )
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    outside = (time.perf_counter() - started) * 1000
    assert 200 <= float(done.stdout) <= outside


def test_qts_import_wrapper_is_removed() -> None:
    """It is installed at first, and nothing installs it again."""
    done = subprocess.run([sys.executable, "-c", _TELLING], capture_output=True, text=True, check=True)
    before, *after = json.loads(done.stdout)
    assert before == "__feature_import__"
    assert before not in after
