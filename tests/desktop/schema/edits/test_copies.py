"""Tests of copies of columns and tables, within a document and between documents."""

from dataclasses import replace
from pathlib import Path

import pytest

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.model import Document, NestedTableEntry, ReverseLink, Table
from cdb_desktop.schema.edits.copies import (
    MoveToTable,
    PasteColumns,
    PasteTables,
    copy_entries,
    copy_tables,
    decode_copy,
    duplicate_entries,
    duplicate_tables,
    encode_copy,
)
from cdb_desktop.schema.edits.edit import EditError
from cdb_desktop.schema.files.model_files import decode_model
from tests.desktop.schema.models import (
    ARTIST,
    MODEL_FILES,
    NOTE,
    PERSON,
    PERSON_NAME,
    PICTURE,
    PICTURE_WORK,
    PLACE,
    TITLE,
    WORK,
    YEAR,
    column,
    opened,
    table,
)

EMPTY = read_document({"type": "user", "version": 1, "tables": []})


def test_a_duplicated_table_has_its_nested_tables_and_links() -> None:
    """Names are numbered, ids are not copied, and links lead where those of the original lead."""
    document = opened()
    after = duplicate_tables(document, [WORK]).apply_to(document)
    copied = _named(after, "work_2")
    assert copied.id is None
    assert [column.name for column in copied.columns] == ["title", "year", "artist", "origin"]
    assert {column.id for column in copied.columns} == {None}
    assert [key.target for key in copied.foreign_keys] == [PERSON, PLACE]
    assert {table.name for table in after.tables} >= {"work_2__note", "work_2__note__mark"}
    assert not any(isinstance(entry, ReverseLink) for entry in copied.entries)
    assert len(after.by_key[WORK].entries) == len(document.by_key[WORK].entries)
    assert find_problems(after) == find_problems(document)
    assert read_document(write_document(after)).tables[-1].owner is not None


def test_a_duplicated_nested_table_stays_with_its_owner() -> None:
    """Its owner has an entry for each."""
    document = opened()
    after = duplicate_tables(document, [NOTE]).apply_to(document)
    copied = _named(after, "work__note_2")
    assert copied.owner == WORK
    entries = [entry.table for entry in after.by_key[WORK].entries if isinstance(entry, NestedTableEntry)]
    assert entries == [NOTE, copied.key]
    assert find_problems(after) == find_problems(document)


def test_copies_cross_documents_by_name() -> None:
    """Links find tables of the same name; others dangle and are reported, nothing is dropped."""
    document = opened()
    content = encode_copy(copy_tables(document, [WORK]))
    alone = PasteTables(decode_copy(content)).apply_to(EMPTY)
    codes = [problem.code for problem in find_problems(alone) if problem.code == "link_dangling"]
    assert len(codes) == len([key for table in alone.tables for key in table.foreign_keys])
    target = read_document(
        {"type": "user", "version": 1, "tables": [table(1, "place"), table(2, "person", column(9, "x"))]}
    )
    linked = PasteTables(decode_copy(content)).apply_to(target)
    assert [key.target for key in _named(linked, "work").foreign_keys] == [2, 1]
    assert b"_id" not in content


def test_a_link_with_reverse_edit_is_edited_in_its_target() -> None:
    """The copy of a column or table that is edited elsewhere has an entry there."""
    document = opened()
    after = duplicate_entries(document, PICTURE, [ColumnRef(PICTURE, PICTURE_WORK)]).apply_to(document)
    edited = [entry for entry in after.by_key[WORK].entries if isinstance(entry, ReverseLink)]
    assert len(edited) == 2
    assert find_problems(after) == find_problems(document)


def test_duplicated_columns_follow_the_last_one() -> None:
    """With their options; nested tables are copied with them."""
    document = opened()
    edit = duplicate_entries(
        document, WORK, [ColumnRef(WORK, TITLE), ColumnRef(WORK, ARTIST), TableRef(NOTE)]
    )
    after = edit.apply_to(document)
    names = [getattr(entry, "name", "") for entry in after.by_key[WORK].entries]
    assert names == ["title", "year", "artist", "", "title_2", "artist_2", "", "origin", ""]
    assert after.by_key[WORK].columns[3].raw["remark"] == {"kept": [1, None]}
    assert str(edit.title(document)) == "Duplicate 3 columns of work"
    assert _named(after, "work__note_2").owner == WORK
    with pytest.raises(EditError):
        edit.apply_to(after)


def test_columns_are_pasted_into_another_table() -> None:
    """Names that are taken are numbered, unique keys follow, and each paste is new."""
    document = opened()
    copied = decode_copy(
        encode_copy(copy_entries(document, WORK, [ColumnRef(WORK, TITLE), ColumnRef(WORK, YEAR)]))
    )
    after = PasteColumns(PERSON, copied, 0).apply_to(document)
    again = PasteColumns(PERSON, copied.renewed()).apply_to(after)
    assert [column.name for column in again.by_key[PERSON].columns] == [
        "title",
        "year",
        "name",
        "born",
        "title_2",
        "year_2",
    ]
    assert [key.name for key in after.by_key[PERSON].unique_keys][1] == "person__title__year_unique"
    assert find_problems(again) == find_problems(document)


def test_columns_are_moved_to_another_table() -> None:
    """In one step; a table cannot be moved into one that is nested in it."""
    document = opened()
    copied = copy_entries(document, WORK, [ColumnRef(WORK, YEAR)])
    move = MoveToTable(WORK, (ColumnRef(WORK, YEAR),), PasteColumns(PERSON, copied))
    with pytest.raises(EditError, match="title"):
        move.apply_to(document)
    after = replace(move, dependents=True).apply_to(document)
    assert str(move.title(document)) == "Move a column from work to person"
    assert "year" in {column.name for column in after.by_key[PERSON].columns}
    assert YEAR not in after.by_key[WORK].by_key
    inside = MoveToTable(WORK, (TableRef(NOTE),), PasteColumns(NOTE, copy_entries(document, WORK, [])))
    with pytest.raises(EditError, match="into itself"):
        inside.apply_to(document)


@pytest.mark.parametrize("file", MODEL_FILES, ids=lambda path: path.stem)
def test_every_table_of_a_real_model_can_be_duplicated(file: Path) -> None:
    """The copies have no problem that the originals do not have."""
    document = decode_model(file.read_bytes()).document
    before = {problem.code for problem in find_problems(document)}
    for key in [each.key for each in document.tables if each.owner is None][:8]:
        after = duplicate_tables(document, [key]).apply_to(document)
        codes = {problem.code for problem in find_problems(after)}
        assert codes - before <= {"table_name_long"}
        assert len(after.tables) == len(document.tables) + 1 + len(document.nested_below(key))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'{"tables": []}',
        b'{"tables": [3]}',
        b'{"tables": {}}',
        b'{"columns": [[]]}',
        b"[" * 99999,
    ],
)
def test_other_text_is_no_copy(content: bytes) -> None:
    """DocumentError says why."""
    with pytest.raises(DocumentError):
        decode_copy(content)


def test_a_table_of_the_json_tab_can_be_pasted() -> None:
    """A single table, with ids of a foreign service that mean nothing here."""
    copied = decode_copy(
        b'{"table_id": 3, "name": "coin", "columns": [{"kind": "column", "column_id": 1,'
        b' "name": "weight", "type": "number"}]}'
    )
    after = PasteTables(copied).apply_to(opened())
    assert _named(after, "coin").columns[0].id is None
    assert PERSON_NAME in after.by_key[PERSON].by_key


def _named(document: Document, name: str) -> Table:
    return next(table for table in document.tables if table.name == name)
