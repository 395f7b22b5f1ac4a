"""What takes several calls: a page of events in parts, the newest id of a service that does not tell it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, TypeVar

import msgspec

from cdb_desktop.client.dialect import Build, Dialect
from cdb_desktop.client.errors import TooLargeError
from cdb_desktop.client.generation6.calls import Generation6
from cdb_desktop.client.query import EventFilter
from cdb_desktop.client.records import Event, EventPage, Record, Session, Unreadable
from cdb_desktop.client.request import MEGABYTE, Call, Parts, Response

Result = TypeVar("Result")

_CALLS = Generation6()
_SEE_EVENTS = "system.api.event.get"
_MOST_IN_PARTS = 64 * MEGABYTE  # bytes of all responses of a page
_HALVINGS = 4  # of the limit, in a row, before single records are requested


class Run(Protocol):
    """Sends a call and returns its result. Raises ClientError."""

    async def __call__(self, build: Build[Result], /) -> Result: ...


async def read_in_parts(
    run: Run, call: Callable[..., Build[EventPage]], limit: int, offset: int, *, counts: bool
) -> EventPage:
    """Reads a page that is too large in smaller parts; a single record that is too large is unreadable.

    Raises TooLargeError, also if all parts together are larger than a page may be.
    """
    records: list[Record] = []
    step, size, count, failures = limit // 2, 0, None, 1
    while len(records) < limit:
        asked = max(min(step, limit - len(records)), 1)
        build = call(asked, offset + len(records), counts=counts and count is None)
        sized = _Sized(build, _MOST_IN_PARTS - size if asked > 1 else None)
        try:
            part = await run(sized.call)
        except TooLargeError as error:
            if error.is_bomb:
                raise
            failures += 1
            if asked == 1 and records and isinstance(records[-1], Unreadable):
                raise  # many large records, or the service ignores the limit
            if asked == 1:
                records.append(Unreadable("too_large"))
            step = max(asked // 2, 1) if failures < _HALVINGS else 1
            continue
        failures = 0
        count = part.count if count is None else count
        records += part.records
        size += sized.size
        if size > _MOST_IN_PARTS:
            raise TooLargeError(_MOST_IN_PARTS)
        if len(part.records) < asked:
            break
        # Usually only a few records are large.
        step = min(2 * step, limit // 2)
    events = tuple(one for one in records if isinstance(one, Event))
    unreadable = tuple(
        msgspec.structs.replace(one, place=place)
        for place, one in enumerate(records)
        if isinstance(one, Unreadable)
    )
    return EventPage(events, count, limit, offset, unreadable)


class Send(Protocol):
    """Sends a call without signing in again. Raises ClientError."""

    async def __call__(self, call: Call[Result], /) -> Result: ...


async def newest_id(send: Send, session: Session) -> int:
    """The id of the newest event; without the right to list, of the newest that is polled."""
    if session.allows(_SEE_EVENTS):
        page = await send(_CALLS.list_events(EventFilter(), (), 1, 0, full=True, skip_count=True))
        return max((event.id for event in page.events), default=0)
    # Polls have the oldest events first: the whole log would be read.
    low, high, is_bounded = 0, 1, False
    while low < high or not is_bounded:
        middle = (low + high) // 2 if is_bounded else high
        events = (await send(_CALLS.poll_events(middle, 1))).events
        if events:
            low, high = events[0].id, high if is_bounded else 2 * events[0].id
        else:
            high, is_bounded = middle, True
    return low


class _Sized:
    """Decodes the response of a call, which has ``most`` bytes at most, and stores its size in bytes."""

    def __init__(self, build: Build[EventPage], most: int | None) -> None:
        self._build = build
        self._most = most
        self.size = 0

    def call(self, calls: Dialect) -> Call[EventPage]:
        """The call for a dialect."""
        made = self._build(calls)
        largest = made.request.largest if self._most is None else min(made.request.largest, self._most)

        def decode(answer: Response) -> EventPage | Parts[EventPage]:
            self.size = len(answer.body)
            return made.decode(answer)

        return Call(replace(made.request, largest=largest), decode)
