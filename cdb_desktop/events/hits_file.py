"""Writes hits of a search to a file, from the records that were read, secrets masked. Knows no service.

Until all are written they lie in a file beside the target: under its name there is never half of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.events.backup import LinesFile
from cdb_desktop.events.export_wish import Wish
from cdb_desktop.events.sheet import BOM, Dialect
from cdb_desktop.vocabulary.event_json import SHORT_FIELDS, json_line, wire_record
from cdb_desktop.vocabulary.pattern import Hit

Tell = Callable[[int], None]

_OF_USER = ("_id", "_generated_displayname")
COLUMNS = (*SHORT_FIELDS, *(f"user.{name}" for name in _OF_USER), "found_in", "found_text", "info")


async def write_hits(target: Path, wish: Wish, hits: AsyncIterator[Sequence[Hit]], tell: Tell) -> int:
    """Writes CSV or JSON lines and gives their number; ``tell`` gets it after each slice.

    Raises OSError, what ``hits`` raises; nothing is left of the file then.
    """
    file, count = LinesFile(target), 0
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


def _header(wish: Wish) -> bytes:
    if wish.form == "jsonl":
        return b""
    return (BOM if wish.options.use_bom else b"") + wish.dialect.record(COLUMNS)


def _lines(hits: Sequence[Hit], wish: Wish) -> bytes:
    if wish.form == "jsonl":
        return b"".join([json_line(hit.event) for hit in hits])
    return b"".join([_row(hit, wish.dialect) for hit in hits])


def _row(hit: Hit, dialect: Dialect) -> bytes:
    record = msgspec.to_builtins(wire_record(hit.event))
    event, user = record["event"], record.get("user", {})
    told = [*(event.get(name) for name in SHORT_FIELDS), *(user.get(name) for name in _OF_USER)]
    info = event.get("info")
    shown = "" if info is None else msgspec.json.encode(info).decode()
    return dialect.record([*("" if one is None else str(one) for one in told), hit.path, hit.piece, shown])


def with_events(hits: Sequence[Hit], events: Sequence[Event]) -> list[Hit]:
    """The hits with other records of the same events, as far as there are any."""
    known = {event.id: event for event in events}
    return [msgspec.structs.replace(hit, event=known.get(hit.event.id, hit.event)) for hit in hits]
