"""Logging of the program: to stderr and to rotating files."""

from __future__ import annotations

import faulthandler
import logging
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import cast

from cdb_desktop.app.options import LOG_LEVEL
from cdb_desktop.client.redaction import redact_unforeseen
from cdb_desktop.foundation import files

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_SIZE = 1_000_000
KEPT = 3  # rotated files beside the current one: LOG.1 is the newest of them
LOG, CRASHES = "cdb-desktop.log", "cdb-desktop-crashes.log"


class _RedactingFormatter(logging.Formatter):
    """Removes tokens and passwords from whole records, including tracebacks."""

    def format(self, record: logging.LogRecord) -> str:
        """The redacted text of a record."""
        return redact_unforeseen(super().format(record))


def start_logging(folder: Path, environment: Mapping[str, str], *, console: bool = True) -> None:
    """Logs from WARNING up, or from the level in CDB_LOG_LEVEL, to ``folder`` and to stderr if ``console``.

    If the process crashes, the stacks of its threads are written to a separate file there.
    """
    level = logging.getLevelNamesMapping().get(environment.get(LOG_LEVEL, "").upper(), logging.WARNING)
    # Libraries stay at INFO: at DEBUG the loop logs every timer, and httpx every header.
    stderr = logging.StreamHandler(sys.stderr) if console else logging.NullHandler()
    logging.basicConfig(level=max(level, logging.INFO), handlers=[stderr], force=True)
    logging.getLogger("cdb_desktop").setLevel(level)
    root = logging.getLogger()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for handler in (_PrivateFile(folder / LOG, folder / CRASHES), *root.handlers):
            handler.setFormatter(_RedactingFormatter(_FORMAT))
            root.addHandler(handler)
    except OSError as error:
        for handler in root.handlers:
            handler.setFormatter(_RedactingFormatter(_FORMAT))
        logging.getLogger(__name__).warning("no log file: %s", error)


class _PrivateFile(RotatingFileHandler):
    """A rotating file that only its owner can read; it also holds the crash file open."""

    def __init__(self, path: Path, crashes: Path) -> None:
        super().__init__(path, maxBytes=_SIZE, backupCount=KEPT, encoding="utf-8")
        if crashes.exists() and crashes.stat().st_size > _SIZE:
            # Windows removes no file that another window has open.
            with suppress(PermissionError):
                crashes.unlink()
        # It has to stay open for as long as the process may crash.
        self._crashes = _opened(crashes, "a")
        faulthandler.enable(self._crashes)

    def close(self) -> None:
        """Closes both files."""
        if not self._crashes.closed:
            faulthandler.disable()
            self._crashes.close()
        super().close()

    def shouldRollover(self, record: logging.LogRecord) -> bool:  # noqa: N802  # logging calls it
        """Whether the file is large and can be renamed, which another window may prevent."""
        if not super().shouldRollover(record):
            return False
        if self.stream is not None:
            self.stream.close()
        can_be_renamed = files.can_be_renamed(Path(self.baseFilename))
        self.stream = self._open()
        return can_be_renamed

    def _open(self) -> TextIOWrapper:
        return _opened(self.baseFilename, self.mode)


def _opened(path: Path | str, mode: str) -> TextIOWrapper:
    return cast("TextIOWrapper", open(path, mode, encoding="utf-8", opener=_private))


def _private(path: str, flags: int) -> int:
    number = os.open(path, flags, 0o600)
    # An existing file may be readable for everybody.
    with suppress(OSError, AttributeError):
        os.fchmod(number, 0o600)
    return number
