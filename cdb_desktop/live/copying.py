"""Events as a table for the clipboard. No Qt."""

from __future__ import annotations

from collections.abc import Iterable

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.references import object_of, user_of
from cdb_desktop.vocabulary.times import exact_time

_HEAD = ("_id", "timestamp", "type", "user", "object")


def as_table(events: Iterable[Event]) -> str:
    """A line of names and a line for each event, cells separated by tabs."""
    rows = [
        (str(event.id), exact_time(event.timestamp), event.type, user_of(event), object_of(event))
        for event in events
    ]
    return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in (_HEAD, *rows))
