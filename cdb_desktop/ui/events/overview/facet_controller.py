"""Counts the values of a result on the service, and finds values that are not known yet."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing
from datetime import UTC, datetime
from functools import partial

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QObject

from cdb_desktop.client import EventFilter
from cdb_desktop.events.counts import count_each
from cdb_desktop.events.facets import (
    FACET_PARTS,
    MAX_FACET_VALUES,
    FacetCounts,
    FacetValue,
    ValueCounter,
    facet_candidates,
    facet_query,
    narrowed_filter,
    sample_pages,
)
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.events.paging import read_pages
from cdb_desktop.events.result import PAGE_SIZE, QueryResult
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.query import Query, QueryPart
from cdb_desktop.ui.events.browser.context import BackgroundReader, BrowserContext
from cdb_desktop.ui.events.overview.facet_panel import FacetPanel
from cdb_desktop.vocabulary.error_messages import error_message

_COUNT, _OTHERS = "events.facets", "events.facets.others"
_UPDATE_INTERVAL = 1.0  # seconds between two updates of the panel while counting
_SAMPLED = 0.4  # share of the sample in the progress of a part
_MAX_SAMPLES = 20  # queries whose samples are kept


class CountKey(msgspec.Struct, frozen=True):
    """Identifies what was counted, so that the same events are not counted again.

    Results with equal filters, newest event and number of events contain the same events for any sort
    order and time of the request.
    """

    query: Query | None = None
    newest: int | None = None
    number: object = None  # the result itself if its number of events is not known

    @classmethod
    def of(cls, query: Query, result: QueryResult) -> CountKey:
        """The key of a result of ``query``."""
        newest = result.newest if query.span.last is None else None
        return cls(replace(query, sort=()), newest, result if result.total is None else result.total)


class FacetController(QObject):
    """Counts the events of each value of the filters for the facet panel.

    The service has no list of values, so a sample of the events finds them. The number of events that have
    none of the known values is shown as the rest; the user may search all events for their values.
    """

    def __init__(self, context: BrowserContext, source: BackgroundReader, panel: FacetPanel) -> None:
        super().__init__(context.view)
        self._view, self._rows = context.view, context.rows
        self._tasks = context.tasks
        self._panel, self._source = panel, source
        self._done = CountKey()
        self._counts: dict[QueryPart, FacetCounts] = {}
        self._filters: dict[QueryPart, EventFilter] = {}
        self._tallies: dict[Query, ValueCounter] = {}
        self._without: dict[tuple[QueryPart, Query], int] = {}
        self._updated = 0.0
        self._panel.others_requested.connect(self._start_search)
        self._panel.others_given_up.connect(lambda: self._tasks.give_up(_OTHERS))

    def begin(self, result: QueryResult) -> None:
        """Counts the values of a result unless they have been counted."""
        if isinstance(result, MatchedResult) and result.total is None:
            return  # counted when the search has ended
        what = CountKey.of(self._view.query, result)
        if self._done == what:
            self._show()
            return
        self.stop()
        failed = self._failed
        self._tasks.start(
            _COUNT,
            self._count(what),
            title=tr("Counting values"),
            on_error=failed,
            on_given_up=partial(failed, None),
        )

    def stop(self) -> None:
        """Stops counting."""
        for name in (_COUNT, _OTHERS):
            self._tasks.cancel(name)

    def withdraw(self, query: Query) -> None:
        """Hides the counts if they are not those of ``query``."""
        if self._done.query != query:
            self._panel.withdraw()

    def forget(self) -> None:
        """Empties the panel: there is no result."""
        self._done = CountKey()
        self._panel.forget()

    async def _count(self, what: CountKey) -> None:
        query = self._view.query
        self._done, self._counts = CountKey(), {}
        self._updated = time.monotonic()
        result = self._rows.result
        if isinstance(result, MatchedResult):
            tally = await asyncio.to_thread(_count_matches, result)
            self._counts = {
                part: FacetCounts(tally.numbers(part), tally.read, is_whole=True) for part in FACET_PARTS
            }
            self._done = what
            self._show()
            return
        self._filters = await self._filters_of(query)
        totals: dict[EventFilter, int] = {}
        for turn, part in enumerate(FACET_PARTS):
            await self._count_part(query, part, turn, totals)
        self._done = what
        self._show()

    async def _filters_of(self, query: Query) -> dict[QueryPart, EventFilter]:
        # All numbers end with the same event, or events that arrive meanwhile would make them inconsistent.
        until = None if query.span.last else await self._source.end(EventFilter(), newest=True)
        now = datetime.now(UTC)
        return {part: facet_query(query, part).at(now).frozen_at(until).filter for part in FACET_PARTS}

    async def _count_part(
        self, query: Query, part: QueryPart, turn: int, totals: dict[EventFilter, int]
    ) -> None:
        def show_progress(done: float) -> None:
            self._tasks.show_progress(_COUNT, tr("Counting values"), (turn + done) / len(FACET_PARTS))

        key, events = facet_query(query, part), self._filters[part]
        # It is usually the same for all parts, and counting a long log is slow.
        if events not in totals:
            totals[events] = await self._source.count(events)
        total = totals[events]
        tally = await self._sampled(key, events, total, show_progress)
        counts = FacetCounts(tally.numbers(part) if total <= PAGE_SIZE else {}, total)
        values = facet_candidates(query, part, self._view.seen, tally)
        slices = [(one, narrowed_filter(events, FacetValue(part, one))) for one in values[:MAX_FACET_VALUES]]
        async with aclosing(count_each(self._source.count, slices if total > PAGE_SIZE else [])) as numbers:
            async for value, number in numbers:
                counts = counts.with_number(value, number)
                show_progress(_SAMPLED + (1 - _SAMPLED) * len(counts.numbers) / len(slices))
                # Values that are not counted yet do not belong to the rest.
                self._counts[part] = replace(counts, total=0)
                self._update_counts()
                # If all events have one of the values counted so far, the other values have no events.
                if not counts.rest:
                    break
        more = max(0, len(values) - MAX_FACET_VALUES) if counts.rest else 0
        is_whole = counts.rest <= self._without.get((part, key), 0)
        self._counts[part] = replace(counts, more=more, is_whole=is_whole)

    async def _sampled(
        self, key: Query, events: EventFilter, total: int, show_progress: Callable[[float], None]
    ) -> ValueCounter:
        """Counts values in pages from all over the log, once for a query; few events are read each time."""
        known = self._tallies.get(key)
        if known is not None and total > PAGE_SIZE:
            return known
        tally, pages = ValueCounter(), sample_pages(total)
        for place, (offset, limit) in enumerate(pages):
            tally.add(await self._source.records(events, offset, limit))
            show_progress(_SAMPLED * (place + 1) / len(pages))
        if tally.read >= total:
            self._without |= {(part, key): tally.without(part) for part in FACET_PARTS}
        self._tallies[key] = tally
        while len(self._tallies) > _MAX_SAMPLES:
            del self._tallies[next(iter(self._tallies))]
        return tally

    def _start_search(self, part: QueryPart) -> None:
        if part not in self._counts or self._tasks.is_running(_COUNT):
            return
        self._tasks.start(
            _OTHERS,
            self._search(part),
            title=tr("Searching for other values"),
            on_error=self._search_failed,
            on_given_up=self._show,
        )
        self._panel.show_search(part)

    async def _search(self, part: QueryPart) -> None:
        """Reads events until no value of ``part`` is missing, and also finds values of other parts."""
        events, query = self._filters[part], self._view.query
        parts = [one for one in FACET_PARTS if self._filters[one] == events]
        tally, total, self._updated = ValueCounter(), self._counts[part].total, time.monotonic()
        async with aclosing(read_pages(partial(self._source.records, events), descending=True)) as pages:
            async for page in pages:
                tally.add(page)
                for one in parts:
                    await self._count_found(one, tally)
                self._show_search_progress(tally.read, total)
                if self._counts[part].rest <= tally.without(part):
                    parts = [part]
                    break
        for one in parts:
            self._without[one, facet_query(query, one)] = self._counts[one].rest
            self._counts[one] = replace(self._counts[one], more=0, is_whole=True)
        self._panel.show_search(None)
        self._show()

    async def _count_found(self, part: QueryPart, tally: ValueCounter) -> None:
        for value in tally.numbers(part).keys() - self._counts[part].numbers.keys():
            number = await self._source.count(narrowed_filter(self._filters[part], FacetValue(part, value)))
            self._counts[part] = self._counts[part].with_number(value, number)

    def _show_search_progress(self, read: int, total: int) -> None:
        text = tr(
            "Searching for other values: {read} of {total:1 event|{total} events} read",
            total=total,
            read=read,
        )
        self._tasks.show_progress(_OTHERS, text, min(1.0, read / total) if total else None)
        self._update_counts()

    def _update_counts(self) -> None:
        """Shows the counts so far, at most once a second."""
        if time.monotonic() - self._updated > _UPDATE_INTERVAL:
            self._show()
            self._updated = time.monotonic()

    def _show(self) -> None:
        result, view = self._rows.result, self._view
        if result is None:
            return
        if not self._tasks.is_running(_OTHERS):
            self._panel.show_search(None)
        loaded = [event for page in result.loaded_events() for event in page]
        self._panel.show_counts(view.query, self._counts, loaded, view.seen.user_name)

    def _failed(self, error: Exception | None) -> None:
        self._panel.withdraw()
        if error is None:
            self._panel.show_status(tr("Counting was cancelled. Press F5 to count again."))
        else:
            self._panel.show_status(tr("Not counted: {title}", title=error_message(error).title))

    def _search_failed(self, error: Exception) -> None:
        self._show()
        self._panel.show_status(tr("Not all were found: {title}", title=error_message(error).title))


def _count_matches(result: MatchedResult) -> ValueCounter:
    tally = ValueCounter()
    tally.add(list(result.columns.events()))
    return tally
