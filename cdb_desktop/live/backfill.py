"""Events that polls do not bring, read from the list instead (§4.3). No Qt, no HTTP."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

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

RIGHT = "system.api.event.get"  # what a list takes (§5.2)
_log = logging.getLogger(__name__)
_PAGE = 1000  # the most that a list gives (§8)
_SPARE = 20  # events that may have come above those that are looked for
_TRIES = 5  # times that a list is begun again because somebody deletes while it is read
_REFUSALS: tuple[type[ClientError], ...] = (ServiceError, SlowAnswerError, AnswerError)

Note = Callable[[float], None]  # told how much is done, from 0 to 1


@dataclass(frozen=True, slots=True)
class Place:
    """The ids that are looked for, and the pages that may be read for them."""

    first: int
    last: int
    pages: int


@dataclass(slots=True)
class Listed:
    """What a list had by id; it is complete from ``down_to`` upwards."""

    down_to: int
    events: dict[int, Event] = field(default_factory=dict)


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
    if not session.allows(RIGHT):
        return ()
    page = await _page(client, EventFilter(pollable=True), number, 0)
    user_id = session.user.id if session.user else None
    return tuple(event for event in reversed(page.events if page else ()) if reaches(event, user_id))


async def listed(client: Client, place: Place, note: Note, *, pollable: bool) -> Listed | None:
    """What the list has there; None where it cannot tell. Raises UnreachableError, SessionLostError."""
    pages = place.pages
    for _ in range(_TRIES):
        reading = _Reading(place.first, place.last)
        while reading.goes_on and pages > 0:
            pages -= 1
            page = await _page(client, EventFilter(pollable=pollable), reading.limit, reading.offset)
            if page is None or not reading.take(page.events):
                return None
            note(reading.done)
        if not reading.is_torn:
            return Listed(reading.down_to, reading.found)
    return None


class _Reading:
    """Reads from the newest event downwards. The service pages by offset only, and each page begins with the
    last event of the one before: where that has moved up, somebody has deleted, and events were skipped."""

    def __init__(self, first: int, last: int) -> None:
        self._first, self._last = first, last
        self._edge: int | None = None  # the lowest id that has come
        self.limit = min(_PAGE, last - first + 1 + _SPARE)
        self.offset = 0
        self.found: dict[int, Event] = {}
        self.is_torn = False
        self._is_over = False

    @property
    def goes_on(self) -> bool:
        return not self._is_over and not self.is_torn

    @property
    def down_to(self) -> int:
        return self._first if self._is_over or self._edge is None else max(self._first, self._edge)

    @property
    def done(self) -> float:
        return min(1.0, (self._last - self.down_to + 1) / (self._last - self._first + 1))

    def take(self, events: Iterable[Event]) -> bool:
        """Takes a page in; False where the list is not in the order that was asked for."""
        found = {event.id: event for event in events}
        ids = list(found)
        if ids != sorted(ids, reverse=True):
            _log.warning("the list of events is not in order of their ids")
            return False
        if self._edge is not None and self._edge not in found:
            self.is_torn = True
            return True
        self.found |= {one: event for one, event in found.items() if self._first <= one <= self._last}
        # A service may give fewer than were asked for: only a page that brings nothing more is the last.
        self._is_over = not ids or ids[-1] == self._edge or ids[-1] <= self._first
        self.offset += len(ids) - 1
        self._edge = ids[-1] if ids else self._edge
        return True


async def _page(client: Client, chosen: EventFilter, limit: int, offset: int) -> EventPage | None:
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
