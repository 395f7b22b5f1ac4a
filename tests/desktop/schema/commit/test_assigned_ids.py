"""Tests of assigned ids in selections and arrangements."""

from cdb_desktop.schema.commit.saved_ids import AssignedIds, assigned_ids
from cdb_desktop.schema.document.element_ref import (
    DOCUMENT,
    ColumnRef,
    ElementRef,
    NestedTableRef,
    ReverseLinkRef,
    TableRef,
    UniqueKeyRef,
)
from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.schema.edits.columns import AddColumn
from cdb_desktop.schema.edits.tables import AddNestedTable, AddTable
from tests.desktop.schema.models import PERSON, TITLE, WORK, Json, apply, opened

_TABLE = AddTable("loan")
_ITEM = AddNestedTable(_TABLE.key, "item")
_LINK = AddColumn(_TABLE.key, "work", "link", options={"reverse_edit": True}, target=WORK)


def test_new_elements_are_found_by_their_names() -> None:
    """Tables are found by full names, columns by their names in the table."""
    ids = _ids()
    assert ids.tables == {_TABLE.key: 20, _ITEM.key: 21}
    assert ids.columns == {_LINK.key: 30}


def test_nothing_is_assigned_if_all_ids_were_known() -> None:
    """No state needs to change."""
    assert not assigned_ids(opened(), opened())


def test_selections_are_updated() -> None:
    """A reference with the previous keys becomes the same reference with the ids."""
    moved: dict[ElementRef, ElementRef] = {
        DOCUMENT: DOCUMENT,
        TableRef(_TABLE.key): TableRef(20),
        TableRef(PERSON): TableRef(PERSON),
        ColumnRef(_TABLE.key, _LINK.key): ColumnRef(20, 30),
        NestedTableRef(_TABLE.key, _ITEM.key): NestedTableRef(20, 21),
        ReverseLinkRef(WORK, _TABLE.key, _LINK.key): ReverseLinkRef(WORK, 20, 30),
        UniqueKeyRef(_TABLE.key, (_LINK.key, TITLE)): UniqueKeyRef(20, (30, TITLE)),
    }
    assert {place: _ids().ref(place) for place in moved} == moved


def _ids() -> AssignedIds:
    document = opened()
    for edit in (_TABLE, _ITEM, _LINK):
        document = apply(document, edit)
    raw: Json = write_document(document)
    numbers = {"loan": 20, "loan__item": 21}
    for table in raw["tables"]:
        table.setdefault("table_id", numbers.get(table["name"]))
        for column in table["columns"]:
            if column["kind"] == "column":
                column.setdefault("column_id", 30)
    return assigned_ids(document, read_document(raw))
