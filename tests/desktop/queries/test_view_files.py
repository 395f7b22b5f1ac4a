"""Tests of view files."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from random import Random
from typing import Literal

import pytest
from msgspec.structs import replace

from cdb_desktop.client import Sort
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.saved_views import ColumnState, SavedSearch, SavedView
from cdb_desktop.queries.view_files import (
    ViewFileError,
    ViewFileFieldError,
    ViewFileSyntaxError,
    ViewFileVersionError,
    decode_view_file,
    encode_view_file,
    view_file_name,
)
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
VIEW = SavedView(
    "Who deletes",
    Query(types=("OBJECT_DELETE",), users=(7,), span=TimeSpan(TimePreset.WEEK), sort=(Sort("object_id"),)),
    (ColumnState("type", 200, pinned=True), ColumnState("info.batch_id"), ColumnState("user", shown=False)),
)
SEARCHED = SavedView(
    "Denied", Query(conditions=(Condition("den(y|ied)", PatternKind.REGEX, is_exact=True), Condition("x")))
)
BETWEEN = SavedView("Monday", Query(pollable=False, span=TimeSpan(first=MOMENT, last=MOMENT)))


@pytest.mark.parametrize("view", [VIEW, BETWEEN, SEARCHED])
def test_a_view_is_restored_from_its_file(view: SavedView) -> None:
    """It has query, sort order, columns, widths, pinned columns and search."""
    assert decode_view_file(encode_view_file(view)) == view


def test_files_of_earlier_versions_are_read() -> None:
    """They have no pinned columns, and earlier versions can read the files of this one."""
    older = (
        encode_view_file(VIEW)
        .replace(b'"pinned": true', b'"later": 5')
        .replace(b'"pinned": false', b'"later": {}')
    )
    assert b"pinned" not in older
    read = decode_view_file(older)
    assert read.query == VIEW.query
    assert [(state.name, state.width, state.pinned) for state in read.columns] == [
        ("type", 200, False),
        ("info.batch_id", 0, False),
        ("user", 0, False),
    ]


@pytest.mark.parametrize("scope", ["result", "loaded", "log"])
def test_searches_of_earlier_versions_become_conditions(scope: Literal["result", "loaded", "log"]) -> None:
    """They were beside the query; one in the whole log ignored its filters."""
    search = SavedSearch("den(y|ied)", PatternKind.REGEX, exact=True, scope=scope)
    older = encode_view_file(replace(VIEW, search=search)).replace(b'"conditions": []', b'"sort": []')
    condition = Condition("den(y|ied)", PatternKind.REGEX, is_exact=True)
    read = decode_view_file(older)
    filters = Query() if scope == "log" else replace(VIEW.query, sort=())
    assert read.query == replace(filters, conditions=(condition,))
    assert read.search is None


def test_files_without_conditions_are_read() -> None:
    """Earlier versions have written them."""
    older = encode_view_file(VIEW).replace(b'"conditions": []', b'"pollable": null')
    assert b"conditions" not in older
    assert decode_view_file(older) == replace(VIEW, query=replace(VIEW.query, pollable=None))


def test_a_condition_of_an_unknown_kind_is_refused() -> None:
    """It is not replaced by another kind; an invalid expression is refused, too."""
    with pytest.raises(ViewFileFieldError) as error:
        decode_view_file(encode_view_file(SEARCHED).replace(b'"regex"', b'"glob"'))
    assert (error.value.path, error.value.value) == ("query.conditions[0].kind", "glob")
    with pytest.raises(ViewFileFieldError) as error:
        decode_view_file(encode_view_file(SEARCHED).replace(b"den(y|ied)", b"den("))
    assert (error.value.path, error.value.value) == ("query.conditions.text", "den(")


def test_another_version_is_reported_as_such() -> None:
    """The file must be opened with another version of the program."""
    with pytest.raises(ViewFileVersionError) as error:
        decode_view_file(encode_view_file(VIEW).replace(b'"version": 1', b'"version": 7'))
    assert error.value.version == 7


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", 1),
        (b"{\n\n  \xff\xfe", 3),
        (encode_view_file(VIEW).replace(b'"version"', b"version"), 3),
        (encode_view_file(VIEW)[:60], 4),
    ],
)
def test_invalid_json_is_reported_with_its_line(content: bytes, line: int) -> None:
    """The file is damaged or truncated."""
    with pytest.raises(ViewFileSyntaxError) as error:
        decode_view_file(content)
    assert error.value.line == line


@pytest.mark.parametrize("content", [b"[]", b"5", b'{"format": "other", "version": 1}'])
def test_other_json_files_are_refused(content: bytes) -> None:
    """They contain valid JSON."""
    with pytest.raises(ViewFileError) as error:
        decode_view_file(content)
    assert type(error.value) is ViewFileError


@pytest.mark.parametrize(
    ("before", "after", "path", "value"),
    [
        (b'"object_id"', b'"info"', "query.sort.field", "info"),
        (b'"week"', b'"decade"', "query.span.preset", "decade"),
        (b'"users": [', b'"users": ["x",', "query.users[0]", ""),
        (b'"width": 200', b'"width": "wide"', "columns[0].width", ""),
        (b'"first_ago": null', b'"first_ago": -4', "query.span.first_ago", "-4"),
        (b'"Who deletes"', b'" \\n"', "name", ""),
        (b'"name": "Who', b'"nam": "Who', "name", ""),
        (b'"view":', b'"vew":', "view", ""),
        (b'"groups":', b'"teams":', "query.teams", ""),
        (b'"last":', b'"until":', "query.span.until", ""),
    ],
)
def test_values_that_no_service_accepts_are_refused(
    before: bytes, after: bytes, path: str, value: str
) -> None:
    """The error names the unknown order, unknown filter, invalid user or missing name."""
    content = encode_view_file(VIEW).replace(before, after)
    with pytest.raises(ViewFileFieldError) as error:
        decode_view_file(content)
    assert (error.value.path, error.value.value) == (path, value)


def test_a_byte_order_mark_is_ignored() -> None:
    """Some editors write one."""
    assert decode_view_file(b"\xef\xbb\xbf" + encode_view_file(VIEW)) == VIEW


def test_a_file_name_is_valid_on_every_system() -> None:
    """Reserved characters and reserved names are replaced."""
    names = ("Wer löscht?", "a/b: c", "..", "con", "")
    assert [view_file_name(name) for name in names] == [
        "Wer löscht.cdbview",
        "a b c.cdbview",
        "view.cdbview",
        "con_.cdbview",
        "view.cdbview",
    ]


def test_a_damaged_file_raises_the_documented_error() -> None:
    """This holds for truncated files, changed bytes and random bytes."""
    whole, chance = encode_view_file(VIEW), Random(3)
    contents = [whole[:end] for end in range(len(whole) - 2)]
    contents += [chance.randbytes(300) for _time in range(200)]
    contents += [b"[" * 100_000, b'{"view":' + b"[" * 100_000, b"\xff\xfe" + whole]
    for content in contents:
        with pytest.raises(ViewFileError):
            decode_view_file(content)
    for _time in range(500):
        changed = bytearray(whole)
        changed[chance.randrange(len(whole))] = chance.randrange(256)
        with suppress(ViewFileError):
            decode_view_file(bytes(changed))
