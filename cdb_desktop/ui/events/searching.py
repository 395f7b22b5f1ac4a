"""Searches the whole result, or what is loaded of it, and shows hits as they are found; newest wins."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial

from PySide6.QtCore import QObject

from cdb_desktop.client import Event
from cdb_desktop.events.pages import Result
from cdb_desktop.events.search import Progress, search
from cdb_desktop.events.walk import walk
from cdb_desktop.ui.events.full_pages import FullPages
from cdb_desktop.ui.events.means import Means
from cdb_desktop.ui.events.search_words import progress_words, result_words
from cdb_desktop.vocabulary.pattern import Hit, Pattern

_WORK = "events.search"


class Searching(QObject):
    """The way of a pattern to the hits of the result that is shown."""

    def __init__(self, means: Means) -> None:
        super().__init__(means.view)
        self._panel = panel = means.view.around.search
        self._client, self._rows = means.client, means.rows
        self._tasks, self._words = means.tasks, means.words
        self._progress = Progress()
        panel.search_requested.connect(self._begin)
        panel.stop_requested.connect(self.stop)

    def stop(self) -> None:
        """Ends the search; what was found stays."""
        if self._tasks.is_running(_WORK):
            self._tasks.cancel(_WORK)
            self._show_stopped()

    def _show_stopped(self) -> None:
        self._panel.tell(partial(result_words, self._progress, ended=False))
        self._panel.end()

    def _begin(self, pattern: Pattern, loaded_only: bool) -> None:
        result = self._rows.result
        if result is None or not result.rows:
            self._panel.tell(lambda: self.tr("There are no events to search."))
            return
        self._tasks.cancel(_WORK)
        pages = _loaded(result) if loaded_only else self._all(result)
        total = None if loaded_only else result.total
        self._progress = Progress(total=total)
        self._panel.begin()
        self._panel.tell(partial(progress_words, self._progress))
        self._tasks.start(_WORK, self._run(pages, pattern, total), title=self.tr("Searching"))

    async def _run(self, pages: AsyncIterator[Sequence[Event]], pattern: Pattern, total: int | None) -> None:
        try:
            await search(pages, pattern, self._tell, total)
        except asyncio.CancelledError:
            # A newer search may show itself already.
            if not self._tasks.is_running(_WORK):
                self._show_stopped()
            raise
        except Exception as error:  # noqa: BLE001  # whatever it was, what was found stays
            self._panel.tell(partial(self._failure, self._progress, error), "danger")
        else:
            self._panel.tell(partial(result_words, self._progress, ended=True))
        self._panel.end()

    def _failure(self, progress: Progress, error: Exception) -> str:
        return f"{result_words(progress, ended=False)} · {self._words(error).title}"

    def _tell(self, hits: Sequence[Hit], progress: Progress) -> None:
        self._progress = progress
        self._panel.model.add(hits)
        self._panel.tell(partial(progress_words, progress))
        self._tasks.show_progress(_WORK, f"{self.tr('Searching')}: {self._panel.told}", progress.part)

    async def _all(self, result: Result) -> AsyncIterator[Sequence[Event]]:
        pages = FullPages(self._client, result.listing.filter, descending=True)
        async for page in walk(pages.fetch, descending=True, up_to=result.newest):
            yield page


async def _loaded(result: Result) -> AsyncIterator[Sequence[Event]]:
    for page in result.pages_here():
        yield page
