"""Deletes the selected events, or all that the query finds, after a sheet and a backup; can be cancelled."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from uuid import uuid4

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from cdb_desktop.client import Event, EventFilter, MissingRightError, Record
from cdb_desktop.events.counts import count_each
from cdb_desktop.events.deletion import Deletion, DeletionProgress, DeletionStage
from cdb_desktop.events.job_journal import DeletionJob, StoredFilter
from cdb_desktop.events.paging import read_pages
from cdb_desktop.events.part_file import PartFile
from cdb_desktop.events.query import NEWEST_FIRST, Query
from cdb_desktop.events.result import PAGE_SIZE, QueryResult, split_records
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.full_pages import FullPages
from cdb_desktop.ui.events.browser.phrases import whole_query
from cdb_desktop.ui.events.browser.picked_events import picked_events
from cdb_desktop.ui.events.browser.retries import patiently
from cdb_desktop.ui.events.browser.rows import number_of
from cdb_desktop.ui.events.browser.selection import MOST_SELECTED, number_of_rows, rows_of
from cdb_desktop.ui.events.browser.source import Source
from cdb_desktop.ui.events.deletion.delete_plan import Plan
from cdb_desktop.ui.events.deletion.delete_sheet import DeleteSheet
from cdb_desktop.ui.events.deletion.delete_words import (
    chosen_words,
    failure_words,
    found_words,
    progress_words,
    staying_words,
    stopped_words,
    success_words,
)
from cdb_desktop.ui.tasks import Work
from cdb_desktop.ui.widgets.files import LastFolder

_WORK, _LOOK = "events.delete", "events.delete.look"


class Deleting(QObject):
    """The way from a selection or a query to its deletion.

    Signals: ``gone`` with the ids of events that were chosen one by one and are there no more.
    """

    gone = Signal(object)

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._view, self._client, self._rows = context.view, context.client, context.rows
        self._tasks, self._words = context.tasks, context.words
        self._unfinished = context.unfinished
        self._folder = LastFolder(context.view.settings, "events/delete/folder")
        self._source = Source(context)
        self._is_given_up = False

    def delete_selected(self) -> None:
        """Asks whether the selected events shall go, or the one that is shown outside the rows."""
        stretches, outside = self._view.table.stretches, self._view.outside
        count = number_of_rows(stretches)
        if outside is not None:
            self.delete_events([outside])
        elif not count:
            self._view.count.tell(self.tr("Select the events to delete first."))
        elif count > MOST_SELECTED:
            told = self.tr("More than %1 rows: set filters, and delete all matching.")
            self._view.count.tell(told.replace("%1", number_text(MOST_SELECTED)))
        else:
            self._start_look(self._look_at_rows(list(rows_of(stretches))))

    def delete_events(self, events: Sequence[Event], stays: str = "") -> None:
        """Asks whether these shall go, wherever they were chosen; ``stays`` tells what does not."""
        self._start_look(self._look_at_events(events, stays))

    def delete_found(self) -> None:
        """Asks whether all events shall go that the query finds."""
        result = self._rows.result
        if result is None or not result.rows:
            self._view.count.tell(self.tr("There are no events to delete."))
        else:
            self._start_look(self._look_at_result(result))

    def go_on(self, name: str, note: DeletionJob) -> None:
        """Asks whether what is left of an interrupted deletion shall go; ``name`` is that of its note."""
        work = self._look_at_query(note, name) if note.query is not None else self._look_at_ids(note, name)
        self._start_look(work)

    def begin(self, plan: Plan, target: Path | None) -> None:
        """Reads the events of ``plan``, keeps them in ``target`` unless it is None, and deletes them."""
        kept = None if target is None else PartFile(target)
        deletion = Deletion(partial(self._delete_ids), kept, plan.count)
        title = progress_words(deletion.progress)
        self._is_given_up = False
        self._tasks.start(_WORK, self._run(deletion, plan), title=title, on_given_up=self._give_up)

    def _give_up(self) -> None:
        self._is_given_up = True

    def _start_look(self, work: Work) -> None:
        self._tasks.start(_LOOK, work, title=self.tr("Checking what would be deleted"), on_error=self._failed)

    async def _look_at_rows(self, rows: Sequence[int]) -> None:
        events, unreadable = split_records(await self._rows.records(rows))
        await self._look_at_events(events, staying_words(len(unreadable)))

    async def _look_at_ids(self, note: DeletionJob, follows: str) -> None:
        events = [one async for some in picked_events(self._client, note.ids, short=True) for one in some]
        if events:
            await self._look_at_events(events, follows=follows)
        else:
            self._nothing_left(follows)

    async def _look_at_events(self, events: Sequence[Event], stays: str = "", follows: str = "") -> None:
        ids = [event.id for event in events]
        if not ids:
            self._view.count.tell(stays)
            return
        what, log = f"{chosen_words(ids)} {stays}".strip(), await self._count(EventFilter())
        note = DeletionJob(self._unfinished.home, "", len(ids))
        pages = partial(picked_events, self._client, ids)
        sheet = self._ask(Plan(len(ids), what, pages, note, log, ids=ids, follows=follows))
        times = sorted(event.timestamp for event in events if event.timestamp is not None)
        sheet.show_span(*((times[0], times[-1]) if times else (None, None)))
        sheet.show_counts(Counter(event.type for event in events))

    async def _look_at_result(self, result: QueryResult) -> None:
        chosen, query = result.resolved_query.filter, self._view.query
        count = await self._count(chosen) if result.total is None else result.total
        note = DeletionJob(
            self._unfinished.home,
            "",
            count,
            query=query,
            sent=StoredFilter.of(chosen),
            newest=result.newest,
        )
        await self._look_at_found(note, staying_words(result.unreadable))

    async def _look_at_query(self, note: DeletionJob, follows: str) -> None:
        chosen, newest = note.sent.event_filter, note.newest
        count = await self._count(chosen)
        if newest is not None:
            # Times are whole seconds: what has come since in the last of them passes the filter too.
            page = await self._client.list_events(
                chosen, sort=(NEWEST_FIRST,), limit=PAGE_SIZE, skip_count=True
            )
            count -= sum(event.id > newest for event in page.events)
        if count:
            await self._look_at_found(replace(note, count=count, deleted=0), follows=follows)
        else:
            self._nothing_left(follows)

    async def _look_at_found(self, note: DeletionJob, stays: str = "", follows: str = "") -> None:
        chosen, seen, query = note.sent.event_filter, self._view.seen, note.query or Query()
        what = f"{found_words(whole_query(query, seen))} {stays}".strip()
        log = await self._count(EventFilter())
        pages = partial(self._found, chosen, note.newest)
        is_everything = not query.parts
        sheet = self._ask(Plan(note.count, what, pages, note, log, is_everything, follows=follows))
        sheet.show_span(*[await self._source.end(chosen, newest=newest) for newest in (False, True)])
        counts: dict[str, int] = {}
        types = chosen.type or tuple(seen.types)
        slices = [(name, replace(chosen, type=(name,))) for name in types]
        async for name, number in count_each(self._count, slices):
            counts[name] = number
            if number:
                sheet.show_counts(counts)

    def _nothing_left(self, follows: str) -> None:
        self._unfinished.forget(follows)
        self._view.count.tell(self.tr("The events to delete no longer exist."))

    def _ask(self, plan: Plan) -> DeleteSheet:
        self._view.end_trouble(_LOOK)
        name = f"deleted events {datetime.now(UTC).astimezone():%Y-%m-%d %H%M%S}.jsonl"
        sheet = DeleteSheet(self._view.appearance, plan, Path(self._folder.path) / name, self._view)
        sheet.agreed.connect(partial(self.begin, plan))
        sheet.finished.connect(self._stop_looking)
        sheet.open()
        return sheet

    def _stop_looking(self) -> None:
        self._tasks.cancel(_LOOK)

    async def _run(self, deletion: Deletion, plan: Plan) -> None:
        held = self._unfinished.hold(f"deletion-{uuid4().hex}")

        def tell(tally: DeletionProgress) -> None:
            self._tasks.show_progress(_WORK, progress_words(tally), tally.fraction)
            if tally.stage is not DeletionStage.READING:
                held.write(plan.noted(deletion))

        notice, stays = self._view.notice, False
        held.write(plan.noted(deletion))
        try:
            await deletion.run(plan.pages(), tell)
        except asyncio.CancelledError:
            # Whoever closes the program may not have seen how far it was.
            stays = not self._is_given_up and deletion.progress.requested > 0
            notice.show_message("warning", partial(stopped_words, deletion))
            raise
        except Exception as error:  # noqa: BLE001  # whatever it was, what is gone is told
            notice.show_message("danger", partial(failure_words, deletion, error, self._words))
            self._withdraw_right(error)
        else:
            say = partial(success_words, deletion)
            if deletion.backup is None:
                notice.show_passing(say)
            else:
                self._folder.keep(deletion.backup.target)
                notice.show_done(say, deletion.backup.target)
            self.gone.emit(frozenset(plan.ids))
        finally:
            held.end(stays=stays)
            if deletion.progress.requested:
                if plan.follows:
                    self._unfinished.forget(plan.follows)
                self._view.reload_requested.emit()

    async def _found(self, chosen: EventFilter, newest: int | None) -> AsyncIterator[Sequence[Record]]:
        pages = FullPages(self._client, chosen)
        async for page in read_pages(pages.fetch, up_to=newest):
            yield page

    async def _delete_ids(self, ids: Sequence[int]) -> int:
        # Deleting the same ids twice takes no more than once.
        return await patiently(self._client, lambda: self._client.delete_events(ids))

    async def _count(self, chosen: EventFilter) -> int:
        return await number_of(self._client, chosen) or 0

    def _withdraw_right(self, error: Exception) -> None:
        """Who may not delete any more is not asked again what to delete."""
        # Without a code it was no service but a gateway that refused.
        if isinstance(error, MissingRightError) and error.code:
            actions = self._view.actions_by_name
            actions.withdraw(actions.spec("delete_found").right)

    def _failed(self, error: Exception) -> None:
        self._view.show_trouble(_LOOK, partial(self._words, error))
