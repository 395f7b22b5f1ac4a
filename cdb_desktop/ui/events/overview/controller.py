"""Counts events for histogram and facets, with a short delay after the rows; a newer query cancels it.

A result of few pages is read, which gives all numbers; a longer one is counted with few calls. Together with
those of the rows there are at most 40 until everything visible is shown: more are sent on request only.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from functools import partial

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from cdb_desktop.client import Event, EventFilter, Record
from cdb_desktop.events.counts import CONCURRENT_CALLS, call_each, count_each
from cdb_desktop.events.facets import (
    FACET_PARTS,
    MAX_FACET_VALUES,
    FacetCounts,
    FacetValue,
    ValueCounter,
    count_object_types,
    facet_filter,
    facet_query,
    known_candidates,
    narrowed_filter,
    sample_pages,
)
from cdb_desktop.events.matches import EventColumns, MatchedResult
from cdb_desktop.events.overview import Overview, count_before, count_families, count_overview, overview_of
from cdb_desktop.events.paging import read_pages
from cdb_desktop.events.result import PAGE_SIZE, QueryResult, split_records
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.query import Query, QueryPart, ResolvedQuery
from cdb_desktop.ui.events.browser.context import BackgroundReader, BrowserContext
from cdb_desktop.ui.events.browser.result_loader import LOAD
from cdb_desktop.ui.events.overview.facet_panel import FacetPanel
from cdb_desktop.ui.events.overview.histogram import Histogram
from cdb_desktop.vocabulary.error_messages import error_message

_READ, _OVERVIEW, _FAMILIES = "events.read", "events.overview", "events.families"
_DELAY = 300  # milliseconds after the rows, so that quickly changed queries are not all counted
_SOON = 30  # milliseconds after which it is tried again while the rows are counted
_MOST_CALLS = 33  # of 40; the others are those of the rows
_MOST_PAGES = 21  # of a result that is read instead of counted
_MOST_SECONDS = 6.0  # for reading
_BEFORE, _BEFORE_WITH_FACETS = 8, 5  # calls for the period before
_CALLS_OF_PART = 3  # at least, for the facets of a part by which the query filters
_SLOW = 0.25  # seconds for the first page of a service whose counts are fewer


class _Allowance(msgspec.Struct, frozen=True):
    """The numbers of calls: a call for each bucket, for each group of the period before, and for facets."""

    buckets: int
    before: int
    facets: int


def _allowance(*, with_facets: bool, compares: bool, is_slow: bool) -> _Allowance:
    """Half a month is counted in days and a month in pairs of days, or in days if there are no facets."""
    if with_facets:
        return _Allowance(13 if is_slow else 17, _BEFORE_WITH_FACETS, 12 if compares else 15)
    return _Allowance(17 if is_slow else 24 if compares else 32, _BEFORE, 0)


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
        self._read = CountKey(), EventColumns()  # the result that was read last
        self._unread: CountKey | None = None  # a result that cannot be read, as its rows do not add up
        self._requested: Query | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._begin)
        self._rows.shown.connect(self._start_later)
        self._rows.awaited.connect(self._stop)
        context.view.rows_gone.connect(self._clear)
        histogram.families_requested.connect(self._begin_families)

    def _stop(self) -> None:
        self._timer.stop()
        for name in (_READ, _OVERVIEW, _FAMILIES):
            self._tasks.cancel(name)
        self._facet_counts.stop()

    def _start_later(self, result: QueryResult | None) -> None:
        self._stop()
        self._fade_outdated()
        self._timer.start(0 if isinstance(result, MatchedResult) else _DELAY)

    def _clear(self) -> None:
        """Marks counts of another query as outdated while rows are loaded."""
        self._fade_outdated()
        self._facet_counts.withdraw(self._asked_for)

    def _fade_outdated(self) -> None:
        if self._counted.query != self._asked_for:
            self._histogram.fade()

    @property
    def _asked_for(self) -> Query:
        return replace(self._view.query, sort=())

    def begin_soon(self) -> None:
        """Counts after a short delay, since a panel was opened."""
        self._timer.start(_DELAY)

    def stop_hidden(self) -> None:
        """Stops counting for panels that are hidden."""
        has_histogram, has_facets = _is_shown(self._histogram), _is_shown(self._facets)
        if not has_histogram:
            self._tasks.cancel(_OVERVIEW)
            self._tasks.cancel(_FAMILIES)
        if not has_facets:
            self._facet_counts.stop()
        if not (has_histogram or has_facets):
            self._tasks.cancel(_READ)

    def _begin(self) -> None:
        result = self._rows.result
        if result is None:
            if not self._rows.are_awaited:
                self._counted = CountKey()
                self._histogram.show_overview(Overview())
                self._facet_counts.forget()
            return
        if isinstance(result, MatchedResult) and result.total is None:
            return  # counted when the search has ended
        if self._tasks.is_running(LOAD):
            self._timer.start(_SOON)  # the rows are being counted, which tells how to count the rest
            return
        self._begin_counts(result, CountKey.of(self._view.query, result))
        if not _is_shown(self._facets) and self._requested == self._view.query:
            self._facets.outdate()
        self._requested = self._view.query

    def _begin_counts(self, result: QueryResult, what: CountKey) -> None:
        lacks_overview = _is_shown(self._histogram) and self._counted != what
        lacks_facets = _is_shown(self._facets) and not self._facet_counts.has(what)
        if self._counted == what:
            self._histogram.fade(faded=False)
        if not lacks_facets:
            self._facet_counts.show_again(what)
        if not (lacks_overview or lacks_facets):
            return
        is_narrow = self._span_is_closed(result)
        allowed = _allowance(
            with_facets=lacks_facets, compares=is_narrow, is_slow=self._rows.page_seconds > _SLOW
        )
        if self._is_readable(result, what):
            title = tr("Reading events for the overview")
            self._start(_READ, self._take_whole(result, what, allowed), title)
            return
        if lacks_overview:
            self._start(_OVERVIEW, self._count(result, what, allowed), tr("Counting events over time"))
        if lacks_facets:
            self._facet_counts.begin(result, what, allowed.facets)

    def _start(self, name: str, work: Coroutine[None, None, None], title: str) -> None:
        failed = partial(self._failed, name)
        self._tasks.start(name, work, title=title, on_error=failed, on_given_up=partial(failed, None))

    def _is_readable(self, result: QueryResult, what: CountKey) -> bool:
        """Whether all events of the result are in memory or can be read soon."""
        if isinstance(result, MatchedResult) or self._read[0] == what:
            return True
        if result.total is None or self._unread == what:
            return False
        pages = -(-result.total // PAGE_SIZE)
        if pages <= 1:
            return True
        asked = result.resolved_query.filter
        of_parts = sum(facet_filter(asked, part) != asked for part in FACET_PARTS) * _CALLS_OF_PART
        calls = pages + (of_parts if _is_shown(self._facets) else 0)
        calls += _BEFORE_WITH_FACETS if self._span_is_closed(result) else 0
        seconds = pages * self._rows.page_seconds / CONCURRENT_CALLS
        return pages <= _MOST_PAGES and calls <= _MOST_CALLS and seconds <= _MOST_SECONDS

    async def _take_whole(self, result: QueryResult, what: CountKey, allowed: _Allowance) -> None:
        """Shows the numbers of all events of a result."""
        columns = await self._columns(result, what)
        if columns is None:
            self._unread = what
            self._begin_counts(result, what)
            return
        events = await asyncio.to_thread(lambda: list(columns.events()))
        if _is_shown(self._facets) and not self._facet_counts.has(what):
            self._facet_counts.begin(result, what, allowed.facets, events)
        if _is_shown(self._histogram) and self._counted != what:
            first, last = _bounds(self._period(result))
            now, span = datetime.now(UTC).replace(microsecond=0), self._view.query.span
            if span.is_relative and span.bounds(now)[1] is None:
                last = now  # a result ends with its newest event, but a period such as "today" goes on
            found = await asyncio.to_thread(overview_of, events, first, last)
            self._show(result, found)
            if not result.resolved_query.conditions:
                await self._compare(result, found, allowed)
            self._counted = what

    async def _columns(self, result: QueryResult, what: CountKey) -> EventColumns | None:
        """All events of a result; None if their number is not that of the rows."""
        if isinstance(result, MatchedResult):
            return result.columns
        if self._read[0] == what:
            return self._read[1]
        total = result.total or 0
        columns = EventColumns()
        if total <= PAGE_SIZE:
            columns.add(event for page in result.loaded_events() for event in page)
            return columns
        pages = range(0, total, PAGE_SIZE)
        ids, unreadable = set[int](), 0
        # The first page is in memory if the rows have the order in which they are read.
        loaded = () if result.resolved_query.sort else result.loaded_records()[0]
        newest = result.newest

        async def read(offset: int) -> Sequence[Record]:
            if offset == 0 and len(loaded) == PAGE_SIZE:
                return loaded
            return await self._source.records(result.resolved_query.filter, offset)

        async with aclosing(call_each(read, pages)) as answers:
            async for offset, records in answers:
                events, others = split_records(records)
                unreadable += len(others)
                new = [one for one in events if one.id not in ids and (newest is None or one.id <= newest)]
                ids.update(event.id for event in new)
                columns.add(new)
                self._show_progress(_READ, (offset + PAGE_SIZE) / total)
        if len(ids) + unreadable != total:
            return None  # others have added or deleted rows meanwhile
        self._read = what, columns
        return columns

    async def _count(self, result: QueryResult, what: CountKey, allowed: _Allowance) -> None:
        def show_progress(overview: Overview, part: float) -> None:
            self._histogram.show_overview(overview)
            self._show_progress(_OVERVIEW, part)

        self._counted = CountKey()
        asked = self._period(result)
        found = await count_overview(self._source, asked, allowed.buckets, show_progress)
        self._show(result, found)
        await self._compare(result, found, allowed)
        self._counted = what

    async def _compare(self, result: QueryResult, found: Overview, allowed: _Allowance) -> None:
        if self._span_is_closed(result):
            asked, preset = self._period(result), self._view.query.span.preset
            self._show(result, await count_before(self._source, asked, found, preset, allowed.before))

    def _period(self, result: QueryResult) -> EventFilter:
        """The filter of the result, up to the end of the query if it has passed: the last event is older."""
        now = datetime.now(UTC)
        _first, last = self._view.query.span.bounds(now)
        asked = result.resolved_query.filter
        return asked if last is None or last > now else replace(asked, date_to=last)

    def _span_is_closed(self, result: QueryResult) -> bool:
        """Whether the query is about a period, so that there is one before it."""
        return not result.resolved_query.conditions and _bounds(result.resolved_query.filter)[0] is not None

    def _show(self, result: QueryResult, found: Overview) -> None:
        # Some rows may have unreadable times.
        is_empty = not result.rows and result.total is not None
        self._histogram.show_overview(found, tr("No events to count") if is_empty else tr("Not counted"))

    def _begin_families(self) -> None:
        """Counts the families, for which the user has asked as it takes many calls."""
        result = self._rows.result
        if result is None or self._counted != CountKey.of(self._view.query, result):
            return
        found = self._histogram.overview
        self._tasks.start(
            _FAMILIES,
            self._count_families(result, found),
            title=tr("Counting events by type"),
            on_error=lambda _error: self._histogram.show_overview(found),
            on_given_up=lambda: self._histogram.show_overview(found),
        )

    async def _count_families(self, result: QueryResult, found: Overview) -> None:
        def show_progress(overview: Overview, part: float) -> None:
            self._histogram.show_overview(overview)
            self._tasks.show_progress(_FAMILIES, tr("Counting events by type"), part)

        asked, types = result.resolved_query.filter, self._view.seen.types
        self._histogram.show_overview(await count_families(self._source, asked, found, types, show_progress))

    def _show_progress(self, name: str, part: float) -> None:
        is_read = name == _READ
        title = tr("Reading events for the overview") if is_read else tr("Counting events over time")
        self._tasks.show_progress(name, title, min(1.0, part))

    def _failed(self, name: str, error: Exception | None) -> None:
        """Shows why something was not counted; ``error`` is None if the user has cancelled it."""
        result = self._rows.result
        what = CountKey() if result is None else CountKey.of(self._view.query, result)
        if self._counted != what:
            self._histogram.show_overview(Overview(), _not_counted(error))
        if name == _READ and not self._facet_counts.has(what):
            self._facet_counts.fail(error)


def _not_counted(error: Exception | None) -> str:
    """Why there are no counts; without an error the user has cancelled counting."""
    if error is None:
        return tr("Counting was cancelled. Press F5 to count again.")
    return tr("Not counted: {title}", title=error_message(error).title)


def _bounds(event_filter: EventFilter) -> tuple[datetime | None, datetime | None]:
    first, last = event_filter.date_from, event_filter.date_to
    return (
        first if isinstance(first, datetime) else None,
        last if isinstance(last, datetime) else None,
    )


def _is_shown(panel: QWidget) -> bool:
    """Whether the user has the panel open, even if the page itself is hidden."""
    return not panel.isHidden()


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
        self._objects = FacetCounts()
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
        self._show_reason(error)

    def _show_reason(self, error: Exception | None) -> None:
        self._panel.show_status(_not_counted(error))

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
            self._objects = count_object_types(loaded, is_whole=False)
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
            self._tasks.start(_MORE, self._count_more(), title=title, on_error=self._show_reason)

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
                        for value in tally.numbers(one).keys() - self._counts[one].numbers.keys():
                            number = await self._source.count(narrowed_filter(self._filters[one], one, value))
                            self._add_number(FacetValue(one, value), number)
                    self._show_search_progress(tally.read, total)
                    if self._counts[part].rest <= tally.without(part):
                        parts = [part]
                        break
        for one in parts:
            self._counts[one] = replace(self._counts[one], is_whole=True)
        self._panel.show_search(None)
        self._show()

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


def _count_events(events: Sequence[Event]) -> tuple[ValueCounter, FacetCounts]:
    tally = ValueCounter()
    tally.add(events)
    return tally, count_object_types(events, is_whole=True)
