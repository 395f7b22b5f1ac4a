"""Builders of events, and functions that identify the records of a response."""

from collections.abc import Callable, Iterable
from typing import Any

import httpx

from server_stub.events import Actor, EventDraft
from tests.contract.caller import Clock

NOW = Clock.second  # 2025-06-15T15:06:40+00:00
Store = Callable[..., list[int]]

# Ids of the six users, in the order in which conftest.py adds them.
ROOT, SUPPORT, STEWARD, MODELLER, RELEASER, VIEWER = range(1, 7)
_NAMES = ("Root", "Support", "Steward", "Modeller", "Releaser", "Viewer")


def by(user_id: int, session: str | None = None, kind: str = "easydb", name: str | None = None) -> Actor:
    """One of the six users (or another with a name) as the cause of an event."""
    return Actor(user_id, kind, name or _NAMES[user_id - 1], session)


def event(kind: str = "DETAIL_VIEW", actor: Actor | None = None, **more: Any) -> EventDraft:
    """An event at the current time, by default not pollable and without an object."""
    return EventDraft(kind, more.pop("timestamp", NOW), actor, **more)


def ids(records: Iterable[dict[str, Any]]) -> list[int]:
    """The `_id` of records, in their order."""
    return [record["event"]["_id"] for record in records]


def listed(answer: httpx.Response) -> list[int]:
    """The `_id` of the records in the response of a list."""
    assert answer.status_code == 200, answer.text
    return ids(answer.json()["objects"])
