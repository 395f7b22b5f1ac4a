"""Tests of events as a table for the clipboard."""

from datetime import UTC, datetime

from cdb_desktop.client import Event
from cdb_desktop.ui.live.feed_pane import events_table

EVENT = Event(
    id=998213,
    type="OBJECT_UPDATE",
    timestamp=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    objecttype="work",
    object_id=1042,
    object_version=3,
    user_displayname="Anna	Weber",
)


def test_a_table_has_a_line_for_each_event() -> None:
    """Only cells are separated by tabs, as spreadsheets expect."""
    head, line = events_table([EVENT]).splitlines()
    assert head.split("\t") == ["_id", "timestamp", "type", "user", "object", "summary"]
    cells = line.split("\t")
    assert (cells[0], *cells[2:]) == (
        "998213",
        "OBJECT_UPDATE",
        "Anna Weber",
        "work 1042 v3",
        "Changed work 1042 v3",
    )
