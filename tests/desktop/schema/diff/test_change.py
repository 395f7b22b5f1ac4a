"""Tests of counting changes for buttons and titles."""

from __future__ import annotations

from cdb_desktop.schema.diff.compare import Risk, compare, summary
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn, SetColumnOptions
from cdb_desktop.schema.edits.tables import AddTable, RemoveColumn, SetTableOptions
from tests.desktop.schema.models import ORIGIN, TITLE, WORK, YEAR, apply, opened


def test_changes_are_counted_by_type() -> None:
    """Tables precede columns and options, each with singular and plural."""
    document = opened()
    for edit in (
        SetTableOptions(WORK, {"has_tags": True}),
        SetColumnOptions(ColumnRef(WORK, YEAR), {"not_null": True}),
        RemoveColumn(ColumnRef(WORK, ORIGIN)),
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


def test_without_changes_nothing_is_counted() -> None:
    """The summary is empty."""
    assert summary(()) == ()
    assert summary(iter(())) == ()
