"""The notes on long work of one user at one service, each held by the program that does it. Tells nobody."""

from __future__ import annotations

import hashlib
import logging
from contextlib import suppress
from pathlib import Path

from filelock import BaseFileLock, FileLock
from PySide6.QtCore import QObject, Signal

from cdb_desktop.events.job_journal import Job, JobJournal
from cdb_desktop.foundation.files import release_lock

_log = logging.getLogger(__name__)


def note_name(target: Path) -> str:
    """The name of the note on an export to a file."""
    return f"export-{hashlib.sha256(str(target).encode()).hexdigest()[:16]}"


class Held:
    """A note that is kept up while its work is under way."""

    def __init__(self, notes: JobJournal, name: str, lock: BaseFileLock) -> None:
        self._notes, self._name, self._lock = notes, name, lock

    def write(self, note: Job) -> None:
        """From now on this is how far it is; work goes on where that cannot be written down."""
        try:
            self._notes.write(self._name, note)
        except OSError as error:
            _log.warning("work under way cannot be written down: %s", error)

    def end(self, *, stays: bool = False) -> None:
        """The work has ended; the note ``stays`` where somebody may want to go on with it."""
        if not stays:
            self._notes.remove(self._name)
        if self._lock.is_locked:
            release_lock(self._lock)


class UnfinishedWork(QObject):
    """What was interrupted, and what is under way.

    Signals: ``settled`` with the name of a note that nobody needs to be told of any more.
    """

    settled = Signal(str)

    def __init__(self, folder: Path, home: str, parent: QObject) -> None:
        super().__init__(parent)
        self._notes = JobJournal(folder)
        self.home = home

    def hold(self, name: str) -> Held:
        """The note of work that begins; what was told of the same before is settled."""
        self.settled.emit(name)
        lock = self._lock(name)
        with suppress(OSError):
            lock.acquire()
        return Held(self._notes, name, lock)

    @property
    def interrupted(self) -> list[tuple[str, Job]]:
        """The notes that no running program holds, oldest first."""
        return [(name, note) for name, note in self._notes.jobs(self.home) if self._is_free(name)]

    def forget(self, name: str) -> None:
        """Nobody wants to hear of it any more."""
        self._notes.remove(name)
        self.settled.emit(name)

    def _is_free(self, name: str) -> bool:
        lock = self._lock(name)
        try:
            lock.acquire()
        except OSError:
            return False
        release_lock(lock)
        return True

    def _lock(self, name: str) -> BaseFileLock:
        try:
            self._notes.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            _log.warning("work under way cannot be written down: %s", error)
        # The system frees it when its process ends, whatever is in the file.
        path = self._notes.folder / f"{name}.lock"
        return FileLock(path, timeout=0, thread_local=False, mode=0o600)
