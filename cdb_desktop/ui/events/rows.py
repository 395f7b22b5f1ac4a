"""Fetches the rows of a listing page by page: the first before the count, others when they are in sight."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from cdb_desktop.client import (
    Client,
    Event,
    EventFilter,
    ServerError,
    SlowAnswerError,
    Sort,
    UnreachableError,
)
from cdb_desktop.events.pages import PAGE, Result
from cdb_desktop.events.query import Listing
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.tasks import Handler, Tasks

PASSING = (UnreachableError, SlowAnswerError, ServerError)  # what the next try may cure
_log = logging.getLogger(__name__)
_RETRY = 1.0  # seconds until a page in sight is asked for again
_BY_TIME = (Sort("timestamp"),)


async def number_of(client: Client, chosen: EventFilter) -> int | None:
    """How many events a filter finds, None where the service does not tell. Raises ClientError.

    No call only counts, and the one event that has to come along is to cost nothing: of a stretch of time or
    of somebody's events it is the first by time, as a service finds them, elsewhere the newest by id. In the
    other order all of them would have to be sorted for it.
    """
    is_by_time = chosen.date_from or chosen.user_id or chosen.group_id or chosen.user_type
    return (await client.list_events(chosen, sort=_BY_TIME if is_by_time else (), limit=1)).count


class Rows(QObject):
    """The result in force and the pages of it that are on their way.

    Signals: ``shown`` with the Result that is in force from now on, None for none.
    """

    shown = Signal(object)

    def __init__(self, view: EventsView, client: Client, tasks: Tasks, failed: Handler) -> None:
        """``failed`` is told what no further try will cure."""
        super().__init__(view)
        self._view = view
        self._client = client
        self._tasks = tasks
        self._failed = failed
        self._asked: set[int] = set()
        self._loading = 0
        self.whole = False  # whether the rows need more than the short records have (wire §3)
        self.result: Result | None = None
        view.rows_shown.connect(self._fetch)

    @property
    def are_awaited(self) -> bool:
        """Whether somebody waits for rows, other ones or more of them."""
        return self._loading > 0 or bool(self._asked)

    def forget(self) -> None:
        """There is no result."""
        self._cancel_pages()
        self.result = None
        self.shown.emit(None)

    async def load(self, listing: Listing, *, keep_place: bool) -> None:
        """Shows a listing in place of the one before. Raises ClientError."""
        narrows = not listing.filter.is_empty
        result = await self._first(listing)
        if self.result is None or not keep_place:
            self._show(result, keep_place=False)
            await self._count(result)
            self._view.show_count()
        else:
            # Somebody may be deep down in the rows: they keep their place only among as many.
            await self._count(result)
            self._show(result, keep_place=True)
        if narrows:
            await self._count_everything()

    async def events(self, rows: Iterable[int]) -> list[Event]:
        """The events of rows, fetched where they are not here yet. Raises ClientError."""
        result = self.result
        if result is None:
            return []
        found: list[Event] = []
        for row in rows:
            if result.event(row) is None:
                number = row // PAGE
                result.keep(number, await self._page(result, number))
                self._view.show_page(number)
            event = result.event(row)
            if event is not None:
                found.append(event)
        return found

    async def _first(self, listing: Listing) -> Result:
        self._loading += 1
        try:
            listing, newest = await self._frozen(listing)
            page = await self._client.list_events(
                listing.filter, sort=listing.sort, limit=PAGE, skip_count=True, full=self.whole
            )
        finally:
            self._loading -= 1
        result = Result(listing, page.events)
        result.newest = result.newest if newest is None else newest
        self._view.editing.seen.add(page.events)
        return result

    async def _frozen(self, listing: Listing) -> tuple[Listing, int | None]:
        """Pages in any other order cannot tell which event is the newest, so it is asked for."""
        if not listing.sort or listing.filter.date_to is not None:
            return listing, None
        newest = await self._client.list_events(listing.filter, limit=1, skip_count=True)
        if not newest.events:
            return listing, None
        return listing.frozen_at(newest.events[0].timestamp), newest.events[0].id

    def _show(self, result: Result, *, keep_place: bool) -> None:
        self._cancel_pages()
        self.result = result
        self._view.show_result(result, keep_place=keep_place)
        self.shown.emit(result)

    def _cancel_pages(self) -> None:
        for number in tuple(self._asked):
            self._tasks.cancel(_page_name(number))
        self._asked.clear()

    async def _count(self, result: Result) -> None:
        if result.total is not None:
            return
        try:
            result.total = await number_of(self._client, result.listing.filter)
        except PASSING as error:
            # Counting a long log can take too long; the rows are there all the same.
            _log.warning("the events were not counted: %s", error)

    async def _count_everything(self) -> None:
        try:
            everything = await number_of(self._client, EventFilter())
        except PASSING:
            return
        self._view.show_count(everything)

    def _fetch(self, first: int, last: int) -> None:
        if self.result is None or self._view.model.result is not self.result:
            return
        wanted = set(self.result.wanted(first, last))
        for number in self._asked - wanted:
            self._tasks.cancel(_page_name(number))
        for number in sorted(wanted - self._asked):
            work = self._fetch_page(self.result, number)
            self._tasks.start(_page_name(number), work, on_error=self._failed)
        self._asked = wanted

    async def _fetch_page(self, result: Result, number: int) -> None:
        while True:
            try:
                events = await self._page(result, number)
                break
            except PASSING:
                await asyncio.sleep(_RETRY)
        result.keep(number, events)
        self._asked.discard(number)
        self._view.show_page(number)

    async def _page(self, result: Result, number: int) -> tuple[Event, ...]:
        asked = result.listing
        page = await self._client.list_events(
            asked.filter,
            sort=asked.sort,
            limit=PAGE,
            offset=number * PAGE,
            skip_count=True,
            full=self.whole,
        )
        self._view.editing.seen.add(page.events)
        return page.events


def _page_name(number: int) -> str:
    return f"events.page.{number}"
