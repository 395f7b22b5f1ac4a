"""Has the service count what overview and facets show, once the rows are there; newest wins."""

from __future__ import annotations

from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from cdb_desktop.events.overview import Overview, count_overview, overview_of
from cdb_desktop.events.query import Query
from cdb_desktop.events.result import QueryResult
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.context import BackgroundReader, BrowserContext
from cdb_desktop.ui.events.overview.counted import Counted
from cdb_desktop.ui.events.overview.facet_panel import FacetPanel
from cdb_desktop.ui.events.overview.histogram import Histogram
from cdb_desktop.ui.events.overview.valuing import Valuing

_OVERVIEW = "events.overview"
_FEW = 1_000  # events: the first page has them all
_REST = 300  # milliseconds after the rows: whoever goes from query to query asks for no counts


class Surveying(QObject):
    """Counts for a result what is in sight of overview and facets."""

    def __init__(self, context: BrowserContext, histogram: Histogram, facets: FacetPanel) -> None:
        super().__init__(context.view)
        self._view, self._rows = context.view, context.rows
        self._tasks, self._words = context.tasks, context.words
        self._histogram, self._facets = histogram, facets
        self._source = BackgroundReader(context)
        self._valuing = Valuing(context, self._source, facets)
        self._counted = Counted()
        self._asked: Query | None = None
        self._rest = QTimer(self, singleShot=True, interval=_REST)
        self._rest.timeout.connect(self._begin)
        self._rows.shown.connect(self._wait)
        self._rows.awaited.connect(self._stop)
        context.view.rows_gone.connect(self._withdraw)

    def _stop(self) -> None:
        self._rest.stop()
        self._tasks.cancel(_OVERVIEW)
        self._valuing.stop()

    def _wait(self) -> None:
        self._stop()
        self._rest.start()

    def _withdraw(self) -> None:
        """The counts of other rows are not shown as if they were those of the rows to come."""
        asked_for = replace(self._view.query, sort=())
        if self._counted.query != asked_for:
            self._histogram.fade()
        self._valuing.withdraw(asked_for)

    def begin_soon(self) -> None:
        """Counts after a moment, for a panel was opened."""
        self._rest.start()

    def stop_hidden(self) -> None:
        """Stops counting for panels that are hidden."""
        if not _is_shown(self._histogram):
            self._tasks.cancel(_OVERVIEW)
        if not _is_shown(self._facets):
            self._valuing.stop()

    def _begin(self) -> None:
        result = self._rows.result
        if result is None:
            if not self._rows.are_awaited:
                self._counted = Counted()
                # The picture in place of the rows says why.
                self._histogram.show_overview(Overview())
                self._valuing.forget()
            return
        if _is_shown(self._histogram):
            self._begin_overview(result, Counted.of(self._view.query, result))
        if _is_shown(self._facets):
            self._valuing.begin(result)
        elif self._asked == self._view.query:
            self._facets.outdate()
        self._asked = self._view.query

    def _begin_overview(self, result: QueryResult, what: Counted) -> None:
        if self._counted == what:
            self._histogram.fade(faded=False)
            return
        title, failed = tr("Counting events over time"), self._failed
        given_up = partial(failed, None)
        self._tasks.start(
            _OVERVIEW, self._survey(result, what), title=title, on_error=failed, on_given_up=given_up
        )

    async def _survey(self, result: QueryResult, what: Counted) -> None:
        histogram, title = self._histogram, tr("Counting events over time")

        def tell(overview: Overview, part: float) -> None:
            histogram.show_overview(overview)
            self._tasks.show_progress(_OVERVIEW, title, part)

        self._counted = Counted()
        if result.total is not None and result.total <= _FEW:
            found = overview_of([event for page in result.loaded_events() for event in page])
        else:
            types = self._view.seen.types
            found = await count_overview(self._source, result.resolved_query.filter, types, tell)
        # Rows whose times cannot be read, say, are not nothing.
        is_empty = not result.rows and result.total is not None
        told = tr("No events to count") if is_empty else tr("Not counted")
        histogram.show_overview(found, told)
        self._counted = what

    def _failed(self, error: Exception | None) -> None:
        self._histogram.show_overview(Overview(), self._why(error))

    def _why(self, error: Exception | None) -> str:
        """Why there are no counts; without an error the user did not want them."""
        if error is None:
            return tr("Counting was cancelled. Press F5 to count again.")
        return tr("Not counted: {title}", title=self._words(error).title)


def _is_shown(panel: QWidget) -> bool:
    """Whether the user has the panel open, even if the page itself is hidden."""
    return not panel.isHidden()
