"""Tests of merges: what is taken from each side, conflicts, new elements with the same id, time."""

from copy import deepcopy
from typing import Any

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.document.element_ref import ColumnRef, ReverseLinkRef, TableRef
from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.schema.edits.columns import (
    AddColumn,
    ChangeType,
    MoveEntries,
    RenameColumn,
    SetColumnOptions,
    SetLinkTarget,
    SetReverseEdit,
)
from cdb_desktop.schema.edits.tables import (
    AddNestedTable,
    AddTable,
    RenameTable,
    SetTableOptions,
    remove_column,
    remove_table,
)
from cdb_desktop.schema.merge.merge import Merge, merge
from tests.desktop.schema.merge.museum_merges import merged
from tests.desktop.schema.models import (
    ARTIST,
    MARK,
    NOTE,
    NOTE_TEXT,
    PERSON,
    PERSON_NAME,
    PICTURE,
    PICTURE_WORK,
    PLACE,
    TITLE,
    WORK,
    YEAR,
    column,
    column_named,
    inconsistent_references,
    link,
    museum,
    named,
    opened,
    other,
    table,
)

_TITLE = ColumnRef(WORK, TITLE)


def _texts(found: Merge) -> list[tuple[str, ...]]:
    return [
        (one.element, str(one.what), str(one.base), str(one.mine), str(one.theirs)) for one in found.conflicts
    ]


def test_changes_of_both_sides_are_taken() -> None:
    """A renamed owner, a new nested table below it and options of one column fit together."""
    nested = AddNestedTable(WORK, "part")
    found = merged(
        (RenameTable(WORK, "artwork"), SetColumnOptions(_TITLE, {"length_max": 80})),
        (nested, SetColumnOptions(_TITLE, {"check": "not_empty"}), AddColumn(PERSON, "died", "date")),
    )
    assert found.conflicts == ()
    assert found.document.by_key[nested.key].name == "artwork__part"
    title = found.document.by_key[WORK].by_key[TITLE]
    assert (title.raw["length_max"], title.raw["check"]) == (80, "not_empty")
    assert named(found.document, "person").columns[-1].name == "died"
    assert inconsistent_references(found.document) == []
    keys = found.document.by_key[WORK].foreign_keys
    assert keys[0].name == "artwork__artist__person_fkey"
    assert {str(change.message) for change in found.my_changes} >= {"Column person.died added (date)"}


def test_a_conflict_has_all_values_and_the_result_of_each_choice() -> None:
    """Without a choice the result is mine."""
    year = ColumnRef(WORK, YEAR)
    found = merged(
        (RenameColumn(_TITLE, "name"), ChangeType(year, "text")),
        (RenameColumn(_TITLE, "caption"), ChangeType(year, "integer.2")),
    )
    assert _texts(found) == [
        ("work.caption", "Name", "title", "caption", "name"),
        ("work.year", "Type", "number", "integer.2", "text"),
    ]
    assert found.undecided == found.conflicts
    assert str(found.conflicts[0].mine_result) == "Name: caption"
    assert str(found.conflicts[1].theirs_result) == "Type: text"
    assert found.document.by_key[WORK].by_key[TITLE].name == "caption"
    chosen = found.chosen({found.conflicts[0].id: "theirs", found.conflicts[1].id: "theirs"})
    assert chosen.undecided == ()
    assert [chosen.document.by_key[WORK].by_key[key].name for key in (TITLE, YEAR)] == ["name", "year"]
    assert chosen.document.by_key[WORK].by_key[YEAR].type == "text"
    assert chosen.document.by_key[WORK].unique_keys[0].name == "work__name__year_unique"
    former = found.chosen({found.conflicts[0].id: "base"}).document
    assert former.by_key[WORK].by_key[TITLE].name == "title"


def test_a_removed_table_that_the_other_side_changed_is_one_conflict() -> None:
    """Choosing the table also keeps the links to it that went with it."""
    found = merged(
        (remove_table(PERSON, dependents=True),),
        (
            RenameColumn(ColumnRef(PERSON, PERSON_NAME), "surname"),
            AddColumn(PICTURE, "painter", "link", target=PERSON),
        ),
    )
    (conflict,) = found.conflicts
    assert (conflict.ref, conflict.aspect) == (TableRef(PERSON), "removed")
    assert str(conflict.theirs_result) == (
        "person is removed, with work.artist, work__note.source, picture.painter"
    )
    kept = found.chosen({conflict.id: "mine"}).document
    assert kept.by_key[PERSON].by_key[PERSON_NAME].name == "surname"
    assert ARTIST in kept.by_key[WORK].by_key
    removed = found.chosen({conflict.id: "theirs"}).document
    assert PERSON not in removed.by_key
    assert "painter" not in [one.name for one in removed.by_key[PICTURE].columns]
    for document in (kept, removed):
        assert {problem.code for problem in find_problems(document)} == set()


def test_a_removed_owner_and_a_change_of_a_nested_table_are_one_conflict() -> None:
    """The conflict is that of the owner."""
    found = merged(
        (
            SetColumnOptions(ColumnRef(NOTE, NOTE_TEXT), {"not_null": True}),
            SetTableOptions(MARK, {"comment": "x"}),
        ),
        (remove_table(WORK, dependents=True),),
    )
    (conflict,) = found.conflicts
    assert (conflict.element, str(conflict.mine)) == ("work", "Removed")
    assert WORK not in found.document.by_key
    kept = found.chosen({conflict.id: "theirs"}).document
    assert {WORK, NOTE, MARK} <= kept.by_key.keys()
    assert PICTURE_WORK in kept.by_key[PICTURE].by_key
    assert find_problems(kept) == ()


def test_the_target_of_one_side_and_the_reverse_edit_of_the_other_fit() -> None:
    """The entry for editing is in the new target, and only there."""
    ref = column_named(opened(), "work", "origin")
    found = merged((SetLinkTarget(ref, PERSON),), (SetReverseEdit(ref, on=True),))
    assert found.conflicts == ()
    assert find_problems(found.document) == ()
    last = found.document.by_key[PERSON].entries[-1]
    assert last.ref(PERSON) == ReverseLinkRef(PERSON, WORK, ref.column)


def test_new_elements_with_the_same_id_are_renumbered() -> None:
    """In mine, with links, keys, nested tables and entries; the maxima follow."""
    theirs, mine = museum(), museum()
    theirs["tables"].append(table(10, "museum", column(21, "name")))
    theirs["max_table_id"], theirs["max_column_id"] = 10, 21
    part = table(11, "room__part", column(23, "text"), owned_by=other(10, "room"))
    room = table(
        10,
        "room",
        column(21, "label"),
        column(22, "place", "link"),
        {"kind": "link", **other(11, "room__part")},
        foreign_keys=[link("room", 22, "place", PLACE, "place")],
    )
    mine["tables"] += [room, part]
    mine["tables"][0]["columns"].append(column(24, "room", "link"))
    mine["tables"][0]["foreign_keys"].append(link("person", 24, "room", 10, "room"))
    mine["max_table_id"], mine["max_column_id"] = 11, 24
    found = merge(read_document(museum()), read_document(theirs), read_document(mine))
    assert found.conflicts == ()
    assert find_problems(found.document) == ()
    assert inconsistent_references(found.document) == []
    ids = [(one.id, one.name) for one in found.document.tables[-3:]]
    assert sorted(ids, key=str) == [(10, "museum"), (11, "room__part"), (12, "room")]
    assert found.versions.tables == {10: 12}
    assert found.versions.columns == {21: 25}
    written: dict[str, Any] = write_document(found.document)
    assert (written["max_table_id"], written["max_column_id"]) == (12, 25)


def test_new_elements_with_the_same_name_are_one() -> None:
    """Two users add the same table with different columns: all columns are in it."""
    mine, theirs = AddTable("event"), AddTable("event")
    found = merged(
        (theirs, AddColumn(theirs.key, "title", "text"), AddColumn(theirs.key, "day", "date")),
        (mine, AddColumn(mine.key, "title", "text"), AddColumn(mine.key, "day", "datetime")),
    )
    assert [one.name for one in named(found.document, "event").columns] == ["title", "day"]
    assert _texts(found) == [("event.day", "Type", "", "datetime", "date")]
    assert [table.name for table in found.document.tables].count("event") == 1


def test_different_elements_with_the_same_name_are_a_conflict() -> None:
    """The one that is not chosen keeps its former name, or gets a number."""
    found = merged((RenameTable(PLACE, "item"),), (AddTable("item"),))
    (conflict,) = found.conflicts
    assert str(conflict.mine_result) == "item is named item, place is named place"
    assert [one.name for one in found.document.tables].count("item") == 1
    chosen = found.chosen({conflict.id: "theirs"}).document
    assert [one.name for one in chosen.tables][1::5] == ["item", "item_2"]
    columns = merged((RenameColumn(_TITLE, "x"),), (RenameColumn(ColumnRef(WORK, YEAR), "x"),))
    assert [conflict.aspect for conflict in columns.conflicts] == ["same name"]
    assert [one.name for one in columns.document.by_key[WORK].columns][:2] == ["title", "x"]


def test_the_order_of_columns() -> None:
    """It is that of the side that moved columns; if both have, one conflict asks which."""
    up, down = (MoveEntries(WORK, (_TITLE,), index) for index in (3, 5))
    new = AddColumn(WORK, "size", "text", 0)
    found = merged((up,), (new,))
    assert found.conflicts == ()
    names = [one.name for one in found.document.by_key[WORK].columns]
    assert names == ["size", "year", "artist", "title", "origin"]
    both = merged((up,), (down,))
    assert [conflict.aspect for conflict in both.conflicts] == ["order"]


def test_attributes_of_the_document() -> None:
    """Languages of both sides are in the result, and versions only grow."""
    base, theirs, mine = (deepcopy(museum()) for _ in range(3))
    theirs |= {"l10n_languages": ["de-DE", "fr-FR"], "version": 9, "based_on_version": 8}
    mine |= {"l10n_languages": ["en-US"], "house": "mine"}
    found = merge(read_document(base), read_document(theirs), read_document(mine))
    written = write_document(found.document)
    assert found.conflicts == ()
    assert written["l10n_languages"] == ["fr-FR", "en-US"]
    assert [written[name] for name in ("version", "based_on_version", "house")] == [9, 8, "mine"]


def test_changes_that_do_not_fit_are_problems_of_the_result() -> None:
    """Each of them is valid alone: a number has no length."""
    found = merged((ChangeType(_TITLE, "boolean"),), (SetColumnOptions(_TITLE, {"length_max": 5}),))
    assert found.conflicts == ()
    assert [problem.code for problem in found.new_problems] == ["length_type"]
    assert merged((), (remove_column(_TITLE, dependents=True),)).new_problems == ()
