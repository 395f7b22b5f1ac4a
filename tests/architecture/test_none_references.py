"""Qt calls without a result do not lose references to None."""

import os
import subprocess
import sys

ROUNDS = """
import sys
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

application = QApplication([])
timed = QObject()
before = sys.getrefcount(None)
for _ in range(20_000):
    application.processEvents()
    timed.killTimer(timed.startTimer(60_000))
print(sys.getrefcount(None) - before)
"""


def test_void_calls_keep_the_references_to_none() -> None:
    """20,000 calls lose no reference to None, which would abort a long session."""
    # In a separate process, since a failure is an abort; the count is constant if None is immortal.
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", ROUNDS]
    rounds = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert rounds.returncode == 0, rounds.stderr
    assert int(rounds.stdout) >= -100
