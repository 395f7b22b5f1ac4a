"""Polls the service for the live feed (§4.2): back-fills once, then asks again and again from its cursor."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from cdb_desktop.client import (
    Client,
    ClientError,
    EventFilter,
    ServerError,
    Session,
    SlowAnswerError,
    UnreachableError,
)
from cdb_desktop.live.polling import Polling
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.sentences import Sentence

_POLL = "live.poll"
_BACKFILL = 200
_PASSING = (UnreachableError, SlowAnswerError, ServerError)  # what the next try may cure


class LiveController(QObject):
    """The way of new events from the service to the feed.

    Signals: ``answered`` with the milliseconds of a poll · ``away`` when the service does not answer ·
    ``returned`` with the first answer after that.
    """

    answered = Signal(float)
    away = Signal()
    returned = Signal()

    def __init__(
        self,
        view: LiveView,
        client: Client,
        session: Session,
        tasks: Tasks,
        words: Callable[[BaseException], Sentence],
    ) -> None:
        super().__init__(view)
        self._view = view
        self._client = client
        self._session = session
        self._tasks = tasks
        self._words = words
        self._polling = Polling(session.current_max_event_id or 0)

    def load(self) -> None:
        """Fills the feed with what happened last and follows from there."""
        self._tasks.start(_POLL, self._begin(), on_error=self._failed)

    def pause(self, paused: bool) -> None:
        """Stops asking, or goes on from where it stopped."""
        if paused:
            self._tasks.cancel(_POLL)
            self._view.show_paused()
        else:
            self._tasks.start(_POLL, self._follow(), on_error=self._failed)

    async def _begin(self) -> None:
        # The poll's lower bound is the session's newest event, so what lies before comes from the list.
        if self._session.allows("system.api.event.get"):
            page = await self._client.list_events(
                EventFilter(pollable=True), limit=_BACKFILL, skip_count=True
            )
            before = [event for event in page.events if event.id <= self._polling.last_id]
            self._view.add(before[::-1])
        await self._follow()

    async def _follow(self) -> None:
        while True:
            try:
                await self._poll()
            except _PASSING as error:
                self._polling = self._polling.failed()
                self._view.show_trouble(self._words(error), self._polling.wait)
                self.away.emit()
            await asyncio.sleep(self._polling.wait)

    async def _poll(self) -> None:
        started = time.perf_counter()
        events = await self._client.poll(self._polling.last_id, limit=0)
        milliseconds = (time.perf_counter() - started) * 1000
        was_away = self._polling.failures > 0
        self._polling = self._polling.answered(events)
        self._view.add(events)
        self._view.show_following(self.tr("Following"))
        self.answered.emit(milliseconds)
        if was_away:
            self.returned.emit()

    def _failed(self, error: Exception) -> None:
        if not isinstance(error, ClientError):
            raise error
        self._view.show_failure(self._words(error))
