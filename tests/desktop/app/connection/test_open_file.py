"""Files that the system asks the application to open."""

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
early, link, late, address = map(QFileOpenEvent, map(QUrl, sys.argv[1:]))
application.sendEvent(application, early)
application.sendEvent(application, link)
application.open_with(opened.append, lambda text: opened.append(f"link {text}"))
before = list(opened)
application.processEvents()
application.sendEvent(application, late)
application.sendEvent(application, address)
print(json.dumps([list(map(str, paths)) for paths in (before, opened)]))
"""


_LINK = "cdb://events?profile=Museum%20%28K%C3%B6ln%29&text=a%26b&v=1"


def test_files_and_links_are_opened_when_the_window_is_there(tmp_path: Path) -> None:
    """macOS names them in events, which may come before anything can open them; addresses are neither."""
    early, late = tmp_path / "über.cdbview", tmp_path / "model.json"
    arguments = [early.as_uri(), _LINK, late.as_uri(), "https://db.example.org/model.json"]
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=60,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == [[], [str(early), f"link {_LINK}", str(late)]]
