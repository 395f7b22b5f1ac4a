"""A model of lists in plain Python over dicts, independent of the server's SQL."""

from collections.abc import Mapping, Sequence
from typing import Any

from server_stub.events import EventDraft

_FIELDS = {
    "_id": "_id",
    "type": "type",
    "object_version": "object_version",
    "schema": "schema",
    "object_id": "object_id",
    "timestamp": "timestamp",
    "user_generated_displayname": "displayname",
    "base_type": "base_type",
}
Sort = tuple[str, str | None]  # a field and its direction


def known(id_: int, draft: EventDraft) -> dict[str, Any]:
    """The data of an event that the model uses."""
    return {
        "_id": id_,
        "type": draft.type,
        "base_type": draft.base_type,
        "schema": draft.schema,
        "object_id": draft.object_id,
        "object_version": draft.object_version,
        "timestamp": draft.timestamp,
        "pollable": draft.pollable,
        "user_id": draft.actor.user_id if draft.actor else None,
        "displayname": draft.actor.displayname if draft.actor else None,
    }


def matching(
    events: Sequence[Mapping[str, Any]],
    wanted: Mapping[str, Any],
    groups: Mapping[int, set[int]],
    types: Mapping[int, str],
) -> list[Mapping[str, Any]]:
    """The events that fulfil every filter; the three user filters make one set of users (§4.3 rule 1).

    `groups` are the members by group, `types` the types by user; bounds are epoch seconds, both inclusive.
    """
    users: set[int] | None = None
    if wanted.keys() & {"user_id", "group_id", "user_type"}:
        users = set(wanted.get("user_id", ()))
        users |= {user for group in wanted.get("group_id", ()) for user in groups.get(group, ())}
        users |= {user for user, kind in types.items() if kind in wanted.get("user_type", ())}

    def fits(event: Mapping[str, Any]) -> bool:
        return (
            wanted.get("pollable", event["pollable"]) == event["pollable"]
            and ("type" not in wanted or event["type"] in wanted["type"])
            and ("base_type" not in wanted or event["base_type"] in wanted["base_type"])
            and wanted.get("date_from", event["timestamp"]) <= event["timestamp"]
            and event["timestamp"] <= wanted.get("date_to", event["timestamp"])
            and (users is None or event["user_id"] in users)
        )

    return [event for event in events if fits(event)]


def ordered(events: Sequence[Mapping[str, Any]], sort: Sequence[Sort]) -> list[Mapping[str, Any]]:
    """Sorts by the definitions, the first one being the most significant, and by `_id` (wire §3).

    Missing values come first in ascending and last in descending order.
    """
    fields = list(sort) or [("_id", "DESC")]
    if all(name != "_id" for name, _ in fields):
        fields.append(("_id", fields[-1][1]))
    found = list(events)
    for name, direction in reversed(fields):
        key = _FIELDS[name]
        found.sort(
            key=lambda event, key=key: (event[key] is not None, event[key] if event[key] is not None else 0),  # type: ignore[misc]
            reverse=direction == "DESC",
        )
    return found
