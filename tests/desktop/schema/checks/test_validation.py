"""Tests of validation: every problem has its element and code; valid documents have none (wire §5)."""

from collections.abc import Callable
from typing import Any

import pytest

from cdb_desktop.schema.checks.validation import Severity, find_problems, problems_for_service
from cdb_desktop.schema.document.element_ref import (
    ColumnRef,
    ElementRef,
    NestedTableRef,
    ReverseLinkRef,
    TableRef,
    UniqueKeyRef,
)
from cdb_desktop.schema.document.json_format import read_document
from tests.desktop.schema.models import (
    ARTIST,
    MARK,
    MODEL_FILES,
    NOTE,
    PERSON,
    PERSON_NAME,
    PICTURE,
    PICTURE_FILE,
    PICTURE_WORK,
    PLACE,
    TITLE,
    WORK,
    YEAR,
    Json,
    column,
    is_acceptable,
    link,
    museum,
    opened,
    other,
    real,
    table,
    unique,
)

Change = Callable[[list[Json]], Any]

_TITLE, _YEAR, _ARTIST = (ColumnRef(WORK, key) for key in (TITLE, YEAR, ARTIST))
_FILE, _SHOWN = (ColumnRef(PICTURE, key) for key in (PICTURE_FILE, PICTURE_WORK))
_EDITED = ReverseLinkRef(WORK, PICTURE, PICTURE_WORK)
_UNIQUE = UniqueKeyRef(PERSON, (PERSON_NAME,))
_KEY = link("work", TITLE, "title", PLACE, "place")

# Tables of the museum: 0 person, 1 place, 2 work, 3 work__note, 4 work__note__mark, 5 picture.
_NAMES: list[tuple[str, ElementRef, Change]] = [
    ("table_name", TableRef(PLACE), lambda t: t[1].update(name="Place")),
    ("table_name_missing", TableRef(PLACE), lambda t: t[1].pop("name")),
    ("table_name_long", TableRef(PLACE), lambda t: t[1].update(name="a" * 64)),
    ("table_name_reserved", TableRef(PLACE), lambda t: t[1].update(name="user")),
    ("table_repeated", TableRef(PLACE), lambda t: t[1].update(name="person")),
    ("nested_name", TableRef(MARK), lambda t: t[4].update(name="mark")),
    ("column_name", _YEAR, lambda t: t[2]["columns"][1].update(name="year_")),
    ("column_name_missing", _YEAR, lambda t: t[2]["columns"][1].pop("name")),
    ("column_name_long", _YEAR, lambda t: t[2]["columns"][1].update(name="a" * 64)),
    ("column_repeated", _YEAR, lambda t: t[2]["columns"][1].update(name="title")),
]
_COLUMNS: list[tuple[str, ElementRef, Change]] = [
    ("type_missing", _YEAR, lambda t: t[2]["columns"][1].pop("type")),
    ("type_unknown", _YEAR, lambda t: t[2]["columns"][1].update(type="hologram")),
    ("kind_unknown", TableRef(PLACE), lambda t: t[1]["columns"].append({"kind": "mirror"})),
    ("table_empty", TableRef(MARK), lambda t: t[4]["columns"].clear()),
    ("check_unknown", _YEAR, lambda t: t[2]["columns"][1].update(check="luck")),
    ("check_type", _YEAR, lambda t: t[2]["columns"][1].update(check="email")),
    ("regexp_missing", _TITLE, lambda t: t[2]["columns"][0].update(check="regexp")),
    ("regexp", _TITLE, lambda t: t[2]["columns"][0].update(check="regexp", check_regexp="(")),
    ("regexp_flags", _TITLE, lambda t: t[2]["columns"][0].update(check_regexp_flags="x")),
    ("range_missing", _YEAR, lambda t: t[2]["columns"][1].update(check="range")),
    ("range_type", _TITLE, lambda t: t[2]["columns"][0].update(check="range", check_range_lower="a")),
    ("range_bound", _YEAR, lambda t: t[2]["columns"][1].update(check="range", check_range_lower="1")),
    ("range_empty", _YEAR, lambda t: t[2]["columns"][1].update(_range(2, 1))),
    ("range_empty", _YEAR, lambda t: t[2]["columns"][1].update(_range(1, 1), check_range_upper_open=True)),
    ("length_type", _YEAR, lambda t: t[2]["columns"][1].update(length_max=3)),
    ("length", _TITLE, lambda t: t[2]["columns"][0].update(length_min=3, length_max=2)),
    ("default", _YEAR, lambda t: t[2]["columns"][1].update(default="now")),
    ("default", _YEAR, lambda t: t[2]["columns"][1].update(default=True)),
]
_NESTING: list[tuple[str, ElementRef, Change]] = [
    ("owner_missing", TableRef(MARK), lambda t: t[4].update(owned_by=other(99, "gone"))),
    ("owner_circle", TableRef(NOTE), lambda t: t[3].update(owned_by=other(MARK, "x"))),
    ("nested_option", TableRef(NOTE), lambda t: t[3].update(pool_link=True)),
    ("entry_missing", TableRef(NOTE), lambda t: t[2]["columns"].pop(3)),
    ("entry_dangling", NestedTableRef(WORK, 99), lambda t: t[2]["columns"][3].update(other(99, "gone"))),
    ("entry_foreign", NestedTableRef(WORK, PLACE), lambda t: t[2]["columns"].append(_entry(PLACE, "place"))),
    ("entry_repeated", NestedTableRef(WORK, NOTE), lambda t: t[2]["columns"].append(_entry(NOTE, "x"))),
]
_LINKS: list[tuple[str, ElementRef, Change]] = [
    ("link_key_missing", _ARTIST, lambda t: t[2]["foreign_keys"].pop(0)),
    ("link_key_repeated", _ARTIST, lambda t: t[2]["foreign_keys"].append(t[2]["foreign_keys"][0])),
    ("link_dangling", _ARTIST, lambda t: _target(t).update(table_id=99)),
    ("link_nested", _ARTIST, lambda t: _target(t).update(table_id=NOTE, name_hint="work__note")),
    ("key_target", _ARTIST, lambda t: _target(t).update(columns=[])),
    ("key_type", _TITLE, lambda t: t[2]["foreign_keys"].append(_KEY)),
    ("key_columns", TableRef(WORK), lambda t: t[2]["foreign_keys"][0].update(columns=[])),
    ("key_rule", _ARTIST, lambda t: t[2]["foreign_keys"][0].update(on_delete="explode")),
    ("delete_rule", _ARTIST, lambda t: t[2]["foreign_keys"][0].update(on_delete="cascade")),
    ("reverse_missing", _SHOWN, lambda t: t[2]["columns"].pop()),
    ("reverse_type", _FILE, lambda t: t[5]["columns"][0].update(reverse_edit=True)),
    ("reverse_stray", _EDITED, lambda t: t[5]["columns"][1].pop("reverse_edit")),
    ("reverse_repeated", _EDITED, lambda t: t[2]["columns"].append(t[2]["columns"][5])),
    ("reverse_dangling", ReverseLinkRef(WORK, PICTURE, 99), lambda t: _edited(t).update(other_column_id=99)),
]
_KEYS: list[tuple[str, ElementRef, Change]] = [
    ("unique_empty", TableRef(PERSON), lambda t: t[0]["unique_keys"].append({"columns": []})),
    ("unique_dangling", TableRef(PERSON), lambda t: t[0]["unique_keys"].append(unique("person", gone=99))),
    ("unique_repeated", _UNIQUE, lambda t: t[0]["unique_keys"].append(t[0]["unique_keys"][0])),
    ("unique_true", _UNIQUE, lambda t: t[0]["unique_keys"][0]["columns"][0].update(unique_true=True)),
]
_CASES = [*_NAMES, *_COLUMNS, *_NESTING, *_LINKS, *_KEYS]
_WARNINGS = {"type_unknown", "table_empty", "delete_rule", "unique_repeated"}


@pytest.mark.parametrize(("code", "place", "change"), _CASES, ids=[code for code, *_ in _CASES])
def test_a_problem_is_found_at_its_element(code: str, place: ElementRef, change: Change) -> None:
    """One problem in a valid document is reported with its code and severity."""
    raw = museum()
    change(raw["tables"])
    found = [problem for problem in find_problems(read_document(raw)) if problem.code == code]
    assert place in [problem.ref for problem in found]
    assert {problem.severity for problem in found} == {
        Severity.WARNING if code in _WARNINGS else Severity.ERROR
    }
    assert all("{" not in str(problem.message) for problem in found)


def test_repeated_ids_are_problems() -> None:
    """The first element keeps the id, the second has the problem."""
    raw = museum()
    raw["tables"] += [table(PERSON, "again", column(TITLE, "title"))]
    assert {problem.code for problem in find_problems(read_document(raw))} == {
        "table_id_repeated",
        "column_id_repeated",
    }


_RE2_LACKS = ["^(?!x)", "(?<=a)b", r"(a)\1", "a++"]


@pytest.mark.parametrize("pattern", _RE2_LACKS)
def test_patterns_without_re2_support_are_errors_only_if_it_is_used(pattern: str) -> None:
    """A deployed service only requires that a pattern compiles (wire §5), with an unknown engine."""
    raw = museum()
    raw["tables"][2]["columns"][0].update(check="regexp", check_regexp=pattern)
    found = find_problems(read_document(raw))
    assert [(one.code, one.severity, one.ref) for one in found] == [("regexp_re2", Severity.WARNING, _TITLE)]
    assert problems_for_service(found, re2_only=False) == found
    refused = problems_for_service(found, re2_only=True)
    assert [(one.code, one.severity, one.ref) for one in refused] == [("regexp_re2", Severity.ERROR, _TITLE)]
    assert str(refused[0].message).startswith(
        "The service does not take the regular expression of work.title"
    )


def test_patterns_that_only_re2_supports_are_valid() -> None:
    """Unicode classes are valid, though Python does not support them."""
    raw = museum()
    raw["tables"][2]["columns"][0].update(check="regexp", check_regexp=r"^\p{Lu}")
    assert find_problems(read_document(raw)) == ()


def test_valid_documents_have_no_problems() -> None:
    """The document has reverse links, nesting, checks and all kinds of keys."""
    assert find_problems(opened(), opened()) == ()


def test_real_models_are_acceptable() -> None:
    """A model that the service has exported has no errors."""
    found = {path.name: find_problems(read_document(real(path))) for path in MODEL_FILES}
    assert {name: problem for name, problem in found.items() if not is_acceptable(problem)} == {}


@pytest.mark.parametrize(
    ("before", "after", "refused"),
    [
        ("text", "text_l10n", False),
        ("text", "number", True),
        ("number", "decimal.2", False),
        ("date", "eas", True),
    ],
)
def test_changes_of_type_are_compared_with_current(before: str, after: str, refused: bool) -> None:
    """A column that is not committed yet may change to any type."""
    current, head = museum(), museum()
    current["tables"][2]["columns"][1]["type"] = before
    head["tables"][2]["columns"][1]["type"] = after
    found = find_problems(read_document(head), read_document(current))
    assert [(problem.code, problem.ref) for problem in found] == [("type_change", _YEAR)] * refused
    current["tables"][2]["columns"].pop(1)
    assert find_problems(read_document(head), read_document(current)) == ()
    assert find_problems(read_document(head), None) == ()


def test_values_of_an_unknown_type_are_not_checked() -> None:
    """A newer service may have more types."""
    raw = museum()
    raw["tables"][2]["columns"][1].update(type="hologram", check="range", check_range_lower="x", length_max=1)
    assert [problem.code for problem in find_problems(read_document(raw))] == ["type_unknown"]


def _range(lower: int, upper: int) -> Json:
    return {"check": "range", "check_range_lower": lower, "check_range_upper": upper}


def _entry(number: int, name: str) -> Json:
    return {"kind": "link", **other(number, name)}


def _edited(tables: list[Json]) -> Json:
    entry: Json = tables[2]["columns"][5]
    return entry


def _target(tables: list[Json]) -> Json:
    target: Json = tables[2]["foreign_keys"][0]["referenced_table"]
    return target
