"""Restoring removed elements from HEAD as it was read."""

from __future__ import annotations

import pytest

from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.edit import EditError
from cdb_desktop.schema.edits.removal import RemoveColumn, RemoveTable
from cdb_desktop.schema.edits.restore import Restore
from cdb_desktop.schema.edits.tables import RenameTable
from tests.desktop.schema.models import (
    ARTIST,
    MARK,
    NOTE,
    NOTE_SOURCE,
    PERSON,
    PICTURE,
    TITLE,
    WORK,
    YEAR,
    apply,
    opened,
)


@pytest.mark.parametrize("column", [TITLE, YEAR, ARTIST])
def test_a_column_comes_back_with_all_that_was_its_own(column: int) -> None:
    """Its place, its link and its unique keys, with the ids by which values are found."""
    head, place = opened(), ColumnRef(WORK, column)
    without = apply(head, RemoveColumn(place, dependents=True))
    assert compare(head, without)
    assert _alike(apply(without, Restore(place, head)), head)


@pytest.mark.parametrize("table", [NOTE, MARK, PICTURE])
def test_a_table_comes_back_with_what_is_nested_in_it(table: int) -> None:
    """And with its entry in its owner."""
    head = opened()
    without = apply(head, RemoveTable(table, dependents=True))
    assert _alike(apply(without, Restore(TableRef(table), head)), head)


def test_links_come_back_one_by_one() -> None:
    """The table first; without it a link to it has nowhere to go."""
    head, artist = opened(), ColumnRef(WORK, ARTIST)
    without = apply(head, RemoveTable(PERSON, dependents=True))
    with pytest.raises(EditError, match="Restore person first"):
        apply(without, Restore(artist, head))
    with_table = apply(without, Restore(TableRef(PERSON), head))
    assert ARTIST not in with_table.by_key[WORK].by_key
    with_artist = apply(with_table, Restore(artist, head))
    assert _alike(apply(with_artist, Restore(ColumnRef(NOTE, NOTE_SOURCE), head)), head)


def test_what_was_done_meanwhile_stays() -> None:
    """Only what was removed comes back."""
    head = opened()
    changed = apply(apply(head, RemoveTable(PICTURE, dependents=True)), RenameTable(WORK, "opus"))
    found = apply(changed, Restore(TableRef(PICTURE), head))
    assert found.by_key[WORK].name == "opus"


def test_what_head_does_not_have_is_refused() -> None:
    """It would be another element with no values; and nothing comes back twice."""
    head, place = opened(), ColumnRef(WORK, YEAR)
    without = apply(head, RemoveColumn(place, dependents=True))
    with pytest.raises(EditError, match="new and empty"):
        apply(without, Restore(place, without))
    with pytest.raises(EditError, match="already"):
        apply(head, Restore(place, head))


def _alike(one: Document, other: Document) -> bool:
    """Whether nothing differs but the order of tables and keys."""
    return compare(other, one) == ()
