"""Restoring removed elements from HEAD as it was read."""

from __future__ import annotations

import pytest

from cdb_desktop.schema.diff.apply import Restore, reverted
from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn
from cdb_desktop.schema.edits.edit import EditError
from cdb_desktop.schema.edits.tables import RemoveColumn, RemoveTable, RenameTable
from tests.desktop.schema.models import (
    ARTIST,
    MARK,
    NOTE,
    NOTE_SOURCE,
    NOTE_TEXT,
    PERSON,
    PERSON_BORN,
    PERSON_NAME,
    PICTURE,
    TITLE,
    WORK,
    YEAR,
    apply,
    changed,
    column_named,
    museum,
    opened,
    unique,
)


@pytest.mark.parametrize(
    "ref", [*(ColumnRef(WORK, key) for key in (TITLE, YEAR, ARTIST)), *map(TableRef, (NOTE, MARK, PICTURE))]
)
def test_an_element_is_restored_completely(ref: TableRef | ColumnRef) -> None:
    """A column with its position, link, unique keys and id; a table with those nested in it and its entry."""
    head = opened()
    removal = RemoveTable(ref.table, True) if isinstance(ref, TableRef) else RemoveColumn(ref, True)
    without = apply(head, removal)
    assert compare(head, without)
    assert compare(head, apply(without, Restore(ref, head))) == ()


def test_unique_keys_that_differ_in_automatic_columns_are_restored() -> None:
    """With a column come all keys that it was in; one of them that is missing is a difference."""
    key = unique("work__note", text=NOTE_TEXT)
    with_owner = {**key, "columns": [{"auto_column_uplink": True}, *key["columns"]]}
    head = opened(changed(museum(), NOTE, unique_keys=[with_owner, key]))
    text = ColumnRef(NOTE, NOTE_TEXT)
    restored = apply(apply(head, RemoveColumn(text, dependents=True)), Restore(text, head))
    assert restored.by_key[NOTE].unique_keys == head.by_key[NOTE].unique_keys
    alone = opened(changed(museum(), NOTE, unique_keys=[key]))
    changes = compare(head, alone)
    assert len(changes) == 1
    assert compare(head, reverted(changes, head, alone)[0]) == ()


def test_links_are_restored_one_by_one() -> None:
    """The table is restored first; without it, a link to it is refused."""
    head, artist = opened(), ColumnRef(WORK, ARTIST)
    without = apply(head, RemoveTable(PERSON, dependents=True))
    with pytest.raises(EditError, match="Restore person first"):
        apply(without, Restore(artist, head))
    with_table = apply(without, Restore(TableRef(PERSON), head))
    assert ARTIST not in with_table.by_key[WORK].by_key
    with_artist = apply(with_table, Restore(artist, head))
    assert compare(head, apply(with_artist, Restore(ColumnRef(NOTE, NOTE_SOURCE), head))) == ()


def test_a_name_that_is_used_again_is_given_up_first() -> None:
    """No other element goes or is renamed for a restored one."""
    head, name = opened(), ColumnRef(PERSON, PERSON_NAME)
    removed = apply(head, RemoveColumn(name, dependents=True))
    without = apply(removed, AddColumn(PERSON, "name", "text"))
    for document in (without, apply(removed, RenameColumn(ColumnRef(PERSON, PERSON_BORN), "name"))):
        with pytest.raises(EditError, match="Another element is named person"):
            apply(document, Restore(name, head))
    renamed = RenameColumn(column_named(without, "person", "name"), "surname")
    found = apply(apply(without, renamed), Restore(name, head)).by_key[PERSON]
    assert {column.name for column in found.columns} == {"name", "born", "surname"}


def test_later_edits_are_kept() -> None:
    """Only the removed element is restored."""
    head = opened()
    changed = apply(apply(head, RemoveTable(PICTURE, dependents=True)), RenameTable(WORK, "opus"))
    found = apply(changed, Restore(TableRef(PICTURE), head))
    assert found.by_key[WORK].name == "opus"


def test_elements_that_are_not_in_head_are_refused() -> None:
    """An existing element cannot be restored again."""
    head, place = opened(), ColumnRef(WORK, YEAR)
    without = apply(head, RemoveColumn(place, dependents=True))
    with pytest.raises(EditError, match="new and empty"):
        apply(without, Restore(place, without))
    with pytest.raises(EditError, match="already"):
        apply(head, Restore(place, head))
