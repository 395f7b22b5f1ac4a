"""Tests of edited JSON: identities stay, references follow, and errors have their line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.document.json_format import read_document, write_document, write_table
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import AddColumn, AddLink
from cdb_desktop.schema.edits.edit import EditError
from cdb_desktop.schema.edits.tables import AddTable
from cdb_desktop.schema.files.json_text import JsonTextError, edited_document, edited_table, line_of_path
from tests.desktop.schema.models import PERSON, PERSON_NAME, WORK, column, inconsistent_references, opened
from tests.durations import shortest


def _text(document: Document, key: int) -> str:
    return json.dumps(write_table(document.by_key[key]), indent=2)


def test_a_table_that_is_applied_unchanged_is_the_same() -> None:
    """Also for new elements, which have no ids."""
    added = AddTable("coin")
    document = AddLink(added.key, "owner", PERSON).apply_to(added.apply_to(opened()))
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


def test_one_table_among_a_thousand_is_read_quickly() -> None:
    """Not all tables are read for it, although it belongs on a thread all the same."""
    tables = [
        {"table_id": number, "name": f"t{number}", "columns": [column(number, "c")]}
        for number in range(1, 1001)
    ]
    raw = {"version": 1, "tables": tables}
    document = read_document(raw)
    text = _text(document, 5).replace('"c"', '"d"')
    after = edited_table(document, 5, text).apply_to(document)
    assert [one.name for one in after.by_key[5].columns] == ["d"]
    took = shortest(lambda: edited_table(document, 5, text).apply_to(document))
    assert took < 5 * shortest(lambda: read_document(raw))
