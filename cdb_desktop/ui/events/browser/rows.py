"""Fetches the rows of a result page by page: the first before the count, others when they are visible."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import suppress
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer, Signal

from cdb_desktop.client import (
    AnswerError,
    Client,
    ClientError,
    Event,
    EventFilter,
    GatewayError,
    Record,
    ServerError,
    SlowAnswerError,
)
from cdb_desktop.events.matches import MatchedResult, filter_for_objects, search_matches
from cdb_desktop.events.paging import read_pages
from cdb_desktop.events.result import PAGE_SIZE, IncompleteResultError, QueryResult, readable_events
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.query import ResolvedQuery
from cdb_desktop.ui.events.browser.event_requests import (
    REPEATED,
    FullPages,
    count_events,
    events_by_id,
    is_repeatable,
    pause,
)
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.tasks import Handler, Tasks
from cdb_desktop.ui.widgets.notice import ActionNotice
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message

_USUAL = 50  # seldom exceeded within a second
_OVER = 2.0  # seconds during which a service may still add events to the last second of a result
_FAILED, _SILENT = 2_000, 5_000  # milliseconds after a failed call, and without an answer
_log = logging.getLogger(__name__)
_COUNT = "events.count"
_REFUSED = 1.0  # seconds for which a refused page is not requested again, since its notice moves the rows


class LateRowCounter:
    """Counts rows that were added above a result since it was loaded.

    Newest first, a result ends with the second of its newest event (§4.3), in which more events may follow.
    They would shift all later pages, which go by offset.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._result: QueryResult | None = None
        self._begun = 0.0
        self._number: int | None = None

    async def above(self, result: QueryResult) -> int:
        """The number of rows added at the top of the service's list. Raises ClientError."""
        if result.newest is None or result.resolved_query.sort:
            return 0
        if result is not self._result:
            self._result, self._begun, self._number = result, time.monotonic(), None
        if self._number is not None:
            return self._number
        is_over = time.monotonic() - self._begun > _OVER
        number = await self._count(result, result.newest)
        if is_over and result is self._result:
            self._number = number
        return number

    async def _count(self, result: QueryResult, newest: int) -> int:
        number = 0
        for limit in (_USUAL, PAGE_SIZE):
            page = await self._client.list_events(result.resolved_query.filter, limit=limit, skip_count=True)
            number = sum(event.id > newest for event in page.events)
            if number < limit:
                break
        return number


class AwayNotice(QObject):
    """A notice that rows are missing because the service does not answer; appears after a delay.

    Signals: ``again_requested`` to try again at once.
    """

    again_requested = Signal()

    def __init__(self, bar: ActionNotice) -> None:
        super().__init__(bar)
        self._bar = bar
        self._error: BaseException | None = None
        self._late = QTimer(self, singleShot=True)
        self._late.timeout.connect(lambda: bar.show_message("warning", self._message()))
        bar.add_button("events.away.again", tr("Try again"), self.again_requested.emit)

    def wait(self) -> None:
        """Starts to wait for requested rows."""
        if not self._late.isActive() and self._bar.isHidden():
            self._late.start(_SILENT)

    def fail(self, error: BaseException) -> None:
        """Reports a failed call that will be repeated."""
        if self._error is None and self._bar.isHidden():
            self._late.start(_FAILED)
        self._error = error

    def end(self) -> None:
        """Hides the notice: the service has answered, or the rows are no longer needed."""
        self._error = None
        self._late.stop()
        self._bar.hide()

    def _message(self) -> ErrorMessage:
        rows = tr("The rows are loaded as soon as it responds.")
        title = tr("The service does not answer")
        if not isinstance(self._error, GatewayError | AnswerError | ServerError):
            return ErrorMessage(title, rows, "")
        message = error_message(self._error)
        again = tr("The rows are requested again automatically.")
        return ErrorMessage(
            message.title, f"{message.text} {again}".strip(), "", message.code, message.details
        )


class ResultRows(QObject):
    """The current result and the pages of it that are being fetched.

    Signals: ``shown`` (QueryResult or None) when the result changes or a search has ended · ``searched``
    (MatchedResult) when a search has gone on · ``awaited`` when other rows are requested, until which there
    is no result.
    """

    shown = Signal(object)
    searched = Signal(object)
    awaited = Signal()

    def __init__(self, view: BrowserView, client: Client, tasks: Tasks, failed: Handler) -> None:
        """``failed`` gets errors that cannot be retried."""
        super().__init__(view)
        self._view = view
        self._client = client
        self._tasks = tasks
        self._failed = failed
        self._requested: set[int] = set()
        self._refused: dict[int, float] = {}  # pages that the service refused, and when
        self._shown = (0, -1)  # the first and the last visible row
        self._loading = 0
        self.page_seconds = 0.0  # how long the first page of the last result took
        self.whole = False  # whether the rows need more than the short records have (wire §3)
        self.result: QueryResult | None = None
        self._aside: QueryResult | None = None
        self._late = LateRowCounter(client)
        self._away = AwayNotice(view.interrupted.add())
        self._away.again_requested.connect(self._try_again)
        view.table.rows_shown.connect(self._fetch)

    @property
    def can_be_whole(self) -> bool:
        """Whether the service lists whole records (§9 rule 2)."""
        return self._client.capabilities.full_list

    @property
    def are_awaited(self) -> bool:
        """Whether rows are being loaded."""
        return self._loading > 0 or bool(self._requested)

    def forget(self) -> None:
        """Drops the result."""
        self._cancel_pages()
        self.result = self._aside = None
        self.shown.emit(None)

    def set_aside(self) -> None:
        """Removes the result because other rows are requested; `take_back` restores it."""
        self._cancel_pages()
        if self.result is not None:
            self._aside, self.result = self.result, None
        self.awaited.emit()

    def take_back(self) -> None:
        """Restores the result that was set aside after the other rows were cancelled."""
        if self._aside is not None:
            self.result, self._aside = self._aside, None
            self._view.show_again(self.result)
            self.shown.emit(self.result)
            if self.result.count_failed:
                self._start_count(self.result, is_narrow=not self.result.resolved_query.filter.is_empty)

    async def load(self, listing: ResolvedQuery) -> None:
        """Loads and shows a result; a reload keeps the scroll position. Raises ClientError."""
        if listing.conditions:
            await self._search(listing)
            return
        is_narrow = not listing.filter.is_empty
        result = await self._first(listing)
        if self.result is None:
            self._show(result, keep_place=False)
            is_counted = await self._count(result)
            self._view.show_count()
        else:
            # The scroll position can only be kept if the number of rows is known.
            is_counted = await self._count(result)
            self._show(result, keep_place=True)
        if is_narrow:
            is_counted &= await self._count_everything()
        if not is_counted:
            self._start_count(result, is_narrow=is_narrow)

    def fetch_missing(self) -> None:
        """Requests the visible pages that the service has refused."""
        self._refused.clear()
        self._fetch(*self._shown)

    async def events(self, rows: Iterable[int]) -> list[Event]:
        """The events of rows, fetched if needed. Raises ClientError."""
        return readable_events(await self.records(rows))

    async def records(self, rows: Iterable[int]) -> list[Record]:
        """The events and unreadable records of rows, fetched if needed. Raises ClientError."""
        result = self.result
        if result is None:
            return []
        found: list[Record] = []
        for row in rows:
            if result.record(row) is None:
                number = row // PAGE_SIZE
                await self._load_page(result, number)
                self._view.show_page(number)
            record = result.record(row)
            if record is not None:
                found.append(record)
        return found

    async def _search(self, listing: ResolvedQuery) -> None:
        """Shows the matches as they are found, after a refresh all at the end. Raises ClientError."""
        self._loading += 1
        try:
            newest = await self._client.list_events(listing.filter, limit=1, skip_count=True)
        finally:
            self._loading -= 1
        newest_id = newest.events[0].id if newest.events else None
        is_reload, chosen = self.result is not None, self._searched_filter(listing)
        result = await self._search_in(chosen, MatchedResult(listing, newest_id), is_reload=is_reload)
        if not result.rows and chosen != listing.filter:
            # All events have to be tested to know how many there are without one of the conditions.
            everything = MatchedResult(listing, newest_id)
            result = await self._search_in(listing.filter, everything, is_reload=is_reload)
        if is_reload:
            self._show(result, keep_place=True)
        elif not await self._count_everything():
            self._start_count(result, is_narrow=True)

    def _searched_filter(self, listing: ResolvedQuery) -> EventFilter:
        """The filter of the events to search, which leaves out other objects where the service can."""
        if not self._client.capabilities.filters_by_object:
            return listing.filter
        return filter_for_objects(listing.filter, listing.conditions, self._view.seen.tables)

    async def _search_in(
        self, chosen: EventFilter, result: MatchedResult, *, is_reload: bool
    ) -> MatchedResult:
        """Searches the events that pass a filter. Raises ClientError."""
        if not is_reload:
            self._show(result, keep_place=False)
        is_all = chosen == result.resolved_query.filter

        def changed(rows: Sequence[int]) -> None:
            # Without a match all events are searched next.
            if is_all or result.total != 0:
                self.searched.emit(result)
                if self.result is result:
                    self._view.show_matches(result, rows)
                    if result.total is not None:
                        self.shown.emit(result)

        # The progress has a fraction from then on; counting a long log takes long.
        counting = asyncio.ensure_future(self._count_searched(chosen, result))
        try:
            await search_matches(self._searched_pages(chosen, result), result, changed)
        finally:
            counting.cancel()
            self._away.end()
        return result

    async def _count_searched(self, chosen: EventFilter, result: MatchedResult) -> None:
        with suppress(ClientError):
            total = await count_events(self._client, chosen)
            result.progress = replace(result.progress, total=total)

    async def _searched_pages(
        self, chosen: EventFilter, result: MatchedResult
    ) -> AsyncIterator[Sequence[Record]]:
        pages = FullPages(
            self._client,
            chosen,
            descending=result.descends,
            waits=self._away.wait,
            short=not (self.whole or result.matcher.needs_whole),
            endless=True,
        )
        async for page in read_pages(pages.fetch, descending=result.descends, up_to=result.newest):
            self._away.end()
            self._view.seen.add(readable_events(page))
            yield page

    async def _first(self, listing: ResolvedQuery) -> QueryResult:
        self._loading += 1
        try:
            listing, newest = await self._frozen(listing)
            begun = time.monotonic()
            page = await self._client.list_events(
                listing.filter, sort=listing.sort, limit=PAGE_SIZE, skip_count=True, full=self.whole
            )
            self.page_seconds = time.monotonic() - begun
        finally:
            self._loading -= 1
        result = QueryResult(listing, page.records)
        result.newest = result.newest if newest is None else newest
        self._view.seen.add(page.events)
        return result

    async def _frozen(self, listing: ResolvedQuery) -> tuple[ResolvedQuery, int | None]:
        """Adds the time of the newest event: pages in other orders do not show which event is the newest."""
        if not listing.sort or listing.filter.date_to is not None:
            return listing, None
        newest = await self._client.list_events(listing.filter, limit=1, skip_count=True)
        if not newest.events:  # no events, or no readable ones
            return listing, None
        return listing.frozen_at(newest.events[0].timestamp), newest.events[0].id

    def _show(self, result: QueryResult, *, keep_place: bool) -> None:
        self._cancel_pages()
        self.result, self._aside = result, None
        self._view.show_result(result, keep_place=keep_place)
        self.shown.emit(result)

    def _cancel_pages(self) -> None:
        for number in tuple(self._requested):
            self._tasks.cancel(_page_name(number))
        self._tasks.cancel(_COUNT)
        self._requested.clear()
        self._refused.clear()
        self._away.end()

    async def _count(self, result: QueryResult) -> bool:
        """Counts the rows of a result. Returns False if it failed and is worth another try."""
        result.count_failed = False
        if result.is_counted:
            return True
        try:
            result.set_count(await self._number_of_rows(result))
        except REPEATED as error:
            # The rows are shown nevertheless.
            _log.warning("the events were not counted: %s", error)
            result.count_failed = _is_countable(error)
        return not result.count_failed

    async def _number_of_rows(self, result: QueryResult) -> int | None:
        """The number of rows by now, without those added at the top. Raises ClientError."""
        counted = await count_events(self._client, result.resolved_query.filter)
        if counted is None or counted <= result.rows or result.total is None:
            return counted
        return max(result.rows, counted - await self._late.above(result))

    async def _count_everything(self) -> bool:
        try:
            everything = await count_events(self._client, EventFilter())
        except REPEATED as error:
            return not _is_countable(error)
        self._view.show_count(everything)
        return True

    def _start_count(self, result: QueryResult, *, is_narrow: bool) -> None:
        self._tasks.start(_COUNT, self._count_later(result, is_narrow=is_narrow))

    async def _count_later(self, result: QueryResult, *, is_narrow: bool) -> None:
        """Repeats failed counts until they succeed or other rows are requested."""
        try:
            while self.result is result and not await self._count(result):
                await pause(self._client)
            if self.result is result:
                self._view.show_count()
            while self.result is result and is_narrow and not await self._count_everything():
                await pause(self._client)
        except ClientError as error:
            _log.warning("the events were not counted: %s", error)

    def _fetch(self, first: int, last: int) -> None:
        self._shown = first, last
        if self.result is None or self._view.model.result is not self.result:
            return
        now = time.monotonic()
        wanted = set(self.result.missing_pages(first, last))
        self._refused = {number: since for number, since in self._refused.items() if now - since < _REFUSED}
        wanted -= self._refused.keys()
        for number in self._requested - wanted:
            self._tasks.cancel(_page_name(number))
        for number in sorted(wanted - self._requested):
            self._start_page(self.result, number)
        self._requested = wanted
        self._watch()

    def _start_page(self, result: QueryResult, number: int) -> None:
        work = self._fetch_page(result, number)
        self._tasks.start(_page_name(number), work, on_error=partial(self._fail_page, number))

    def _fail_page(self, number: int, error: Exception) -> None:
        """A page cannot be loaded; scrolling to it requests it again."""
        self._requested.discard(number)
        self._refused[number] = time.monotonic()
        self._watch()
        self._failed(error)

    def _try_again(self) -> None:
        self._client.try_now()
        for number in sorted(self._requested):
            if self.result is not None:
                self._start_page(self.result, number)

    def _watch(self) -> None:
        if self._requested:
            self._away.wait()
        else:
            self._away.end()

    async def _fetch_page(self, result: QueryResult, number: int) -> None:
        while True:
            try:
                await self._load_page(result, number)
                break
            except IncompleteResultError as error:
                self._fail_incomplete(number, error)
                return
            except REPEATED as error:
                if not is_repeatable(error):
                    raise
                self._away.fail(error)
                await pause(self._client)
        self._requested.discard(number)
        self._away.end()
        self._watch()
        self._view.show_page(number)

    async def _load_page(self, result: QueryResult, number: int) -> None:
        if isinstance(result, MatchedResult):
            found = events_by_id(self._client, result.page_ids(number), self._away.wait, short=not self.whole)
            result.restore(number, [event async for some in found for event in some])
            return
        records = await self._page(result, number)
        # Decoding the page and painting its rows take time: waiting events are processed in between.
        await asyncio.sleep(0)
        result.add_page(number, records)

    def _fail_incomplete(self, number: int, error: IncompleteResultError) -> None:
        self._requested.discard(number)
        self._watch()
        text = tr(
            "The service counts {total:1 event, but lists only {rows}. Refresh to request "
            "it|{total} events, but lists only {rows}. Refresh to request them} again.",
            total=error.total,
            rows=error.rows,
        )
        self._view.notice.show_notice("warning", tr("Rows are missing"), text)

    async def _page(self, result: QueryResult, number: int) -> tuple[Record, ...]:
        """One page; if it is shorter than expected, the rest is requested. Raises ClientError."""
        records = await self._listed(result, number * PAGE_SIZE)
        while len(records) < result.length(number):
            if result.total is None:
                break
            more = await self._listed(result, number * PAGE_SIZE + len(records), PAGE_SIZE - len(records))
            records += more
            if not more:
                self._check_end(result, number * PAGE_SIZE + len(records), await self._number_of_rows(result))
                break
        return records

    def _check_end(self, result: QueryResult, rows: int, counted: int | None) -> None:
        """Ends the result after so many rows: the rest was deleted, or the service hides it."""
        if counted is not None and counted > rows:
            raise IncompleteResultError(rows, counted)
        result.shrink(rows)

    async def whole_events(self, result: QueryResult, row: int, limit: int) -> Sequence[Event]:
        """The whole records of some rows of a result, fetched as a page. Raises ClientError."""
        return readable_events(await self._listed(result, row, limit, whole=True))

    async def _listed(
        self, result: QueryResult, row: int, limit: int = PAGE_SIZE, *, whole: bool = False
    ) -> tuple[Record, ...]:
        asked = result.resolved_query
        page = await self._client.list_events(
            asked.filter,
            sort=asked.sort,
            limit=limit,
            offset=row + await self._late.above(result),
            skip_count=True,
            full=whole or self.whole,
        )
        self._view.seen.add(page.events)
        return page.records


def _is_countable(error: ClientError) -> bool:
    """Whether to count again: counting a long log can exceed the time limit of a request."""
    return is_repeatable(error) and not isinstance(error, SlowAnswerError)


def _page_name(number: int) -> str:
    return f"events.page.{number}"
