"""Tests of edits of tables, including all dependent elements."""

import pytest

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.document.element_ref import ColumnRef, ReverseLinkRef, TableRef, UniqueKeyRef
from cdb_desktop.schema.document.json_format import write_document
from cdb_desktop.schema.document.model import NestedTableEntry
from cdb_desktop.schema.edits.edit import Edit, EditError
from cdb_desktop.schema.edits.tables import (
    AddNestedTable,
    AddTable,
    RenameTable,
    SetTableOptions,
    dependents,
    remove_column,
    remove_table,
)
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
    museum,
    named,
    opened,
)


def test_a_table_is_added_at_the_end() -> None:
    """It has the attributes of exports, and no id."""
    edit = AddTable("loan", {"is_hierarchical": True})
    document = apply(opened(), edit)
    assert document.tables[-1].key == edit.key
    assert write_document(document)["tables"][-1] == {  # type: ignore[index]
        "name": "loan",
        "pool_link": False,
        "acl_table": False,
        "has_tags": False,
        "is_hierarchical": True,
        "in_main_search": True,
        "columns": [],
        "unique_keys": [],
        "foreign_keys": [],
    }
    assert str(edit.title(opened())) == "Add table loan"


def test_a_nested_table_has_an_entry_in_its_owner() -> None:
    """Its name starts with the owner's, and its entry is at the given index."""
    edit = AddNestedTable(WORK, "crate", index=1)
    document = apply(opened(), edit)
    entry = document.by_key[WORK].entries[1]
    assert isinstance(entry, NestedTableEntry)
    assert entry.table == edit.key
    assert named(document, "work__crate").owner == WORK
    assert set(document.nested_below(WORK)) == {NOTE, MARK, edit.key}
    assert str(edit.title(opened())) == "Add nested table work__crate"


def test_tables_may_be_nested_in_new_tables() -> None:
    """Elements without an id are referred to by name only."""
    outer = AddTable("loan")
    inner = AddNestedTable(outer.key, "item")
    document = apply(apply(opened(), outer), inner)
    item = named(document, "loan__item")
    assert item.raw["owned_by"] == {"other_table_name_hint": "loan"}
    renamed = apply(document, RenameTable(outer.key, "lending"))
    assert named(renamed, "lending__item").raw["owned_by"] == {"other_table_name_hint": "lending"}
    assert inconsistent_references(renamed) == []


def test_renaming_an_owner_renames_its_nested_tables() -> None:
    """Prefixes, hints and generated names are updated; names chosen by a user stay."""
    raw = museum()
    raw["tables"][3]["foreign_keys"].append({**raw["tables"][3]["foreign_keys"][0], "name": "chosen"})
    document = apply(opened(raw), RenameTable(WORK, "artwork"))
    assert [table.name for table in document.tables][2:5] == [
        "artwork",
        "artwork__note",
        "artwork__note__mark",
    ]
    assert inconsistent_references(document) == []
    names = [key.name for table in document.tables for key in table.foreign_keys]
    names += [key.name for table in document.tables for key in table.unique_keys]
    assert names == [
        "artwork__artist__person_fkey",
        "artwork__origin__place_fkey",
        "artwork__note__source__person_fkey",
        "chosen",
        "picture__work__artwork_fkey",
        "person__name_unique",
        "artwork__title__year_unique",
    ]


def test_a_nested_table_is_renamed_without_its_prefix() -> None:
    """The given name does not include the owner's."""
    edit = RenameTable(NOTE, "remark")
    document = apply(opened(), edit)
    assert [table.name for table in document.tables][3:5] == ["work__remark", "work__remark__mark"]
    assert str(edit.title(opened())) == "Rename table work__note to work__remark"
    assert inconsistent_references(document) == []


def test_two_tables_with_one_name_are_distinguished() -> None:
    """While a name is typed it may equal another one: references still identify their table."""
    document = apply(opened(), AddTable("persons"))
    twin = document.tables[-1].key
    document = apply(document, RenameTable(twin, "person"))
    document = apply(document, RenameTable(PERSON, "people"))
    document = apply(document, RenameTable(twin, "other"))
    assert document.by_key[WORK].foreign_keys[0].target_raw["name_hint"] == "people"
    assert inconsistent_references(document) == []


def test_options_are_set_and_removed() -> None:
    """None removes the attribute; the title names the edit."""
    edit = SetTableOptions(WORK, {"has_tags": True})
    document = apply(apply(opened(), edit), SetTableOptions(WORK, {"comment": None, "pool_link": False}))
    raw = document.by_key[WORK].raw
    assert (raw["has_tags"], raw["pool_link"], "comment" in raw) == (True, False, False)
    assert str(edit.title(opened())) == "Set “Tags” of work to yes"
    assert str(SetTableOptions(WORK, {"comment": None}).title(opened())) == "Clear “Comment” of work"


@pytest.mark.parametrize(
    "edit",
    [
        RenameTable(99, "other"),
        AddNestedTable(99, "note"),
        SetTableOptions(99, {"has_tags": True}),
        SetTableOptions(WORK, {"name": "other"}),
        AddTable("again", key=WORK),
    ],
)
def test_impossible_edits_are_refused_with_a_reason(edit: RenameTable) -> None:
    """The document is unchanged."""
    with pytest.raises(EditError) as refused:
        apply(opened(), edit)
    assert str(refused.value.message)


def test_nested_tables_are_removed_with_their_owner() -> None:
    """They are parts of it; removing a nested table removes its entry in the owner."""
    document = apply(opened(), remove_table(NOTE))
    assert [table.key for table in document.tables] == [1, 2, WORK, PICTURE]
    assert len(document.by_key[WORK].entries) == 5
    assert find_problems(document) == ()


def test_a_table_with_incoming_links_is_not_removed_alone() -> None:
    """The reason lists the links that would be deleted with it."""
    with pytest.raises(EditError) as refused:
        apply(opened(), remove_table(PERSON))
    texts = "person cannot be deleted alone: work.artist, work__note.source would be deleted with it."
    assert str(refused.value) == texts


def test_a_table_is_removed_with_its_dependents() -> None:
    """Links, their keys and their reverse links are removed; the document stays valid."""
    document = apply(opened(), remove_table(WORK, dependents=True))
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
    document = apply(opened(), remove_column(place))
    document = apply(document, remove_column(ColumnRef(PERSON, 1)))
    document = apply(document, remove_column(ColumnRef(WORK, ORIGIN)))
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
        apply(opened(), remove_column(place))
    document = apply(opened(), remove_column(place, dependents=True))
    assert document.by_key[WORK].unique_keys == ()


@pytest.mark.parametrize("edit", [remove_table(99), remove_column(ColumnRef(WORK, 99))])
def test_missing_elements_cannot_be_removed(edit: Edit) -> None:
    """A second removal is refused with a reason."""
    with pytest.raises(EditError, match="no longer there"):
        apply(opened(), edit)
