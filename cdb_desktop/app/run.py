"""Runs the program in its loop and gives the exit code; the one module that knows the loop's library."""

from __future__ import annotations

import asyncio
import os
import sys
from functools import partial

import qasync
from PySide6.QtWidgets import QApplication

from cdb_desktop.app.age import Clock
from cdb_desktop.app.logs import log_qt_messages, start_logging
from cdb_desktop.app.options import Options
from cdb_desktop.app.places import Places
from cdb_desktop.app.program import Program
from cdb_desktop.embedded import EmbeddedServer


def run(options: Options, places: Places, clock: Clock, server: EmbeddedServer | None) -> int:
    """Runs until the last window is closed; gives the exit code. ``server`` is the demo's, started early."""
    start_logging(places.logs, os.environ)
    log_qt_messages()
    app = _application()
    with asyncio.Runner(loop_factory=partial(qasync.QEventLoop, app)) as runner:
        return runner.run(Program(app, options, places, clock).main(server))


def _application() -> QApplication:
    app = QApplication(sys.argv[:1])
    app.setApplicationName("cdb-desktop")
    app.setApplicationDisplayName("Content Database Desktop")
    app.setDesktopFileName("cdb-desktop")
    # The loop ends when everything has been taken down, not when Qt would have it.
    app.setQuitOnLastWindowClosed(False)
    return app
