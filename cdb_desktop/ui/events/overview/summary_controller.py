"""Reads the whole result and summarizes it in a dialog; closing the dialog cancels it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial

from PySide6.QtCore import QObject

from cdb_desktop.client import Record, Sort
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.events.paging import read_pages
from cdb_desktop.events.result import PAGE_SIZE, QueryResult, readable_events
from cdb_desktop.events.summary import EventSummary, SummaryKind
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.event_requests import events_by_id, with_retries
from cdb_desktop.ui.events.overview.summary_dialog import SummaryDialog
from cdb_desktop.vocabulary.error_messages import error_message

_READ, _COUNT = "events.summary", "events.summary.count"


class SummaryController(QObject):
    """Opens the dialog and fills it."""

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._context = context

    def open(self) -> None:
        """Opens the dialog and reads the events of the query."""
        result = self._context.rows.result
        if result is None or not result.rows:
            self._context.view.count.show_message(tr("There are no events to summarize."))
            return
        dialog = SummaryDialog(self._context.view.appearance, self._context.view)
        summary = EventSummary()
        dialog.kind_chosen.connect(partial(self._count, dialog, summary))
        dialog.finished.connect(self._stop)
        dialog.explain_requested.connect(self._context.view.notice.explain_requested)
        dialog.show_waiting(tr("The first events are read."))
        dialog.open()
        title = tr("Reading events for a summary")
        self._context.tasks.start(
            _READ, self._read(dialog, summary, result), title=title, on_error=partial(self._failed, dialog)
        )

    def _stop(self) -> None:
        for name in (_READ, _COUNT):
            self._context.tasks.cancel(name)

    async def _read(self, dialog: SummaryDialog, summary: EventSummary, result: QueryResult) -> None:
        async def fetch(offset: int) -> Sequence[Record]:
            page = await with_retries(
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

        client = self._context.client
        pages: AsyncIterator[Sequence[Record]] = read_pages(fetch, up_to=result.newest)
        if isinstance(result, MatchedResult):
            pages = events_by_id(client, result.ids, short=True)
        async for page in pages:
            summary.add(page)
            self._context.view.seen.add(readable_events(page))
            self._show_progress(dialog, len(summary), result.total)
        await self._show_table(dialog, summary, dialog.chosen)

    def _show_progress(self, dialog: SummaryDialog, read: int, total: int | None) -> None:
        if total is None:
            text = tr("{read:1 event|{read} events} read", read=read)
        else:
            text = tr("{read} of {total:1 event|{total} events} read", total=total, read=read)
        dialog.show_waiting(text)
        self._context.tasks.show_progress(_READ, text, min(1.0, read / total) if total else None)

    def _count(self, dialog: SummaryDialog, summary: EventSummary, kind: SummaryKind) -> None:
        if not self._context.tasks.is_running(_READ):
            self._context.tasks.start(_COUNT, self._show_table(dialog, summary, kind))

    async def _show_table(self, dialog: SummaryDialog, summary: EventSummary, kind: SummaryKind) -> None:
        # In a thread: the first call imports pandas.
        dialog.set_text(tr("Counting…"))
        dialog.show_waiting(tr("The events are counted."))
        table = await asyncio.to_thread(summary.table, kind)
        dialog.show_table(table, unreadable=summary.unreadable, without_time=summary.without_time)

    def _failed(self, dialog: SummaryDialog, error: Exception) -> None:
        dialog.show_none()
        dialog.show_failure(error_message(error))
