"""Copies rows, hits and single events to the clipboard, fetching what is not here yet."""

import html
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any

from PySide6.QtCore import QMimeData, QObject
from PySide6.QtGui import QGuiApplication

from cdb_desktop.client import Client, Event, MissingRightError, Record, Unreadable
from cdb_desktop.events.ticket import MOST_EVENTS, CopyFormat, Ticket, ticket_of
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.links import Link, LinkError, LinkOrigin, link_text
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.event_requests import events_by_id
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.widgets.event_table.table import RowRange, number_of_rows, rows_of
from cdb_desktop.ui.widgets.menus import context_menu, open_below
from cdb_desktop.ui.widgets.notice import ActionNotice
from cdb_desktop.vocabulary.event_json import records_json

_WORK = "events.copy"
_MANY = 10_000  # rows above which the user must confirm: other programs may not accept that much
_MOST = 200_000  # rows that are copied at all
_SLICE = 1_000


class CopyController(QObject):
    """Copies events: as JSON whole records, in the other formats the visible columns."""

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._view, self._rows, self._tasks = context.view, context.rows, context.tasks
        self._client = context.client
        self._question: ActionNotice | None = None
        self._view.table.copy_requested.connect(self._copy_rows)

    def copy_event(self, event: Event) -> None:
        """Copies one event whose whole record is not here yet."""
        self._start(partial(self._copy_whole, [event]))

    def _copy_rows(self, form: CopyFormat) -> None:
        outside, ranges = self._view.outside, self._view.table.selected_ranges
        if outside is not None:
            self._put([outside], form)
        else:
            work = partial(self._fetch_rows, form, ranges)
            self._ask_first(number_of_rows(ranges), partial(self._start, work))

    def _ask_first(self, count: int, begin: Callable[[], None]) -> None:
        """Starts at once for few rows, and after a confirmation for many."""
        self._drop_question()
        if count > _MOST:
            self._view.count.show_message(
                tr("More than {most} rows are not copied. Export them instead (Ctrl+E).", most=_MOST)
            )
        elif count > _MANY:
            self._question = bar = self._view.interrupted.add()
            title = tr("Copy {count:1 row?|{count} rows?}", count=count)
            text = tr("The clipboard holds all of them in memory. An export writes a file.")
            bar.show_notice("warning", title, text)
            name = tr("Copy {count:1 row|{count} rows}", count=count)
            bar.add_button("events.copy.all", name, partial(self._agree, begin))
            bar.add_button("events.copy.export", tr("Export…"), self._export)
            bar.closed.connect(self._drop_question)
            bar.buttons[0].setFocus()
        elif count:
            begin()

    def _agree(self, begin: Callable[[], None]) -> None:
        self._drop_question()
        begin()

    def _export(self) -> None:
        self._drop_question()
        self._view.actions_by_name["export_options"].trigger()

    def _drop_question(self) -> None:
        bar, self._question = self._question, None
        if bar is not None:
            bar.hide()
            bar.deleteLater()

    def _start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._tasks.start(
            _WORK,
            work(),
            title=tr("Copying rows"),
            on_error=self._failed,
            on_given_up=self._give_up,
        )

    async def _fetch_rows(self, form: CopyFormat, ranges: Sequence[RowRange]) -> None:
        rows, records = list(rows_of(list(ranges))), list[Record]()
        for first in range(0, len(rows), _SLICE):
            records += await self._rows.records(rows[first : first + _SLICE])
            self._show_progress(len(records), len(rows))
        if form is CopyFormat.JSON:
            await self._copy_whole(records)
        elif form is not CopyFormat.IDS and self._view.columns.are_detailed and self._rows.can_be_whole:
            whole, _gone = await self._fetch_whole(records)
            self._put([whole.get(one.id, one) if isinstance(one, Event) else one for one in records], form)
        else:
            self._put(records, form)

    async def _copy_whole(self, records: Sequence[Record]) -> None:
        """Fetches the whole records of short ones, and copies all as JSON in their order."""
        whole, gone = await self._fetch_whole(records)
        put = [
            whole.get(one.id, one) if isinstance(one, Event) else one
            for one in records
            if isinstance(one, Unreadable) or one.id not in gone
        ]
        self._put(put, CopyFormat.JSON, gone=len(gone))

    async def _fetch_whole(self, records: Sequence[Record]) -> tuple[dict[int, Event], set[int]]:
        return await fetch_whole(self._view, self._client, records, self._show_progress)

    def _put(self, records: Sequence[Record], form: CopyFormat, *, gone: int = 0) -> None:
        parts = []
        self._view.end_trouble(_WORK)
        if form is CopyFormat.JSON:
            if records:
                QGuiApplication.clipboard().setText(records_json(records))
            parts.append(tr("Copied whole records: {count}", count=len(records)))
        else:
            self._view.table.copy_records(records, form)
            parts.append(self._copied_text(records, form))
        if gone:
            parts.append(tr("deleted meanwhile: {gone}", gone=gone))
        self._view.count.show_message(" · ".join(parts))

    def _copied_text(self, records: Sequence[Record], form: CopyFormat) -> str:
        if form is not CopyFormat.IDS:
            return tr("Copied rows: {rows}, the columns on screen", rows=len(records))
        ids = sum(isinstance(one, Event) for one in records)
        text = tr("Copied ids: {ids}", ids=ids)
        if ids == len(records):
            return text
        return f"{text} · {tr('unreadable records without one: {number}', number=len(records) - ids)}"

    def _show_progress(self, done: int, total: int) -> None:
        text = tr("Copying rows: {done} of {total}", done=done, total=total)
        self._tasks.show_progress(_WORK, text, done / total if total else None)

    def _give_up(self) -> None:
        self._view.count.show_message(tr("Copying cancelled: the clipboard is as it was."))

    def _failed(self, error: Exception) -> None:
        self._view.show_trouble(_WORK, error)


async def fetch_whole(
    view: BrowserView, client: Client, records: Sequence[Record], progress: Callable[[int, int], None]
) -> tuple[dict[int, Event], set[int]]:
    """The whole records of short ones by id, and the ids of those that are deleted. Raises ClientError.

    Only what ``view`` does not know yet is fetched. ``progress`` gets the numbers of events: fetched, all.
    """
    known = view.model.details
    events = [known.whole(one) for one in records if isinstance(one, Event)]
    whole = {event.id: event for event in events if event.is_whole}
    short = [event.id for event in events if event.id not in whole]
    fetched = 0
    async for found in events_by_id(client, short):
        whole |= {event.id: event for event in found}
        fetched += len(found)
        progress(fetched, len(short))
    return whole, set(short) - whole.keys()


_SHARE_WORK = "events.share"
_IN_MENU = ("share_link", "share_file")
_FOR_SELECTION = ("share_event", "share_ticket")
_MARKDOWN = "text/markdown"

Say = Callable[[str], None]
Fail = Callable[[Exception], None]


class ShareController(QObject):
    """Copies what others can open or read; ``origin`` is the connection that links name."""

    def __init__(self, context: BrowserContext, origin: LinkOrigin) -> None:
        super().__init__(context.view)
        self._context, self._view, self._origin = context, context.view, origin
        self._view.share_button.clicked.connect(self.open_menu)

    def open_menu(self) -> None:
        """Opens the menu below the button; what needs a selection is in it if there is one."""
        menu = context_menu(self._view, "events.share.menu")
        actions = self._view.actions_by_name
        menu.addActions([actions[name] for name in _IN_MENU])
        if self._selected_count:
            menu.addSeparator()
            menu.addActions([actions[name] for name in _FOR_SELECTION])
        open_below(menu, self._view.share_button)

    def copy_link(self) -> None:
        """Copies a link to the query, in which relative dates become times."""
        query = self._view.query
        try:
            text = link_text(Link(self._origin, query), datetime.now(UTC))
        except LinkError as error:
            title = tr("These filters cannot be copied as a link")
            remedy = tr("Save them as a view file instead.")
            self._view.notice.show_notice("warning", title, f"{error.reason} {remedy}")
            return
        _copy_link(text)
        is_relative = query.span.is_relative
        self._view.count.show_message(
            tr("Link copied with fixed dates.") if is_relative else tr("Link copied.")
        )

    def copy_event_link(self) -> None:
        """Copies a link to the current event."""
        event = self._view.named_event
        if event is None:
            self._view.count.show_message(tr("A record that cannot be read has no id and no link."))
            return
        self.copy_link_to(event, self._view.count.show_message)

    def copy_link_to(self, event: Event, say: Say) -> None:
        """Copies a link to any event; ``say`` shows that it is done."""
        _copy_link(self._link_of(event.id))
        say(tr("Link to event {number} copied.", number=event.id))

    def copy_ticket(self) -> None:
        """Copies the selected events as a text for a ticket, after fetching what their rows lack."""
        self._start(self._copy_ticket(), self._view.count.show_message, self._failed)

    def copy_ticket_of(self, events: Sequence[Event], selected: int, say: Say, fail: Fail) -> None:
        """The same for the first of ``selected`` events that are not in the rows.

        ``say`` shows how it ended, ``fail`` shows an error.
        """
        self._start(self._copy_ticket_of(events, selected, say), say, fail)

    def _start(self, work: Coroutine[Any, Any, None], say: Say, fail: Fail) -> None:
        self._context.tasks.start(
            _SHARE_WORK,
            work,
            title=tr("Copying for a ticket"),
            on_error=fail,
            on_given_up=lambda: say(tr("Copying cancelled: the clipboard is as it was.")),
        )

    async def _copy_ticket_of(self, events: Sequence[Event], selected: int, say: Say) -> None:
        whole: Mapping[int, Event] = {}
        # Without the right, and of events that are deleted since, there is only what was received.
        with suppress(MissingRightError):
            whole, _gone = await fetch_whole(self._view, self._context.client, events, self._show_progress)
        rest = max(0, selected - len(events))
        shown = [whole.get(one.id, one) for one in events]
        _copy_ticket(ticket_of(shown, self._origin.name, self._link_of, rest=rest))
        say(_copied_text(len(shown), rest, 0))

    @property
    def _selected_count(self) -> int:
        return 1 if self._view.outside is not None else number_of_rows(self._view.table.selected_ranges)

    async def _copy_ticket(self) -> None:
        count, query = self._selected_count, self._view.query
        records = await self._selected_records()
        whole, gone = await fetch_whole(self._view, self._context.client, records, self._show_progress)
        events = [whole.get(one.id, one) for one in records if isinstance(one, Event) and one.id not in gone]
        self._view.end_trouble(_SHARE_WORK)
        if not events:
            self._view.count.show_message(tr("Nothing copied: none of the events is there any more."))
            return
        rest = max(0, count - len(records))
        link = self._query_link(query)
        ticket = ticket_of(events, self._origin.name, self._link_of, rest=rest, link=link)
        _copy_ticket(ticket)
        self._view.count.show_message(_copied_text(len(events), rest, len(records) - len(events)))

    async def _selected_records(self) -> Sequence[Record]:
        outside = self._view.outside
        if outside is not None:
            return [outside]
        rows = list(islice(rows_of(self._view.table.selected_ranges), MOST_EVENTS))
        return await self._context.rows.records(rows)

    def _link_of(self, number: int) -> str:
        return link_text(Link(self._origin, event=number), datetime.now(UTC))

    def _query_link(self, query: Query) -> str:
        """The link to a query, for the events that are not listed; empty if it cannot be written."""
        try:
            return link_text(Link(self._origin, query), datetime.now(UTC))
        except LinkError:
            return ""

    def _show_progress(self, done: int, total: int) -> None:
        text = tr("Copying for a ticket: {done} of {total}", done=done, total=total)
        self._context.tasks.show_progress(_SHARE_WORK, text, done / total if total else None)

    def _failed(self, error: Exception) -> None:
        self._view.show_trouble(_SHARE_WORK, error)


def _copied_text(events: int, rest: int, lost: int) -> str:
    parts = [tr("Copied for a ticket: {count:1 event|{count} events}", count=events)]
    if rest:
        parts.append(tr("not listed: {rest}", rest=rest))
    if lost:
        parts.append(tr("deleted or unreadable: {lost}", lost=lost))
    return " · ".join(parts)


def _copy_link(link: str) -> None:
    """As text, and as a link where formatted text is pasted."""
    data = QMimeData()
    data.setText(link)
    shown = html.escape(link)
    data.setHtml(f'<a href="{shown}">{shown}</a>')
    QGuiApplication.clipboard().setMimeData(data)


def _copy_ticket(ticket: Ticket) -> None:
    data = QMimeData()
    data.setText(ticket.as_text)
    data.setHtml(ticket.as_html)
    data.setData(_MARKDOWN, ticket.as_markdown.encode())
    QGuiApplication.clipboard().setMimeData(data)
