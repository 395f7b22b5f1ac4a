"""Tests of reading documents: every element has a key, and errors have a path (wire §5)."""

import json
from pathlib import Path
from typing import Any

import pytest

from cdb_desktop.schema.document.element_ref import (
    ColumnRef,
    NestedTableRef,
    ReverseLinkRef,
    new_key,
)
from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.model import ReverseLink, UnknownEntry
from tests.desktop.schema.models import (
    MARK,
    MODEL_FILES,
    NOTE,
    PERSON,
    PICTURE,
    PICTURE_WORK,
    TITLE,
    WORK,
    Json,
    changed,
    museum,
    named,
    opened,
    real,
)


def test_ids_of_the_service_are_keys() -> None:
    """Entries without id or name have a key that is derived from their content."""
    document = opened()
    work = document.by_key[WORK]
    places = [entry.ref(WORK) for entry in work.entries]
    assert places[:4:3] == [ColumnRef(WORK, TITLE), NestedTableRef(WORK, NOTE)]
    assert work.entries[-1].ref(WORK) == ReverseLinkRef(WORK, PICTURE, PICTURE_WORK)
    assert document.by_key[MARK].owner == NOTE
    assert document.nested_below(WORK) == (NOTE, MARK)
    assert work.foreign_keys[0].target == PERSON


def test_elements_without_ids_have_local_keys() -> None:
    """References are resolved by hints, and keys are unique."""
    document = read_document(_without_ids(museum()))
    keys = [table.key for table in document.tables]
    keys += [column.key for table in document.tables for column in table.columns]
    assert all(key < 0 for key in keys)
    assert len(set(keys)) == len(keys)
    work = named(document, "work")
    assert {key.target for key in work.foreign_keys} == {named(document, n).key for n in ("person", "place")}
    assert named(document, "work__note__mark").owner == named(document, "work__note").key
    reverse = next(entry for entry in work.entries if isinstance(entry, ReverseLink))
    assert reverse.column == next(c.key for c in named(document, "picture").columns if c.name == "work")


def test_an_id_takes_precedence_over_a_hint() -> None:
    """An outdated hint does not matter, an unknown id does."""
    person = {"other_table_id": PERSON, "other_table_name_hint": "work"}
    lost = {"other_table_id": 99, "other_table_name_hint": "work"}
    found = [
        read_document(changed(museum(), MARK, owned_by=owner)).by_key[MARK].owner for owner in (person, lost)
    ]
    assert found == [PERSON, None]


def test_a_defective_model_is_read() -> None:
    """Dangling references, repeated ids and unknown entries are read, so that they can be corrected."""
    raw = museum()
    raw["tables"].append({"table_id": PERSON, "name": "again"})
    raw["tables"][0]["columns"].append({"kind": "hologram", "name": 7})
    raw["tables"][2]["foreign_keys"][0]["referenced_table"] = {"name_hint": "nobody"}
    document = read_document(raw)
    assert document.by_key[PERSON].name == "person"
    assert named(document, "again").key < 0
    assert isinstance(document.by_key[PERSON].entries[-1], UnknownEntry)
    assert document.by_key[WORK].foreign_keys[0].target is None


def test_both_spellings_of_a_referenced_table_are_read() -> None:
    """Files use name_hint, the documentation table_name_hint."""
    raw = _without_ids(museum())
    target = raw["tables"][2]["foreign_keys"][0]["referenced_table"]
    target["table_name_hint"] = target.pop("name_hint")
    document = read_document(raw)
    assert named(document, "work").foreign_keys[0].target == named(document, "person").key


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (("tables",), None, "tables"),
        (("tables",), {}, "tables"),
        (("tables", 1), [], "tables[1]"),
        (("tables", 0, "name"), 5, "tables[0].name"),
        (("tables", 0, "table_id"), "1", "tables[0].table_id"),
        (("tables", 2, "columns"), "none", "tables[2].columns"),
        (("tables", 2, "columns", 1, "column_id"), 0, "tables[2].columns[1].column_id"),
        (("tables", 2, "columns", 1, "type"), False, "tables[2].columns[1].type"),
        (("tables", 2, "columns", 3, "other_table_id"), 1.5, "tables[2].columns[3].other_table_id"),
        (
            ("tables", 2, "foreign_keys", 0, "referenced_table"),
            None,
            "tables[2].foreign_keys[0].referenced_table",
        ),
        (("tables", 2, "unique_keys", 0, "columns", 1), 3, "tables[2].unique_keys[0].columns[1]"),
        (("tables", 3, "owned_by"), "work", "tables[3].owned_by"),
        (("version",), "8", "version"),
    ],
)
def test_invalid_documents_are_refused_with_a_path(path: tuple[Any, ...], value: object, place: str) -> None:
    """The path can be found in the file."""
    raw = museum()
    holder: Any = raw
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    with pytest.raises(DocumentError) as refused:
        read_document(raw)
    assert refused.value.path == place
    assert str(refused.value).startswith(f"{place}: ")


def test_a_document_does_not_share_its_source() -> None:
    """Changing the dictionary afterwards does not change the document."""
    raw = museum()
    document = read_document(raw)
    raw["tables"][2]["columns"][0]["name"] = "other"
    raw["tables"][2]["name"] = "other"
    raw["tables"].clear()
    assert document.by_key[WORK].name == "work"
    assert document.by_key[WORK].by_key[TITLE].name == "title"


def _without_ids(raw: Json) -> Json:
    def stripped(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: stripped(item) for name, item in value.items() if not name.endswith("_id")}
        return [stripped(item) for item in value] if isinstance(value, list) else value

    result: Json = stripped(raw)
    return result


def test_everything_is_written() -> None:
    """This includes unknown attributes at every level, and the order of attributes."""
    assert json.dumps(write_document(read_document(museum()))) == json.dumps(museum())


def test_real_models_are_written_unchanged() -> None:
    """All exports are equal byte for byte."""

    def back(path: Path) -> Json:
        return dict(write_document(read_document(real(path))))

    assert [path.name for path in MODEL_FILES if json.dumps(back(path)) != json.dumps(real(path))] == []


@pytest.mark.parametrize(
    "table",
    [
        {"name": "bare"},
        {"name": "empty", "columns": None, "foreign_keys": [], "unique_keys": None},
        {"table_id": 1, "name": "odd", "columns": [{"kind": "mirror"}, {}], "group": {"a": [1]}},
        {"name": None, "owned_by": {"other_table_name_hint": "nobody", "since": 3}},
        {"name": "key", "foreign_keys": [{"referenced_table": {"table_name_hint": "key", "x": 1}, "y": 2}]},
    ],
)
def test_unusual_tables_are_written_unchanged(table: Json) -> None:
    """Missing and null lists stay so, and unknown attributes keep their place."""
    raw = {"tables": [table], "extra": None}
    assert json.dumps(write_document(read_document(raw))) == json.dumps(raw)


def test_local_keys_are_unique_and_not_ids() -> None:
    """The service's ids are positive."""
    keys = [new_key() for _ in range(1000)]
    assert max(keys) < 0
    assert len(set(keys)) == 1000
