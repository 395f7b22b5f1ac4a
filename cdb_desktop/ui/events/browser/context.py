"""What the controllers of the event browser's features share."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec
from filelock import BaseFileLock, FileLock
from PySide6.QtCore import QObject, Signal

from cdb_desktop.client import Client, EventFilter, EventPage, Record, Sort
from cdb_desktop.events.counts import CONCURRENT_CALLS
from cdb_desktop.events.job_journal import Job, JobJournal
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.foundation.files import release_lock
from cdb_desktop.queries.query import NEWEST_FIRST
from cdb_desktop.ui.events.browser.event_requests import count_events, with_retries
from cdb_desktop.ui.events.browser.rows import ResultRows
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.tasks import Tasks

_SPARE = 100  # records to search for a time if that of the first cannot be read
_STILL = 0.3  # seconds


class BrowserContext(msgspec.Struct, frozen=True):
    """Passed to the controllers of the features.

    ``unfinished`` is the journal of long jobs.
    """

    view: BrowserView
    client: Client
    rows: ResultRows
    tasks: Tasks
    unfinished: UnfinishedWork


class BackgroundReader:
    """Requests for counts and names, which wait while rows are loaded or scrolled; only few at a time."""

    def __init__(self, context: BrowserContext) -> None:
        """Sends no requests while rows are loaded or scrolled, which have priority."""
        self._client, self._rows = context.client, context.rows
        self._seen = context.view.seen
        self._moved = -_STILL
        self._places = asyncio.Semaphore(CONCURRENT_CALLS)
        context.view.table.verticalScrollBar().valueChanged.connect(self._move)

    def _move(self) -> None:
        self._moved = time.monotonic()

    async def count(self, chosen: EventFilter) -> int:
        """The number of events. Raises ClientError."""
        async with self._places:
            await self._wait_until_idle()
            return await count_events(self._client, chosen) or 0

    async def records(self, chosen: EventFilter, offset: int, limit: int = PAGE_SIZE) -> Sequence[Record]:
        """Short records by id from ``offset`` on; their users become known values. Raises ClientError."""
        async with self._places:
            await self._wait_until_idle()
            page = await with_retries(self._client, lambda: self._listed(chosen, offset, limit))
        self._seen.add(page.events)
        return page.records

    async def _listed(self, chosen: EventFilter, offset: int, limit: int) -> EventPage:
        return await self._client.list_events(
            chosen, sort=(NEWEST_FIRST,), limit=limit, offset=offset, skip_count=True
        )

    async def _wait_until_idle(self) -> None:
        while self._is_busy:  # noqa: ASYNC110  # each scroll restarts the wait
            await asyncio.sleep(_STILL)

    @property
    def _is_busy(self) -> bool:
        return self._rows.are_awaited or time.monotonic() - self._moved < _STILL

    async def end(self, chosen: EventFilter, *, newest: bool) -> datetime | None:
        """The time of the newest or the oldest event, None if no event matches. Raises ClientError."""
        sort = (Sort("timestamp", newest),)
        for limit in (1, _SPARE):
            async with self._places:
                await self._wait_until_idle()
                page = await self._client.list_events(chosen, sort=sort, limit=limit, skip_count=True)
            moment = next((event.timestamp for event in page.events if event.timestamp is not None), None)
            if moment is not None or len(page.records) < limit:
                break
        return moment


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
