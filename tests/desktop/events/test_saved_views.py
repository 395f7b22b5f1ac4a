"""Tests of views as texts and files."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from cdb_desktop.client import Sort
from cdb_desktop.events.query import Query
from cdb_desktop.events.saved_views import (
    ColumnState,
    NoViewError,
    OtherVersionError,
    SavedView,
    as_file,
    decoded,
    encoded,
    from_file,
    saved,
)
from cdb_desktop.events.span import Preset, Span

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
VIEW = SavedView(
    "Who deletes",
    Query(types=("OBJECT_DELETE",), users=(7,), span=Span(Preset.WEEK), sort=(Sort("object_id"),)),
    (ColumnState("type", 200, pinned=True), ColumnState("info.batch_id"), ColumnState("user", shown=False)),
)
BETWEEN = SavedView("Monday", Query(pollable=False, span=Span(first=MOMENT, last=MOMENT)))


@pytest.mark.parametrize("view", [VIEW, BETWEEN])
def test_a_view_comes_back_from_its_file(view: SavedView) -> None:
    """Query, order, columns, widths and what is pinned."""
    assert from_file(as_file(view)) == view


def test_files_of_earlier_programs_are_read() -> None:
    """They know no pinned columns, and those that do not know them read the files of this one."""
    older = (
        as_file(VIEW).replace(b'"pinned": true', b'"later": 5').replace(b'"pinned": false', b'"later": {}')
    )
    assert b"pinned" not in older
    read = from_file(older)
    assert read.query == VIEW.query
    assert [(state.name, state.width, state.pinned) for state in read.columns] == [
        ("type", 200, False),
        ("info.batch_id", 0, False),
        ("user", 0, False),
    ]


def test_another_version_is_told_apart_from_what_is_no_view() -> None:
    """The one is to be opened by another program, the other by none."""
    content = as_file(VIEW).replace(b'"version": 1', b'"version": 7')
    with pytest.raises(OtherVersionError) as error:
        from_file(content)
    assert error.value.version == 7
    for broken in (b"", b"\xff\xfe", b"[]", b'{"format": "other", "version": 1}', as_file(VIEW)[:-20]):
        with pytest.raises(NoViewError):
            from_file(broken)


@pytest.mark.parametrize(
    ("before", "after"),
    [(b'"object_id"', b'"info"'), (b'"Who deletes"', b'" "'), (b'"users": [', b'"users": ["x",')],
)
def test_what_no_service_could_answer_is_refused(before: bytes, after: bytes) -> None:
    """An order that it does not have, a user that is no number, no name."""
    with pytest.raises(NoViewError):
        from_file(as_file(VIEW).replace(before, after))


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
