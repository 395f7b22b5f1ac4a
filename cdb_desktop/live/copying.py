"""Events as a table for the clipboard. No Qt."""

from __future__ import annotations

from collections.abc import Iterable

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.event_text import object_text, user_text
from cdb_desktop.vocabulary.times import exact_time

_HEAD = ("_id", "timestamp", "type", "user", "object")


def as_table(events: Iterable[Event]) -> str:
    """A line of names and a line for each event, cells separated by tabs."""
    rows = [
        (str(event.id), exact_time(event.timestamp), event.type, user_text(event), object_text(event))
        for event in events
    ]
    return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in (_HEAD, *rows))
