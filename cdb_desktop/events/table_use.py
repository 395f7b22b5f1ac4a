"""Counts for each object type what the log says of its use: writes, views and searches, and the last ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum

import msgspec

from cdb_desktop.client import Event, EventFilter, Record
from cdb_desktop.events.result import split_records
from cdb_desktop.vocabulary.event_types import object_type


class Use(Enum):
    """How an event uses a table."""

    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    VIEW = "view"
    SEARCH = "search"
    INDEX = "index"


WRITES = frozenset({Use.INSERT, Use.UPDATE, Use.DELETE})
READS = frozenset({Use.VIEW, Use.SEARCH})

_USES = {
    "OBJECT_INSERT": Use.INSERT,
    "OBJECT_UPDATE": Use.UPDATE,
    "OBJECT_DELETE": Use.DELETE,
    "DETAIL_VIEW": Use.VIEW,
    "SEARCH": Use.SEARCH,
    "OBJECT_INDEX": Use.INDEX,
}


def use_filter(since: datetime | None) -> EventFilter:
    """The events that `UseScan` counts."""
    return EventFilter(type=tuple(_USES), date_from=since)


class TableUse(msgspec.Struct):
    """How often an object type was used, and when last; None if no such event was read."""

    counts: Counter[Use] = msgspec.field(default_factory=Counter)
    last_write: datetime | None = None
    last_read: datetime | None = None
    last: datetime | None = None

    @property
    def writes(self) -> int:
        """The number of inserts, updates and deletions."""
        return sum(self.counts[use] for use in WRITES)

    @property
    def reads(self) -> int:
        """The number of views and searches."""
        return sum(self.counts[use] for use in READS)

    def add(self, use: Use, moment: datetime | None) -> None:
        """Counts an event."""
        self.counts[use] += 1
        self.last = _later(self.last, moment)
        if use in WRITES:
            self.last_write = _later(self.last_write, moment)
        elif use in READS:
            self.last_read = _later(self.last_read, moment)

    def merged(self, other: TableUse) -> TableUse:
        """The use under both of two names."""
        return TableUse(
            self.counts + other.counts,
            _later(self.last_write, other.last_write),
            _later(self.last_read, other.last_read),
            _later(self.last, other.last),
        )


class UseScan:
    """The use of all object types by events that were read, newest first.

    ``since`` is the begin of the period, None for the whole log. ``reached`` is the time of the oldest event
    that was read. ``is_complete`` is whether all events of the period have been read, ``ended`` when the scan
    ended. ``unnamed`` counts events that name no object type.
    """

    def __init__(self, since: datetime | None = None) -> None:
        self.since = since
        self.read = self.unreadable = 0
        self.reached: datetime | None = None
        self.ended: datetime | None = None
        self.is_complete = False
        self.uses: dict[str, TableUse] = {}
        self.named: Counter[Use] = Counter()
        self.unnamed: Counter[Use] = Counter()

    @property
    def begin(self) -> datetime | None:
        """From when on all events have been counted; None for all of the log."""
        return self.since if self.is_complete else self.reached

    def reaches_further(self, other: UseScan) -> bool:
        """Whether this has read events of a time that an incomplete scan has not reached."""
        if other.is_complete or self.is_complete or self.reached is None:
            return self.is_complete and not other.is_complete
        return other.reached is None or self.reached < other.reached

    def is_known(self, use: Use) -> bool:
        """Whether numbers of a use mean anything: not if such events exist, but none names its tables."""
        return bool(self.named[use]) or not self.unnamed[use]

    def add(self, records: Sequence[Record]) -> None:
        """Adds a page of full records."""
        events, unreadable = split_records(records)
        self.read += len(events)
        self.unreadable += len(unreadable)
        for event in events:
            use = _USES.get(event.type)
            if use is None:
                continue
            if event.timestamp is not None:
                self.reached = event.timestamp if self.reached is None else min(self.reached, event.timestamp)
            names = object_types(event)
            if names or not _is_of_system(event):
                (self.named if names else self.unnamed)[use] += 1
            for name in names:
                self.uses.setdefault(name, TableUse()).add(use, event.timestamp)

    def of(self, names: Iterable[str]) -> TableUse:
        """The use of a table under all of its names."""
        found = TableUse()
        for name in names:
            if name in self.uses:
                found = found.merged(self.uses[name])
        return found


def object_types(event: Event) -> frozenset[str]:
    """The object types that an event names: that of its object, or those that were searched."""
    own = event.objecttype or ""
    if own:
        return frozenset({own})
    if _is_of_system(event):
        return frozenset()
    info = event.info_value if event.type in ("SEARCH", "DETAIL_VIEW") else None
    names = info.get("objecttypes") if isinstance(info, Mapping) else None
    if isinstance(names, str):
        names = [names]
    return frozenset(one for one in names if isinstance(one, str)) if isinstance(names, list) else frozenset()


def _is_of_system(event: Event) -> bool:
    """Whether the object of an event is one of the system, such as a user, which is in no table."""
    return not event.objecttype and bool(object_type(event))


async def scan_use(pages: AsyncIterator[Sequence[Record]], scan: UseScan) -> AsyncIterator[UseScan]:
    """Counts the events of ``pages``; yields the scan after each page. Raises what ``pages`` raises."""
    async for page in pages:
        scan.add(page)
        yield scan
    scan.is_complete = True
    yield scan


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((each for each in (one, other) if each is not None), default=None)
