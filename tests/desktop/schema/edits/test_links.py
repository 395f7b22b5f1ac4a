"""Tests of links: a column, a foreign key and, if edited in its target, an entry there (wire §5)."""

from __future__ import annotations

import pytest

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.model import Document, ReverseLink
from cdb_desktop.schema.edits.columns import AddLink, ChangeType, SetLinkTarget, SetReverseEdit
from cdb_desktop.schema.edits.edit import EditError
from cdb_desktop.schema.edits.tables import AddTable
from tests.desktop.schema.models import (
    ARTIST,
    PERSON,
    PICTURE,
    PICTURE_WORK,
    PLACE,
    TITLE,
    WORK,
    YEAR,
    apply,
    inconsistent_references,
    opened,
)


def test_a_new_link_has_its_foreign_key() -> None:
    """It has the service's defaults: restrict, cascade, the primary key."""
    edit = AddLink(PERSON, "home", PLACE)
    document = apply(opened(), edit)
    key = document.by_key[PERSON].foreign_keys[0]
    assert dict(key.raw) == {
        "name": "person__home__place_fkey",
        "on_delete": "restrict",
        "on_update": "cascade",
        "columns": (),
        "referenced_table": (),
    }
    assert (key.column_keys, key.target) == ((edit.key,), PLACE)
    assert _is_sound(document)
    assert str(edit.title(opened())) == "Add link person.home to place"


def test_links_can_refer_to_new_tables_and_to_their_own() -> None:
    """New tables are referred to by name until they have ids."""
    table = AddTable("loan")
    document = apply(apply(opened(), table), AddLink(WORK, "loan", table.key))
    document = apply(document, AddLink(table.key, "before", table.key, reverse_edit=True))
    assert document.by_key[WORK].foreign_keys[-1].target_raw == {"name_hint": "loan", "columns": ()}
    assert _is_sound(document)


def test_changing_the_target_moves_the_reverse_link() -> None:
    """The generated name is updated, and the entry for editing is in the new target."""
    document = apply(opened(), SetLinkTarget(ColumnRef(PICTURE, PICTURE_WORK), PERSON))
    key = document.by_key[PICTURE].foreign_keys[0]
    assert (key.name, key.target, key.raw["on_delete"]) == ("picture__work__person_fkey", PERSON, "cascade")
    assert [_reverse_links(document, table) for table in (WORK, PERSON)] == [0, 1]
    assert _is_sound(document)


def test_reverse_edit_changes_both_tables() -> None:
    """Rows are deleted with the row that they are edited in, until the option is turned off."""
    place = ColumnRef(WORK, ARTIST)
    on = apply(opened(), SetReverseEdit(place, on=True))
    assert _reverse_links(on, PERSON) == 1
    assert on.by_key[WORK].foreign_keys[0].raw["on_delete"] == "cascade"
    assert _is_sound(on)
    again = apply(on, SetReverseEdit(place, on=True))
    assert _reverse_links(again, PERSON) == 1
    off = apply(on, SetReverseEdit(place, on=False))
    assert _reverse_links(off, PERSON) == 0
    assert off.by_key[WORK].foreign_keys[0].raw["on_delete"] == "restrict"


def test_a_column_can_become_a_link_and_a_value() -> None:
    """The foreign key and the reverse link are added and removed with it."""
    linked = apply(opened(), ChangeType(ColumnRef(WORK, TITLE), "link", PERSON))
    assert linked.by_key[WORK].links[TITLE][0].target == PERSON
    plain = apply(linked, ChangeType(ColumnRef(PICTURE, PICTURE_WORK), "text"))
    assert plain.by_key[PICTURE].foreign_keys == ()
    assert _reverse_links(plain, WORK) == 0
    moved = apply(plain, ChangeType(ColumnRef(WORK, TITLE), "link", PLACE))
    assert [key.target for key in moved.by_key[WORK].links[TITLE]] == [PLACE]
    assert _is_sound(moved)


def test_a_plain_change_of_type() -> None:
    """All other attributes of the column stay."""
    edit = ChangeType(ColumnRef(WORK, YEAR), "text")
    before, after = opened().by_key[WORK].by_key[YEAR], apply(opened(), edit).by_key[WORK].by_key[YEAR]
    assert after.raw == {**before.raw, "type": "text"}
    assert str(edit.title(opened())) == "Change the type of work.year from number to text"


@pytest.mark.parametrize(
    "edit",
    [
        AddLink(WORK, "nowhere", 99),
        AddLink(99, "nowhere", WORK),
        SetLinkTarget(ColumnRef(WORK, TITLE), PERSON),
        SetLinkTarget(ColumnRef(WORK, ARTIST), 99),
        SetReverseEdit(ColumnRef(WORK, TITLE), on=True),
        ChangeType(ColumnRef(WORK, TITLE), "link"),
        ChangeType(ColumnRef(WORK, TITLE), "link", 99),
    ],
)
def test_impossible_edits_are_refused_with_a_reason(edit: AddLink) -> None:
    """A link needs a target, and only links have one."""
    with pytest.raises(EditError) as refused:
        apply(opened(), edit)
    assert str(refused.value.message)


def _reverse_links(document: Document, table: int) -> int:
    return sum(isinstance(entry, ReverseLink) for entry in document.by_key[table].entries)


def _is_sound(document: Document) -> bool:
    return not inconsistent_references(document) and not find_problems(document)
