"""Searches the log for users while their popup is open."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from functools import partial

from PySide6.QtCore import QObject

from cdb_desktop.client import EventFilter, Record
from cdb_desktop.events.facets import sample_pages
from cdb_desktop.events.paging import read_pages
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.context import BackgroundReader, BrowserContext
from cdb_desktop.ui.events.filters.controller import FilterController
from cdb_desktop.ui.events.filters.users_popup import UserSearchState, UsersPopup
from cdb_desktop.vocabulary.error_messages import error_message

_WORK = "events.users"
# Calls, and records of each: a user with a hundredth of the events is hardly ever missed.
_SAMPLE_PAGES, _SAMPLE_RECORDS = 16, 200


class UserSearchController(QObject):
    """Finds users by name.

    The service has no list of users: the popup offers those of a sample of the log, and can search all of
    it.
    """

    def __init__(self, context: BrowserContext, filters: FilterController) -> None:
        super().__init__(context.view)
        self._tasks = context.tasks
        self._source = BackgroundReader(context)
        self._is_sampled = False
        filters.users_popup_opened.connect(self._follow_popup)

    def _follow_popup(self, popup: UsersPopup) -> None:
        popup.look_requested.connect(partial(self._begin, popup))
        popup.stop_requested.connect(partial(self._tasks.give_up, _WORK))
        popup.closed.connect(partial(self._tasks.cancel, _WORK))
        if not self._is_sampled:
            self._tasks.start(
                _WORK, self._add_recent(popup), title=tr("Searching for users"), on_error=_silent
            )

    def _begin(self, popup: UsersPopup) -> None:
        before = popup.looking
        self._tasks.start(
            _WORK,
            self._look(popup),
            title=tr("Searching for users"),
            on_error=partial(self._failed, popup),
            on_given_up=lambda: popup.show_search_state(UserSearchState(before.read)),
        )
        popup.show_search_state(UserSearchState(before.read, before.total, runs=True))

    async def _add_recent(self, popup: UsersPopup) -> None:
        total = await self._source.count(EventFilter())
        for offset, limit in sample_pages(total, _SAMPLE_PAGES, _SAMPLE_RECORDS):
            await self._source.records(EventFilter(), offset, limit)
            popup.show_known_users()
        self._is_sampled = True

    async def _look(self, popup: UsersPopup) -> None:
        if not self._is_sampled and not popup.looking.read:
            await self._add_recent(popup)
        total = await self._source.count(EventFilter())
        # Continues one page before the end of the last search, since events may have been deleted.
        start = max(0, popup.looking.read - PAGE_SIZE)
        text, known = popup.wanted, popup.found

        async def fetch(offset: int) -> Sequence[Record]:
            return await self._source.records(EventFilter(), start + offset)

        read = start
        async with aclosing(read_pages(fetch, descending=True)) as pages:
            async for page in pages:
                read += len(page)
                popup.show_known_users()
                if popup.found > (known if popup.wanted == text else 0):
                    popup.show_search_state(UserSearchState(read))
                    return
                self._show_progress(popup, UserSearchState(read, max(total, read), runs=True))
        popup.show_search_state(UserSearchState(read, read, is_whole=True))

    def _show_progress(self, popup: UsersPopup, looking: UserSearchState) -> None:
        popup.show_search_state(looking)
        text = tr(
            "Searching for users: {read} of {total:1 event|{total} events} read",
            total=looking.total,
            read=looking.read,
        )
        self._tasks.show_progress(_WORK, text, looking.read / looking.total if looking.total else None)

    def _failed(self, popup: UsersPopup, error: Exception) -> None:
        popup.show_search_state(UserSearchState(popup.looking.read, failure=error_message(error).title))


def _silent(_error: Exception) -> None:
    """Ignores errors of the sample, which is read without a request of the user; a search shows its own."""
