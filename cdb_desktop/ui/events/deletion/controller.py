"""Deletes the selected events, or all events that match the query, after a dialog and a backup.

Events are deleted by their ids (`cdb_desktop.events.deletion`), so nothing that arrives meanwhile is deleted.
"""

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
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.events.paging import read_pages
from cdb_desktop.events.part_file import PartFile
from cdb_desktop.events.result import PAGE_SIZE, QueryResult, split_records
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.query import NEWEST_FIRST, Query
from cdb_desktop.ui.events.browser.context import BackgroundReader, BrowserContext
from cdb_desktop.ui.events.browser.event_requests import FullPages, count_events, events_by_id, with_retries
from cdb_desktop.ui.events.browser.table import MOST_SELECTED, number_of_rows, rows_of
from cdb_desktop.ui.events.deletion.dialog import DeletionDialog, DeletionPlan
from cdb_desktop.ui.events.deletion.messages import (
    cancelled_message,
    failure_message,
    matching_text,
    progress_text,
    selected_text,
    success_message,
    undeletable_text,
)
from cdb_desktop.ui.tasks import Work
from cdb_desktop.ui.widgets.files import LastFolder
from cdb_desktop.ui.widgets.query_texts import whole_query
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.times import in_zone

_WORK, _CHECK = "events.delete", "events.delete.look"


class DeletionController(QObject):
    """Asks for confirmation, deletes, and shows the result.

    Signals: ``deleted`` with the frozenset of ids of selected events that have been deleted.
    """

    deleted = Signal(object)

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._view, self._client, self._rows = context.view, context.client, context.rows
        self._tasks = context.tasks
        self._unfinished = context.unfinished
        self._folder = LastFolder(context.view.settings, "events/delete/folder")
        self._source = BackgroundReader(context)
        self._is_cancelled = False

    def delete_selected(self) -> None:
        """Asks whether to delete the selected events, or the event that is shown outside the rows."""
        ranges, outside = self._view.table.selected_ranges, self._view.outside
        count = number_of_rows(ranges)
        if outside is not None:
            self.delete_events([outside])
        elif not count:
            self._view.count.show_message(tr("Select the events to delete first."))
        elif count > MOST_SELECTED:
            self._view.count.show_message(
                tr(
                    "More than {most} rows: set filters, and delete all matching.",
                    most=MOST_SELECTED,
                )
            )
        else:
            self._start_check(self._check_rows(list(rows_of(ranges))))

    def delete_events(self, events: Sequence[Event]) -> None:
        """Asks whether to delete ``events``."""
        self._start_check(self._check_events(events))

    def delete_found(self) -> None:
        """Asks whether to delete all events that match the query."""
        result = self._rows.result
        if result is None or not result.rows:
            self._view.count.show_message(tr("There are no events to delete."))
        elif isinstance(result, MatchedResult):
            self._delete_matches(result)
        else:
            self._start_check(self._check_result(result))

    def _delete_matches(self, result: MatchedResult) -> None:
        if result.total is None:
            self._view.count.show_message(tr("The search has not ended yet."))
            return
        note = DeletionJob(self._unfinished.profile_key, "", result.rows, ids=tuple(result.ids))
        self._start_check(self._check_ids(note, ""))

    def resume(self, name: str, note: DeletionJob) -> None:
        """Asks whether to delete the rest of an interrupted deletion; ``name`` is that of its note."""
        check = self._check_query if note.query is not None else self._check_ids
        self._start_check(check(note, name))

    def begin(self, plan: DeletionPlan, target: Path | None) -> None:
        """Reads the events of ``plan``, writes them to ``target`` unless it is None, and deletes them."""
        kept = None if target is None else PartFile(target)
        deletion = Deletion(partial(self._delete_ids), kept, plan.count)
        title = progress_text(deletion.progress)
        self._is_cancelled = False
        self._tasks.start(_WORK, self._run(deletion, plan), title=title, on_given_up=self._cancel)

    def _cancel(self) -> None:
        self._is_cancelled = True

    def _start_check(self, work: Work) -> None:
        self._tasks.start(_CHECK, work, title=tr("Checking what would be deleted"), on_error=self._failed)

    async def _check_rows(self, rows: Sequence[int]) -> None:
        events, unreadable = split_records(await self._rows.records(rows))
        await self._check_events(events, undeletable_text(len(unreadable)))

    async def _check_ids(self, note: DeletionJob, continues: str) -> None:
        events = [one async for some in events_by_id(self._client, note.ids, short=True) for one in some]
        if events:
            await self._check_events(events, continues=continues)
        else:
            self._show_nothing_left(continues)

    async def _check_events(
        self, events: Sequence[Event], undeletable: str = "", continues: str = ""
    ) -> None:
        ids = [event.id for event in events]
        if not ids:
            self._view.count.show_message(undeletable)
            return
        description = f"{selected_text(ids)} {undeletable}".strip()
        log_size = await self._count(EventFilter())
        note = DeletionJob(self._unfinished.profile_key, "", len(ids))
        pages = partial(events_by_id, self._client, ids)
        dialog = self._ask(
            DeletionPlan(len(ids), description, pages, note, log_size, ids=ids, continues=continues)
        )
        times = sorted(event.timestamp for event in events if event.timestamp is not None)
        dialog.show_span(*((times[0], times[-1]) if times else (None, None)))
        dialog.show_counts(Counter(event.type for event in events))

    async def _check_result(self, result: QueryResult) -> None:
        chosen, query = result.resolved_query.filter, self._view.query
        count = await self._count(chosen) if result.total is None else result.total
        note = DeletionJob(
            self._unfinished.profile_key,
            "",
            count,
            query=query,
            sent=StoredFilter.of(chosen),
            newest=result.newest,
        )
        await self._check_matching(note, undeletable_text(result.unreadable))

    async def _check_query(self, note: DeletionJob, continues: str) -> None:
        chosen, newest = note.sent.event_filter, note.newest
        count = await self._count(chosen)
        if newest is not None:
            # Times are whole seconds: later events of the last second match the filter too.
            page = await self._client.list_events(
                chosen, sort=(NEWEST_FIRST,), limit=PAGE_SIZE, skip_count=True
            )
            count -= sum(event.id > newest for event in page.events)
        if count:
            await self._check_matching(replace(note, count=count, deleted=0), continues=continues)
        else:
            self._show_nothing_left(continues)

    async def _check_matching(self, note: DeletionJob, undeletable: str = "", continues: str = "") -> None:
        chosen, seen, query = note.sent.event_filter, self._view.seen, note.query or Query()
        description = f"{matching_text(whole_query(query, seen))} {undeletable}".strip()
        log_size = await self._count(EventFilter())
        pages = partial(self._found, chosen, note.newest)
        is_everything = not query.parts
        dialog = self._ask(
            DeletionPlan(note.count, description, pages, note, log_size, is_everything, continues=continues)
        )
        dialog.show_span(*[await self._source.end(chosen, newest=newest) for newest in (False, True)])
        counts: dict[str, int] = {}
        types = chosen.type or tuple(seen.types)
        slices = [(name, replace(chosen, type=(name,))) for name in types]
        async for name, number in count_each(self._count, slices):
            counts[name] = number
            if number:
                dialog.show_counts(counts)

    def _show_nothing_left(self, continues: str) -> None:
        self._unfinished.forget(continues)
        self._view.count.show_message(tr("The events to delete no longer exist."))

    def _ask(self, plan: DeletionPlan) -> DeletionDialog:
        self._view.end_trouble(_CHECK)
        now = in_zone(datetime.now(UTC))
        name = tr("deleted events {time}", time=f"{now:%Y-%m-%d %H%M%S}") + ".jsonl"
        dialog = DeletionDialog(self._view.appearance, plan, Path(self._folder.path) / name, self._view)
        dialog.agreed.connect(partial(self.begin, plan))
        dialog.finished.connect(self._stop_check)
        dialog.open()
        return dialog

    def _stop_check(self) -> None:
        self._tasks.cancel(_CHECK)

    async def _run(self, deletion: Deletion, plan: DeletionPlan) -> None:
        entry = self._unfinished.create_entry(f"deletion-{uuid4().hex}")

        def show_progress(tally: DeletionProgress) -> None:
            self._tasks.show_progress(_WORK, progress_text(tally), tally.fraction)
            if tally.stage is not DeletionStage.READING:
                entry.write(plan.note_of(deletion))

        notice, can_continue = self._view.notice, False
        entry.write(plan.note_of(deletion))
        try:
            await deletion.run(plan.pages(), show_progress)
        except asyncio.CancelledError:
            # If the program is closed the next start offers to continue.
            can_continue = not self._is_cancelled and deletion.progress.has_sent
            notice.show_message("warning", partial(cancelled_message, deletion))
            raise
        except Exception as error:  # noqa: BLE001  # any failure is shown with what was deleted
            notice.show_message("danger", partial(failure_message, deletion, error))
            self._handle_missing_right(error)
        else:
            message = partial(success_message, deletion)
            if deletion.backup is None:
                notice.show_passing(message)
            else:
                self._folder.keep(deletion.backup.target)
                notice.show_done(message, deletion.backup.target, lambda: tr("Open the backup"))
            self.deleted.emit(frozenset(plan.ids))
        finally:
            entry.end(stays=can_continue)
            if deletion.progress.has_sent:
                if plan.continues:
                    self._unfinished.forget(plan.continues)
                self._view.reload_requested.emit()

    async def _found(self, chosen: EventFilter, newest: int | None) -> AsyncIterator[Sequence[Record]]:
        pages = FullPages(self._client, chosen)
        async for page in read_pages(pages.fetch, up_to=newest):
            yield page

    async def _delete_ids(self, ids: Sequence[int]) -> int:
        # Deleting the same ids twice does no harm, so the call may be repeated.
        return await with_retries(self._client, lambda: self._client.delete_events(ids))

    async def _count(self, chosen: EventFilter) -> int:
        return await count_events(self._client, chosen) or 0

    def _handle_missing_right(self, error: Exception) -> None:
        """Disables the actions if the service denies the right to delete."""
        # Without a code, a gateway has denied access, not the service.
        if isinstance(error, MissingRightError) and error.code:
            actions = self._view.actions_by_name
            actions.withdraw(actions.spec("delete_found").right)

    def _failed(self, error: Exception) -> None:
        self._view.show_trouble(_CHECK, partial(error_message, error))
