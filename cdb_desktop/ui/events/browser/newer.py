"""Finds out how many events are newer than the rows, after something was heard of one; moves no row."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import QObject, QTimer

from cdb_desktop.client import ClientError
from cdb_desktop.events.counts import MAX_NEWER, count_newer, newer_filter
from cdb_desktop.ui.events.browser.context import BrowserContext

_WORK = "events.newer"
_REST = 2000  # milliseconds from hearing of an event to asking, so that a busy service is not asked at each


class LookingForNewer(QObject):
    """Asks only while the rows are in sight and until there are more than are counted."""

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._view, self._client, self._rows, self._tasks = (
            context.view,
            context.client,
            context.rows,
            context.tasks,
        )
        self._rest = QTimer(self, singleShot=True, interval=_REST)
        self._rest.timeout.connect(self._ask)

    def hear(self, event_id: int) -> None:
        """An event with this id has happened."""
        result = self._rows.result
        is_news = result is not None and event_id > (result.newest or 0)
        if is_news and self._view.newer.counts and not self._rest.isActive():
            self._rest.start()

    def _ask(self) -> None:
        if not self._view.isVisible():
            self._rest.start()
        elif not self._tasks.is_running(_WORK):
            self._tasks.start(_WORK, self._count())

    async def _count(self) -> None:
        result = self._rows.result
        if result is None:
            return
        asked = newer_filter(result, self._view.query.at(datetime.now(UTC)).filter)
        if asked is None:
            return
        try:
            page = await self._client.list_events(asked, limit=MAX_NEWER, skip_count=True)
        except ClientError:
            return  # the next event is heard of when the service answers again
        if result is self._rows.result:
            self._view.newer.show_newer(count_newer(result, page.records))
