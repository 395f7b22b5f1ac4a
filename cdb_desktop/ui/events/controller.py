"""Connects the event browser to the service: creates the controllers of its features and their actions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QCheckBox, QHeaderView, QTableWidgetItem, QWidget

from cdb_desktop.client import Client, ClientError, Event, Session
from cdb_desktop.events.event_details import ComparedValue, compare_events, event_details
from cdb_desktop.events.export.checkpoint import discard_unfinished, load_checkpoint
from cdb_desktop.events.job_journal import DeletionJob, ExportJob
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.events.part_file import part_path
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
from cdb_desktop.events.result import QueryResult, readable_events
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.queries.history import QueryHistory
from cdb_desktop.queries.links import Link, LinkOrigin
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.typed_query import TypedQueryError, with_terms
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.columns_popup import ColumnsController
from cdb_desktop.ui.events.browser.context import BrowserContext, UnfinishedWork, entry_name
from cdb_desktop.ui.events.browser.copy import CopyController, ShareController
from cdb_desktop.ui.events.browser.event_requests import count_events, whole_events
from cdb_desktop.ui.events.browser.insert import InsertController
from cdb_desktop.ui.events.browser.jump import JumpController
from cdb_desktop.ui.events.browser.result_loader import (
    BrowserDetails,
    NewerEventsController,
    ResultLoader,
)
from cdb_desktop.ui.events.browser.view import SIGNED_OUT
from cdb_desktop.ui.events.deletion import DeletionController
from cdb_desktop.ui.events.export.controller import ExportController
from cdb_desktop.ui.events.filters.controller import UserSearchController
from cdb_desktop.ui.events.inspector.controller import InspectorController, SchemaLinkController
from cdb_desktop.ui.events.inspector.history_controller import HistoryController
from cdb_desktop.ui.events.overview.controller import OverviewController
from cdb_desktop.ui.events.overview.summary import SummaryController
from cdb_desktop.ui.events.requests import RequestController
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.events.views import ViewController
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import demi_bold
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.event_table.table import number_of_rows, rows_of
from cdb_desktop.ui.widgets.files import show_folder_of
from cdb_desktop.ui.widgets.notice import ActionNotice, NoticeTone
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.plain_table import PlainTable
from cdb_desktop.ui.widgets.query_texts import part_name, summary
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from cdb_desktop.vocabulary.profile_key import ProfileKey
from cdb_desktop.vocabulary.query_text import parse_query
from cdb_desktop.vocabulary.time_span import span_around
from cdb_desktop.vocabulary.times import day_and_time


class EventsController(QObject):
    """The controllers of the features for one signed-in user, and the interface for other pages.

    Signals: ``sign_in_requested`` when the session is lost and the user wants another one ·
    ``link_requested`` with a link that was typed or pasted, which may be one to another connection.
    """

    sign_in_requested = Signal()
    link_requested = Signal(str)

    def __init__(
        self,
        view: EventsView,
        client: Client,
        tasks: Tasks,
        profile_key: ProfileKey,
        origin: LinkOrigin,
    ) -> None:
        """Restores the last query at ``profile_key``; links that are copied name ``origin``."""
        super().__init__(view)
        self._view = view
        self._tasks = tasks
        view.seen.offer_types(in_groups=client.capabilities.event_groups)
        self._loader = ResultLoader(view, client, tasks, profile_key)
        self._rows = self._loader.rows
        # The journal is next to the settings.
        notes = Path(view.settings.fileName()).parent / "unfinished"
        unfinished = UnfinishedWork(notes, profile_key.key, view)
        context = BrowserContext(view, client, self._rows, tasks, unfinished)
        self.sharing = ShareController(context, origin)
        self._create_browser(context, profile_key)
        panels = self._view.panels
        overview = OverviewController(context, panels.histogram, panels.facets)
        panels.opened.connect(overview.begin_soon)
        panels.closed.connect(overview.stop_hidden)
        RequestController(context, panels.requests)
        self._summary = SummaryController(context)
        self._comparison = CompareController(context)
        self.deletion = DeletionController(context)
        self.export = ExportController(context)
        UnfinishedNotices(context, self.export, self.deletion)
        self.deletion.deleted.connect(self._forget_deleted)
        self._connect_requests()
        self._connect_actions(view.actions_by_name)
        self._fetch_whole(view.columns.needs_whole)

    def _create_browser(self, context: BrowserContext, profile_key: ProfileKey) -> None:
        view = self._view
        self.jump = JumpController(context, view.filter_bar)
        self.copying = CopyController(context)
        self._newer = NewerEventsController(context)
        self._columns = ColumnsController(context)
        BrowserDetails(context)
        similar = RelaxationController(context)
        view.query_line.textEdited.connect(similar.learn_tables)
        view.query_line.meaning_offered.connect(similar.count_typed)
        similar.typed_counted.connect(view.query_line.show_number)
        self.insertion = InsertController(context)
        self.users = UserSearchController(context, view.filter_controller)
        self.views = ViewController(view, profile_key)
        InspectorController(context, view.inspector)
        self.schema_link = SchemaLinkController(context)
        self.history = HistoryController(context, view.inspector.history)

    def _connect_requests(self) -> None:
        view, inspector = self._view, self._view.inspector
        view.query_requested.connect(self.show_query)
        view.reload_requested.connect(self.load)
        view.everything_requested.connect(self._show_in_rows)
        view.filter_controller.event_requested.connect(self.jump.go_to_event)
        view.filter_controller.link_requested.connect(self.link_requested)
        view.schema_requested.connect(self.schema_link.open_schema)
        view.empty_page.sign_in_requested.connect(self.sign_in_requested)
        view.columns.needs_changed.connect(self._reload_whole)
        view.history_requested.connect(self._show_history)
        view.comparison_requested.connect(self._comparison.compare_events)
        self.history.opened.connect(self._open_history)
        self.history.event_requested.connect(self.jump.go_to_event)
        inspector.history_shown.connect(self.history.read_shown)
        inspector.shown.connect(lambda details: self.history.follow(details.event))
        inspector.rows_requested.connect(self.jump.show_in_rows)
        inspector.copy_requested.connect(self.copying.copy_event)
        inspector.shown.connect(self._columns.remember)
        self.jump.rows_requested.connect(self._show_in_rows)
        self.insertion.written_requested.connect(self._show_written)

    def _connect_actions(self, actions: Actions) -> None:
        # Bound methods of objects: actions outlive the page, and Qt disconnects them.
        for name, slot in (
            ("query_back", self._go_back),
            ("query_forward", self._go_forward),
            ("jump", self.jump.open),
            ("columns", self._columns.open),
            ("export", self.export.ask_file),
            ("export_options", self.export.ask_options),
            ("views", self.views.open_menu),
            ("share_link", self.sharing.copy_link),
            ("share_event", self.sharing.copy_event_link),
            ("share_ticket", self.sharing.copy_ticket),
            ("share_file", self.views.ask_target),
            ("alert", self.views.ask_alarm),
            ("summary", self._summary.open),
            ("compare", self._comparison.compare),
            ("delete_selected", self.deletion.delete_selected),
            ("delete_found", self.deletion.delete_found),
            ("event_insert", self.insertion.open),
        ):
            actions[name].triggered.connect(slot)

    @property
    def query(self) -> Query:
        """The current query."""
        return self._loader.history.present

    def load(self) -> None:
        """Loads the query again; the rows stay visible until then and keep their scroll position."""
        self._loader.load()

    def load_missing(self) -> None:
        """Requests the visible rows that the service has refused."""
        self._rows.fetch_missing()

    def add_session(self, session: Session) -> None:
        """Adds the names of the user and the groups of a session to the known values."""
        self._view.seen.add_session(session)
        self._view.names_learned.emit()

    def renew(self, session: Session) -> None:
        """Continues with another session of the same user."""
        self.add_session(session)
        self._view.end_trouble(SIGNED_OUT)
        self.load()

    def add_newer(self, event_id: int) -> None:
        """Counts newer events if ``event_id`` is newer than the rows; a bar shows their number."""
        self._newer.add(event_id)

    def show_query(self, query: Query) -> None:
        """Loads another query; its rows are shown from the top."""
        self._set_query(self._loader.history.then(query))

    def show_event(self, number: int) -> None:
        """Goes to an event and opens the inspector; rows are loaded again, since it may be newer."""
        self._view.open_inspector()
        self.select_event(number)

    def select_event(self, number: int) -> None:
        """Goes to an event when the rows are loaded again."""
        self._loader.load(partial(self.jump.go_to_event, number))

    def show_around(self, event: Event) -> None:
        """Shows the events from five minutes before an event to five minutes after it, and selects it."""
        if event.timestamp is None:
            self.show_event(event.id)
            return
        self._view.open_inspector()
        self._show_in_rows(Query(span=span_around(event.timestamp)), event.id)

    def open_link(self, link: Link) -> None:
        """Shows the query of a link, or goes to its event."""
        if link.event is None:
            self.show_query(link.query)
        else:
            self.show_event(link.event)

    def _show_in_rows(self, query: Query, number: int) -> None:
        """Loads a query, even if it is the current one, and selects an event among its rows."""
        history = self._loader.history.then(query)
        self._loader.set_query(history, partial(self.jump.go_to_event, number))

    def _show_written(self, event: Event) -> None:
        if self.query.parts:
            # It may not match the filters, which can be restored with Back.
            self.show_around(event)
        else:
            self.show_event(event.id)

    def _show_history(self, event: Event) -> None:
        """Shows the history of an event's object; the event may be in a row that is not selected."""
        named = self._view.named_event
        self.history.open_history(event)
        if named is None or named.id != event.id:
            self.jump.go_to_event(event.id)

    def _open_history(self, event: Event) -> None:
        inspector = self._view.inspector
        self._view.open_inspector()
        if inspector.is_empty:
            inspector.show_details(event_details(event, is_whole=False))
        inspector.show_history()

    def _forget_deleted(self, ids: frozenset[int]) -> None:
        outside = self._view.outside
        if outside is not None and outside.id in ids:
            self._view.inspector.show_nothing()
            self._view.action_states.follow_selection()

    def _fetch_whole(self, whole: bool) -> None:
        # A service before 5.140 lists short records only (§9 rule 2).
        self._rows.whole = whole and self._rows.can_be_whole
        if whole and not self._rows.whole:
            text = tr("This service is too old to list info: some columns stay empty.")
            self._view.notice.show_notice("warning", "", text)

    def _reload_whole(self, whole: bool) -> None:
        self._fetch_whole(whole)
        if self._rows.whole:
            self.load()

    def _go_back(self) -> None:
        self._set_query(self._loader.history.back())

    def _go_forward(self) -> None:
        self._set_query(self._loader.history.forward())

    def _set_query(self, history: QueryHistory) -> None:
        if history is not self._loader.history:
            self._loader.set_query(history)


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


class UnfinishedNotices(QObject):
    """A notice for each interrupted export and deletion, until the user has decided."""

    def __init__(
        self, context: BrowserContext, exporting: ExportController, deleting: DeletionController
    ) -> None:
        super().__init__(context.view)
        self._bars, self._unfinished = context.view.interrupted, context.unfinished
        self._exporting, self._deleting = exporting, deleting
        self._explain = context.view.notice.explain_requested
        self._actions = context.view.actions_by_name
        self._notices: dict[str, ActionNotice] = {}
        self._actions.offered.connect(self._look_again)
        self._unfinished.settled.connect(self._settle)
        exporting.interrupted.connect(self._show_failure)
        for name, note in self._unfinished.interrupted:
            if isinstance(note, ExportJob):
                self._show_export(name, note)
            else:
                self._show_deletion(name, note)

    def _show_export(self, name: str, note: ExportJob) -> None:
        target = Path(note.target)
        if not part_path(target).exists():
            self._unfinished.forget(name)
            return
        rows = load_checkpoint(note.options, note.entered.event_filter, target, note.ids).rows
        self._offer_export(name, note, "warning", _export_message(note, rows))

    def _show_failure(self, note: ExportJob, message: ErrorMessage) -> None:
        self._offer_export(entry_name(Path(note.target)), note, "danger", message)

    def _offer_export(self, name: str, note: ExportJob, tone: NoticeTone, message: ErrorMessage) -> None:
        bar = self._notices[name] = self._bars.add()
        bar.explain_requested.connect(self._explain)
        bar.show_message(tone, message)
        go_on, lack = partial(self._exporting.start, note), partial(self._actions.lacking, "export")
        bar.add_button("unfinished.go_on", tr("Continue"), go_on, lack)
        discard = partial(self._discard, name, Path(note.target))
        bar.add_button("unfinished.discard", tr("Discard"), discard)

    def _show_deletion(self, name: str, note: DeletionJob) -> None:
        backup = Path(note.backup) if note.backup else None
        if note.is_reading and backup is not None:
            with suppress(OSError):
                part_path(backup).unlink(missing_ok=True)  # incomplete; no event has been deleted
        bar = self._notices[name] = self._bars.add()
        bar.show_notice("warning", tr("A deletion was interrupted"), _deletion_text(note))
        if backup is not None and backup.exists():
            bar.add_button("unfinished.show", tr("Show file"), partial(show_folder_of, backup))
        go_on, lack = (
            partial(self._deleting.resume, name, note),
            partial(self._actions.lacking, "delete_found"),
        )
        bar.add_button("unfinished.go_on", tr("Continue…"), go_on, lack)
        # Closing the notice removes the entry; deleted events cannot be restored.
        bar.closed.connect(partial(self._unfinished.forget, name))

    def _discard(self, name: str, target: Path) -> None:
        with suppress(OSError):
            discard_unfinished(target)
        self._unfinished.forget(name)

    def _look_again(self) -> None:
        for bar in self._notices.values():
            bar.update_buttons()

    def _settle(self, name: str) -> None:
        bar = self._notices.pop(name, None)
        if bar is not None:
            bar.hide()
            bar.deleteLater()


def _export_message(note: ExportJob, rows: int) -> ErrorMessage:
    """``An export to … was interrupted at 14,986 of 111,263 rows.``"""
    if note.total is None:
        text = tr(
            "An export to {file} was interrupted after {rows:1 row|{rows} rows}.", file=note.target, rows=rows
        )
    else:
        text = tr(
            "An export to {file} was interrupted after {rows} of {total:1 row|{total} rows}.",
            file=note.target,
            rows=rows,
            total=note.total,
        )
    return ErrorMessage(tr("Export incomplete"), text, "")


def _deletion_text(note: DeletionJob) -> str:
    """``Deleted: at least 8,000 of 18,814 events. The backup of all 18,814 is in …``"""
    if note.is_reading:
        return tr("Nothing was deleted.")
    # The last call may have succeeded without being written to the journal.
    gone = tr(
        "Deleted: at least {deleted} of {count:1 event.|{count} events.}",
        count=note.count,
        deleted=note.deleted,
    )
    if not note.backup:
        return f"{gone} {tr('There is no backup.')}"
    kept = tr(
        "The backup {count:is in {backup}.|of all {count} is in {backup}. The others are still in the log.}",
        count=note.count,
        backup=note.backup,
    )
    return f"{gone} {kept}"


_COMPARISON = "events.compare"
_SIZE = 860, 560
_LONGEST_CELL = 400  # characters of a cell
_ACROSS = Qt.Orientation.Horizontal
_VALUES = 2  # columns before the values: the sign and the path
_TONES = {"~": "warning", "−": "danger", "+": "good"}


class CompareController(QObject):
    """Compares rows of the table, or any two events."""

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._context = context

    def compare(self) -> None:
        """Compares the two selected rows, or the selected row with the next one."""
        table = self._context.view.table
        ranges = table.selected_ranges
        rows = list(rows_of(ranges)) if number_of_rows(ranges) == 2 else []
        if number_of_rows(ranges) == 1:
            row = next(rows_of(ranges))
            rows = [row, row + 1] if row + 1 < self._context.view.model.rowCount() else []
        if rows:
            self._context.tasks.start(_COMPARISON, self._show(rows), on_error=self._failed)
        else:
            self._context.view.count.show_message(tr("Select two events to compare."))

    def compare_events(self, events: Sequence[Event]) -> None:
        """Compares two events."""
        ids = sorted(event.id for event in events)
        self._context.tasks.start(_COMPARISON, self._show_whole(ids), on_error=self._failed)

    async def _show(self, rows: list[int]) -> None:
        records = await self._context.rows.records(rows)
        short = readable_events(records)
        if len(short) < len(records):
            self._context.view.count.show_message(tr("A record that could not be read cannot be compared."))
            return
        # The older one is at the left in any order of the rows.
        await self._show_whole(sorted(event.id for event in short))

    async def _show_whole(self, ids: Sequence[int]) -> None:
        whole = await whole_events(self._context.client, ids)
        self._context.view.end_trouble(_COMPARISON)
        if len(whole) == 2:
            left, right = whole
            CompareDialog(self._context.view.appearance, left, right, self._context.view).open()
        else:
            self._context.view.count.show_message(tr("One of them has been deleted."))

    def _failed(self, error: Exception) -> None:
        self._context.view.show_trouble(_COMPARISON, error)


class CompareDialog(BaseDialog):
    """A table of paths and the values of both events; a sign marks those that differ."""

    def __init__(self, appearance: Appearance, left: Event, right: Event, parent: QWidget) -> None:
        super().__init__(appearance, "events.compare", parent)
        self._lines = compare_events(left, right)
        self.table = named("events.compare.table", PlainTable(self))
        self.only = named("events.compare.only", QCheckBox(tr("Only &differences"), self))
        number = sum(1 for line in self._lines if line.sign)
        text = tr(
            "{differing:1 of {count} values differs.|{differing} of {count} values differ.}",
            differing=number,
            count=len(self._lines),
        )
        self.set_texts(tr("Compare two events"), text, tr("Close"))
        self.cancel_button.hide()
        self.accept_button.clicked.connect(self.close)
        self._arrange_table(left, right)
        self.body.addWidget(self.only)
        self.body.addWidget(self.table, stretch=1)
        self.only.toggled.connect(self._show_lines)
        self.only.setChecked(True)
        self.resize(*_SIZE)
        self.table.setFocus()

    def _show_lines(self) -> None:
        shown = [line for line in self._lines if line.sign or not self.only.isChecked()]
        self.table.setRowCount(len(shown))
        for row, line in enumerate(shown):
            for column, text in enumerate((line.sign, line.path, line.left, line.right)):
                self.table.setItem(row, column, self._item(line, text, is_name=column < _VALUES))
        self.table.selectRow(0)

    def _item(self, line: ComparedValue, text: str | None, *, is_name: bool) -> QTableWidgetItem:
        item = QTableWidgetItem((text or "")[:_LONGEST_CELL])
        item.setToolTip((text or "")[:_LONGEST_CELL])
        if line.sign and is_name:
            item.setForeground(QColor(getattr(self._appearance.tokens, _TONES[line.sign])))
            item.setFont(demi_bold(self.table.font()))
        return item

    def _arrange_table(self, left: Event, right: Event) -> None:
        table = self.table
        table.setColumnCount(_VALUES + 2)
        table.setAccessibleName(tr("Values of both events"))
        table.setHorizontalHeaderLabels(["", tr("Value"), _name(left), _name(right)])
        for column, event in ((_VALUES, left), (_VALUES + 1, right)):
            table.model().setHeaderData(column, _ACROSS, _name(event), Qt.ItemDataRole.ToolTipRole)
        table.setSelectionBehavior(PlainTable.SelectionBehavior.SelectRows)
        table.verticalHeader().hide()
        header = table.horizontalHeader()
        for column, mode in enumerate(
            (
                QHeaderView.ResizeMode.ResizeToContents,
                QHeaderView.ResizeMode.ResizeToContents,
                QHeaderView.ResizeMode.Stretch,
                QHeaderView.ResizeMode.Stretch,
            )
        ):
            header.setSectionResizeMode(column, mode)


def _name(event: Event) -> str:
    return f"{number_text(event.id)} · {event.type} · {day_and_time(event.timestamp)}"
