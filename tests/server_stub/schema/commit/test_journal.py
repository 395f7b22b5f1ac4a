"""The journal of a commit, and resuming an interrupted commit."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from server_stub.schema.commit import journal, step_execution
from server_stub.schema.commit.journal import Journal
from server_stub.schema.commit.plan import make_plan
from server_stub.schema.commit.step_execution import execute
from server_stub.schema.commit.step_types import CommitPlan
from server_stub.schema.document.model import read_schema
from tests.server_stub.schema.documents import (
    column,
    column_of,
    document,
    foreign_key,
    named,
    owned_by,
    place_of,
    table,
    unique_key,
)
from tests.server_stub.schema.harness import NOW, ROOT, Harness, expected_tables


def _prepare(harness: Harness) -> CommitPlan:
    """Saves a HEAD that needs every kind of step; returns its plan."""
    work = table(
        "work", column("title"), column("year", "decimal.2"), column("gone"), column("place", "link")
    )
    work |= {"foreign_keys": [foreign_key("place", "place")], "unique_keys": [unique_key("title")]}
    harness.save_and_commit(document(work, table("place", column("name")), table("old", column("x"))))
    harness.sql("INSERT INTO place(_id, name) VALUES (1, 'Ulm')")
    harness.insert("work", *({"title": f"w{number}", "year": number, "place": 1} for number in range(1, 6)))
    head = harness.change()
    piece, town = named(head, "work"), named(head, "place")
    piece["name"], town["name"] = "piece", "town"
    column_of(piece, "year").update(type="text", not_null=True)
    column_of(piece, "title").update(name="heading", check="not_empty")
    piece["columns"] = [one for one in piece["columns"] if one["name"] != "gone"]
    piece["columns"] += [column("note", default="x"), place_of("piece__parts")]
    piece["unique_keys"] = [unique_key("heading", "note")]
    parts = table("piece__parts", column("label"), **owned_by("piece"))
    head["tables"] = [piece, town, parts]
    after = read_schema(harness.schemas.save_head(head))
    return make_plan(read_schema(harness.schemas.read("CURRENT")), after, link_ahead=True)


def _run_apart(harness: Harness, plan: CommitPlan, steps: int) -> None:
    """Runs and commits the first steps, like a database without transactional DDL."""
    with harness.database.write(foreign_keys=False) as connection:
        execute(connection, replace(plan, steps=plan.steps[:steps]), Journal(connection, 2, lambda: NOW))


@pytest.mark.parametrize("in_transactions", [True, False])
def test_every_step_is_written(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, *, in_transactions: bool
) -> None:
    """Every step is recorded in order, with its times, including steps that only read."""
    for module in (journal, step_execution):
        monkeypatch.setattr(module, "changes_tables_in_transactions", lambda _: in_transactions)
    plan = _prepare(harness)
    harness.commit()
    rows = harness.sql("SELECT step, state, action, begun, ended FROM _journal WHERE version=2 ORDER BY step")
    assert rows == [
        (number, "done", type(step).__name__, NOW, NOW) for number, step in enumerate(plan.steps, 1)
    ]
    assert len({type(step) for step in plan.steps}) >= 12


@pytest.mark.parametrize("last_row", ["done", "begun"])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9, 1])
def test_resumes_after_an_interruption(harness: Harness, share: float, last_row: str) -> None:
    """A commit resumes after the last step, even if the row of the last step is missing."""
    plan = _prepare(harness)
    steps = max(1, int(len(plan.steps) * share))
    _run_apart(harness, plan, steps)
    harness.sql("UPDATE _journal SET state=? WHERE version=2 AND step=?", last_row, steps)
    _commit_the_rest(harness)


@pytest.mark.long
@pytest.mark.parametrize("steps", range(1, 25))
def test_resumes_after_every_step(harness: Harness, steps: int) -> None:
    """A commit resumes after each single step whose row is missing."""
    plan = _prepare(harness)
    _run_apart(harness, plan, min(steps, len(plan.steps)))
    harness.sql("UPDATE _journal SET state='begun' WHERE version=2 AND step=?", min(steps, len(plan.steps)))
    _commit_the_rest(harness)


def _commit_the_rest(harness: Harness) -> None:
    assert harness.schemas.commit(ROOT).version == 2
    assert harness.tables() == expected_tables(harness.schemas.read("CURRENT"))
    texts = [(f"w{number}", f"{number}.00", "x") for number in range(1, 6)]
    assert harness.rows("piece", "heading", "year", "note") == texts
    assert harness.sql("SELECT count(*) FROM _journal WHERE version=2 AND state<>'done'") == [(0,)]
    assert harness.sql("PRAGMA foreign_key_check") == []
