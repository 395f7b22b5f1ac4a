"""Tests of edits of columns, including all dependent elements."""

import pytest

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.document.element_ref import ColumnRef, NestedTableRef, TableRef, UniqueKeyRef
from cdb_desktop.schema.document.model import Document, ReverseLink
from cdb_desktop.schema.edits.columns import (
    AddColumn,
    AddColumns,
    AddUniqueKey,
    ChangeType,
    MoveEntries,
    RemoveUniqueKey,
    RenameColumn,
    SetColumnOptions,
    SetLinkTarget,
    SetReverseEdit,
    change_types,
    propose_link,
)
from cdb_desktop.schema.edits.edit import Edit, EditError
from cdb_desktop.schema.edits.tables import AddTable
from tests.desktop.schema.models import (
    ARTIST,
    NOTE,
    ORIGIN,
    PERSON,
    PERSON_BORN,
    PERSON_NAME,
    PICTURE,
    PICTURE_WORK,
    PLACE,
    TITLE,
    WORK,
    YEAR,
    apply,
    inconsistent_references,
    is_acceptable,
    opened,
)


def test_a_column_is_added_at_its_index() -> None:
    """It has the attributes of exports, the given options, and no id."""
    edit = AddColumn(WORK, "height", "decimal.2", index=1, options={"not_null": True})
    column = apply(opened(), edit).by_key[WORK].entries[1]
    assert dict(column.raw) == {
        "kind": "column",
        "name": "height",
        "type": "decimal.2",
        "not_null": True,
        "reverse_edit": False,
    }
    assert column.ref(WORK) == ColumnRef(WORK, edit.key)
    assert str(edit.title(opened())) == "Add column work.height"


def test_renaming_a_column_updates_all_references() -> None:
    """The references and generated names of keys and the reverse link are updated."""
    document = apply(opened(), RenameColumn(ColumnRef(PICTURE, PICTURE_WORK), "shows"))
    document = apply(document, RenameColumn(ColumnRef(WORK, TITLE), "label"))
    assert inconsistent_references(document) == []
    work, picture = document.by_key[WORK], document.by_key[PICTURE]
    assert work.unique_keys[0].name == "work__label__year_unique"
    assert picture.foreign_keys[0].name == "picture__shows__work_fkey"
    reverse = next(entry for entry in work.entries if isinstance(entry, ReverseLink))
    assert reverse.raw["other_column_name_hint"] == "shows"
    assert work.by_key[TITLE].raw["remark"] == {"kept": [1, None]}


def test_options_of_columns_and_entries() -> None:
    """A check with its parts is one edit."""
    check = {"check": "range", "check_range_lower": 0}
    edit = SetColumnOptions(ColumnRef(WORK, TITLE), check)
    document = apply(opened(), edit)
    document = apply(document, SetColumnOptions(ColumnRef(WORK, TITLE), {"not_null": False}))
    document = apply(document, SetColumnOptions(NestedTableRef(WORK, NOTE), {"check": "not_empty"}))
    work = document.by_key[WORK]
    assert work.by_key[TITLE].raw["check_range_lower"] == 0
    assert not work.by_key[TITLE].flag("not_null")
    assert work.entries[3].raw["check"] == "not_empty"
    assert str(edit.title(opened())) == "Change 2 options of work.title"


@pytest.mark.parametrize(
    "edit",
    [
        AddColumn(99, "name", "text"),
        AddColumn(WORK, "name", "link"),
        RenameColumn(ColumnRef(WORK, 99), "name"),
        SetColumnOptions(ColumnRef(WORK, TITLE), {"type": "text"}),
        SetColumnOptions(ColumnRef(WORK, TITLE), {"reverse_edit": True}),
    ],
)
def test_impossible_edits_are_refused_with_a_reason(edit: Edit) -> None:
    """Attributes that are not plain options have their own edits."""
    with pytest.raises(EditError) as refused:
        apply(opened(), edit)
    assert str(refused.value.message)


def test_a_new_link_has_its_foreign_key() -> None:
    """It has the service's defaults: restrict, cascade, the primary key."""
    edit = AddColumn(PERSON, "home", "link", target=PLACE)
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
    document = apply(apply(opened(), table), AddColumn(WORK, "loan", "link", target=table.key))
    document = apply(
        document, AddColumn(table.key, "before", "link", options={"reverse_edit": True}, target=table.key)
    )
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
        AddColumn(WORK, "nowhere", "link", target=99),
        AddColumn(99, "nowhere", "link", target=WORK),
        SetLinkTarget(ColumnRef(WORK, TITLE), PERSON),
        SetLinkTarget(ColumnRef(WORK, ARTIST), 99),
        SetReverseEdit(ColumnRef(WORK, TITLE), on=True),
        ChangeType(ColumnRef(WORK, TITLE), "link"),
        ChangeType(ColumnRef(WORK, TITLE), "link", 99),
    ],
)
def test_impossible_links_are_refused_with_a_reason(edit: Edit) -> None:
    """A link needs a target, and only links have one."""
    with pytest.raises(EditError) as refused:
        apply(opened(), edit)
    assert str(refused.value.message)


def _reverse_links(document: Document, table: int) -> int:
    return sum(isinstance(entry, ReverseLink) for entry in document.by_key[table].entries)


def _is_sound(document: Document) -> bool:
    return not inconsistent_references(document) and not find_problems(document)


def test_a_key_is_added_with_its_generated_name() -> None:
    """Its columns have the given order."""
    edit = AddUniqueKey(UniqueKeyRef(WORK, (ORIGIN, TITLE)))
    document = apply(opened(), edit)
    key = document.by_key[WORK].unique_keys[-1]
    assert (key.name, key.column_keys) == ("work__origin__title_unique", (ORIGIN, TITLE))
    assert inconsistent_references(document) == []
    assert str(edit.title(opened())) == "Make work.origin + title unique"


def test_a_key_is_removed() -> None:
    """All others stay."""
    document = apply(opened(), RemoveUniqueKey(UniqueKeyRef(WORK, (TITLE, YEAR))))
    assert document.by_key[WORK].unique_keys == ()
    assert len(document.by_key[1].unique_keys) == 1


@pytest.mark.parametrize(
    "edit",
    [
        AddUniqueKey(UniqueKeyRef(WORK, ())),
        AddUniqueKey(UniqueKeyRef(WORK, (99,))),
        AddUniqueKey(UniqueKeyRef(WORK, (YEAR, TITLE))),
        RemoveUniqueKey(UniqueKeyRef(WORK, (TITLE,))),
    ],
)
def test_impossible_unique_keys_are_refused_with_a_reason(edit: AddUniqueKey) -> None:
    """No columns, missing columns, an existing key to add, or a missing key to remove."""
    with pytest.raises(EditError) as refused:
        apply(opened(), edit)
    assert str(refused.value.message)


def test_columns_and_links_are_added_in_one_step() -> None:
    """At an index, with a foreign key for each link."""
    document = opened()
    edit = AddColumns(
        PERSON, (AddColumn(PERSON, "age", "number"), AddColumn(PERSON, "work", "link", target=WORK)), 1
    )
    after = edit.apply_to(document)
    assert [column.name for column in after.by_key[PERSON].columns] == ["name", "age", "work", "born"]
    assert [key.target for key in after.by_key[PERSON].foreign_keys] == [WORK]
    assert str(edit.title(document)) == "Add 2 columns to person"
    assert find_problems(after) == find_problems(document)
    with pytest.raises(EditError):
        edit.apply_to(after)
    with pytest.raises(EditError):
        AddColumns(PERSON, (AddColumn(PERSON, "work", "link"),)).apply_to(document)


@pytest.mark.parametrize(
    ("index", "names"),
    [(0, ["title", "origin", "year", "artist"]), (6, ["year", "artist", "title", "origin"])],
)
def test_entries_are_moved_together(index: int, names: list[str]) -> None:
    """In their order, before the entry at the index."""
    document = opened()
    edit = MoveEntries(WORK, (ColumnRef(WORK, ORIGIN), ColumnRef(WORK, TITLE)), index)
    assert [column.name for column in edit.apply_to(document).by_key[WORK].columns] == names


def test_a_move_to_the_same_place_changes_nothing() -> None:
    """It is no undo step."""
    document = opened()
    assert MoveEntries(WORK, (ColumnRef(WORK, TITLE),), 1).apply_to(document) is document


def test_types_are_changed_together() -> None:
    """Also into links."""
    document = opened()
    edit = change_types(document, PERSON, (PERSON_NAME, PERSON_BORN), "link", WORK)
    after = edit.apply_to(document)
    assert {column.type for column in after.by_key[PERSON].columns} == {"link"}
    assert len(after.by_key[PERSON].foreign_keys) == 2
    assert str(edit.title(document)) == "Change the type of 2 columns of person to link"


def _errors(document: Document) -> bool:
    return not is_acceptable(find_problems(document, opened()))


def test_from_a_table_a_column_is_added() -> None:
    """It has the name of the target, numbered if that is taken."""
    found = propose_link(opened(), opened(), TableRef(PLACE), PERSON)
    assert isinstance(found.edit, AddColumn)
    assert str(found.text) == "New column place.person links to person"
    document = apply(opened(), found.edit)
    assert document.contains(found.ref or TableRef(0))
    again = propose_link(document, opened(), TableRef(PLACE), PERSON)
    assert str(again.text) == "New column place.person_2 links to person"
    assert not _errors(document)


def test_a_new_column_becomes_the_link() -> None:
    """It keeps its name and place."""
    added = AddColumn(WORK, "owner", "text_oneline", 1)
    document = apply(opened(), added)
    ref = ColumnRef(WORK, added.key)
    found = propose_link(document, opened(), ref, PERSON)
    assert isinstance(found.edit, ChangeType)
    assert (found.ref, str(found.text)) == (ref, "work.owner becomes a link to person")
    assert apply(document, found.edit).by_key[WORK].columns[1].is_link
    assert not _errors(apply(document, found.edit))


@pytest.mark.parametrize("as_new", [False, True])
def test_a_committed_column_keeps_its_type(as_new: bool) -> None:
    """A link is added after it, as the service would refuse another type."""
    found = propose_link(opened(), opened(), ColumnRef(WORK, TITLE), PLACE, as_new=as_new)
    assert isinstance(found.edit, AddColumn)
    assert (found.note is None) == as_new
    document = apply(opened(), found.edit)
    assert [column.name for column in document.by_key[WORK].columns][:2] == ["title", "place"]
    assert not _errors(document)


def test_a_link_gets_another_target() -> None:
    """With the one that it has, there is a reason instead of an edit."""
    ref = ColumnRef(WORK, ARTIST)
    found = propose_link(opened(), opened(), ref, PLACE)
    assert isinstance(found.edit, SetLinkTarget)
    assert str(found.text) == "work.artist links to place instead of person"
    same = propose_link(opened(), opened(), ref, PERSON)
    assert (same.edit, str(same.text)) == (None, "work.artist links to person already.")


def test_nested_and_missing_tables_are_no_targets() -> None:
    """Links lead to objecttypes only (wire §5)."""
    found = propose_link(opened(), None, TableRef(PLACE), NOTE)
    assert (found.edit, str(found.text)) == (
        None,
        "work__note is nested: links lead to objecttypes only.",
    )
    assert propose_link(opened(), None, TableRef(PLACE), 99).edit is None
