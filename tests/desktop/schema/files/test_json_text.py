"""Tests of changing values in a JSON text: all other characters are unchanged."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.document.json_format import write_document, write_table
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import AddColumn
from cdb_desktop.schema.edits.edit import EditError
from cdb_desktop.schema.edits.tables import AddTable
from cdb_desktop.schema.files.json_text import (
    JsonTextError,
    edited_document,
    edited_table,
    line_of_path,
    update_json_text,
)
from tests.desktop.schema.models import PERSON, PERSON_NAME, WORK, column, inconsistent_references, opened

_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcde"), inner, max_size=4),
    max_leaves=12,
)
_STYLES = st.sampled_from(
    [{}, {"indent": 2}, {"indent": "\t", "ensure_ascii": False}, {"separators": (",", ":")}]
)


@given(_VALUES, _VALUES, _STYLES)
@settings(max_examples=100, deadline=None)
def test_the_text_has_the_new_value(old: object, new: object, style: dict[str, object]) -> None:
    """This holds for any old and new value; without a change the text is the same."""
    text = f"\n{json.dumps(old, **style)}\n"  # type: ignore[arg-type]
    assert json.loads(update_json_text(text, old, new)) == new
    assert update_json_text(text, old, old) == text


@pytest.mark.parametrize(
    ("text", "new", "changed"),
    [
        ('{\n\t"a": 1.50,\n\t"b": 2\n}\n', {"a": 1.5, "b": 3}, '{\n\t"a": 1.50,\n\t"b": 3\n}\n'),
        ('{"a":1,"b":[1,2]}', {"a": 1, "b": [1, 2, {"c": []}]}, '{"a":1,"b":[1,2,{"c":[]}]}'),
        ('{ "a" : "\\u00fc" }', {"a": "ü", "b": "ö"}, '{ "a" : "\\u00fc", "b" : "\\u00f6" }'),
        ('{"a":"x\\/y"}', {"a": "y/z"}, '{"a":"y\\/z"}'),
        ('{"a": "\\u00FC"}', {"a": "ÖÜ"}, '{"a": "\\u00D6\\u00DC"}'),
        ("[\r\n  1,\r\n  2\r\n]", [1, 2, [3]], "[\r\n  1,\r\n  2,\r\n  [\r\n    3\r\n  ]\r\n]"),
        ("[\n  1,\n  2\n]", [2], "[\n  2\n]"),
        ("[\n  1\n]", [], "[]"),
        ('{\n  "a": []\n}', {"a": [1]}, '{\n  "a": [\n    1\n  ]\n}'),
        ('{"a": 1, "b": 2}', {"c": 1, "b": 2}, '{"c": 1, "b": 2}'),
        ('{"a": 1, "a": 2}', {"a": 3}, '{"a": 3}'),
        ("[true, 1]", [1, True], "[1, true]"),
    ],
)
def test_the_style_of_the_text_is_kept(text: str, new: object, changed: str) -> None:
    """Indentation, line ends, separators, escapes and the spelling of numbers are kept."""
    assert update_json_text(text, json.loads(text), new) == changed


def test_moved_items_keep_their_spelling() -> None:
    """They are identified by id; besides, only a comma at the end of a line changes."""
    text = '[\n {"table_id": 1, "name": "a", "n": 1.0},\n {"table_id": 2,   "name": "b"}\n]'
    old = json.loads(text)
    moved = [{**old[1], "name": "c"}, old[0]]
    assert update_json_text(text, old, moved) == (
        '[\n {"table_id": 2,   "name": "c"},\n {"table_id": 1, "name": "a", "n": 1.0}\n]'
    )


def test_a_nested_value_can_be_changed() -> None:
    """Its path may be long."""
    old: object = 1
    new: object = 2
    for _ in range(60):
        old, new = {"a": [old]}, {"a": [new]}
    text = json.dumps(old, indent=1)
    assert json.loads(update_json_text(text, old, new)) == new


def _text(document: Document, key: int) -> str:
    return json.dumps(write_table(document.by_key[key]), indent=2)


def test_a_table_that_is_applied_unchanged_is_the_same() -> None:
    """Also for new elements, which have no ids."""
    added = AddTable("coin")
    document = AddColumn(added.key, "owner", "link", target=PERSON).apply_to(added.apply_to(opened()))
    for table in document.tables:
        after = edited_table(document, table.key, _text(document, table.key)).apply_to(document)
        assert after.by_key[table.key] == table


def test_references_follow_a_name() -> None:
    """Hints in other tables, and links to a table that is new."""
    document = opened()
    raw: dict[str, Any] = json.loads(_text(document, PERSON))
    raw["name"] = "people"
    raw["columns"].append({"kind": "column", "name": "died", "type": "date"})
    edit = edited_table(document, PERSON, json.dumps(raw))
    after = edit.apply_to(document)
    assert str(edit.title(document)) == "Edit the JSON of person"
    assert [each.name for each in after.by_key[PERSON].columns] == ["name", "born", "died"]
    assert {key.target_raw["name_hint"] for key in after.by_key[WORK].foreign_keys} == {"people", "place"}
    assert inconsistent_references(after) == []
    assert PERSON_NAME in after.by_key[PERSON].by_key


def test_new_elements_keep_their_keys() -> None:
    """The selection and earlier steps refer to them."""
    added = AddColumn(WORK, "weight", "number")
    document = added.apply_to(opened())
    text = _text(document, WORK).replace('"number"', '"integer.2"')
    after = edited_table(document, WORK, text).apply_to(document)
    assert after.by_key[WORK].by_key[added.key].type == "integer.2"


def test_the_whole_document_can_be_edited() -> None:
    """Tables may come and go."""
    document = opened()
    raw: dict[str, Any] = write_document(document)
    raw["tables"] = [*raw["tables"], {"name": "coin", "columns": [column(99, "weight", "number")]}]
    after = edited_document(document, json.dumps(raw)).apply_to(document)
    assert after.tables[-1].name == "coin"
    assert find_problems(after) == find_problems(document)
    with pytest.raises(EditError):
        edited_document(document, json.dumps(write_document(document))).apply_to(document)


@pytest.mark.parametrize(
    ("change", "line", "reason"),
    [
        (("{", "["), 1, "not JSON"),
        (('"born",', '"born"'), 15, "delimiter"),
        (('"column_id": 2', '"column_id": "two"'), 18, "columns[1].column_id: A positive integer"),
        (('"type": "date"', '"type": ["date"]'), 16, "columns[1].type: A text"),
    ],
)
def test_errors_are_at_their_line(change: tuple[str, str], line: int, reason: str) -> None:
    """Of the text that was entered, with the path."""
    document = opened()
    text = _text(document, PERSON)
    assert change[0] in text
    with pytest.raises(JsonTextError) as error:
        edited_table(document, PERSON, text.replace(*change, 1))
    assert reason in str(error.value.message)
    lines = text.splitlines()
    if line > 1:
        place = next(at for at, each in enumerate(lines, 1) if change[0].split('"')[1] in each and at > 10)
        assert abs(error.value.line - place) <= 1
    else:
        assert error.value.line <= 2


@pytest.mark.parametrize("text", ["", "[]", "3", "[" * 100_000, '{"tables": 3}', "{}"])
def test_other_text_is_refused(text: str) -> None:
    """It is no document."""
    with pytest.raises(JsonTextError):
        edited_document(opened(), text)


def test_lines_of_paths() -> None:
    """Of a missing value, that of its holder."""
    text = '{\n "a": [\n  1,\n  {"b c": 2}\n ]\n}'
    assert [line_of_path(text, path) for path in ("", "a", "a[0]", "a[1].b c", "a[1].x", "a[7]", "z")] == [
        1,
        2,
        3,
        4,
        4,
        2,
        1,
    ]
