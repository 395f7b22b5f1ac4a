"""Exports the events of the query, or the selected ones, to a file.

Handles the actions ``export`` and ``export_options``; `cdb_desktop.events.export` writes the file.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from cdb_desktop.client import Client, CsvOptions, Event, EventFilter, Record, Sort
from cdb_desktop.events.export.checkpoint import load_checkpoint
from cdb_desktop.events.export.csv_page import CsvPageError, SpooledPage
from cdb_desktop.events.export.export import Export, ExportProgress, FetchPage, TooManyRowsError
from cdb_desktop.events.export.formats import (
    ExportedQuery,
    export_format,
    preview_csv,
    preview_records,
    receipt_path,
    write_receipt,
)
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.export.record_pages import event_csv_page
from cdb_desktop.events.job_journal import ExportJob, StoredFilter
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.events.result import PAGE_SIZE, readable_events
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.context import BrowserContext, entry_name
from cdb_desktop.ui.events.browser.event_requests import (
    FullPages,
    count_events,
    events_by_id,
    ignore_failure,
    with_retries,
)
from cdb_desktop.ui.events.browser.table import MOST_SELECTED
from cdb_desktop.ui.events.export.dialogs import (
    ExportFileDialog,
    ExportFileType,
    ExportOptionsDialog,
    cancelled_message,
    failure_message,
    file_dialog_for,
    file_types,
    last_type,
    load_options,
    progress_text,
    remember_type,
    save_options,
    sheet_options,
    success_message,
    waiting_text,
)
from cdb_desktop.ui.widgets.event_table.table import RowRange, number_of_rows, rows_of
from cdb_desktop.ui.widgets.files import LastFolder
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.event_json import json_line
from cdb_desktop.vocabulary.times import chosen_zone

_PREVIEW, _SELECTION = "events.export.preview", "events.export.pick"
_PREVIEW_ROWS = 20


class ExportController(QObject):
    """Asks for the file and the options, runs exports, and shows their results. Several may run at once.

    Signals: ``interrupted`` (ExportJob, ErrorMessage) when an export has failed that can be continued.
    """

    interrupted = Signal(object, object)

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._view, self._client, self._rows = context.view, context.client, context.rows
        self._tasks = context.tasks
        self._unfinished = context.unfinished
        self._folder = LastFolder(self._view.settings, "events/export/folder")
        self._numbers = count(1)
        self._given_up: set[str] = set()  # names of tasks that the user has cancelled

    def ask_file(self) -> None:
        """Asks for the file and its type, and exports the columns on screen."""
        if self._rows.result is None or not self._rows.result.rows:
            self._view.count.show_message(tr("There are no rows to export."))
            return
        if isinstance(self._rows.result, MatchedResult) and self._rows.result.total is None:
            self._view.count.show_message(tr("The search has not ended yet."))
            return
        result, zone = self._rows.result, chosen_zone()
        sheet = sheet_options(result.resolved_query.order, zone)
        types = file_types(result.total, self._view.columns.shown, zone, sheet)
        first = last_type(self._view.settings, types)
        dialog = ExportFileDialog(self._folder.path, types, first, self._view)
        dialog.setWindowTitle(tr("Export events, the columns on screen"))
        dialog.accepted_file.connect(self._export_file)
        dialog.open()

    def ask_options(self) -> None:
        """Opens the dialog with all options and a preview, and then asks for the file."""
        view, result = self._view, self._rows.result
        titles = {column.name: column.title for column in view.columns.choices}
        shown = {name: titles[name] for name in view.columns.shown}
        dialog = ExportOptionsDialog(
            view.appearance,
            None if result is None else result.total,
            shown,
            view,
            has_csv=self._client.capabilities.csv_options,
        )
        dialog.preview_requested.connect(partial(self._start_preview, dialog))
        dialog.agreed.connect(partial(self._ask_file_for, dialog))
        dialog.finished.connect(self._stop_preview)
        dialog.explain_requested.connect(view.notice.explain_requested)
        dialog.set_options(load_options(view.settings, view.columns.shown))
        dialog.open()
        ranges = view.table.selected_ranges
        if ranges:
            failed = partial(self._preview_failed, dialog)
            self._tasks.start(_SELECTION, self._offer_selection(dialog, ranges), on_error=failed)

    def export(self, target: Path, options: ExportOptions, ids: Sequence[int] = ()) -> None:
        """Exports the events of the query, or those with ``ids``, to ``target``.

        Continues an interrupted export if query, file and options are the same.
        """
        result = self._rows.result
        if result is None:
            return
        if isinstance(result, MatchedResult) and not ids:
            ids = sorted(result.ids)
        query = self._view.query
        note = ExportJob(
            profile=self._unfinished.profile_key,
            target=str(target),
            options=options,
            entered=StoredFilter.of(query.at(datetime.now(UTC)).filter),
            sent=StoredFilter.of(result.resolved_query.filter),
            total=len(ids) or result.total,
            newest=result.newest,
            ids=tuple(ids),
            query=query,
        )
        self.start(note)

    def start(self, note: ExportJob) -> None:
        """Starts the export that ``note`` describes, or continues it where it was interrupted."""
        name, target, options = f"events.export.{next(self._numbers)}", Path(note.target), note.options
        asked, chosen = note.entered.event_filter, note.sent.event_filter

        def wait() -> None:
            self._tasks.show_progress(name, waiting_text(export.progress), None)

        async def counted() -> int | None:
            return await with_retries(self._client, lambda: count_events(self._client, chosen), wait)

        export = Export(
            self._fetch(options, chosen, note.ids, target.parent, wait),
            target,
            export_format(options, asked, target, note.ids),
            total=note.total,
            up_to=note.newest,
            checkpoint=load_checkpoint(options, asked, target, note.ids),
            count=None if note.ids else counted,
        )
        work, give_up = self._run(name, export, note), partial(self._given_up.add, name)
        self._tasks.start(name, work, title=progress_text(export.progress), on_given_up=give_up)

    async def _run(self, name: str, export: Export, note: ExportJob) -> None:
        # The note lets the next start of the program offer to continue.
        entry = self._unfinished.create_entry(entry_name(export.target))
        entry.write(note)
        try:
            await self._write(name, export, note)
        finally:
            entry.end(stays=export.is_part_kept)

    async def _write(self, name: str, export: Export, note: ExportJob) -> None:
        options, notice = note.options, self._view.notice

        def show_progress(progress: ExportProgress) -> None:
            self._tasks.show_progress(name, progress_text(progress), progress.fraction)

        try:
            await export.run(show_progress)
            if options.receipt:
                asked = ExportedQuery(
                    note.entered.event_filter, note.sent.event_filter, note.query, note.newest, len(note.ids)
                )
                facts = asked, export.checkpoint, self._client.address, export.progress.cut
                await asyncio.to_thread(write_receipt, export.target, options, *facts)
        except asyncio.CancelledError:
            # If the program is closed the next start offers to continue.
            if name in self._given_up or not export.is_part_kept:
                export.discard()
            notice.show_passing(cancelled_message(export))
            raise
        except Exception as error:  # noqa: BLE001  # any failure is shown
            # The written part is kept to be continued, unless there are too many rows for the format.
            if not export.progress.rows or isinstance(error, TooManyRowsError):
                export.discard()
            message = failure_message(export, error)
            if export.is_part_kept:
                self.interrupted.emit(note, message)
            else:
                notice.show_failure(message)
        else:
            receipt = receipt_path(export.target) if options.receipt else None
            opens = tr("Open the log") if options.file_format == "jsonl" else ""
            message = success_message(export, receipt, as_shown=bool(options.sheet))
            notice.show_done(message, export.target, opens)

    def _fetch(
        self,
        options: ExportOptions,
        chosen: EventFilter,
        ids: Sequence[int],
        folder: Path,
        waits: Callable[[], None],
    ) -> FetchPage:
        """Returns the function that fetches the page at an offset in the format of the options."""
        like_service = self._client.capabilities.csv_options
        if ids:
            fetch = SelectedPages(self._client, ids, waits).fetch
            is_of_records = options.uses_records
            return fetch if is_of_records else partial(fetch_csv, fetch, options.csv, like_service)
        if options.uses_records:
            pages = FullPages(self._client, chosen, waits=waits, short=not self._uses_whole_records(options))
            return self._with_users_seen(pages.fetch)
        if not like_service:
            return partial(fetch_csv, FullPages(self._client, chosen, waits=waits).fetch, options.csv, False)
        escape = options.escape_formulas
        return CsvPages(self._client, chosen, options.csv, folder, waits, escape_formulas=escape).fetch

    def _with_users_seen(self, fetch: Callable[[int], Awaitable[Sequence[Record]]]) -> FetchPage:
        """Also remembers the users of the records, for filters and titles."""

        async def fetched(offset: int) -> Sequence[Record]:
            records = await fetch(offset)
            self._view.seen.add(readable_events(records))
            return records

        return fetched

    def _export_file(self, target: Path, chosen: ExportFileType) -> None:
        self._folder.keep(target)
        if chosen.obstacle:
            text = f"{chosen.label}: {chosen.obstacle}."
            self._view.notice.show_notice("warning", tr("Not exported"), text)
        else:
            remember_type(self._view.settings, chosen)
            self.export(target, chosen.options)

    def _ask_file_for(self, dialog: ExportOptionsDialog, options: ExportOptions) -> None:
        save_options(self._view.settings, replace(options, columns=dialog.chosen_columns))
        files = file_dialog_for(options.file_format, self._folder.path, self._view)
        files.fileSelected.connect(partial(self._export_with, options, dialog.ids))
        files.open()

    def _export_with(self, options: ExportOptions, ids: Sequence[int], path: str) -> None:
        target = Path(path)
        self._folder.keep(target)
        self.export(target, options, ids)

    async def _offer_selection(self, dialog: ExportOptionsDialog, ranges: list[RowRange]) -> None:
        """Offers the rows that are selected now; later changes of the selection have no effect."""
        count = number_of_rows(ranges)
        events = await self._rows.events(rows_of(ranges)) if count <= MOST_SELECTED else []
        if events or count > MOST_SELECTED:
            dialog.offer_selected(len(events) or count, sorted(event.id for event in events))

    def _start_preview(self, dialog: ExportOptionsDialog, options: ExportOptions) -> None:
        failed = partial(self._preview_failed, dialog)
        self._tasks.start(_PREVIEW, self._show_preview(dialog, options), on_error=failed)

    def _stop_preview(self) -> None:
        self._tasks.cancel(_PREVIEW)
        self._tasks.cancel(_SELECTION)

    async def _show_preview(self, dialog: ExportOptionsDialog, options: ExportOptions) -> None:
        result = self._rows.result
        if result is None:
            return
        chosen, ids = result.resolved_query.filter, dialog.ids[:_PREVIEW_ROWS]
        if isinstance(result, MatchedResult) and not ids:
            ids = tuple(sorted(result.ids)[:_PREVIEW_ROWS])
        like_service = self._client.capabilities.csv_options
        if like_service and not (options.uses_records or ids):
            listed = await self._client.list_csv(chosen, options.csv, sort=OLDEST_FIRST, limit=_PREVIEW_ROWS)
            dialog.show_preview(preview_csv(options, listed))
            return
        records = await self._first_records(options, chosen, ids)
        if options.file_format == "jsonl":
            dialog.show_lines(b"".join(map(json_line, records)).decode())
        elif options.columns:
            dialog.show_preview(preview_records(options, records))
        else:
            page = event_csv_page(records, options.csv, like_service=like_service)
            dialog.show_preview(preview_csv(options, page))

    async def _first_records(
        self, options: ExportOptions, chosen: EventFilter, ids: Sequence[int]
    ) -> Sequence[Record]:
        if ids:
            return await SelectedPages(self._client, ids).fetch(0)
        pages = FullPages(self._client, chosen, short=not self._uses_whole_records(options))
        return await pages.fetch_first(_PREVIEW_ROWS)

    def _uses_whole_records(self, options: ExportOptions) -> bool:
        capabilities = self._client.capabilities
        is_of_records = not (capabilities.csv_options or options.columns)
        return is_of_records or options.uses_whole_records(are_listed=capabilities.full_list)

    def _preview_failed(self, dialog: ExportOptionsDialog, error: Exception) -> None:
        if isinstance(error, CsvPageError):
            dialog.show_fault(tr("The rows cannot be read back with these options."))
        else:
            dialog.show_failure(error_message(error))


async def fetch_csv(
    fetch: Callable[[int], Awaitable[Sequence[Record]]], options: CsvOptions, like_service: bool, offset: int
) -> bytes:
    """A page of CSV that is made of the records of ``fetch``. Raises ClientError."""
    records = await fetch(offset)
    made = partial(event_csv_page, records, options, is_first=offset == 0, like_service=like_service)
    return await asyncio.to_thread(made)


OLDEST_FIRST = (Sort("_id"),)


class CsvPages:
    """The service's CSV of all events that pass a filter, by ascending id.

    Large pages are kept as files in ``folder``. ``waits`` is called whenever the service does not answer.
    ``escape_formulas`` lets the service escape them if it can.
    """

    def __init__(
        self,
        client: Client,
        chosen: EventFilter,
        options: CsvOptions,
        folder: Path,
        waits: Callable[[], None] = ignore_failure,
        *,
        escape_formulas: bool = False,
    ) -> None:
        self._client = client
        self._escape_formulas = escape_formulas
        self._filter = chosen
        self._options = options
        self._folder = folder
        self._waits = waits

    async def fetch(self, offset: int) -> SpooledPage:
        """At most 1000 rows from ``offset`` on, with a header. Raises ClientError, OSError."""
        return await with_retries(self._client, lambda: self._page(offset), self._waits)

    async def _page(self, offset: int) -> SpooledPage:
        # A byte order mark belongs at the beginning of a file only.
        options = self._options if offset == 0 else replace(self._options, use_bom=False)
        guard = self._escape_formulas and self._client.capabilities.guards_csv
        page = SpooledPage(self._folder, has_formulas=not guard)
        await self._client.stream_csv(
            page.write, self._filter, options, sort=OLDEST_FIRST, limit=PAGE_SIZE, offset=offset, guard=guard
        )
        return page


class SelectedPages:
    """Events given by their ids, in ascending order; events deleted meanwhile are left out.

    ``waits`` is called whenever the service does not answer.
    """

    def __init__(
        self, client: Client, ids: Sequence[int], waits: Callable[[], None] = ignore_failure
    ) -> None:
        self._client = client
        self._ids = sorted(ids)
        self._waits = waits
        self._read: dict[int, Event] = {}
        self._lock = asyncio.Lock()  # prefetched pages are requested one at a time

    async def fetch(self, offset: int) -> Sequence[Event]:
        """At most 1000 whole records from ``offset`` on. Raises ClientError."""
        async with self._lock:
            while missing := [one for one in self._wanted(offset) if one not in self._read]:
                async for found in events_by_id(self._client, missing, self._waits):
                    self._read |= {event.id: event for event in found}
                self._ids = [one for one in self._ids if one in self._read or one not in missing]
            self._read = {one: self._read[one] for one in self._wanted(offset)}
            return list(self._read.values())

    def _wanted(self, offset: int) -> Sequence[int]:
        return self._ids[offset : offset + PAGE_SIZE]
