"""Tests of how many objects a commit reindexes, and of counting them."""

from __future__ import annotations

from cdb_desktop.schema.commit.plan import CommitPlan, CommitStep, Reindexing, expected_reindexing
from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn
from cdb_desktop.schema.edits.tables import AddTable
from tests.desktop.schema.models import MARK, MARK_SIGN, PERSON, PERSON_NAME, WORK, opened


def test_the_total_is_known_if_the_rows_of_all_changed_objecttypes_are() -> None:
    """A nested table counts with its objecttype; new tables have no rows yet."""
    current = opened()
    head = RenameColumn(ColumnRef(PERSON, PERSON_NAME), "surname").apply_to(current)
    head = RenameColumn(ColumnRef(MARK, MARK_SIGN), "symbol").apply_to(head)
    head = AddTable("added").apply_to(head)
    assert _expected(head, current, {PERSON: 20, WORK: 30}) == 50
    assert _expected(head, current, {PERSON: 20, MARK: 4}) is None
    assert _expected(AddColumn(PERSON, "x", "text", 0).apply_to(current), current, {}) is None
    assert _expected(current, current, {}) == 0
    found = expected_reindexing(head, current, compare(current, head), None)
    assert found.total is None
    assert sorted(found.objecttypes or ()) == ["added", "person", "work"]
    assert expected_reindexing(head, None, (), None).total == 0


def test_objects_count_once() -> None:
    """It is complete when the total is reached, and never without one."""
    found = Reindexing(2).with_objects([("work", 1), ("work", 1)])
    assert (found.indexed, found.is_complete) == (1, False)
    assert found.with_objects([("person", 1)]).is_complete
    assert Reindexing(2, frozenset({"person"})).with_objects([("work", 1)]).indexed == 0
    assert not Reindexing(None).with_objects([("work", 1)]).is_complete


def _expected(head: Document, current: Document, rows: dict[int, int]) -> int | None:
    steps = tuple(
        CommitStep("drop_column", table, "", None, "", count, 0, 0, 0) for table, count in rows.items()
    )
    return expected_reindexing(head, current, compare(current, head), CommitPlan(("", None), steps)).total
