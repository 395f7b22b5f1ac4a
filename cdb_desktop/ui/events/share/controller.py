"""Copies links to the query and to single events, and events as a text for a ticket."""

from __future__ import annotations

import html
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any

from PySide6.QtCore import QMimeData, QObject
from PySide6.QtGui import QGuiApplication

from cdb_desktop.client import Event, MissingRightError, Record
from cdb_desktop.events.ticket import MOST_EVENTS, Ticket, ticket_of
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.links import Link, LinkError, LinkOrigin, link_text
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.copy import fetch_whole
from cdb_desktop.ui.events.browser.table import number_of_rows, rows_of
from cdb_desktop.ui.widgets.menus import context_menu, open_below
from cdb_desktop.vocabulary.error_messages import error_message

_WORK = "events.share"
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
            _WORK,
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
        self._view.end_trouble(_WORK)
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
        self._context.tasks.show_progress(_WORK, text, done / total if total else None)

    def _failed(self, error: Exception) -> None:
        self._view.show_trouble(_WORK, partial(error_message, error))


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
