"""Tests of views as texts."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Sort
from cdb_desktop.events.query import Query
from cdb_desktop.events.saved_views import (
    LONGEST_NAME,
    ColumnState,
    SavedView,
    added,
    decoded,
    encoded,
    one_line,
    saved,
    sound_columns,
)
from cdb_desktop.events.span import Preset, Span

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
VIEW = SavedView(
    "Who deletes",
    Query(types=("OBJECT_DELETE",), users=(7,), span=Span(Preset.WEEK), sort=(Sort("object_id"),)),
    (ColumnState("type", 200, pinned=True), ColumnState("info.batch_id"), ColumnState("user", shown=False)),
)
BETWEEN = SavedView("Monday", Query(pollable=False, span=Span(first=MOMENT, last=MOMENT)))


def test_what_is_kept_survives_one_broken_view() -> None:
    """The others are still there."""
    text = encoded((VIEW, BETWEEN))
    assert decoded(text) == (VIEW, BETWEEN)
    broken = msgspec.json.encode([{"name": 5}, *msgspec.json.decode(text)]).decode()
    assert decoded(broken) == (VIEW, BETWEEN)
    assert decoded("nonsense") == decoded("") == ()


def test_a_name_stands_once() -> None:
    """Saving again replaces; names are in order."""
    other = SavedView("Who deletes", Query())
    assert saved(saved((), VIEW), BETWEEN) == (BETWEEN, VIEW)
    assert saved((BETWEEN, VIEW), other) == (BETWEEN, other)


def test_a_view_from_elsewhere_replaces_none() -> None:
    """It has a name of its own, unless the very same is there already."""
    other = replace(VIEW, query=Query())
    assert added((BETWEEN,), VIEW) == VIEW
    assert added((VIEW,), VIEW) == VIEW
    second = added((VIEW,), other)
    assert (second.name, second.query) == ("Who deletes (2)", Query())
    assert added((VIEW, second), other) == second
    long = replace(other, name="x" * LONGEST_NAME)
    assert len(added((replace(VIEW, name=long.name),), long).name) == LONGEST_NAME


def test_a_name_is_one_short_line() -> None:
    """Whatever is in it."""
    assert one_line(" Who\n\tdeletes\x00 \u202e? ") == "Who deletes ?"
    assert one_line("a" * 400) == "a" * 59 + "…"
    kept = encoded((replace(VIEW, name="a\r\n" * 200),))
    assert len(decoded(kept)[0].name) <= LONGEST_NAME


def test_widths_that_nobody_has_drawn_are_the_usual_ones() -> None:
    """Beyond them nothing else would be seen; a column stands once."""
    names = ("id", "time", "type", "user", "object")
    states = (
        ColumnState(name, width) for name, width in zip(names, (999_999, -5, 3, 24, 2_000), strict=True)
    )
    found = sound_columns((*states, ColumnState("user", 100)))
    assert [(state.name, state.width) for state in found] == [*zip(names, (0, 0, 0, 24, 2_000), strict=True)]
