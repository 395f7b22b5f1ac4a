"""Counts events for histogram and facets, with a short delay after the rows; a newer query cancels it."""

from __future__ import annotations

import asyncio
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.events.overview import Overview, count_overview, overview_of
from cdb_desktop.events.result import QueryResult
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.events.browser.context import BackgroundReader, BrowserContext
from cdb_desktop.ui.events.overview.facet_controller import CountKey, FacetController
from cdb_desktop.ui.events.overview.facet_panel import FacetPanel
from cdb_desktop.ui.events.overview.histogram import Histogram
from cdb_desktop.vocabulary.error_messages import error_message

_OVERVIEW = "events.overview"
_FIRST_PAGE = 1_000  # events: so few have all been loaded
_DELAY = 300  # milliseconds after the rows, so that quickly changed queries are not all counted


class OverviewController(QObject):
    """Counts events for the histogram and the facets while they are visible."""

    def __init__(self, context: BrowserContext, histogram: Histogram, facets: FacetPanel) -> None:
        super().__init__(context.view)
        self._view, self._rows = context.view, context.rows
        self._tasks = context.tasks
        self._histogram, self._facets = histogram, facets
        self._source = BackgroundReader(context)
        self._facet_counts = FacetController(context, self._source, facets)
        self._counted = CountKey()
        self._requested: Query | None = None
        self._timer = QTimer(self, singleShot=True, interval=_DELAY)
        self._timer.timeout.connect(self._begin)
        self._rows.shown.connect(self._start_later)
        self._rows.awaited.connect(self._stop)
        context.view.rows_gone.connect(self._clear)

    def _stop(self) -> None:
        self._timer.stop()
        self._tasks.cancel(_OVERVIEW)
        self._facet_counts.stop()

    def _start_later(self) -> None:
        self._stop()
        self._timer.start()

    def _clear(self) -> None:
        """Marks counts of another query as outdated while rows are loaded."""
        asked_for = replace(self._view.query, sort=())
        if self._counted.query != asked_for:
            self._histogram.fade()
        self._facet_counts.withdraw(asked_for)

    def begin_soon(self) -> None:
        """Counts after a short delay, since a panel was opened."""
        self._timer.start()

    def stop_hidden(self) -> None:
        """Stops counting for panels that are hidden."""
        if not _is_shown(self._histogram):
            self._tasks.cancel(_OVERVIEW)
        if not _is_shown(self._facets):
            self._facet_counts.stop()

    def _begin(self) -> None:
        result = self._rows.result
        if result is None:
            if not self._rows.are_awaited:
                self._counted = CountKey()
                self._histogram.show_overview(Overview())
                self._facet_counts.forget()
            return
        if _is_shown(self._histogram):
            self._begin_overview(result, CountKey.of(self._view.query, result))
        if _is_shown(self._facets):
            self._facet_counts.begin(result)
        elif self._requested == self._view.query:
            self._facets.outdate()
        self._requested = self._view.query

    def _begin_overview(self, result: QueryResult, what: CountKey) -> None:
        if self._counted == what:
            self._histogram.fade(faded=False)
            return
        title, failed = tr("Counting events over time"), self._failed
        given_up = partial(failed, None)
        self._tasks.start(
            _OVERVIEW, self._count(result, what), title=title, on_error=failed, on_given_up=given_up
        )

    async def _count(self, result: QueryResult, what: CountKey) -> None:
        histogram, title = self._histogram, tr("Counting events over time")

        def show_progress(overview: Overview, part: float) -> None:
            histogram.show_overview(overview)
            self._tasks.show_progress(_OVERVIEW, title, part)

        self._counted = CountKey()
        if isinstance(result, MatchedResult):
            if result.total is None:
                return  # counted when the search has ended
            found = await asyncio.to_thread(lambda: overview_of(list(result.columns.events())))
        elif result.total is not None and result.total <= _FIRST_PAGE:
            found = overview_of([event for page in result.loaded_events() for event in page])
        else:
            types = self._view.seen.types
            found = await count_overview(self._source, result.resolved_query.filter, types, show_progress)
        # Some rows may have unreadable times.
        is_empty = not result.rows and result.total is not None
        text = tr("No events to count") if is_empty else tr("Not counted")
        histogram.show_overview(found, text)
        self._counted = what

    def _failed(self, error: Exception | None) -> None:
        self._histogram.show_overview(Overview(), self._reason(error))

    def _reason(self, error: Exception | None) -> str:
        """Why there are no counts; without an error the user has cancelled counting."""
        if error is None:
            return tr("Counting was cancelled. Press F5 to count again.")
        return tr("Not counted: {title}", title=error_message(error).title)


def _is_shown(panel: QWidget) -> bool:
    """Whether the user has the panel open, even if the page itself is hidden."""
    return not panel.isHidden()
