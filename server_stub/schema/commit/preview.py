"""Foretells a commit (wire §5): its steps in order, with what rows have at stake; changes nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection

from server_stub.database.ddl_support import may_link_ahead
from server_stub.errors import UserError
from server_stub.schema.commit.changes import Entry, Outline
from server_stub.schema.commit.impact import Question, Questions, Stake, stakes
from server_stub.schema.commit.layout import as_json, column_key, lay_out
from server_stub.schema.commit.plan import make_plan
from server_stub.schema.commit.steps import ConvertValues, Plan
from server_stub.schema.document.model import Schema, read_schema
from server_stub.schema.versions import Versions


def preview(connection: Connection) -> dict[str, Any]:
    """What committing HEAD would do now: {current_version, head_version, head_digest, steps}.

    Raises UserError instance_not_found (404) before the first schema.
    """
    versions = Versions(connection)
    current, head = versions.current(), versions.at("HEAD")
    return {
        "current_version": None if current is None else current["version"],
        "head_version": head["version"],
        "head_digest": sha256(as_json(head).encode()).hexdigest()[:16],
        "steps": _steps(connection, current, head),
    }


def _steps(
    connection: Connection, current: Mapping[str, Any] | None, head: Mapping[str, Any]
) -> list[dict[str, object]]:
    before = None if current is None else read_schema(current)
    after = read_schema(head)
    plan = make_plan(before, after, link_ahead=may_link_ahead(connection))
    before = before or Schema(version=0, tables=())
    outline = Outline(before, after, lay_out(before), lay_out(after), plan)
    entries = list(outline.entries())
    found = _stakes(connection, outline, entries)
    return [_told(outline, entry, found.get(place)) for place, entry in enumerate(entries)]


def _stakes(connection: Connection, outline: Outline, entries: list[Entry]) -> dict[int, Stake]:
    """The stakes by the place of their entry; each table is asked once."""
    questions = Questions(outline.old, outline.new, _conversions(outline.plan))
    asked: dict[int, list[tuple[int, Question]]] = defaultdict(list)
    for place, entry in enumerate(entries):
        question = questions.about(entry)
        if question is not None:
            asked[entry.table_id].append((place, question))
    found: dict[int, Stake] = {}
    for table_id, places in asked.items():
        answers = stakes(connection, outline.old[table_id].name, [question for _, question in places])
        found |= dict(zip((place for place, _ in places), answers, strict=True))
    return found


def _conversions(plan: Plan) -> dict[str, ConvertValues]:
    return {column_key(step.after.id): step for step in plan.steps if isinstance(step, ConvertValues)}


def _told(outline: Outline, entry: Entry, stake: Stake | None) -> dict[str, object]:
    told = {"action": entry.action, **outline.named(entry), **entry.more}
    if stake is None:
        return told
    numbers = {"rows": stake.rows, "values": stake.values, "blocking": stake.blocking, "lossy": stake.lossy}
    told["stake"] = {name: number for name, number in numbers.items() if number is not None}
    return told | _refusal(stake.refusal)


def _refusal(refusal: UserError | None) -> dict[str, object]:
    return {} if refusal is None else {"refusal": refusal.to_object()}
