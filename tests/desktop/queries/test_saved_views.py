"""Tests of saved views and their file."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Literal

import msgspec
import pytest
from msgspec.structs import replace

from cdb_desktop.client import Sort
from cdb_desktop.foundation.files import Report
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.saved_views import (
    MAX_NAME_LENGTH,
    ColumnState,
    SavedSearch,
    SavedView,
    ViewFileError,
    ViewFileFieldError,
    ViewFileSyntaxError,
    ViewFileVersionError,
    ViewStore,
    decode_view_file,
    encode_view_file,
    encode_views,
    sanitized_columns,
    single_line,
    view_file_name,
    with_unique_name,
    with_view,
)
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
VIEW = SavedView(
    "Who deletes",
    Query(types=("OBJECT_DELETE",), users=(7,), span=TimeSpan(TimePreset.WEEK), sort=(Sort("object_id"),)),
    (ColumnState("type", 200, pinned=True), ColumnState("info.batch_id"), ColumnState("user", shown=False)),
)
BETWEEN = SavedView("Monday", Query(pollable=False, span=TimeSpan(first=MOMENT, last=MOMENT)))


def read_back(text: str, folder: Path) -> tuple[SavedView, ...]:
    """The views that a store reads from a file with this content."""
    file = folder / "views.json"
    file.write_text(text, "utf-8")
    return ViewStore(file).read()


def test_one_damaged_view_does_not_affect_others(tmp_path: Path, reports: list[Report]) -> None:
    """The other views are restored."""
    text = encode_views((VIEW, BETWEEN))
    assert read_back(text, tmp_path) == (VIEW, BETWEEN)
    broken = msgspec.json.encode([{"name": 5}, *msgspec.json.decode(text)]).decode()
    assert read_back(broken, tmp_path) == (VIEW, BETWEEN)
    assert read_back("nonsense", tmp_path) == read_back("", tmp_path) == ()


def test_names_are_unique() -> None:
    """Saving again replaces the view; names are sorted."""
    other = SavedView("Who deletes", Query())
    assert with_view(with_view((), VIEW), BETWEEN) == (BETWEEN, VIEW)
    assert with_view((BETWEEN, VIEW), other) == (BETWEEN, other)


def test_an_imported_view_replaces_none() -> None:
    """It gets a new name, unless the same view exists."""
    other = replace(VIEW, query=Query())
    assert with_unique_name((BETWEEN,), VIEW) == VIEW
    assert with_unique_name((VIEW,), VIEW) == VIEW
    second = with_unique_name((VIEW,), other)
    assert (second.name, second.query) == ("Who deletes (2)", Query())
    assert with_unique_name((VIEW, second), other) == second
    long = replace(other, name="x" * MAX_NAME_LENGTH)
    assert len(with_unique_name((replace(VIEW, name=long.name),), long).name) == MAX_NAME_LENGTH


def test_a_name_is_one_short_line(tmp_path: Path) -> None:
    """Line ends and long names are changed."""
    assert single_line(" Who\n\tdeletes\x00 \u202e? ") == "Who deletes ?"
    assert single_line("a" * 400) == "a" * 59 + "…"
    encoded = encode_views((replace(VIEW, name="a\r\n" * 200),))
    assert len(read_back(encoded, tmp_path)[0].name) <= MAX_NAME_LENGTH


def test_invalid_widths_are_replaced_by_the_default() -> None:
    """Wider columns would hide all others; a column is listed once."""
    names = ("id", "time", "type", "object", "user")
    states = (
        ColumnState(name, width) for name, width in zip(names, (999_999, -5, 3, 24, 2_000), strict=True)
    )
    found = sanitized_columns((*states, ColumnState("user", 100)))
    assert [(state.name, state.width) for state in found] == [*zip(names, (0, 0, 0, 24, 2_000), strict=True)]


EARLIER = ("id", "time", "type", "user", "object")


def test_the_default_columns_of_earlier_versions_get_the_summary() -> None:
    """At its default place, with the widths of the others."""
    states = (*(ColumnState(name, 90) for name in EARLIER), ColumnState("schema", shown=False))
    found = sanitized_columns(states)
    assert [state.name for state in found if state.shown] == [*EARLIER, "summary"]
    assert [state.width for state in found] == [90, 90, 90, 90, 90, 0, 0]
    assert sanitized_columns(found) == found


@pytest.mark.parametrize(
    "states",
    [
        (),
        tuple(ColumnState(name) for name in (*EARLIER, "schema")),
        tuple(ColumnState(name) for name in EARLIER[:-1]),
        tuple(ColumnState(name) for name in reversed(EARLIER)),
        (ColumnState("id", pinned=True), *(ColumnState(name) for name in EARLIER[1:])),
        (*(ColumnState(name) for name in EARLIER), ColumnState("summary", shown=False)),
    ],
    ids=["default", "more", "fewer", "order", "pinned", "hidden"],
)
def test_columns_that_were_chosen_stay(states: tuple[ColumnState, ...]) -> None:
    """The user has decided against the default ones, or hides the summary."""
    assert sanitized_columns(states) == states


def test_two_windows_keep_the_views_of_both(tmp_path: Path) -> None:
    """Each change applies to the current file, also if many are made at once."""
    first, second = ViewStore(tmp_path / "views.json"), ViewStore(tmp_path / "views.json")
    first.change(lambda views: with_view(views, replace(VIEW, name="one")))
    second.change(lambda views: with_view(views, replace(VIEW, name="two")))
    first.change(lambda views: with_view(views, replace(VIEW, name="three")))
    assert [view.name for view in second.read()] == ["one", "three", "two"]

    def save(number: int) -> None:
        ViewStore(tmp_path / "views.json").change(
            lambda views: with_view(views, replace(VIEW, name=str(number)))
        )

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(save, range(40)))
    assert {view.name for view in first.read()} >= set(map(str, range(40)))


def test_views_of_an_earlier_version_are_imported(tmp_path: Path) -> None:
    """This happens until there is a file; deleted views are not imported again."""
    store = ViewStore(tmp_path / "views.json", lambda: encode_views((VIEW,)))
    assert store.read() == (VIEW,)
    store.change(lambda _views: ())
    assert store.read() == ()


def test_damaged_views_are_set_aside(tmp_path: Path, reports: list[Report]) -> None:
    """The damaged file is renamed unchanged, and readable views are kept."""
    file = tmp_path / "views.json"
    whole = encode_views((VIEW, BETWEEN)).encode()
    half = whole[:-1] + b',{"name": 5}]'
    for content, views in (
        (whole[:-20], ()),
        (b"\xff\xfe", ()),
        (Random(2).randbytes(300), ()),
        (b"[" * 100_000, ()),
        (half, (VIEW, BETWEEN)),
    ):
        file.write_bytes(content)
        store = ViewStore(file)
        assert store.read() == views
        (report,) = reports
        assert report.kept is not None
        assert report.kept.read_bytes() == content
        assert ViewStore(file).read() == views
        store.change(lambda views: with_view(views, replace(VIEW, name="new")))
        assert len(reports) == 1
        reports.clear()
        assert "new" in {view.name for view in store.read()}


def test_damaged_views_of_an_earlier_version_are_set_aside(tmp_path: Path, reports: list[Report]) -> None:
    """They are set aside before anything is written."""
    store = ViewStore(tmp_path / "new" / "views.json", lambda: "[nonsense")
    assert store.read() == ()
    assert [one.kept and one.kept.read_bytes() for one in reports] == [b"[nonsense"]
    assert store.read() == ()
    assert len(reports) == 1


SEARCHED = SavedView(
    "Denied", Query(conditions=(Condition("den(y|ied)", PatternKind.REGEX, is_exact=True), Condition("x")))
)


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
