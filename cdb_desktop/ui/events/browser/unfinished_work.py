"""The journal of long jobs of a user at a service; each entry is locked by the program that runs the job."""

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


def entry_name(target: Path) -> str:
    """The name of the entry for an export to a file."""
    return f"export-{hashlib.sha256(str(target).encode()).hexdigest()[:16]}"


class JobEntry:
    """The entry of a running job."""

    def __init__(self, journal: JobJournal, name: str, lock: BaseFileLock) -> None:
        self._journal, self._name, self._lock = journal, name, lock

    def write(self, job: Job) -> None:
        """Writes the progress; the job continues if that fails."""
        try:
            self._journal.write(self._name, job)
        except OSError as error:
            _log.warning("work under way cannot be written down: %s", error)

    def end(self, *, stays: bool = False) -> None:
        """Ends the entry, which is removed unless the job can be continued."""
        if not stays:
            self._journal.remove(self._name)
        if self._lock.is_locked:
            release_lock(self._lock)


class UnfinishedWork(QObject):
    """Interrupted and running jobs.

    Signals: ``settled`` (name) when an entry is no longer of interest.
    """

    settled = Signal(str)

    def __init__(self, folder: Path, profile_key: str, parent: QObject) -> None:
        super().__init__(parent)
        self._journal = JobJournal(folder)
        self.profile_key = profile_key

    def create_entry(self, name: str) -> JobEntry:
        """Creates and locks the entry of a job that starts; an older one of the same name is settled."""
        self.settled.emit(name)
        lock = self._lock(name)
        with suppress(OSError):
            lock.acquire()
        return JobEntry(self._journal, name, lock)

    @property
    def interrupted(self) -> list[tuple[str, Job]]:
        """The entries that no running program has locked, oldest first."""
        return [(name, job) for name, job in self._journal.jobs(self.profile_key) if self._is_free(name)]

    def forget(self, name: str) -> None:
        """Removes an entry."""
        self._journal.remove(name)
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
            self._journal.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            _log.warning("work under way cannot be written down: %s", error)
        # The system releases the lock when its process ends.
        path = self._journal.folder / f"{name}.lock"
        return FileLock(path, timeout=0, thread_local=False, mode=0o600)
