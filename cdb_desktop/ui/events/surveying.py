"""Has the service count what overview and facets show, once the rows are there; newest wins."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer, SignalInstance

from cdb_desktop.client import Client, EventFilter, Sort
from cdb_desktop.events.counting import counted
from cdb_desktop.events.facets import Value, asked
from cdb_desktop.events.overview import Overview, count_overview, overview_of
from cdb_desktop.events.pages import Result
from cdb_desktop.ui.events.means import Means
from cdb_desktop.ui.events.rows import Rows, number_of

_OVERVIEW, _FACETS = "events.overview", "events.facets"
_FEW = 1_000  # events: the first page has them all
_STILL = 0.3  # seconds
_TELL = 1.0  # seconds between two looks at values that are still counted
_REST = 300  # milliseconds after the rows: whoever goes from query to query asks for no counts


class Source:
    """What the service is asked for an overview."""

    def __init__(self, client: Client, rows: Rows, scrolled: SignalInstance) -> None:
        """Nothing is counted while ``rows`` are awaited or ``scrolled`` is emitted: both go before."""
        self._client = client
        self._rows = rows
        self._moved = -_STILL
        scrolled.connect(self._move)

    def _move(self) -> None:
        self._moved = time.monotonic()

    async def count(self, chosen: EventFilter) -> int:
        """How many events there are. Raises ClientError."""
        while self._is_wanted_elsewhere:  # noqa: ASYNC110  # every move begins it anew
            await asyncio.sleep(_STILL)
        return await number_of(self._client, chosen) or 0

    @property
    def _is_wanted_elsewhere(self) -> bool:
        return self._rows.are_awaited or time.monotonic() - self._moved < _STILL

    async def end(self, chosen: EventFilter, *, newest: bool) -> datetime | None:
        """When the newest or the oldest was, None where there are none. Raises ClientError."""
        sort = (Sort("timestamp", newest),)
        page = await self._client.list_events(chosen, sort=sort, limit=1, skip_count=True)
        return page.events[0].timestamp if page.events else None


class Surveying(QObject):
    """Counts for a result what is in sight of overview and facets."""

    def __init__(self, means: Means) -> None:
        super().__init__(means.view)
        self._view, self._rows = means.view, means.rows
        self._tasks, self._words = means.tasks, means.words
        self._around = means.view.around
        self._source = Source(means.client, means.rows, means.view.table.verticalScrollBar().valueChanged)
        self._counted: dict[str, object] = {}
        self._counts: dict[Value, int] = {}
        self._rest = QTimer(self, singleShot=True, interval=_REST)
        self._rest.timeout.connect(self._begin)
        self._rows.shown.connect(self._wait)
        self._around.opened.connect(self._rest.start)
        self._around.closed.connect(self._leave)

    def _wait(self) -> None:
        for name in (_OVERVIEW, _FACETS):
            self._tasks.cancel(name)
        self._rest.start()

    def _leave(self) -> None:
        """What nobody sees is not counted."""
        around = self._around
        for name, part in ((_OVERVIEW, around.histogram), (_FACETS, around.facets)):
            if not part.isVisibleTo(around):
                self._tasks.cancel(name)

    def _begin(self) -> None:
        result = self._rows.result
        if result is None:
            self._counted.clear()
            self._around.histogram.show_overview(Overview(), self.tr("No events to count"))
            self._around.facets.forget()
            return
        around = self._around
        if around.histogram.isVisibleTo(around) and self._counted.get(_OVERVIEW) != _what(result):
            self._tasks.start(_OVERVIEW, self._survey(result), on_error=self._failed)
        if not around.facets.isVisibleTo(around):
            return
        if self._counted.get(_FACETS) == _what(result):
            self._show_values(result)
        else:
            self._tasks.start(_FACETS, self._count_values(result), on_error=self._facets_failed)

    async def _survey(self, result: Result) -> None:
        histogram = self._around.histogram
        self._counted.pop(_OVERVIEW, None)
        if result.total is not None and result.total <= _FEW:
            found = overview_of([event for page in result.pages_here() for event in page])
        else:
            types = self._view.editing.seen.types
            found = await count_overview(self._source, result.listing.filter, types, histogram.show_overview)
        histogram.show_overview(found, self.tr("No events to count"))
        self._counted[_OVERVIEW] = _what(result)

    async def _count_values(self, result: Result) -> None:
        editing = self._view.editing
        slices = asked(editing.query, datetime.now(UTC), editing.seen)
        self._counts = counts = {}
        self._counted.pop(_FACETS, None)
        told = time.monotonic()
        async for value, number in counted(self._source.count, slices):
            counts[value] = number
            # A long log takes its time: what is counted is seen, but not with every number.
            if len(counts) == len(slices) or time.monotonic() - told > _TELL:
                self._show_values(result)
                told = time.monotonic()
        self._counted[_FACETS] = _what(result)

    def _show_values(self, result: Result) -> None:
        editing = self._view.editing
        loaded = [event for page in result.pages_here() for event in page]
        self._around.facets.show_counts(editing.query, self._counts, loaded, editing.seen.name)

    def _failed(self, error: Exception) -> None:
        told = self.tr("Not counted: %1").replace("%1", self._words(error).title)
        self._around.histogram.show_overview(Overview(), told)

    def _facets_failed(self, error: Exception) -> None:
        self._around.facets.tell(self.tr("Not counted: %1").replace("%1", self._words(error).title))


def _what(result: Result) -> object:
    """What has been counted with a result: its order and the moment at which it was frozen do not matter."""
    chosen = replace(result.listing.filter, date_to=None)
    return chosen, result.newest, result if result.total is None else result.total
