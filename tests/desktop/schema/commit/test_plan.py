"""The plan of a commit: what is lost, what blocks the commit, what was not counted."""

from __future__ import annotations

from typing import Any

from cdb_desktop.schema.commit.plan import CommitPlanLine, plan_lines, read_commit_plan
from cdb_desktop.schema.diff.change import Change
from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.edits.columns import SetColumnOptions
from cdb_desktop.schema.edits.removal import RemoveColumn, RemoveTable
from cdb_desktop.schema.edits.tables import SetTableOptions
from tests.desktop.schema.models import PERSON, PERSON_BORN, PICTURE, TITLE, WORK, Json, apply, opened

BORN_STEP: Json = {
    "action": "drop_column",
    "table_id": PERSON,
    "table": "person",
    "column_id": PERSON_BORN,
    "column": "born",
    "stake": {"rows": 3000, "values": 2890},
}


def test_steps_are_assigned_to_their_changes() -> None:
    """A column that goes costs its values, and needs consent for them."""
    (line,) = _lines([RemoveColumn(ColumnRef(PERSON, PERSON_BORN))], BORN_STEP)
    assert (line.lost, line.needs_consent, line.blocking) == (2890, True, 0)


def test_what_is_empty_needs_no_consent() -> None:
    """Nothing is lost with a column without values."""
    (line,) = _lines(
        [RemoveColumn(ColumnRef(PERSON, PERSON_BORN))], BORN_STEP | {"stake": {"rows": 3, "values": 0}}
    )
    assert not line.needs_consent


def test_changes_without_counts_need_consent() -> None:
    """Without a plan, and where the plan has no step for it."""
    edits = [RemoveColumn(ColumnRef(PERSON, PERSON_BORN))]
    (unplanned,) = plan_lines(_changes(edits), None)
    (uncounted,) = _lines(edits)
    assert unplanned.needs_consent
    assert uncounted.needs_consent


def test_a_table_costs_its_rows_even_without_values() -> None:
    """They are objects with ids, whatever they hold."""
    step = {
        "action": "drop_table",
        "table_id": PICTURE,
        "table": "picture",
        "stake": {"rows": 7, "values": 0},
    }
    lines = _lines([RemoveTable(PICTURE, dependents=True)], step)
    assert [line.lost for line in lines if line.needs_consent] == [7]


def test_options_and_system_columns() -> None:
    """Each at the change that makes it."""
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


def test_steps_of_no_known_change_have_a_line_of_their_own() -> None:
    """And what has no form of a step is passed over."""
    step = BORN_STEP | {"action": "shred"}
    lines = _lines([], step | {"stake": {"rows": 1, "blocking": 1}}, {"action": 3}, step | {"stake": None})
    assert [(line.change, line.blocking, line.steps[0].name) for line in lines] == [(None, 1, "person.born")]


def test_another_head_is_another_stamp() -> None:
    """So that a commit does only what was agreed to."""
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
