"""Sends what the program and Qt have to say to stderr and to a file that is kept small."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from logging.handlers import RotatingFileHandler
from pathlib import Path

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_SIZE, _KEPT = 1_000_000, 3
# Said by platforms without a window manager about every window that has a smallest size.
_HARMLESS = "This plugin does not support propagateSizeHints()"


def start_logging(folder: Path, environment: Mapping[str, str]) -> None:
    """Logs from WARNING up, or from the level in CDB_LOG_LEVEL, to stderr and to ``folder``."""
    level = logging.getLevelNamesMapping().get(environment.get("CDB_LOG_LEVEL", "").upper(), logging.WARNING)
    # Libraries stay at INFO: the loop would name every timer, and HTTP every header.
    logging.basicConfig(level=max(level, logging.INFO), format=_FORMAT, stream=sys.stderr, force=True)
    logging.getLogger("cdb_desktop").setLevel(level)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = RotatingFileHandler(
            folder / "cdb-desktop.log", maxBytes=_SIZE, backupCount=_KEPT, encoding="utf-8"
        )
    except OSError as error:
        logging.getLogger(__name__).warning("no log file: %s", error)
        return
    file.setFormatter(logging.Formatter(_FORMAT))
    logging.getLogger().addHandler(file)


def log_qt_messages() -> None:
    """Logs Qt's own messages as those of the logger ``qt``."""
    levels = {
        QtMsgType.QtDebugMsg: logging.DEBUG,
        QtMsgType.QtInfoMsg: logging.INFO,
        QtMsgType.QtWarningMsg: logging.WARNING,
        QtMsgType.QtCriticalMsg: logging.ERROR,
        QtMsgType.QtFatalMsg: logging.CRITICAL,
    }
    log = logging.getLogger("qt")

    def take(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        if message != _HARMLESS:
            log.log(levels[kind], "%s", message)

    qInstallMessageHandler(take)
