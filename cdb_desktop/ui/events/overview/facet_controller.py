"""Counts the values of a result on the service, and finds values that are not known yet."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from functools import partial

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QObject

from cdb_desktop.client import Event, EventFilter, Record
from cdb_desktop.events.counts import call_each, count_each
from cdb_desktop.events.facets import (
    FACET_PARTS,
    MAX_FACET_VALUES,
    FacetCounts,
    FacetValue,
    ObjectTypes,
    ValueCounter,
    count_object_types,
    facet_filter,
    facet_query,
    known_candidates,
    narrowed_filter,
    sample_pages,
)
from cdb_desktop.events.paging import read_pages
from cdb_desktop.events.result import PAGE_SIZE, QueryResult
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.query import Query, QueryPart, ResolvedQuery
from cdb_desktop.ui.events.browser.context import BackgroundReader, BrowserContext
from cdb_desktop.ui.events.overview.facet_panel import FacetPanel
from cdb_desktop.vocabulary.error_messages import error_message

_COUNT, _MORE, _OTHERS = "events.facets", "events.facets.more", "events.facets.others"
_UPDATE_INTERVAL = 1.0  # seconds between two updates of the panel while counting
_SAMPLED = 0.4  # share of the sample in the progress
_SAMPLES, _FEWEST_SAMPLES = 4, 2  # pages of all samples of a query, and of one of them
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

    The service has no list of values, so a sample of the events finds them and estimates their numbers. The
    visible ones are counted, a call each, and others when the user scrolls to them. The number of events that
    have none of the known values is shown as the rest; the user may search all events for their values.
    """

    def __init__(self, context: BrowserContext, source: BackgroundReader, panel: FacetPanel) -> None:
        super().__init__(context.view)
        self._view, self._rows = context.view, context.rows
        self._tasks = context.tasks
        self._panel, self._source = panel, source
        self._done = CountKey()
        self._counts: dict[QueryPart, FacetCounts] = {}
        self._objects = ObjectTypes()
        self._filters: dict[QueryPart, EventFilter] = {}
        self._tallies: dict[Query, ValueCounter] = {}
        self._calls = 0  # that are left for the counts that nobody has asked for
        self._updated = 0.0
        self._panel.others_requested.connect(self._start_search)
        self._panel.others_given_up.connect(lambda: self._tasks.give_up(_OTHERS))
        self._panel.scrolled.connect(self._start_more)

    def has(self, what: CountKey) -> bool:
        """Whether the values of a result have been counted."""
        return self._done == what

    def begin(
        self, result: QueryResult, what: CountKey, most_calls: int, events: Sequence[Event] | None = None
    ) -> None:
        """Counts the values of a result with at most so many calls; ``events`` are all of it, if read."""
        self.stop()
        self._calls = most_calls
        title, failed = tr("Counting values"), self.fail
        work = self._count(result, what, events)
        self._tasks.start(_COUNT, work, title=title, on_error=failed, on_given_up=partial(failed, None))

    def show_again(self, what: CountKey) -> None:
        """Shows the counts of a result whose rows have been shown again."""
        if self._done == what:
            self._show()

    def stop(self) -> None:
        """Stops counting."""
        for name in (_COUNT, _MORE, _OTHERS):
            self._tasks.cancel(name)

    def withdraw(self, query: Query) -> None:
        """Hides the counts if they are not those of ``query``."""
        if self._done.query != query:
            self._panel.withdraw()

    def forget(self) -> None:
        """Empties the panel: there is no result."""
        self._done = CountKey()
        self._panel.forget()

    def fail(self, error: Exception | None) -> None:
        """Shows why there are no counts; without an error the user has cancelled counting."""
        self._panel.withdraw()
        if error is None:
            self._panel.show_status(tr("Counting was cancelled. Press F5 to count again."))
        else:
            self._panel.show_status(tr("Not counted: {title}", title=error_message(error).title))

    async def _count(self, result: QueryResult, what: CountKey, events: Sequence[Event] | None) -> None:
        self._done, self._counts, self._updated = CountKey(), {}, time.monotonic()
        asked, query = result.resolved_query, self._view.query
        # A result ends with its newest event, but the events without one of its filters do not.
        whole = query.at(datetime.now(UTC)).filter
        self._filters = {
            part: asked.filter
            if facet_filter(asked.filter, part) == asked.filter
            else facet_filter(whole, part)
            for part in FACET_PARTS
        }
        # A search tests what the service lists, so only its matches are known.
        of_result = [part for part in FACET_PARTS if asked.conditions or self._filters[part] == asked.filter]
        seen = ValueCounter()
        if events is not None:
            total = len(events) if result.total is None else result.total
            tally, self._objects = await asyncio.to_thread(_count_events, events)
            for part in of_result:
                numbers, others = tally.numbers(part), await self._untested_values(asked, part)
                others = [one for one in others if one not in numbers]
                self._counts[part] = FacetCounts(numbers, total, is_whole=True, others=others)
        else:
            loaded = [event for page in result.loaded_events() for event in page]
            self._objects = ObjectTypes(count_object_types(loaded), len(loaded))
            seen.add(loaded)
        lacking = [part for part in FACET_PARTS if part not in self._counts]
        samples = max(_FEWEST_SAMPLES, _SAMPLES // max(1, len({self._filters[part] for part in lacking})))
        totals = {} if result.total is None else {asked.filter: result.total}
        for turn, part in enumerate(lacking):
            counts = await self._sample_part(facet_query(query, part), part, totals, samples)
            self._counts[part] = counts.with_seen(seen.numbers(part))
            value = _only_value(query, part)
            if value and result.total is not None and not counts.is_whole:
                self._add_number(FacetValue(part, value), result.total)
            self._show_progress(_SAMPLED * (turn + 1) / len(lacking))
        self._show()
        await self._count_values(self._panel.uncounted_values()[: max(0, self._calls)])
        self._done = what
        self._show()

    async def _untested_values(self, asked: ResolvedQuery, part: QueryPart) -> list[str]:
        """The values in a sample of the events that a search does not test as they lack a selected value."""
        events = self._filters[part]
        if not asked.conditions or events == asked.filter:
            return []
        key = replace(facet_query(self._view.query, part), conditions=())
        tally = await self._sampled(key, events, await self._source.count(events), _SAMPLES)
        return list(tally.numbers(part))

    async def _sample_part(
        self, key: Query, part: QueryPart, totals: dict[EventFilter, int], samples: int
    ) -> FacetCounts:
        events = self._filters[part]
        if events not in totals:
            totals[events] = await self._source.count(events)
            self._calls -= 1
        total = totals[events]
        tally = await self._sampled(key, events, total, samples)
        if total <= PAGE_SIZE:
            return FacetCounts(tally.numbers(part), total, is_whole=True)
        return FacetCounts({}, total, estimates=tally.estimates(part, total), sampled=tally.read)

    async def _sampled(self, key: Query, events: EventFilter, total: int, samples: int) -> ValueCounter:
        """Counts values in pages from all over the log, once for a query; few events are read each time."""
        known = self._tallies.get(key)
        if known is not None and total > PAGE_SIZE:
            return known
        tally, pages = ValueCounter(), sample_pages(total, samples)

        async def read(page: tuple[int, int]) -> Sequence[Record]:
            self._calls -= 1
            return await self._source.records(events, *page)

        async with aclosing(call_each(read, pages)) as answers:
            async for _page, records in answers:
                tally.add(records)
        self._tallies[key] = tally
        while len(self._tallies) > _MAX_SAMPLES:
            del self._tallies[next(iter(self._tallies))]
        return tally

    async def _count_values(self, values: Sequence[FacetValue]) -> None:
        """Counts values, a call each."""
        slices = [
            (one, narrowed_filter(self._filters[one.part], one.part, one.value))
            for one in values
            if one.part is not None
        ]
        async with aclosing(count_each(self._source.count, slices)) as numbers:
            done = 0
            async for value, number in numbers:
                self._add_number(value, number)
                done += 1
                self._show_progress(_SAMPLED + (1 - _SAMPLED) * done / len(slices))
                self._update_counts()

    def _add_number(self, value: FacetValue, number: int) -> None:
        part = value.part
        if part is None:
            return
        counts = self._counts[part].with_number(value.value, number)
        self._counts[part] = replace(counts, is_whole=counts.is_exact and not counts.rest)

    def _start_more(self) -> None:
        """Counts the values to which the user has scrolled."""
        is_busy = self._tasks.is_running(_COUNT) or self._tasks.is_running(_OTHERS)
        if not is_busy and self._panel.uncounted_values():
            title = tr("Counting values")
            self._tasks.start(_MORE, self._count_more(), title=title, on_error=self._more_failed)

    async def _count_more(self) -> None:
        await self._count_values(self._panel.uncounted_values())
        self._show()

    def _start_search(self, part: QueryPart) -> None:
        if part not in self._counts or self._tasks.is_running(_COUNT):
            return
        self._tasks.cancel(_MORE)
        self._tasks.start(
            _OTHERS,
            self._search(part),
            title=tr("Searching for other values"),
            on_error=self._search_failed,
            on_given_up=self._show,
        )
        self._panel.show_search(part)

    async def _search(self, part: QueryPart) -> None:
        """Counts all known values of ``part``, and if some events have none of them, reads events.

        That also finds values of other parts.
        """
        events = self._filters[part]
        self._updated = time.monotonic()
        known = dict.fromkeys((*self._counts[part].estimates, *known_candidates(part, self._view.seen)))
        lacking = [FacetValue(part, one) for one in known if one not in self._counts[part].numbers]
        await self._count_values(lacking[:MAX_FACET_VALUES])
        parts = [one for one in FACET_PARTS if self._filters[one] == events]
        tally, total = ValueCounter(), self._counts[part].total
        if self._counts[part].is_whole:
            parts = []
        else:
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
            self._counts[one] = replace(self._counts[one], is_whole=True)
        self._panel.show_search(None)
        self._show()

    async def _count_found(self, part: QueryPart, tally: ValueCounter) -> None:
        for value in tally.numbers(part).keys() - self._counts[part].numbers.keys():
            number = await self._source.count(narrowed_filter(self._filters[part], part, value))
            self._add_number(FacetValue(part, value), number)

    def _show_search_progress(self, read: int, total: int) -> None:
        text = tr(
            "Searching for other values: {read} of {total:1 event|{total} events} read",
            total=total,
            read=read,
        )
        self._tasks.show_progress(_OTHERS, text, min(1.0, read / total) if total else None)
        self._update_counts()

    def _show_progress(self, done: float) -> None:
        self._tasks.show_progress(_COUNT, tr("Counting values"), done)

    def _update_counts(self) -> None:
        """Shows the counts so far, at most once a second."""
        if time.monotonic() - self._updated > _UPDATE_INTERVAL:
            self._show()
            self._updated = time.monotonic()

    def _show(self) -> None:
        if self._rows.result is None:
            return
        if not self._tasks.is_running(_OTHERS):
            self._panel.show_search(None)
        self._panel.show_counts(self._view.query, self._counts, self._objects, self._view.seen.user_name)

    def _more_failed(self, error: Exception) -> None:
        self._panel.show_status(tr("Not counted: {title}", title=error_message(error).title))

    def _search_failed(self, error: Exception) -> None:
        self._show()
        self._panel.show_status(tr("Not all were found: {title}", title=error_message(error).title))


def _only_value(query: Query, part: QueryPart) -> str:
    """The value of a part that all events of a query without conditions have, or empty."""
    values: Sequence[object] = {
        QueryPart.TYPE: query.types,
        QueryPart.BASE_TYPE: query.base_types,
        QueryPart.USER: () if query.groups or query.user_types else query.users,
    }[part]
    return str(values[0]) if len(values) == 1 and not query.conditions else ""


def _count_events(events: Sequence[Event]) -> tuple[ValueCounter, ObjectTypes]:
    tally = ValueCounter()
    tally.add(events)
    return tally, ObjectTypes(count_object_types(events), len(events), is_whole=True)
