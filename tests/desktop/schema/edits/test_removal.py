"""Removing an element with its parts; it is refused while other elements depend on it."""

from __future__ import annotations

import pytest

from cdb_desktop.schema.document.element_ref import ColumnRef, ReverseLinkRef, TableRef, UniqueKeyRef
from cdb_desktop.schema.edits.edit import EditError
from cdb_desktop.schema.edits.removal import RemoveColumn, RemoveTable, dependents
from cdb_desktop.schema.validation.validate import find_problems
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
    crooked_references,
    opened,
)


def test_nested_tables_go_with_their_owner() -> None:
    """They are parts, and so is the entry in the owner when the nested one goes."""
    document = apply(opened(), RemoveTable(NOTE))
    assert [table.key for table in document.tables] == [1, 2, WORK, PICTURE]
    assert len(document.by_key[WORK].entries) == 5
    assert find_problems(document) == ()


def test_a_table_that_others_link_to_does_not_go_alone() -> None:
    """The reason lists the links that would be deleted with it."""
    with pytest.raises(EditError) as refused:
        apply(opened(), RemoveTable(PERSON))
    texts = "person cannot be deleted alone: work.artist, work__note.source would be deleted with it."
    assert str(refused.value) == texts


def test_with_its_dependents_nothing_is_left_of_a_table() -> None:
    """Links, their keys and their other sides are gone; what remains is sound."""
    document = apply(opened(), RemoveTable(WORK, dependents=True))
    assert [table.name for table in document.tables] == ["person", "place", "picture"]
    assert [column.key for column in document.by_key[PICTURE].columns] == [PICTURE_FILE]
    assert document.by_key[PICTURE].foreign_keys == ()
    assert find_problems(document) == ()
    assert crooked_references(document) == []


def test_all_dependents_of_a_table_are_named() -> None:
    """Parts do not hold it, links from elsewhere do."""
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


def test_a_column_takes_its_own_keys_along() -> None:
    """Its foreign key, the entry for editing it elsewhere, and a unique key over nothing else."""
    place = ColumnRef(PICTURE, PICTURE_WORK)
    (dependent,) = dependents(opened(), place)
    assert dependent.ref == ReverseLinkRef(WORK, PICTURE, PICTURE_WORK)
    document = apply(opened(), RemoveColumn(place))
    document = apply(document, RemoveColumn(ColumnRef(PERSON, 1)))
    document = apply(document, RemoveColumn(ColumnRef(WORK, ORIGIN)))
    assert document.by_key[PERSON].unique_keys == ()
    assert [key.column_keys for key in document.by_key[WORK].foreign_keys] == [(ARTIST,)]
    assert find_problems(document) == ()


def test_a_column_of_a_wider_unique_key_does_not_go_alone() -> None:
    """Less of the key would be another rule."""
    place = ColumnRef(WORK, TITLE)
    assert [(d.ref, d.blocks) for d in dependents(opened(), place)] == [
        (UniqueKeyRef(WORK, (TITLE, YEAR)), True)
    ]
    with pytest.raises(EditError, match=r"work.title \+ year"):
        apply(opened(), RemoveColumn(place))
    document = apply(opened(), RemoveColumn(place, dependents=True))
    assert document.by_key[WORK].unique_keys == ()


@pytest.mark.parametrize("edit", [RemoveTable(99), RemoveColumn(ColumnRef(WORK, 99))])
def test_what_does_not_exist_cannot_be_removed(edit: RemoveTable) -> None:
    """A second removal says so."""
    with pytest.raises(EditError, match="no longer there"):
        apply(opened(), edit)
