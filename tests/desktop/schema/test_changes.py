"""Counting changes for a button and a title."""

from __future__ import annotations

from cdb_desktop.schema.changes import Risk, summary, worst
from cdb_desktop.schema.column_edits import AddColumn, RenameColumn, SetColumnOptions
from cdb_desktop.schema.diff import compare
from cdb_desktop.schema.edit import apply
from cdb_desktop.schema.places import ColumnPlace
from cdb_desktop.schema.removal_edits import RemoveColumn
from cdb_desktop.schema.table_edits import AddTable, SetTableOptions
from tests.desktop.schema.models import ORIGIN, TITLE, WORK, YEAR, opened


def test_changes_are_counted_by_what_they_are() -> None:
    """Tables before columns before options, each with its own word for one and for many."""
    document = opened()
    for edit in (
        SetTableOptions(WORK, {"has_tags": True}),
        SetColumnOptions(ColumnPlace(WORK, YEAR), {"not_null": True}),
        RemoveColumn(ColumnPlace(WORK, ORIGIN)),
        AddColumn(WORK, "height", "number"),
        AddColumn(WORK, "width", "number"),
        RenameColumn(ColumnPlace(WORK, TITLE), "label"),
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
    assert worst(changes) is Risk.DESTROYING


def test_without_changes_nothing_is_counted() -> None:
    """And nothing is at risk."""
    assert summary(()) == ()
    assert worst(()) is Risk.SAFE
