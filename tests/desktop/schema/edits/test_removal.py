"""Removing an element with its parts; it is refused while other elements depend on it."""

from __future__ import annotations

import pytest

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.document.element_ref import ColumnRef, ReverseLinkRef, TableRef, UniqueKeyRef
from cdb_desktop.schema.edits.edit import EditError
from cdb_desktop.schema.edits.tables import RemoveColumn, RemoveTable, dependents
from tests.desktop.schema.models import (
    ARTIST,
    MARK,
    NOTE,
    NOTE_SOURCE,
    ORIGIN,
    PERSON,
    PICTURE,
    PICTURE_FILE,
    PICTURE_WORK,
    TITLE,
    WORK,
    YEAR,
    apply,
    inconsistent_references,
    opened,
)


def test_nested_tables_are_removed_with_their_owner() -> None:
    """They are parts of it; removing a nested table removes its entry in the owner."""
    document = apply(opened(), RemoveTable(NOTE))
    assert [table.key for table in document.tables] == [1, 2, WORK, PICTURE]
    assert len(document.by_key[WORK].entries) == 5
    assert find_problems(document) == ()


def test_a_table_with_incoming_links_is_not_removed_alone() -> None:
    """The reason lists the links that would be deleted with it."""
    with pytest.raises(EditError) as refused:
        apply(opened(), RemoveTable(PERSON))
    texts = "person cannot be deleted alone: work.artist, work__note.source would be deleted with it."
    assert str(refused.value) == texts


def test_a_table_is_removed_with_its_dependents() -> None:
    """Links, their keys and their reverse links are removed; the document stays valid."""
    document = apply(opened(), RemoveTable(WORK, dependents=True))
    assert [table.name for table in document.tables] == ["person", "place", "picture"]
    assert [column.key for column in document.by_key[PICTURE].columns] == [PICTURE_FILE]
    assert document.by_key[PICTURE].foreign_keys == ()
    assert find_problems(document) == ()
    assert inconsistent_references(document) == []


def test_all_dependents_of_a_table_are_listed() -> None:
    """Parts do not block the removal, links from elsewhere do."""
    found = [(dependent.ref, dependent.blocks) for dependent in dependents(opened(), TableRef(WORK))]
    assert found == [
        (TableRef(NOTE), False),
        (TableRef(MARK), False),
        (ColumnRef(PICTURE, PICTURE_WORK), True),
    ]
    assert [d.ref for d in dependents(opened(), TableRef(PERSON)) if d.blocks] == [
        ColumnRef(WORK, ARTIST),
        ColumnRef(NOTE, NOTE_SOURCE),
    ]


def test_a_column_is_removed_with_its_keys() -> None:
    """These are its foreign key, its reverse link, and a unique key over nothing else."""
    place = ColumnRef(PICTURE, PICTURE_WORK)
    (dependent,) = dependents(opened(), place)
    assert dependent.ref == ReverseLinkRef(WORK, PICTURE, PICTURE_WORK)
    document = apply(opened(), RemoveColumn(place))
    document = apply(document, RemoveColumn(ColumnRef(PERSON, 1)))
    document = apply(document, RemoveColumn(ColumnRef(WORK, ORIGIN)))
    assert document.by_key[PERSON].unique_keys == ()
    assert [key.column_keys for key in document.by_key[WORK].foreign_keys] == [(ARTIST,)]
    assert find_problems(document) == ()


def test_a_column_of_a_wider_unique_key_is_not_removed_alone() -> None:
    """A narrower key would be another rule."""
    place = ColumnRef(WORK, TITLE)
    assert [(d.ref, d.blocks) for d in dependents(opened(), place)] == [
        (UniqueKeyRef(WORK, (TITLE, YEAR)), True)
    ]
    with pytest.raises(EditError, match=r"work.title \+ year"):
        apply(opened(), RemoveColumn(place))
    document = apply(opened(), RemoveColumn(place, dependents=True))
    assert document.by_key[WORK].unique_keys == ()


@pytest.mark.parametrize("edit", [RemoveTable(99), RemoveColumn(ColumnRef(WORK, 99))])
def test_missing_elements_cannot_be_removed(edit: RemoveTable) -> None:
    """A second removal is refused with a reason."""
    with pytest.raises(EditError, match="no longer there"):
        apply(opened(), edit)
