"""Tests of the posted document: HEAD's version, ids that HEAD has, hints for all others (wire §5)."""

from __future__ import annotations

from typing import Any

from cdb_desktop.schema.commit.saved_ids import save_request, without_ids
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.edits.columns import AddColumn, AddLink
from cdb_desktop.schema.edits.tables import AddNestedTable, AddTable, RemoveTable
from cdb_desktop.schema.working_copy import new_history
from tests.desktop.schema.models import PICTURE, TITLE, WORK, Json, apply, museum, opened, table


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
        AddLink(loan.key, "work", WORK),
        AddLink(WORK, "loan", loan.key),
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


def test_elements_that_head_no_longer_has_are_posted_as_new() -> None:
    """The service would refuse the id of a table that was removed, saved and restored by undo."""
    history = new_history(opened()).applied(RemoveTable(PICTURE))
    head = read_document(save_request(history.document, opened()))
    posted: Json = save_request(history.undone().document, head)
    picture = posted["tables"][-1]
    assert _ids(picture) == {WORK}
    assert picture["foreign_keys"][0]["columns"] == [{"column_name_hint": "work"}]
    reverse = posted["tables"][2]["columns"][-1]
    assert reverse["other_table_name_hint"] == "picture"
    assert _ids(reverse) == set()


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


def test_a_column_keeps_its_id_when_others_are_added() -> None:
    """Assigned ids never change."""
    posted: Json = save_request(apply(opened(), AddColumn(WORK, "height", "number", 0)), opened())
    columns = posted["tables"][2]["columns"]
    assert [column.get("column_id") for column in columns][:2] == [None, TITLE]


def _ids(value: Any) -> set[int]:
    """All ids of tables and columns in JSON."""
    if isinstance(value, list):
        return {id_ for item in value for id_ in _ids(item)}
    if not isinstance(value, dict):
        return set()
    own = {item for name, item in value.items() if name.endswith("_id")}
    return own | {id_ for item in value.values() for id_ in _ids(item)}
