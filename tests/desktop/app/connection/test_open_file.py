"""Files that the system asks the application to open."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import json, sys
from PySide6.QtCore import QUrl
from PySide6.QtGui import QFileOpenEvent
from cdb_desktop.app.connection.open_file import FileOpenApplication

application = FileOpenApplication(sys.argv[:1])
opened = []
early, late, address = map(QFileOpenEvent, map(QUrl, sys.argv[1:]))
application.sendEvent(application, early)
application.open_with(opened.append)
before = list(opened)
application.processEvents()
application.sendEvent(application, late)
application.sendEvent(application, address)
print(json.dumps([list(map(str, paths)) for paths in (before, opened)]))
"""


def test_files_are_opened_when_the_window_is_there(tmp_path: Path) -> None:
    """macOS names a file in an event, which may come before anything can open it; addresses are no files."""
    early, late = tmp_path / "über.cdbview", tmp_path / "model.json"
    arguments = [early.as_uri(), late.as_uri(), "https://db.example.org/model.json"]
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=60,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == [[], [str(early), str(late)]]
