"""Deletes the selected events, or all events that match the query, after a dialog and a backup.

Events are deleted by their ids (`cdb_desktop.events.deletion`), so nothing that arrives meanwhile is deleted.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from uuid import uuid4

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from cdb_desktop.client import Event, EventFilter, MissingRightError, Record
from cdb_desktop.events.counts import count_each
from cdb_desktop.events.deletion import Deletion, DeletionProgress, DeletionStage
from cdb_desktop.events.job_journal import DeletionJob, StoredFilter
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.events.paging import read_pages
from cdb_desktop.events.part_file import PartFile
from cdb_desktop.events.result import PAGE_SIZE, QueryResult, split_records
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.queries.query import NEWEST_FIRST, Query
from cdb_desktop.ui.events.browser.context import BackgroundReader, BrowserContext
from cdb_desktop.ui.events.browser.event_requests import FullPages, count_events, events_by_id, with_retries
from cdb_desktop.ui.events.browser.table import MOST_SELECTED
from cdb_desktop.ui.tasks import Work
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, ROW
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.event_table.table import number_of_rows, rows_of
from cdb_desktop.ui.widgets.files import LastFolder
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.query_texts import whole_query
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message
from cdb_desktop.vocabulary.times import day_and_time, in_zone

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
        ids = tuple(result.ids)
        note = DeletionJob(self._unfinished.profile_key, "", len(ids), query=self._view.query, ids=ids)
        self._start_check(self._check_ids(note, ""))

    def resume(self, name: str, note: DeletionJob) -> None:
        """Asks whether to delete the rest of an interrupted deletion; ``name`` is that of its note."""
        check = self._check_ids if note.ids else self._check_query
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
            await self._check_events(events, continues=continues, query=note.query)
        else:
            self._show_nothing_left(continues)

    async def _check_events(
        self,
        events: Sequence[Event],
        undeletable: str = "",
        continues: str = "",
        query: Query | None = None,
    ) -> None:
        ids = [event.id for event in events]
        if not ids:
            self._view.count.show_message(undeletable)
            return
        described = selected_text(ids)
        if query is not None:
            filters = whole_query(query, self._view.seen)
            described = tr("The events found with these filters: {filters}.", filters=filters)
        description = f"{described} {undeletable}".strip()
        log_size = await self._count(EventFilter())
        note = DeletionJob(self._unfinished.profile_key, "", len(ids), query=query)
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
        dialog.finished.connect(lambda _result: self._tasks.cancel(_CHECK))
        dialog.open()
        return dialog

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
            notice.show_message("warning", cancelled_message(deletion))
            raise
        except Exception as error:  # noqa: BLE001  # any failure is shown with what was deleted
            notice.show_failure(failure_message(deletion, error))
            self._handle_missing_right(error)
        else:
            message = success_message(deletion)
            if deletion.backup is None:
                notice.show_passing(message)
            else:
                self._folder.keep(deletion.backup.target)
                notice.show_done(message, deletion.backup.target, tr("Open the backup"))
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
        self._view.show_trouble(_CHECK, error)


_MOST_LINES = 8
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_COLUMN_MODES = QHeaderView.ResizeMode.ResizeToContents, QHeaderView.ResizeMode.Stretch

RecordPages = Callable[[], AsyncIterator[Sequence[Record]]]


class DeletionPlan(msgspec.Struct, frozen=True):
    """What is to be deleted: ``count`` events of the ``log_size`` in the log, and how to read them.

    ``description`` is a text for the dialog. ``note`` describes the deletion if it is interrupted; ``ids``
    are those of selected events. ``continues`` is the name of the note of an interrupted deletion that this
    one continues.
    """

    count: int
    description: str
    pages: RecordPages
    note: DeletionJob
    log_size: int = 0
    is_everything: bool = False
    ids: Sequence[int] = ()
    continues: str = ""

    @property
    def needs_typed_count(self) -> bool:
        """Whether the user must type the number: for 1000 events or more, or more than half of the log."""
        return self.is_everything or self.count >= PAGE_SIZE or 2 * self.count > self.log_size > 0

    def note_of(self, deletion: Deletion) -> DeletionJob:
        """The note with the progress of ``deletion``."""
        tally = deletion.progress
        is_reading = tally.stage is DeletionStage.READING
        return replace(
            self.note,
            backup="" if deletion.backup is None else str(deletion.backup.target),
            count=self.count if is_reading else tally.read,
            deleted=tally.requested,
            is_reading=is_reading,
            ids=(tuple(self.ids) if is_reading else deletion.remaining) if self.ids else (),
        )


class DeletionDialog(BaseDialog):
    """Shows the number of events, their time span and types; the number must be typed if it is large.

    Signals: ``agreed`` (Path of the backup, or None for no backup).
    """

    agreed = Signal(object)

    def __init__(self, appearance: Appearance, plan: DeletionPlan, target: Path, parent: QWidget) -> None:
        """``target`` is the suggested backup file."""
        super().__init__(appearance, "events.delete", parent)
        self._plan = plan
        self._count = plan.count
        self._must_type_count = plan.needs_typed_count
        self.accept_button.tone = "danger"
        self.span = named("events.delete.span", caption(self))
        self.span.setWordWrap(True)
        self.counts = named("events.delete.counts", _TypeCounts(self))
        self.counts.setAccessibleName(tr("Events by type"))
        keep = tr("&Keep a backup file with all fields")
        self.keep = named("events.delete.keep", QCheckBox(keep, self))
        self.path = named("events.delete.path", QLineEdit(str(target), self))
        self.typed = named("events.delete.typed", QLineEdit(self))
        text = f"{plan.description} {tr('Deleted events cannot be restored.')}"
        self.set_texts(delete_title(plan.count), text, delete_title(plan.count))
        self._fill()
        self.span.setText(tr("Finding the first and the last of them…"))
        self.show_counts({})
        self._check()

    @property
    def target(self) -> Path | None:
        """The backup file, None for no backup."""
        return Path(self.path.text().strip()).expanduser() if self.keep.isChecked() else None

    def show_span(self, first: datetime | None, last: datetime | None) -> None:
        """Shows the times of the first and the last event; None if they cannot be read."""
        self.span.setVisible(first is not None and last is not None)
        self.span.setText(time_span_text(first, last))
        self.fit()

    def show_counts(self, counts: Mapping[str, int]) -> None:
        """Shows the number of events of each type, as far as they have been counted."""
        self.counts.show_lines(type_count_lines(counts), tr("Counting by type…"))
        self.fit()

    def _fill(self) -> None:
        self.body.addWidget(self.span)
        self.body.addWidget(self.counts)
        self.keep.setChecked(True)
        self.keep.toggled.connect(self._check)
        self.path.setAccessibleName(tr("Backup file"))
        self.path.textChanged.connect(self._check)
        browse = IconButton(icon("folder", self._appearance), tr("Choose the backup file"), self)
        browse.clicked.connect(self._browse)
        line = QHBoxLayout()
        line.addWidget(self.path, stretch=1)
        line.addWidget(browse)
        self.body.addWidget(self.keep)
        self.body.addLayout(line)
        masked = caption(self)
        masked.setText(tr("Passwords and session tokens are masked in it."))
        self.body.addWidget(masked)
        self.typed.setVisible(self._must_type_count)
        if self._must_type_count:
            self.body.addWidget(self._request())
        self.body.addWidget(self.typed)
        self.typed.setAccessibleName(tr("Number of events to confirm"))
        self.typed.textChanged.connect(self._check)
        self.accept_button.clicked.connect(self._agree)
        # Deletion cannot be undone, so Return alone does not start it.
        self.accept_button.setAutoDefault(False)
        self.accept_button.setDefault(False)
        self.cancel_button.setDefault(True)
        (self.typed if self._must_type_count else self.cancel_button).setFocus()

    def _request(self) -> QLabel:
        label = caption(self)
        label.setWordWrap(True)
        text = tr("To confirm, type the number of events: {count}", count=self._count)
        if self._plan.is_everything:
            text = f"{tr('This deletes everything.')} {text}"
        label.setText(text)
        return label

    def _check(self) -> None:
        keeps = self.keep.isChecked()
        self.path.setEnabled(keeps)
        digits = "".join(one for one in self.typed.text() if one.isdecimal())
        is_typed = not self._must_type_count or digits == str(self._count)
        self.accept_button.setEnabled(is_typed and (not keeps or bool(self.path.text().strip())))
        if self._must_type_count:
            # After the number has been typed, Return starts it.
            (self.accept_button if is_typed else self.cancel_button).setDefault(True)
        self.show_fault("" if keeps else tr("Without a backup they are lost."), "warning")

    def _browse(self) -> None:
        dialog = QFileDialog(self, tr("Save the backup as"), str(Path(self.path.text()).parent))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("jsonl")
        dialog.selectFile(Path(self.path.text()).name)
        dialog.setNameFilter(tr("JSON, a record a line (*.jsonl)"))
        dialog.fileSelected.connect(self.path.setText)
        dialog.open()

    def _agree(self) -> None:
        target = self.target
        self.close()
        self.agreed.emit(target)


class _TypeCounts(QTableWidget):
    """A read-only list of numbers and names, as high as its first few lines."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(0, len(_COLUMN_MODES), parent)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setShowGrid(False)
        self.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().hide()
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW)
        for column, mode in enumerate(_COLUMN_MODES):
            self.horizontalHeader().setSectionResizeMode(column, mode)

    def show_lines(self, lines: Sequence[tuple[str, str]], placeholder: str) -> None:
        """Shows numbers and names, or ``placeholder`` if the list is empty."""
        self.clearSpans()
        self.setRowCount(max(len(lines), 1))
        if not lines:
            self.setSpan(0, 0, 1, len(_COLUMN_MODES))
            self.setItem(0, 0, QTableWidgetItem(placeholder))
        for row, (number, name) in enumerate(lines):
            cell = QTableWidgetItem(number)
            cell.setTextAlignment(_RIGHT)
            self.setItem(row, 0, cell)
            self.setItem(row, 1, QTableWidgetItem(name))
        self.setFixedHeight(min(self.rowCount(), _MOST_LINES) * ROW + GAP)


_MOST_IDS = 12


def delete_title(count: int) -> str:
    """``Delete 2,500 events``."""
    return tr("Delete {count:1 event|{count} events}", count=count)


def selected_text(ids: Iterable[int]) -> str:
    """The ids of the selected events, or the lowest and the highest of many."""
    found = sorted(ids)
    if len(found) == 1:
        return tr("The selected event: {id}.", id=found[0])
    if len(found) <= _MOST_IDS:
        return tr("The selected events: {ids}.", ids=", ".join(number_text(one) for one in found))
    return tr("The selected events, with ids from {first} to {last}.", first=found[0], last=found[-1])


def matching_text(filters: str) -> str:
    """The filters of the query; ``filters`` is empty if no filter is set."""
    if not filters:
        return tr("No filter is set: this affects all events of the log.")
    return tr("All events that match these filters: {filters}.", filters=filters)


def undeletable_text(unreadable: int) -> str:
    """How many records cannot be deleted; empty if all can be deleted."""
    if not unreadable:
        return ""
    return tr("Unreadable records without an id, which cannot be deleted: {count}.", count=unreadable)


def time_span_text(first: datetime | None, last: datetime | None) -> str:
    """``The first is from 2026-10-01 12:00:11, the last from 2026-11-22 01:02:03.``, or the time of one."""
    if first == last:
        return tr("Time: {time}.", time=day_and_time(first))
    return tr(
        "The first is from {first}, the last from {last}.", first=day_and_time(first), last=day_and_time(last)
    )


def type_count_lines(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """Number and name of each type, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return [(number_text(number), name) for name, number in ordered if number]


def progress_text(tally: DeletionProgress) -> str:
    """``Deleting: 1,000 of 2,500 events``."""
    if tally.stage is DeletionStage.READING:
        verb, done, total = tr("Reading before deleting"), tally.read, tally.expected
    else:
        verb, done, total = tr("Deleting"), tally.requested, tally.read
    if total is None:
        text = tr("{count:1 event|{count} events}", count=done)
    else:
        text = tr("{done} of {total:1 event|{total} events}", total=total, done=done)
    return f"{verb}: {text}"


def success_message(deletion: Deletion) -> ErrorMessage:
    """How many events were deleted, and where the backup is."""
    tally = deletion.progress
    if tally.deleted == tally.requested == 1:
        text = tr("The service has deleted the event.")
        return ErrorMessage(tr("Deleted"), f"{text} {_backup_text(deletion)}".strip(), "")
    text = tr(
        "The service has deleted {deleted} of {asked:1 event.|{asked} events.}",
        asked=tally.requested,
        deleted=tally.deleted,
    )
    if tally.deleted < tally.requested:
        others = tr("{count:1|{count}} had already been deleted.", count=tally.requested - tally.deleted)
        text = f"{text} {others}"
    return ErrorMessage(tr("Deleted"), f"{text} {_backup_text(deletion)}".strip(), "")


def cancelled_message(deletion: Deletion) -> ErrorMessage:
    """The result of a cancelled deletion."""
    return ErrorMessage(tr("Deletion cancelled"), _deleted_text(deletion), "")


def failure_message(deletion: Deletion, error: BaseException) -> ErrorMessage:
    """Why the deletion has failed, and what was deleted."""
    if isinstance(error, OSError):
        target = "" if deletion.backup is None else str(deletion.backup.target)
        text = tr(
            "The backup could not be written to {target}: {reason}.",
            reason=error.strerror or str(error),
            target=target,
        )
        return ErrorMessage(tr("Not deleted"), text, _deleted_text(deletion))
    failure = error_message(error)
    title = tr("Deletion incomplete") if deletion.progress.has_sent else tr("Not deleted")
    text = f"{failure.title}. {failure.text}"
    return ErrorMessage(title, text, _deleted_text(deletion), failure.code, failure.details)


def _deleted_text(deletion: Deletion) -> str:
    tally = deletion.progress
    if tally.stage is DeletionStage.READING:
        return tr("Nothing was deleted.")
    if tally.unanswered:
        text = tr(
            "Deleted: {deleted} of {read:1 event|{read} events}. Of {unanswered:one of them|{unanswered} of "
            "them} it is unknown, because the service did not answer. The list shows which are still in the "
            "log.",
            read=tally.read,
            deleted=tally.deleted,
            unanswered=tally.unanswered,
        )
    else:
        text = tr(
            "Deleted: {deleted} of {read:1 event.|{read} events. The others are still in the log.}",
            read=tally.read,
            deleted=tally.deleted,
        )
    return f"{text} {_backup_text(deletion)}".strip()


def _backup_text(deletion: Deletion) -> str:
    undeletable = undeletable_text(deletion.progress.unreadable)
    if undeletable and deletion.backup is not None:
        undeletable = f"{undeletable} {tr('The file contains them unchanged.')}"
    return f"{_file_text(deletion)} {undeletable}".strip()


def _file_text(deletion: Deletion) -> str:
    if deletion.backup is None:
        return ""
    return tr(
        "The backup {read:|of all {read} }is in {target}, with session tokens and passwords masked.",
        read=deletion.progress.read,
        target=str(deletion.backup.target),
    )
