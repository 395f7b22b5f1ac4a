"""Events that polls do not bring any more, read from the list instead (§4.3). No Qt, no HTTP."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from cdb_desktop.client import (
    AnswerError,
    Client,
    ClientError,
    Event,
    EventFilter,
    EventPage,
    ServiceError,
    Session,
    SessionLostError,
    SlowAnswerError,
)
from cdb_desktop.live.feed import CAPACITY

_log = logging.getLogger(__name__)
_RIGHT = "system.api.event.get"
_PAGE = 1000  # the most that a list gives (§8)
_POLLABLE = EventFilter(pollable=True)
_REFUSALS: tuple[type[ClientError], ...] = (ServiceError, SlowAnswerError, AnswerError)


def reaches(event: Event, user_id: int | None) -> bool:
    """Whether a poll would bring this pollable event to the session that listed it (§4.2 rules 1 and 2)."""
    if event.type == "OBJECT_INSERT":
        return event.session_self
    is_of_user = event.type == "OBJECT_UPDATE" and event.basetype == "user"
    return not is_of_user or (user_id is not None and event.user_id == user_id)


async def newest(client: Client, session: Session, number: int) -> tuple[Event, ...]:
    """Of the ``number`` newest events those that a poll would have brought, oldest first.

    Nothing without the right to list, and where the service cannot.
    Raises UnreachableError, SessionLostError.
    """
    page = await _page(client, session, number, 0)
    return _polled(page.events, session) if page else ()


async def between(client: Client, session: Session, after: int, upto: int) -> tuple[Event, ...] | None:
    """What a poll would have brought with ids above ``after`` up to ``upto``, oldest first.

    None without the right to list, and where the service cannot; no more than the feed holds.
    Raises UnreachableError, SessionLostError.
    """
    found: dict[int, Event] = {}
    # Newest first: what is written meanwhile moves pages down, so that events come twice but none is missed.
    for offset in range(0, CAPACITY, _PAGE):
        page = await _page(client, session, _PAGE, offset)
        if page is None:
            return None
        found.update({event.id: event for event in page.events if after < event.id <= upto})
        if len(page.events) < _PAGE or min(event.id for event in page.events) <= after:
            break
    return _polled(sorted(found.values(), key=lambda event: event.id, reverse=True), session)


async def _page(client: Client, session: Session, limit: int, offset: int) -> EventPage | None:
    if not session.allows(_RIGHT):
        return None
    try:
        return await client.list_events(
            _POLLABLE, limit=limit, offset=offset, skip_count=client.features.skip_count
        )
    except _REFUSALS as error:
        if isinstance(error, SessionLostError):
            raise
        # Polls are cheap where a list may fail: a long log times out, a proxy cuts off.
        _log.warning("events before the poll were not listed: %s", error)
        return None


def _polled(events: Sequence[Event], session: Session) -> tuple[Event, ...]:
    user_id = session.user.id if session.user else None
    return tuple(event for event in reversed(events) if reaches(event, user_id))
