"""A journal of exports and deletions under way, so that the next start after a crash can offer to go on.

One file for each job. It contains what was requested, never a token or a password. Field names in the files
are those of version 0.1 where ``name=`` is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import field

from cdb_desktop.client import EventFilter
from cdb_desktop.client.lenient_json import BROKEN
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.foundation.files import set_aside, write_whole
from cdb_desktop.queries.query import Query


class StoredFilter(EventFilter, frozen=True, kw_only=True):
    """A filter that can be decoded: its dates are times, as those of every query are."""

    date_from: datetime | None = None
    date_to: datetime | None = None

    @classmethod
    def of(cls, event_filter: EventFilter) -> StoredFilter:
        """The stored form of ``event_filter``."""
        return cls(**msgspec.structs.asdict(event_filter))

    @property
    def event_filter(self) -> EventFilter:
        """The filter in the format of the service."""
        return EventFilter(**msgspec.structs.asdict(self))


class ExportJob(msgspec.Struct, frozen=True, tag="export"):
    """An export for ``profile`` (service and user) to the file ``target``.

    ``entered`` is the filter of the query, ``sent`` the same filter without events that are newer than the
    result. ``ids`` are the events if they were selected one by one. ``query`` is None in files of earlier
    versions.
    """

    profile: str = field(name="home")
    target: str
    options: ExportOptions = field(name="wish")
    entered: StoredFilter = field(name="asked")
    sent: StoredFilter = field(name="chosen")
    total: int | None = None
    newest: int | None = None
    ids: tuple[int, ...] = ()
    query: Query | None = None


class DeletionJob(msgspec.Struct, frozen=True, tag="deletion"):
    """A deletion for ``profile`` of which ``deleted`` of ``count`` events are done; ``backup`` may be empty.

    The events are those of ``query`` (``sent`` is its filter, ``newest`` the id of the newest event), or
    ``ids`` are those left if they were selected or found one by one. While ``is_reading`` nothing has been
    deleted, and the backup is incomplete.
    """

    profile: str = field(name="home")
    backup: str
    count: int
    deleted: int = field(name="gone", default=0)
    is_reading: bool = False
    query: Query | None = None
    sent: StoredFilter = field(name="chosen", default=StoredFilter())
    newest: int | None = None
    ids: tuple[int, ...] = ()


Job = ExportJob | DeletionJob


class JobJournal:
    """The journal files in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, job: Job) -> None:
        """Writes the file of a job, or replaces it. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(self._file(name), msgspec.json.encode(job))

    def remove(self, name: str) -> None:
        """Removes the file of a job that is finished or dismissed; errors are ignored."""
        with suppress(OSError):
            self._file(name).unlink(missing_ok=True)

    def jobs(self, profile: str) -> Iterator[tuple[str, Job]]:
        """Names and jobs of one profile, the oldest first; damaged files are set aside."""
        for file in sorted(self.folder.glob("*.json"), key=_modified):
            try:
                job = msgspec.json.decode(file.read_bytes(), type=Job)
            except BROKEN as error:
                set_aside(file, error)
                continue
            except OSError:
                continue
            if job.profile == profile:
                yield file.stem, job

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.json"


def _modified(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0
