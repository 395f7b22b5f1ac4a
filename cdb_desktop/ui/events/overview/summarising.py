"""Reads the whole result for a summary and has it counted; ends when its sheet is closed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject

from cdb_desktop.client import Record, Sort
from cdb_desktop.events.pages import PAGE, Result
from cdb_desktop.events.parting import events_of
from cdb_desktop.events.summary import Gathered, Kind
from cdb_desktop.events.walk import walk
from cdb_desktop.ui.events.browser.means import Means
from cdb_desktop.ui.events.browser.retries import patiently
from cdb_desktop.ui.events.overview.summary_sheet import SummarySheet
from cdb_desktop.ui.language.numbers import plural

_READ, _COUNT = "events.summary", "events.summary.count"


class Summarising(QObject):
    """The way of a result to its summary."""

    def __init__(self, means: Means) -> None:
        super().__init__(means.view)
        self._means = means

    def open(self) -> None:
        """Opens the sheet and reads what is shown."""
        result = self._means.rows.result
        if result is None or not result.rows:
            self._means.view.count.tell(self.tr("There are no events to summarise."))
            return
        sheet = SummarySheet(self._means.view.appearance, self._means.view)
        gathered = Gathered()
        sheet.kind_chosen.connect(partial(self._count, sheet, gathered))
        sheet.finished.connect(self._stop)
        sheet.explain_requested.connect(self._means.view.notice.explain_requested)
        sheet.show_waiting(self.tr("The first events are read."))
        sheet.open()
        title = self.tr("Reading events for a summary")
        self._means.tasks.start(
            _READ, self._read(sheet, gathered, result), title=title, on_error=partial(self._failed, sheet)
        )

    def _stop(self) -> None:
        for name in (_READ, _COUNT):
            self._means.tasks.cancel(name)

    async def _read(self, sheet: SummarySheet, gathered: Gathered, result: Result) -> None:
        async def fetch(offset: int) -> Sequence[Record]:
            page = await patiently(
                self._means.client,
                lambda: self._means.client.list_events(
                    result.listing.filter, sort=(Sort("_id"),), limit=PAGE, offset=offset, skip_count=True
                ),
            )
            return page.records

        async for page in walk(fetch, up_to=result.newest):
            gathered.add(page)
            self._means.view.editing.seen.add(events_of(page))
            self._tell(sheet, len(gathered), result.total)
        await self._show(sheet, gathered, sheet.chosen)

    def _tell(self, sheet: SummarySheet, read: int, total: int | None) -> None:
        if total is None:
            words = plural(read, self.tr("1 event read"), self.tr("%1 events read"))
        else:
            one, many = self.tr("%1 of 1 event read"), self.tr("%1 of %2 events read")
            words = plural(total, one, many, read, total)
        sheet.show_waiting(words)
        self._means.tasks.show_progress(_READ, words, min(1.0, read / total) if total else None)

    def _count(self, sheet: SummarySheet, gathered: Gathered, kind: Kind) -> None:
        if not self._means.tasks.is_running(_READ):
            self._means.tasks.start(_COUNT, self._show(sheet, gathered, kind))

    async def _show(self, sheet: SummarySheet, gathered: Gathered, kind: Kind) -> None:
        # The first time a large library is loaded for it.
        sheet.tell(self.tr("Counting…"))
        sheet.show_waiting(self.tr("The events are counted."))
        table = await asyncio.to_thread(gathered.table, kind)
        sheet.show_table(table, unreadable=gathered.unreadable, without_time=gathered.without_time)

    def _failed(self, sheet: SummarySheet, error: Exception) -> None:
        sheet.show_none()
        sheet.show_failure(self._means.words(error))
