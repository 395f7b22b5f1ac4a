"""Searches the result, what is loaded of it, or the log, and shows hits as they are found; newest wins."""

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
from cdb_desktop.ui.events.browser.event_requests import FullPages, patiently
from cdb_desktop.ui.events.search.hits_place import Told
from cdb_desktop.ui.events.search.no_hits_words import cut_short_words, during_words, nothing_words
from cdb_desktop.ui.events.search.search_panel import SearchPanel
from cdb_desktop.ui.events.search.search_scope import Scope
from cdb_desktop.ui.events.search.search_words import (
    advice_words,
    pair_offer,
    progress_words,
    result_words,
    waiting_words,
)
from cdb_desktop.vocabulary.pattern import Hit, Pattern

_WORK = "events.search"


class _Ground(msgspec.Struct, frozen=True):
    """What is searched: which events, up to which one, and how many they are."""

    filter: EventFilter
    newest: int | None
    total: int | None


class Searching(QObject):
    """The way of a pattern to the hits of the result that is shown."""

    def __init__(self, context: BrowserContext, panel: SearchPanel) -> None:
        super().__init__(context.view)
        self._panel = panel
        self._client, self._rows = context.client, context.rows
        self._tasks, self._words = context.tasks, context.words
        self._view, self._seen = context.view, context.view.seen
        self._wanted: Pattern | None = None
        self._progress = SearchProgress()
        self._waits = False
        panel.search_requested.connect(self._begin)
        panel.stop_requested.connect(self.stop)

    def stop(self) -> None:
        """Ends the search; what was found stays."""
        if self._tasks.is_running(_WORK):
            self._tasks.cancel(_WORK)
            self._show_stopped()

    def _show_stopped(self) -> None:
        self._panel.tell(partial(result_words, self._progress, ended=False))
        if self._wanted is not None:
            self._panel.place.tell(partial(cut_short_words, self._wanted, ""))
        self._panel.end()

    def _begin(self, pattern: Pattern, scope: Scope) -> None:
        result = None if scope is Scope.LOG else self._rows.result
        if scope is not Scope.LOG and not (result and result.rows):
            self._panel.tell(lambda: tr("There are no events to search."))
            return
        self._tasks.cancel(_WORK)
        is_loaded = scope is Scope.LOADED
        self._progress = SearchProgress(total=None if is_loaded or result is None else result.total)
        self._waits, self._wanted = False, pattern
        self._panel.place.tell(partial(during_words, pattern))
        self._panel.begin()
        self._show()
        self._tasks.start(_WORK, self._run(pattern, result, scope), title=tr("Searching"))

    async def _run(self, pattern: Pattern, result: QueryResult | None, scope: Scope) -> None:
        is_filtered = scope is not Scope.LOG and bool(self._view.query.parts)
        try:
            if scope is Scope.LOADED and result is not None:
                await search_pages(_loaded(result), pattern, self._tell)
            else:
                ground = await self._ground(result)
                await search_pages(self._all(ground, pattern), pattern, self._tell, ground.total)
        except asyncio.CancelledError:
            # A newer search may show itself already.
            if not self._tasks.is_running(_WORK):
                self._show_stopped()
            raise
        except Exception as error:  # noqa: BLE001  # whatever it was, what was found stays
            self._panel.tell(partial(self._failure, self._progress, error), "danger")
            self._panel.place.tell(partial(self._failed, pattern, error))
        else:
            self._panel.tell(partial(result_words, self._progress, ended=True))
            say = partial(nothing_words, pattern, scope, self._progress, filtered=is_filtered)
            self._panel.place.tell(say)
            if not self._progress.hits and advice_words(pattern):
                offer = partial(pair_offer, pattern.text, pattern.kind)
                self._panel.hint.tell(partial(advice_words, pattern), offer=offer)
        self._panel.end()

    def _failed(self, pattern: Pattern, error: Exception) -> Told:
        return cut_short_words(pattern, self._words(error).text)

    def _failure(self, progress: SearchProgress, error: Exception) -> str:
        return f"{result_words(progress, ended=False)} · {self._words(error).title}"

    def _tell(self, hits: Sequence[Hit], progress: SearchProgress) -> None:
        self._progress = progress
        self._panel.model.add(hits)
        self._show()

    def _show(self) -> None:
        words = waiting_words if self._waits else progress_words
        self._panel.tell(partial(words, self._progress))
        told = f"{tr('Searching')}: {self._panel.told}"
        self._tasks.show_progress(_WORK, told, None if self._waits else self._progress.fraction)

    def _wait(self) -> None:
        """The service is away: this is told until it answers again."""
        self._waits = True
        self._show()

    async def _ground(self, result: QueryResult | None) -> _Ground:
        if result is not None:
            return _Ground(result.resolved_query.filter, result.newest, result.total)
        page = await patiently(
            self._client, lambda: self._client.list_events(limit=1), self._wait, endless=True
        )
        self._waits = False
        return _Ground(EventFilter(), page.events[0].id if page.events else None, page.count)

    async def _all(self, ground: _Ground, pattern: Pattern) -> AsyncIterator[Sequence[Record]]:
        pages = FullPages(
            self._client,
            ground.filter,
            descending=True,
            waits=self._wait,
            short=not pattern.needs_whole,
            endless=True,
        )

        async def fetch(offset: int) -> Sequence[Record]:
            page = await pages.fetch(offset)
            self._waits = False
            return page

        async for page in read_pages(fetch, descending=True, up_to=ground.newest):
            self._seen.add(readable_events(page))
            yield page


async def _loaded(result: QueryResult) -> AsyncIterator[Sequence[Record]]:
    for page in result.loaded_records():
        yield page
