"""All stories of the month, told before its days are lived; knows each story's name only."""

from __future__ import annotations

from itertools import count
from random import Random

import msgspec

from server_stub.demo.actions import Stock, World
from server_stub.demo.history import routine, troubles
from server_stub.demo.history.calendar import Calendar
from server_stub.demo.history.telling import Release, Telling
from server_stub.demo.people import by_login
from server_stub.events import EventDraft

# Stories may not be more than this part of the log.
_MOST = 0.25
# The first version stands as soon as the house opens.
OPENING = 120


class Stories(msgspec.Struct, frozen=True):
    """What the stories leave behind, and the releases of the schema by ascending time."""

    drafts: list[EventDraft]
    sessions: list[dict[str, object]]
    releases: tuple[Release, ...]


def tell(calendar: Calendar, rng: Random, purged: range, events: int) -> Stories:
    """The stories of a log of so many events; a short log has only the releases."""
    telling = Telling(World(rng, Stock({}, {}), count()), calendar, by_login())
    releases = (
        routine.release(telling, 1, calendar.start + OPENING),
        routine.release(telling, 2, calendar.at(calendar.workday(18), 10, 42)),
        routine.release(telling, 3, calendar.at(calendar.workday(8), 16, 5)),
    )
    routine.restarts(telling)
    routine.new_accounts(telling)
    troubles.purge(telling, purged)
    troubles.nightly_export(telling)
    troubles.attack(telling)
    troubles.broken_editor(telling, releases[-1].second)
    troubles.deaf_website(telling)
    drafts = [draft for draft in telling.world.drafts if calendar.start <= draft.timestamp <= calendar.end]
    if len(drafts) + len(releases) > events * _MOST:
        return Stories([], [], releases)
    return Stories(drafts, telling.sessions, releases)
