"""Tests of the plan of a commit: losses, blocking changes, and changes without counts."""

from typing import Any

from cdb_desktop.schema.commit.plan import (
    CommitPlan,
    CommitPlanLine,
    CommitStep,
    Reindexing,
    expected_reindexing,
    plan_lines,
    read_commit_plan,
)
from cdb_desktop.schema.diff.compare import Change, compare
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn, SetColumnOptions
from cdb_desktop.schema.edits.tables import AddTable, SetTableOptions, remove_column, remove_table
from tests.desktop.schema.models import (
    MARK,
    MARK_SIGN,
    PERSON,
    PERSON_BORN,
    PERSON_NAME,
    PICTURE,
    TITLE,
    WORK,
    Json,
    apply,
    opened,
)

BORN_STEP: Json = {
    "action": "drop_column",
    "table_id": PERSON,
    "table": "person",
    "column_id": PERSON_BORN,
    "column": "born",
    "stake": {"rows": 3000, "values": 2890},
}


def test_steps_are_assigned_to_their_changes() -> None:
    """Removing a column loses its values, and needs consent."""
    (line,) = _lines([remove_column(ColumnRef(PERSON, PERSON_BORN))], BORN_STEP)
    assert (line.lost, line.needs_consent, line.blocking) == (2890, True, 0)


def test_an_empty_column_needs_no_consent() -> None:
    """Removing a column without values loses nothing."""
    (line,) = _lines(
        [remove_column(ColumnRef(PERSON, PERSON_BORN))], BORN_STEP | {"stake": {"rows": 3, "values": 0}}
    )
    assert not line.needs_consent


def test_changes_without_counts_need_consent() -> None:
    """This holds without a plan, and if the plan has no step for the change."""
    edits = [remove_column(ColumnRef(PERSON, PERSON_BORN))]
    (unplanned,) = plan_lines(_changes(edits), None)
    (uncounted,) = _lines(edits)
    assert unplanned.needs_consent
    assert uncounted.needs_consent


def test_removing_a_table_loses_its_rows_even_without_values() -> None:
    """The rows are objects with ids."""
    step = {
        "action": "drop_table",
        "table_id": PICTURE,
        "table": "picture",
        "stake": {"rows": 7, "values": 0},
    }
    lines = _lines([remove_table(PICTURE, dependents=True)], step)
    assert [line.lost for line in lines if line.needs_consent] == [7]


def test_options_and_system_columns() -> None:
    """Each is assigned to the change that causes it."""
    edits = [
        SetColumnOptions(ColumnRef(WORK, TITLE), {"not_null": True, "check": "not_empty"}),
        SetTableOptions(WORK, {"pool_link": False}),
    ]
    title: Json = {"table_id": WORK, "table": "work", "column_id": TITLE, "column": "title"}
    steps: list[Json] = [
        {**title, "action": "require_not_null", "stake": {"rows": 9, "values": 8, "blocking": 1}},
        {"action": "drop_column", "table_id": WORK, "table": "work", "column": "_pool_id"}
        | {"stake": {"rows": 9, "values": 4}},
    ]
    lines = _lines(edits, *steps)
    assert sum(line.blocking for line in lines) == 1
    assert sum(line.lost for line in lines) == 4
    assert all(line.change for line in lines)


def test_steps_without_a_change_have_their_own_line() -> None:
    """Values that are not steps are ignored."""
    step = BORN_STEP | {"action": "shred"}
    lines = _lines([], step | {"stake": {"rows": 1, "blocking": 1}}, {"action": 3}, step | {"stake": None})
    assert [(line.change, line.blocking, line.steps[0].name) for line in lines] == [(None, 1, "person.born")]


def test_another_head_has_another_stamp() -> None:
    """A commit only does what the user has agreed to."""
    stamps = {read_commit_plan({"head_digest": digest, "current_version": 3}).stamp for digest in ("a", "b")}
    assert len(stamps) == 2
    assert read_commit_plan({}).steps == read_commit_plan({"steps": [None, 1]}).steps == ()


def _changes(edits: list[Any]) -> tuple[Change, ...]:
    document = opened()
    for edit in edits:
        document = apply(document, edit)
    return compare(opened(), document)


def _lines(edits: list[Any], *steps: Json) -> tuple[CommitPlanLine, ...]:
    return plan_lines(_changes(edits), read_commit_plan({"steps": list(steps)}))


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
