"""The preview of a commit (wire §5): its changes in order, with their impact on rows; changes nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection

from server_stub.database.ddl_support import may_link_ahead
from server_stub.foundation.errors import UserError
from server_stub.schema.commit.changes import Change, PlanSummary
from server_stub.schema.commit.impact import Impact, ImpactQueries, ImpactQuery, measure_impacts
from server_stub.schema.commit.plan import make_plan
from server_stub.schema.commit.step_types import CommitPlan, ConvertValues
from server_stub.schema.commit.storage_layout import column_key, lay_out, to_json
from server_stub.schema.document.model import Schema, read_schema
from server_stub.schema.versions import Versions


def preview_commit(connection: Connection) -> dict[str, Any]:
    """What committing HEAD would do now: {current_version, head_version, head_digest, steps}.

    Raises UserError instance_not_found (404) before the first schema.
    """
    versions = Versions(connection)
    current, head = versions.current(), versions.at("HEAD")
    return {
        "current_version": None if current is None else current["version"],
        "head_version": head["version"],
        "head_digest": sha256(to_json(head).encode()).hexdigest()[:16],
        "steps": _steps(connection, current, head),
    }


def _steps(
    connection: Connection, current: Mapping[str, Any] | None, head: Mapping[str, Any]
) -> list[dict[str, object]]:
    before = None if current is None else read_schema(current)
    after = read_schema(head)
    plan = make_plan(before, after, link_ahead=may_link_ahead(connection))
    before = before or Schema(version=0, tables=())
    summary = PlanSummary(before, after, lay_out(before), lay_out(after), plan)
    changes = list(summary.changes())
    found = _impacts(connection, summary, changes)
    return [_step_object(summary, change, found.get(index)) for index, change in enumerate(changes)]


def _impacts(connection: Connection, summary: PlanSummary, changes: list[Change]) -> dict[int, Impact]:
    """The impacts by index of their change; each table is queried once."""
    queries = ImpactQueries(summary.old, summary.new, _conversions(summary.plan))
    requested: dict[int, list[tuple[int, ImpactQuery]]] = defaultdict(list)
    for index, change in enumerate(changes):
        query = queries.for_change(change)
        if query is not None:
            requested[change.table_id].append((index, query))
    found: dict[int, Impact] = {}
    for table_id, indexed in requested.items():
        answers = measure_impacts(connection, summary.old[table_id].name, [query for _, query in indexed])
        found |= dict(zip((index for index, _ in indexed), answers, strict=True))
    return found


def _conversions(plan: CommitPlan) -> dict[str, ConvertValues]:
    return {column_key(step.after.id): step for step in plan.steps if isinstance(step, ConvertValues)}


def _step_object(summary: PlanSummary, change: Change, impact: Impact | None) -> dict[str, object]:
    step = {"action": change.action, **summary.named(change), **change.more}
    if impact is None:
        return step
    numbers = {
        "rows": impact.rows,
        "values": impact.values,
        "blocking": impact.blocking,
        "lossy": impact.lossy,
    }
    step["stake"] = {name: number for name, number in numbers.items() if number is not None}
    return step | _refusal(impact.refusal)


def _refusal(refusal: UserError | None) -> dict[str, object]:
    return {} if refusal is None else {"refusal": refusal.to_object()}
