"""Offers similar queries on the page of a query that finds nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from cdb_desktop.client import ClientError
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.events.relaxation import (
    MOST_CALLS,
    Relaxation,
    corrections,
    counterparts,
    in_order,
    interpreted,
    served_parts,
    similar_users,
    with_meanings,
    without_served,
    without_words_or_conditions,
)
from cdb_desktop.events.result import QueryResult
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.typed_query import TypedQueryError, with_terms
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.event_requests import count_events
from cdb_desktop.ui.widgets.query_texts import part_name, summary
from cdb_desktop.vocabulary.query_text import parse_query

_WORK = "events.relaxation"  # the task that counts what filters exclude
_TYPED = "events.typed"  # the task that counts what is typed
_TABLES = "events.table_names"
_SOON = 0.2  # seconds until then, since more is typed
_MOST = 6  # offers on a page
_log = logging.getLogger(__name__)


class RelaxationController(QObject):
    """Offers corrections at once, and filters that can be left out when they have been counted.

    Where there are rows, it offers the conditions that the words probably mean.

    Signals: ``typed_counted`` (typed text, number of events).
    """

    typed_counted = Signal(str, int)

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._view, self._client, self._tasks = context.view, context.client, context.tasks
        self._has_asked = False
        context.rows.shown.connect(self._follow)
        context.rows.awaited.connect(self._stop)

    def count_typed(self, typed: str) -> None:
        """Counts what a completion finds, if the service can, unless another one is offered soon."""
        try:
            query = with_terms(self._view.query, parse_query(typed, datetime.now(UTC)), self._view.seen)
        except TypedQueryError:
            return
        if not query.conditions:
            self._tasks.start(_TYPED, self._count_typed(typed, query))

    def learn_tables(self) -> None:
        """Asks for the localized names of tables, which may be typed, until they are known."""
        if not self._has_asked:
            self._has_asked = True
            self._tasks.start(_TABLES, self._learn_tables())

    async def _learn_tables(self) -> None:
        try:
            self._view.seen.add_table_names(await self._client.l10n("CURRENT"))
        except ClientError:
            self._has_asked = False

    async def _count_typed(self, typed: str, query: Query) -> None:
        await asyncio.sleep(_SOON)
        with suppress(ClientError):
            self.typed_counted.emit(typed, await self._count(query))

    def _stop(self) -> None:
        self._tasks.cancel(_WORK)

    def _follow(self, result: QueryResult | None) -> None:
        self._stop()
        # The numbers of a search that was stopped are partial.
        is_ended = not isinstance(result, MatchedResult) or result.is_complete
        query = self._view.query
        if result is None or result.total is None or not is_ended or not query.parts:
            return
        work = self._offer_meaning(query, result) if result.rows else self._offer(query, result)
        self._tasks.start(_WORK, work)

    async def _offer_meaning(self, query: Query, result: QueryResult) -> None:
        for one in interpreted(query, self._view.seen, leaves_out=False):
            number = None
            if not one.query.conditions:
                try:
                    number = await self._count(one.query)
                except ClientError as error:
                    _log.info("what words mean was not counted: %s", error)
            if number not in (0, result.rows):
                self._view.query_offered.emit(one.query, self._text(query, replace(one, number=number)))

    async def _offer(self, query: Query, result: QueryResult) -> None:
        found = list(counterparts(query, self._view.seen))
        # Where nothing was searched, words are not the reason.
        if isinstance(result, MatchedResult) and result.progress.searched:
            near = result.near_misses
            found += interpreted(query, self._view.seen, leaves_out=True)
            # Comparing thousands of words takes long.
            found += await asyncio.to_thread(lambda: list(corrections(query, near)))
            found += similar_users(query, self._view.seen)
            found += with_meanings(query, near, self._view.seen)
            found += without_words_or_conditions(query, near)
            self._show(query, [one for one in found if one not in _uncounted(found)])
        try:
            async for relaxation in self._counted(query, result, found):
                found.append(relaxation)
        except ClientError as error:
            _log.info("what filters exclude was not counted: %s", error)
        self._show(query, found)

    async def _counted(
        self, query: Query, result: QueryResult, found: Sequence[Relaxation]
    ) -> AsyncIterator[Relaxation]:
        """Those whose numbers only the service knows, one call each. Raises ClientError."""
        parts = served_parts(query)
        for one in _uncounted(found)[: MOST_CALLS - len(parts)]:
            yield replace(one, number=await self._count(one.query))
        for part, others in parts:
            relaxation = without_served(result, part, others, await self._count(others))
            if relaxation is not None:
                yield relaxation

    async def _count(self, query: Query) -> int:
        return await count_events(self._client, query.at(datetime.now(UTC)).filter) or 0

    def _show(self, query: Query, found: list[Relaxation]) -> None:
        offers = [(one.query, partial(self._text, query, one)) for one in in_order(found, _MOST)]
        self._view.empty_page.show_offers(offers)

    def _text(self, query: Query, one: Relaxation) -> str:
        if one.instead and one.number is not None:
            return tr(
                "{number} with {instead} instead of “{word}”",
                number=one.number,
                instead=one.instead,
                word=one.word,
            )
        if one.instead:
            return tr("“{instead}” instead of “{word}”", instead=one.instead, word=one.word)
        what = tr("“{text}”", text=one.word)
        if one.part is not None:
            what = f"{part_name(one.part)}: {summary(one.part, query, self._view.seen)}"
        if one.number is None:
            return tr("Search without {what}", what=what)
        return tr("{number} without {what}", number=one.number, what=what)


def _uncounted(found: Sequence[Relaxation]) -> list[Relaxation]:
    """Queries that the service can count, and that may find nothing."""
    return [one for one in found if one.instead and one.number is None and not one.query.conditions]
