"""Brings the event browser's view and the service together: what to ask, when, and what to show of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from PySide6.QtCore import QObject

from cdb_desktop.client import Client, MissingRightError, ServerError, SlowAnswerError, UnreachableError
from cdb_desktop.events.pages import PAGE, Result
from cdb_desktop.events.query import Listing
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.sentences import Sentence

_log = logging.getLogger(__name__)
_LOAD = "events.load"
_PASSING = (UnreachableError, SlowAnswerError, ServerError)  # what the next try may cure
_RETRY = 1.0  # seconds until a page in sight is asked for again


class EventsController(QObject):
    """The way of events from the service to the table."""

    def __init__(
        self,
        view: EventsView,
        client: Client,
        tasks: Tasks,
        words: Callable[[BaseException], Sentence],
    ) -> None:
        super().__init__(view)
        self._view = view
        self._client = client
        self._tasks = tasks
        self._words = words
        self._listing = Listing()
        self._result: Result | None = None
        self._asked: set[int] = set()
        view.rows_shown.connect(self._fetch)
        view.again_requested.connect(self.load)

    def load(self) -> None:
        """Asks the query anew; what is shown stays until the answer is here."""
        self._view.show_loading()
        self._tasks.start(_LOAD, self._load(), on_error=self._failed)

    async def _load(self) -> None:
        listing = self._listing
        page = await self._client.list_events(listing.filter, sort=listing.sort, limit=PAGE, skip_count=True)
        result = Result(listing, page.events)
        if self._result is None:
            self._show(result)
            await self._count(result)
            self._view.show_count()
        else:
            # Somebody may be deep down in the rows: they keep their place only among as many.
            await self._count(result)
            self._show(result)

    def _show(self, result: Result) -> None:
        for number in tuple(self._asked):
            self._tasks.cancel(_page(number))
        self._asked.clear()
        self._result = result
        self._view.show_result(result)

    async def _count(self, result: Result) -> None:
        if result.total is not None:
            return
        try:
            counted = await self._client.list_events(result.listing.filter, limit=1)
        except _PASSING as error:
            # Counting a long log can take too long; the rows are there all the same.
            _log.warning("the events were not counted: %s", error)
        else:
            result.total = counted.count

    def _fetch(self, first: int, last: int) -> None:
        if self._result is None:
            return
        wanted = set(self._result.wanted(first, last))
        for number in self._asked - wanted:
            self._tasks.cancel(_page(number))
        for number in sorted(wanted - self._asked):
            work = self._fetch_page(self._result, number)
            self._tasks.start(_page(number), work, on_error=self._failed)
        self._asked = wanted

    async def _fetch_page(self, result: Result, number: int) -> None:
        listing = result.listing
        while True:
            try:
                page = await self._client.list_events(
                    listing.filter, sort=listing.sort, limit=PAGE, offset=number * PAGE, skip_count=True
                )
                break
            except _PASSING:
                await asyncio.sleep(_RETRY)
        result.keep(number, page.events)
        self._asked.discard(number)
        self._view.show_page(number)

    def _failed(self, error: Exception) -> None:
        self._result = None
        said = self._words(error)
        if isinstance(error, MissingRightError):
            self._view.show_forbidden(said)
        else:
            self._view.show_failure(said)


def _page(number: int) -> str:
    return f"events.page.{number}"
