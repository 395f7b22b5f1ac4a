"""Tests of the posted document: HEAD's version, ids that HEAD has, hints for all others (wire §5)."""

from typing import Any

from cdb_desktop.schema.commit.saved_ids import AssignedIds, LostIds, save_request, without_ids
from cdb_desktop.schema.diff.compare import ChangeKind
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import AddColumn
from cdb_desktop.schema.edits.tables import AddNestedTable, AddTable, RenameTable, remove_column, remove_table
from cdb_desktop.schema.working_copy import WorkingCopy, open_model_file
from cdb_desktop.schema.working_copy import open_head as begun
from tests.desktop.schema.models import (
    PERSON,
    PICTURE,
    PLACE,
    TITLE,
    WORK,
    YEAR,
    Json,
    apply,
    column_named,
    inconsistent_references,
    museum,
    named,
    opened,
    table,
)


def test_an_unchanged_document_is_posted_as_it_was_read() -> None:
    """Nothing is added, and nothing is lost."""
    assert save_request(opened(), opened()) == museum()


def test_the_version_is_that_of_the_last_read() -> None:
    """A client never computes a version; after a commit HEAD is read again."""
    head = museum() | {"version": 9, "based_on_version": 8, "max_table_id": 12}
    posted = save_request(opened(), read_document(head))
    assert [posted[name] for name in ("version", "based_on_version", "max_table_id")] == [9, 8, 12]
    assert posted["house"] == "kept"


def test_new_elements_are_posted_without_ids() -> None:
    """They are referred to by hints, and all other elements keep their ids."""
    loan = AddTable("loan")
    document = opened()
    for edit in (
        loan,
        AddNestedTable(loan.key, "item"),
        AddColumn(loan.key, "work", "link", target=WORK),
        AddColumn(WORK, "loan", "link", target=loan.key),
    ):
        document = apply(document, edit)
    posted: Json = save_request(document, opened())
    new, item = posted["tables"][6:]
    assert "table_id" not in new
    assert new["columns"][0] == {"kind": "link", "other_table_name_hint": "loan__item", "not_null": False}
    assert item["owned_by"] == {"other_table_name_hint": "loan"}
    key = new["foreign_keys"][0]
    assert key["columns"] == [{"column_name_hint": "work"}]
    assert key["referenced_table"]["table_id"] == WORK
    assert posted["tables"][2]["foreign_keys"][-1]["referenced_table"]["name_hint"] == "loan"
    assert posted["tables"][:2] == museum()["tables"][:2]


def test_the_first_version_is_one() -> None:
    """If a service has no version yet, a document is posted with its ids."""
    posted = save_request(opened(), None)
    assert posted == museum() | {"version": 1}


def test_the_document_of_another_model_is_posted_without_ids() -> None:
    """Its ids may belong to other elements here."""
    foreign = without_ids(opened())
    head = read_document({"version": 4, "max_table_id": 1, "tables": [table(WORK, "work")]})
    posted: Json = save_request(foreign, head)
    assert [one["name"] for one in posted["tables"]] == [one["name"] for one in museum()["tables"]]
    assert _ids(posted["tables"]) == set()
    assert (posted["version"], posted["max_table_id"], "max_column_id" in posted) == (4, 1, False)
    again = read_document(posted)
    assert [len(one.refers_to) for one in again.tables] == [len(one.refers_to) for one in opened().tables]


def test_hints_are_updated_where_an_id_is_removed() -> None:
    """A hint without an id has the current name of its element."""
    raw = museum()
    raw["tables"][2]["foreign_keys"][0]["referenced_table"]["name_hint"] = "place"
    posted: Json = save_request(without_ids(read_document(raw)), opened())
    assert posted["tables"][2]["foreign_keys"][0]["referenced_table"]["name_hint"] == "person"


def _ids(value: Any) -> set[int]:
    """All ids of tables and columns in JSON."""
    if isinstance(value, list):
        return {id_ for item in value for id_ in _ids(item)}
    if not isinstance(value, dict):
        return set()
    own = {item for name, item in value.items() if name.endswith("_id")}
    return own | {id_ for item in value.values() for id_ in _ids(item)}


def test_a_removed_table_is_restored_as_a_new_one() -> None:
    """It has no ids in any older state, and the changes state what a commit would do to its values."""
    restored = _saved(begun(opened(), opened()).applied(remove_table(PERSON, dependents=True))).jumped(0)
    person = named(restored.document, "person")
    assert (person.id, [column.id for column in person.columns]) == (None, [None, None])
    assert inconsistent_references(restored.document) == []
    kinds = {change.kind for change in restored.changes if change.ref == TableRef(PERSON)}
    assert kinds == {ChangeKind.REMOVED}
    assert ChangeKind.ADDED in {
        change.kind for change in restored.changes if change.ref == TableRef(person.key)
    }
    assert restored.recreated[TableRef(PERSON)] == TableRef(person.key)


def test_a_removed_column_is_restored_as_a_new_one() -> None:
    """Its table and the other columns are the same."""
    before = begun(opened(), opened())
    restored = _saved(before.applied(remove_column(ColumnRef(WORK, YEAR), dependents=True))).jumped(0)
    year = column_named(restored.document, "work", "year")
    assert restored.recreated == {ColumnRef(WORK, YEAR): year}
    assert year.table == WORK
    assert column_named(restored.document, "work", "title").column == TITLE
    assert inconsistent_references(restored.document) == []


def test_existing_elements_are_restored_unchanged() -> None:
    """Undoing a removal that was not saved loses nothing, and neither do elements that were not removed."""
    removed = begun(opened(), opened()).applied(remove_table(PICTURE, dependents=True))
    assert removed.jumped(0).changes == ()
    renamed = begun(opened(), opened()).applied(RenameTable(PLACE, "spot"))
    restored = _saved(renamed).jumped(0)
    assert restored.recreated == {}
    assert restored.changes == ()


def test_ids_lost_twice_are_reported_twice() -> None:
    """The values are stored under the id of CURRENT all the time."""
    restored = _saved(begun(opened(), opened()).applied(remove_table(PICTURE, dependents=True))).jumped(0)
    again = _with_ids(restored).jumped(1)
    assert again.recreated == {}
    assert set(_saved(again).jumped(0).recreated) == {TableRef(PICTURE)}


def test_elements_that_are_not_in_current_lose_no_values() -> None:
    """Nothing is reported."""
    current = begun(opened(), None).applied(remove_table(PICTURE, dependents=True)).document
    restored = _saved(begun(opened(), current).applied(remove_table(PICTURE, dependents=True))).jumped(0)
    assert named(restored.document, "picture").id is None
    assert restored.recreated == {}


def test_a_file_keeps_the_ids_of_removed_elements() -> None:
    """No other program assigns them."""
    editing = open_model_file(opened()).applied(remove_table(PICTURE, dependents=True))
    saved, ids = editing.saved_as(editing.document, editing.document)
    assert not ids
    assert saved.is_saved
    assert saved.jumped(0).document == opened()


def test_ids_assigned_by_a_save_are_followed() -> None:
    """An element that lost its id is identified by its new key."""
    found = LostIds({-1: 5}, {-2: 6}).renumbered(AssignedIds({-1: 10}, {-2: 20}))
    assert found == LostIds({10: 5}, {20: 6})


def _saved(editing: WorkingCopy) -> WorkingCopy:
    """A working copy saved by a service that had an id for everything."""
    return editing.saved_as(editing.document, read_document(write_document(editing.document)))[0]


def _with_ids(editing: WorkingCopy) -> WorkingCopy:
    """A working copy saved by a service that assigns new elements the next ids."""
    return editing.saved_as(editing.document, _answer(editing.document))[0]


def _answer(document: Document) -> Document:
    raw = write_document(document)
    tables = raw["tables"]
    assert isinstance(tables, list)
    number = 100
    for each in tables:
        for element, name in [(each, "table_id"), *((one, "column_id") for one in each["columns"])]:
            if element.get("kind", "column") == "column" and name not in element:
                number += 1
                element[name] = number
    return read_document(raw)
