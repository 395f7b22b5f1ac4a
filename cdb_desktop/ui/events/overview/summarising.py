"""Reads the whole result for a summary and has it counted; ends when its sheet is closed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject

from cdb_desktop.client import Record, Sort
from cdb_desktop.events.paging import read_pages
from cdb_desktop.events.result import PAGE_SIZE, QueryResult, readable_events
from cdb_desktop.events.summary import EventSummary, SummaryKind
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.event_requests import patiently
from cdb_desktop.ui.events.overview.summary_sheet import SummarySheet

_READ, _COUNT = "events.summary", "events.summary.count"


class Summarising(QObject):
    """The way of a result to its summary."""

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._context = context

    def open(self) -> None:
        """Opens the sheet and reads what is shown."""
        result = self._context.rows.result
        if result is None or not result.rows:
            self._context.view.count.tell(tr("There are no events to summarise."))
            return
        sheet = SummarySheet(self._context.view.appearance, self._context.view)
        gathered = EventSummary()
        sheet.kind_chosen.connect(partial(self._count, sheet, gathered))
        sheet.finished.connect(self._stop)
        sheet.explain_requested.connect(self._context.view.notice.explain_requested)
        sheet.show_waiting(tr("The first events are read."))
        sheet.open()
        title = tr("Reading events for a summary")
        self._context.tasks.start(
            _READ, self._read(sheet, gathered, result), title=title, on_error=partial(self._failed, sheet)
        )

    def _stop(self) -> None:
        for name in (_READ, _COUNT):
            self._context.tasks.cancel(name)

    async def _read(self, sheet: SummarySheet, gathered: EventSummary, result: QueryResult) -> None:
        async def fetch(offset: int) -> Sequence[Record]:
            page = await patiently(
                self._context.client,
                lambda: self._context.client.list_events(
                    result.resolved_query.filter,
                    sort=(Sort("_id"),),
                    limit=PAGE_SIZE,
                    offset=offset,
                    skip_count=True,
                ),
            )
            return page.records

        async for page in read_pages(fetch, up_to=result.newest):
            gathered.add(page)
            self._context.view.seen.add(readable_events(page))
            self._tell(sheet, len(gathered), result.total)
        await self._show(sheet, gathered, sheet.chosen)

    def _tell(self, sheet: SummarySheet, read: int, total: int | None) -> None:
        if total is None:
            words = tr("{read:1 event|{read} events} read", read=read)
        else:
            words = tr("{read} of {total:1 event|{total} events} read", total=total, read=read)
        sheet.show_waiting(words)
        self._context.tasks.show_progress(_READ, words, min(1.0, read / total) if total else None)

    def _count(self, sheet: SummarySheet, gathered: EventSummary, kind: SummaryKind) -> None:
        if not self._context.tasks.is_running(_READ):
            self._context.tasks.start(_COUNT, self._show(sheet, gathered, kind))

    async def _show(self, sheet: SummarySheet, gathered: EventSummary, kind: SummaryKind) -> None:
        # The first time a large library is loaded for it.
        sheet.tell(tr("Counting…"))
        sheet.show_waiting(tr("The events are counted."))
        table = await asyncio.to_thread(gathered.table, kind)
        sheet.show_table(table, unreadable=gathered.unreadable, without_time=gathered.without_time)

    def _failed(self, sheet: SummarySheet, error: Exception) -> None:
        sheet.show_none()
        sheet.show_failure(self._context.words(error))
