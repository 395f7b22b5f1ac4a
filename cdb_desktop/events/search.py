"""Searches all events of a result for a pattern, groups the hits and writes them to files."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import msgspec

from cdb_desktop.client import Event, Record
from cdb_desktop.events.export.csv_page import BOM, CsvDialect
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.part_file import PartFile
from cdb_desktop.events.result import split_records
from cdb_desktop.vocabulary.event_json import SHORT_FIELDS, json_line, wire_record
from cdb_desktop.vocabulary.event_text import user_text
from cdb_desktop.vocabulary.pattern import Hit, Pattern

MAX_HITS = 10_000  # hits that are kept; further ones are only counted
_SLICE = 500  # events that are searched in one call of the thread
_USER_FIELDS = ("_id", "_generated_displayname")
HIT_COLUMNS = (*SHORT_FIELDS, *(f"user.{name}" for name in _USER_FIELDS), "found_in", "found_text", "info")


class SearchProgress(msgspec.Struct, frozen=True):
    """The progress of a search; ``total`` is None if the events have not been counted.

    ``searched`` includes the ``unreadable`` records, which could not be searched.
    """

    searched: int = 0
    hits: int = 0
    seconds: float = 0.0
    total: int | None = None
    unreadable: int = 0

    @property
    def fraction(self) -> float | None:
        """What is done, from 0 to 1."""
        return min(1.0, self.searched / self.total) if self.total else None

    @property
    def seconds_left(self) -> float | None:
        """The estimated time left, None in the first second."""
        done = self.fraction
        return self.seconds / done * (1 - done) if done and self.seconds >= 1 else None


OnHits = Callable[[Sequence[Hit], SearchProgress], None]
OnWritten = Callable[[int], None]


async def search_pages(
    pages: AsyncIterator[Sequence[Record]], pattern: Pattern, on_hits: OnHits, total: int | None = None
) -> SearchProgress:
    """Searches all ``pages``; ``on_hits`` gets the hits of each page, MAX_HITS altogether.

    Runs the pattern in a thread, so a slow one does not block the event loop. Raises what ``pages`` raises.
    """
    started = time.monotonic()
    progress = SearchProgress(total=total)
    async for page in pages:
        found: list[Hit] = []
        events, unreadable = split_records(page)
        for first in range(0, len(events), _SLICE):
            found += await asyncio.to_thread(_hits, pattern, events[first : first + _SLICE])
        kept = found[: max(0, MAX_HITS - progress.hits)]
        seconds = time.monotonic() - started
        progress = SearchProgress(
            progress.searched + len(page),
            progress.hits + len(found),
            seconds,
            total,
            progress.unreadable + len(unreadable),
        )
        on_hits(kept, progress)
    return progress


def _hits(pattern: Pattern, events: Sequence[Event]) -> list[Hit]:
    return [hit for event in events if (hit := pattern.find(event)) is not None]


HitGroups = list[tuple[str, list[int]]]

GROUP_FIELDS: dict[str, Callable[[Hit], str]] = {
    "type": lambda hit: hit.event.type,
    "user": lambda hit: user_text(hit.event),
    "objecttype": lambda hit: hit.event.objecttype or "",
    "where": lambda hit: hit.path,
}


def group_hits(field: str, hits: Sequence[Hit]) -> HitGroups:
    """The values of one of GROUP_FIELDS with the rows of their hits, the largest group first.

    Hits without a value are left out.
    """
    rows: defaultdict[str, list[int]] = defaultdict(list)
    value_of = GROUP_FIELDS[field]
    for row, hit in enumerate(hits):
        rows[value_of(hit)].append(row)
    rows.pop("", None)
    return sorted(rows.items(), key=lambda group: (-len(group[1]), group[0]))


async def write_hits(
    target: Path, options: ExportOptions, hits: AsyncIterator[Sequence[Hit]], on_written: OnWritten
) -> int:
    """Writes hits as CSV or JSON lines, secrets masked, and returns their number.

    ``on_written`` gets the number after each slice. The file gets its name when it is complete; after an
    error nothing is left of it. Raises OSError, and what ``hits`` raises.
    """
    file, count = PartFile(target), 0
    try:
        await file.open()
        await file.write(_header(options))
        async for some in hits:
            await file.write(await asyncio.to_thread(_lines, some, options))
            count += len(some)
            on_written(count)
        await file.commit()
    except BaseException:
        file.discard()
        raise
    return count


def with_other_records(hits: Sequence[Hit], events: Sequence[Event]) -> list[Hit]:
    """The hits with their events replaced by those of ``events`` that have the same id."""
    by_id = {event.id: event for event in events}
    return [msgspec.structs.replace(hit, event=by_id.get(hit.event.id, hit.event)) for hit in hits]


def _header(options: ExportOptions) -> bytes:
    if options.file_format == "jsonl":
        return b""
    return (BOM if options.csv.use_bom else b"") + options.dialect.record(HIT_COLUMNS)


def _lines(hits: Sequence[Hit], options: ExportOptions) -> bytes:
    if options.file_format == "jsonl":
        return b"".join([json_line(hit.event) for hit in hits])
    return b"".join([_row(hit, options.dialect) for hit in hits])


def _row(hit: Hit, dialect: CsvDialect) -> bytes:
    record = msgspec.to_builtins(wire_record(hit.event))
    event, user = record["event"], record.get("user", {})
    values = [*(event.get(name) for name in SHORT_FIELDS), *(user.get(name) for name in _USER_FIELDS)]
    info = event.get("info")
    info_text = "" if info is None else msgspec.json.encode(info).decode()
    return dialect.record(
        [*("" if one is None else str(one) for one in values), hit.path, hit.piece, info_text]
    )
