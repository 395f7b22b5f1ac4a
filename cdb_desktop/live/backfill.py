"""Events that polls do not bring, read from the list instead (§4.3). No Qt, no HTTP."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import msgspec

from cdb_desktop.client import (
    AnswerError,
    Client,
    ClientError,
    Event,
    EventFilter,
    EventPage,
    GatewayError,
    Polled,
    ServiceError,
    Session,
    SessionLostError,
    SlowAnswerError,
)
from cdb_desktop.live.reading import Reading, leap

RIGHT = "system.api.event.get"  # what a list takes (§5.2)
_log = logging.getLogger(__name__)
_TRIES = 5  # times that somebody may delete while a list is read
_REFUSALS: tuple[type[ClientError], ...] = (ServiceError, SlowAnswerError, AnswerError, GatewayError)

Note = Callable[[float], None]  # told how much is done, from 0 to 1


class Place(msgspec.Struct, frozen=True):
    """The ids that are looked for, first and last of each stretch from the top, and the pages to read."""

    stretches: Sequence[tuple[int, int]]
    pages: int


class Listed(msgspec.Struct):
    """What a list had by id; it is complete from ``down_to`` upwards."""

    down_to: int
    events: dict[int, Event] = msgspec.field(default_factory=dict)


def reaches(event: Event, user_id: int | None) -> bool:
    """Whether a poll would bring this pollable event to the session that listed it (§4.2 rules 1 and 2)."""
    if event.type == "OBJECT_INSERT":
        return event.session_self
    is_of_user = event.type == "OBJECT_UPDATE" and event.basetype == "user"
    return not is_of_user or (user_id is not None and event.user_id == user_id)


async def newest(client: Client, session: Session, number: int) -> Polled:
    """Of the ``number`` newest events those that a poll would have brought, oldest first.

    What cannot be read comes beside them.

    Nothing without the right to list, and where the service cannot.
    Raises UnreachableError, SessionLostError.
    """
    if not session.allows(RIGHT):
        return Polled()
    page = await page_of(client, EventFilter(pollable=True), number, 0)
    if page is None:
        return Polled()
    user_id = session.user.id if session.user else None
    return Polled(tuple(one for one in reversed(page.events) if reaches(one, user_id)), page.unreadable)


async def listed(client: Client, place: Place, note: Note, *, pollable: bool) -> Listed | None:
    """What the list has there; None where it cannot tell. Raises UnreachableError, SessionLostError."""

    async def ask(limit: int, offset: int) -> EventPage | None:
        return await page_of(client, EventFilter(pollable=pollable), limit, offset)

    reading, tries = Reading(place.stretches), _TRIES
    for _ in range(place.pages):
        page = await ask(reading.limit, reading.offset)
        # A record that cannot be read may be any of those that are looked for.
        if page is None or page.unreadable or not reading.take(page.events):
            break
        note(reading.done)
        tries -= reading.is_torn
        if not reading.goes_on or not tries:
            break
        await leap(reading, ask)
    return Listed(reading.down_to, reading.found) if reading.has_read else None


async def page_of(client: Client, chosen: EventFilter, limit: int, offset: int) -> EventPage | None:
    """A page of the list, newest first; None where it cannot be had.

    Raises UnreachableError, SessionLostError.
    """
    try:
        return await client.list_events(
            chosen, limit=limit, offset=offset, skip_count=client.features.skip_count
        )
    except _REFUSALS as error:
        if isinstance(error, SessionLostError):
            raise
        # Polls are cheap where a list may fail: a long log times out, a proxy cuts off.
        _log.warning("events were not listed: %s", error)
        return None
