"""Tests of comparing documents by ids: renames are detected, consequences are omitted (wire §5)."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from cdb_desktop.schema.diff.compare import Change, ChangeKind, Risk, compare, summary
from cdb_desktop.schema.document.element_ref import ColumnRef, NestedTableRef, TableRef, UniqueKeyRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import (
    AddColumn,
    AddUniqueKey,
    ChangeType,
    MoveEntries,
    RemoveUniqueKey,
    RenameColumn,
    SetColumnOptions,
    SetLinkTarget,
    SetReverseEdit,
)
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.edits.tables import (
    AddNestedTable,
    AddTable,
    RenameTable,
    SetTableOptions,
    remove_column,
    remove_table,
)
from tests.desktop.schema.models import (
    ARTIST,
    NOTE,
    ORIGIN,
    PERSON,
    PICTURE,
    PICTURE_WORK,
    PLACE,
    TITLE,
    WORK,
    YEAR,
    Json,
    apply,
    museum,
    opened,
)

_TITLE, _YEAR, _ARTIST = (ColumnRef(WORK, key) for key in (TITLE, YEAR, ARTIST))
_LOAN = AddTable("loan")


@pytest.mark.parametrize(
    ("edits", "texts"),
    [
        ([RenameTable(WORK, "artwork")], ["→ Table work renamed to artwork"]),
        ([RenameTable(NOTE, "remark")], ["→ Table work__note renamed to work__remark"]),
        ([_LOAN, AddColumn(_LOAN.key, "work", "link", target=WORK)], ["+ Table loan added"]),
        ([AddNestedTable(WORK, "crate")], ["+ Table work__crate added"]),
        ([AddColumn(WORK, "height", "number")], ["+ Column work.height added (number)"]),
        ([AddColumn(WORK, "owner", "link", target=PERSON)], ["+ Link work.owner to person added"]),
        (
            [AddColumn(WORK, "owner", "link", options={"reverse_edit": True}, target=PERSON)],
            ["+ Link work.owner to person added"],
        ),
        ([RenameColumn(_TITLE, "label")], ["→ Column work.title renamed to label"]),
        ([remove_table(NOTE)], ["− Table work__note removed", "− Table work__note__mark removed"]),
        ([remove_column(_TITLE, dependents=True)], ["− Column work.title removed"]),
        ([remove_column(ColumnRef(PICTURE, PICTURE_WORK))], ["− Column picture.work removed"]),
        ([ChangeType(_YEAR, "text")], ["~ Type of work.year changed from number to text"]),
        ([ChangeType(_ARTIST, "text")], ["~ Type of work.artist changed from link to text"]),
        ([SetLinkTarget(_ARTIST, PLACE)], ["~ work.artist links to place instead of person"]),
        (
            [SetReverseEdit(_ARTIST, on=True)],
            ["~ work.artist: “Edit in the table that it links to” set to yes"],
        ),
        (
            [SetTableOptions(WORK, {"comment": "New"})],
            ['~ work: “Comment” changed from "What is shown" to New'],
        ),
        (
            [SetColumnOptions(_TITLE, {"not_null": False})],
            ["~ work.title: “Must have a value” removed, was yes"],
        ),
        ([MoveEntries(WORK, (_TITLE,), 3)], ["~ work.title moved"]),
        ([AddUniqueKey(UniqueKeyRef(WORK, (YEAR,)))], ["+ work.year made unique"]),
        ([RemoveUniqueKey(UniqueKeyRef(WORK, (TITLE, YEAR)))], ["− work.title + year no longer unique"]),
    ],
)
def test_each_edit_is_one_change(edits: list[Edit], texts: list[str]) -> None:
    """A change has one sentence and does not include its consequences."""
    assert _texts(compare(opened(), _after(edits))) == texts


@pytest.mark.parametrize(
    ("edit", "risk"),
    [
        (AddTable("loan"), Risk.SAFE),
        (remove_table(NOTE), Risk.DESTROYING),
        (RenameTable(WORK, "artwork"), Risk.SAFE),
        (AddColumn(WORK, "height", "number"), Risk.SAFE),
        (AddColumn(WORK, "height", "number", options={"not_null": True}), Risk.NARROWING),
        (AddColumn(WORK, "height", "number", options={"not_null": True, "default": 0}), Risk.SAFE),
        (AddColumn(WORK, "height", "number", options={"not_null": True, "default": None}), Risk.NARROWING),
        (remove_column(_ARTIST), Risk.DESTROYING),
        (ChangeType(_TITLE, "text_l10n"), Risk.SAFE),
        (ChangeType(_YEAR, "decimal.2"), Risk.SAFE),
        (ChangeType(ColumnRef(PLACE, 3), "text"), Risk.NARROWING),
        (ChangeType(_TITLE, "number"), Risk.DESTROYING),
        (SetLinkTarget(_ARTIST, PLACE), Risk.DESTROYING),
        (SetColumnOptions(_YEAR, {"not_null": True}), Risk.NARROWING),
        (SetColumnOptions(_TITLE, {"not_null": False}), Risk.SAFE),
        (SetColumnOptions(_YEAR, {"check": "range", "check_range_lower": 0}), Risk.NARROWING),
        (SetColumnOptions(ColumnRef(PERSON, 1), {"check": None, "check_regexp": None}), Risk.SAFE),
        (SetColumnOptions(_TITLE, {"length_max": 9}), Risk.NARROWING),
        (SetColumnOptions(NestedTableRef(WORK, NOTE), {"check": "not_empty"}), Risk.NARROWING),
        (SetTableOptions(PLACE, {"is_hierarchical": False}), Risk.DESTROYING),
        (SetTableOptions(PLACE, {"pool_link": True}), Risk.SAFE),
        (AddUniqueKey(UniqueKeyRef(WORK, (YEAR,))), Risk.NARROWING),
        (RemoveUniqueKey(UniqueKeyRef(WORK, (TITLE, YEAR))), Risk.SAFE),
    ],
)
def test_each_change_has_its_risk(edit: Edit, risk: Risk) -> None:
    """Values are lost, rows may not fit, or there is no risk."""
    assert {change.risk for change in compare(opened(), _after([edit]))} == {risk}


def test_a_document_equals_itself_in_another_form() -> None:
    """Hints, generated names, the order of tables and absent or false attributes do not matter."""
    raw = museum()
    raw["tables"].reverse()
    raw["version"] = 12
    for table in raw["tables"]:
        table["acl_table"] = False
        for key in table["foreign_keys"]:
            key["name"] = "other"
            key["referenced_table"]["name_hint"] = "stale"
    assert compare(opened(), read_document(raw)) == ()
    raw["tables"][0]["custom_settings"] = settings = {"x_id": 1, "x_name_hint": "a"}
    before = read_document(raw)
    raw["tables"][0]["custom_settings"] = settings | {"x_name_hint": "b"}
    assert len(compare(before, read_document(raw))) == 1


def test_names_without_ids_do_not_identify_tables() -> None:
    """A table of another document with the same name and no id is another table."""
    raw = museum()
    raw["tables"] = [{**table, "table_id": None} for table in raw["tables"][1:2]]
    texts = _texts(compare(read_document(museum() | {"tables": museum()["tables"][1:2]}), read_document(raw)))
    assert texts == ["+ Table place added", "− Table place removed"]


@pytest.mark.parametrize(
    ("change", "kind", "risk"),
    [
        (lambda raw: raw["l10n_languages"].append("en-US"), ChangeKind.OPTION, Risk.SAFE),
        (lambda raw: raw["l10n_languages"].clear(), ChangeKind.OPTION, Risk.NARROWING),
        (lambda raw: raw["tables"][3].pop("owned_by"), ChangeKind.OPTION, Risk.DESTROYING),
        (lambda raw: raw["tables"][2]["columns"].pop(3), ChangeKind.REMOVED, Risk.NARROWING),
        (lambda raw: raw["tables"][2]["columns"].pop(5), ChangeKind.REMOVED, Risk.SAFE),
        (lambda raw: raw["tables"][2]["foreign_keys"].pop(0), ChangeKind.KEY, Risk.NARROWING),
        (
            lambda raw: raw["tables"][2]["foreign_keys"][0].update(on_update="restrict"),
            ChangeKind.KEY,
            Risk.SAFE,
        ),
        (lambda raw: raw["tables"][2]["unique_keys"][0].update(group=2), ChangeKind.KEY, Risk.NARROWING),
        (lambda raw: raw["tables"][2]["columns"][1].update(default=False), ChangeKind.OPTION, Risk.SAFE),
        (lambda raw: raw["tables"][2]["columns"][0].update(remark="x"), ChangeKind.OPTION, Risk.SAFE),
    ],
)
def test_changes_that_no_edit_makes_are_detected(
    change: Callable[[Json], Any], kind: ChangeKind, risk: Risk
) -> None:
    """Other programs write documents too."""
    raw = museum()
    change(raw)
    found = [one for one in compare(opened(), read_document(raw)) if one.kind is kind]
    assert [one.risk for one in found] == [risk]
    assert str(found[0].message) != found[0].message.text


def test_the_minimum_of_moved_entries_is_listed() -> None:
    """If an order is rotated by one, only the entry that moved to the end is listed."""
    raw = museum()
    columns = raw["tables"][2]["columns"]
    raw["tables"][2]["columns"] = [*columns[1:], columns[0]]
    assert [change.ref for change in compare(opened(), read_document(raw))] == [_TITLE]


def test_changes_have_references_and_values() -> None:
    """Renames have names, changes of type have types, and removed elements their old reference."""
    edits: list[Edit] = [RenameTable(PERSON, "people"), ChangeType(_YEAR, "text"), remove_table(NOTE)]
    found = [(change.ref, change.before, change.after) for change in compare(opened(), _after(edits))]
    assert found[:3] == [
        (TableRef(PERSON), "person", "people"),
        (_YEAR, "number", "text"),
        (TableRef(NOTE), "work__note", None),
    ]


def test_elements_of_one_history_are_identified_without_ids() -> None:
    """A new table that is renamed between two states is a rename."""
    before = _after([_LOAN])
    (change,) = compare(before, apply(before, RenameTable(_LOAN.key, "lending")))
    assert change.kind is ChangeKind.RENAMED


def _after(edits: Iterable[Edit]) -> Document:
    document = opened()
    for edit in edits:
        document = apply(document, edit)
    return document


def _texts(changes: Iterable[Change]) -> list[str]:
    return [f"{change.sign} {change.message}" for change in changes]


def test_a_default_of_null_is_no_default() -> None:
    """This holds for an existing column; rows need a value for a new one (above)."""
    with_null, without = museum(), museum()
    with_null["tables"][2]["columns"][1]["default"] = None
    without["tables"][2]["columns"][1].pop("default", None)
    assert (
        compare(read_document(without), read_document(with_null))
        == compare(read_document(with_null), read_document(without))
        == ()
    )


def test_changes_are_counted_by_type() -> None:
    """Tables precede columns and options, each with singular and plural."""
    document = opened()
    for edit in (
        SetTableOptions(WORK, {"has_tags": True}),
        SetColumnOptions(ColumnRef(WORK, YEAR), {"not_null": True}),
        remove_column(ColumnRef(WORK, ORIGIN)),
        AddColumn(WORK, "height", "number"),
        AddColumn(WORK, "width", "number"),
        RenameColumn(ColumnRef(WORK, TITLE), "label"),
        AddTable("loan"),
    ):
        document = apply(document, edit)
    changes = compare(opened(), document)
    assert [str(part) for part in summary(changes)] == [
        "1 table added",
        "2 columns added",
        "1 column removed",
        "1 column renamed",
        "2 options changed",
    ]
    assert max(change.risk for change in changes) is Risk.DESTROYING
