"""Tests that nobody reads the source of every module that is imported."""

from __future__ import annotations

import json
import subprocess
import sys

_TELLING = """
import builtins, json
from cdb_desktop.app.imports import use_plain_imports
seen = [builtins.__import__.__name__]
use_plain_imports()
seen.append(builtins.__import__.__name__)
from PySide6.QtWidgets import QApplication
seen.append(builtins.__import__.__name__)
print(json.dumps(seen))
"""


def test_qt_s_wrapper_is_taken_off() -> None:
    """It is there at first, else nothing would have to be done; nothing brings it back."""
    done = subprocess.run([sys.executable, "-c", _TELLING], capture_output=True, text=True, check=True)
    before, *after = json.loads(done.stdout)
    assert before == "__feature_import__"
    assert before not in after
