"""Looks for a pattern in every event of a result, telling hits as they are found. Knows no service."""

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

MAX_HITS = 10_000  # kept; further ones are only counted
_SLICE = 500  # events between two looks at the clock of others


class SearchProgress(msgspec.Struct, frozen=True):
    """How far a search is; ``total`` is None where nobody has counted.

    ``unreadable`` of the records that it has come to could not be searched.
    """

    searched: int = 0
    hits: int = 0
    seconds: float = 0.0
    total: int | None = None
    unreadable: int = 0

    @property
    def part(self) -> float | None:
        """What is done, from 0 to 1."""
        return min(1.0, self.searched / self.total) if self.total else None

    @property
    def seconds_left(self) -> float | None:
        """How long it will take at the pace so far, None before that can be told."""
        done = self.part
        return self.seconds / done * (1 - done) if done and self.seconds >= 1 else None


OnHits = Callable[[Sequence[Hit], SearchProgress], None]


async def search_pages(
    pages: AsyncIterator[Sequence[Record]], pattern: Pattern, tell: OnHits, total: int | None = None
) -> SearchProgress:
    """Goes through all ``pages``; ``tell`` gets the hits of each, at most MOST_HITS in all.

    Raises what ``pages`` raises. Patterns are tried in a thread: one that takes long holds up nobody.
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
        tell(kept, progress)
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
    """Each value of one of FIELDS with the rows of its hits; those without a value are left out."""
    rows: defaultdict[str, list[int]] = defaultdict(list)
    value_of = GROUP_FIELDS[field]
    for row, hit in enumerate(hits):
        rows[value_of(hit)].append(row)
    rows.pop("", None)
    return sorted(rows.items(), key=lambda group: (-len(group[1]), group[0]))


OnWritten = Callable[[int], None]

_OF_USER = ("_id", "_generated_displayname")
HIT_COLUMNS = (*SHORT_FIELDS, *(f"user.{name}" for name in _OF_USER), "found_in", "found_text", "info")


async def write_hits(
    target: Path, wish: ExportOptions, hits: AsyncIterator[Sequence[Hit]], tell: OnWritten
) -> int:
    """Writes CSV or JSON lines and gives their number; ``tell`` gets it after each slice.

    Raises OSError, what ``hits`` raises; nothing is left of the file then.
    """
    file, count = PartFile(target), 0
    try:
        await file.open()
        await file.write(_header(wish))
        async for some in hits:
            await file.write(await asyncio.to_thread(_lines, some, wish))
            count += len(some)
            tell(count)
        await file.settle()
    except BaseException:
        file.discard()
        raise
    return count


def _header(wish: ExportOptions) -> bytes:
    if wish.form == "jsonl":
        return b""
    return (BOM if wish.options.use_bom else b"") + wish.dialect.record(HIT_COLUMNS)


def _lines(hits: Sequence[Hit], wish: ExportOptions) -> bytes:
    if wish.form == "jsonl":
        return b"".join([json_line(hit.event) for hit in hits])
    return b"".join([_row(hit, wish.dialect) for hit in hits])


def _row(hit: Hit, dialect: CsvDialect) -> bytes:
    record = msgspec.to_builtins(wire_record(hit.event))
    event, user = record["event"], record.get("user", {})
    told = [*(event.get(name) for name in SHORT_FIELDS), *(user.get(name) for name in _OF_USER)]
    info = event.get("info")
    shown = "" if info is None else msgspec.json.encode(info).decode()
    return dialect.record([*("" if one is None else str(one) for one in told), hit.path, hit.piece, shown])


def with_other_records(hits: Sequence[Hit], events: Sequence[Event]) -> list[Hit]:
    """The hits with other records of the same events, as far as there are any."""
    known = {event.id: event for event in events}
    return [msgspec.structs.replace(hit, event=known.get(hit.event.id, hit.event)) for hit in hits]
