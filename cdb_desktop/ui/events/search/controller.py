"""Searches the result, its loaded rows or the log, and shows hits as they are found."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial

import msgspec
from PySide6.QtCore import QObject

from cdb_desktop.client import EventFilter, Record
from cdb_desktop.events.paging import read_pages
from cdb_desktop.events.result import QueryResult, readable_events
from cdb_desktop.events.search import SearchProgress, search_pages
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.event_requests import FullPages, with_retries
from cdb_desktop.ui.events.search.messages import (
    HitsPlaceholder,
    SearchScope,
    advice_text,
    incomplete_placeholder,
    key_value_offer,
    no_hits_placeholder,
    progress_text,
    result_text,
    searching_placeholder,
    waiting_text,
)
from cdb_desktop.ui.events.search.panel import SearchPanel
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.pattern import Hit, Pattern

_SEARCH = "events.search"


class _Range(msgspec.Struct, frozen=True):
    """The events to search: filter, highest id and number."""

    filter: EventFilter
    newest: int | None
    total: int | None


class SearchController(QObject):
    """Runs the searches of the panel."""

    def __init__(self, context: BrowserContext, panel: SearchPanel) -> None:
        super().__init__(context.view)
        self._panel = panel
        self._client, self._rows = context.client, context.rows
        self._tasks = context.tasks
        self._view, self._seen = context.view, context.view.seen
        self._pattern: Pattern | None = None
        self._progress = SearchProgress()
        self._waits = False
        panel.search_requested.connect(self._begin)
        panel.stop_requested.connect(self.stop)

    def stop(self) -> None:
        """Stops the search and keeps the hits."""
        if self._tasks.is_running(_SEARCH):
            self._tasks.cancel(_SEARCH)
            self._show_stopped()

    def _show_stopped(self) -> None:
        self._panel.show_status(partial(result_text, self._progress, ended=False))
        if self._pattern is not None:
            self._panel.place.set_placeholder(partial(incomplete_placeholder, self._pattern, ""))
        self._panel.end()

    def _begin(self, pattern: Pattern, scope: SearchScope) -> None:
        result = None if scope is SearchScope.LOG else self._rows.result
        if scope is not SearchScope.LOG and not (result and result.rows):
            self._panel.show_status(lambda: tr("There are no events to search."))
            return
        self._tasks.cancel(_SEARCH)
        is_loaded = scope is SearchScope.LOADED
        self._progress = SearchProgress(total=None if is_loaded or result is None else result.total)
        self._waits, self._pattern = False, pattern
        self._panel.place.set_placeholder(partial(searching_placeholder, pattern))
        self._panel.begin()
        self._show()
        self._tasks.start(_SEARCH, self._run(pattern, result, scope), title=tr("Searching"))

    async def _run(self, pattern: Pattern, result: QueryResult | None, scope: SearchScope) -> None:
        is_filtered = scope is not SearchScope.LOG and bool(self._view.query.parts)
        try:
            if scope is SearchScope.LOADED and result is not None:
                await search_pages(_loaded(result), pattern, self._show_hits)
            else:
                events = await self._range(result)
                await search_pages(self._all(events, pattern), pattern, self._show_hits, events.total)
        except asyncio.CancelledError:
            # A new search may be running already.
            if not self._tasks.is_running(_SEARCH):
                self._show_stopped()
            raise
        except Exception as error:  # noqa: BLE001  # any failure is shown, and the hits stay
            self._panel.show_status(partial(self._failure, self._progress, error), "danger")
            self._panel.place.set_placeholder(partial(self._failed, pattern, error))
        else:
            self._panel.show_status(partial(result_text, self._progress, ended=True))
            get_placeholder = partial(
                no_hits_placeholder, pattern, scope, self._progress, filtered=is_filtered
            )
            self._panel.place.set_placeholder(get_placeholder)
            if not self._progress.hits and advice_text(pattern):
                offer = partial(key_value_offer, pattern.text, pattern.kind)
                self._panel.hint.show_text(partial(advice_text, pattern), offer=offer)
        self._panel.end()

    def _failed(self, pattern: Pattern, error: Exception) -> HitsPlaceholder:
        return incomplete_placeholder(pattern, error_message(error).text)

    def _failure(self, progress: SearchProgress, error: Exception) -> str:
        return f"{result_text(progress, ended=False)} · {error_message(error).title}"

    def _show_hits(self, hits: Sequence[Hit], progress: SearchProgress) -> None:
        self._progress = progress
        self._panel.model.add(hits)
        self._show()

    def _show(self) -> None:
        text_of = waiting_text if self._waits else progress_text
        self._panel.show_status(partial(text_of, self._progress))
        text = f"{tr('Searching')}: {self._panel.status}"
        self._tasks.show_progress(_SEARCH, text, None if self._waits else self._progress.fraction)

    def _wait(self) -> None:
        """Shows that the service does not answer, until it does."""
        self._waits = True
        self._show()

    async def _range(self, result: QueryResult | None) -> _Range:
        if result is not None:
            return _Range(result.resolved_query.filter, result.newest, result.total)
        page = await with_retries(
            self._client, lambda: self._client.list_events(limit=1), self._wait, endless=True
        )
        self._waits = False
        return _Range(EventFilter(), page.events[0].id if page.events else None, page.count)

    async def _all(self, events: _Range, pattern: Pattern) -> AsyncIterator[Sequence[Record]]:
        pages = FullPages(
            self._client,
            events.filter,
            descending=True,
            waits=self._wait,
            short=not pattern.needs_whole,
            endless=True,
        )

        async def fetch(offset: int) -> Sequence[Record]:
            page = await pages.fetch(offset)
            self._waits = False
            return page

        async for page in read_pages(fetch, descending=True, up_to=events.newest):
            self._seen.add(readable_events(page))
            yield page


async def _loaded(result: QueryResult) -> AsyncIterator[Sequence[Record]]:
    for page in result.loaded_records():
        yield page
