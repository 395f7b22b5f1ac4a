"""The actions for rows of a feed, by shortcut, double click and context menu."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication

from cdb_desktop.client import Event
from cdb_desktop.events.ticket import MOST_EVENTS
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.live.feed_filter import with_only_type, without_type
from cdb_desktop.queries.query import Query, with_condition
from cdb_desktop.queries.typed_query import field_condition
from cdb_desktop.ui.live.feed_model import FeedModel
from cdb_desktop.ui.live.feed_signals import FeedSignals
from cdb_desktop.ui.live.feed_table import FeedTable, selected_rows
from cdb_desktop.ui.widgets.menus import context_menu, entry_text, on_context_menu
from cdb_desktop.vocabulary.event_json import records_json
from cdb_desktop.vocabulary.event_summary import SUMMARY, event_summary
from cdb_desktop.vocabulary.event_text import is_commit, object_text, user_text
from cdb_desktop.vocabulary.times import exact_time

_MOST_COPIED = 1_000  # rows, which takes no noticeable time
_LINK_KEY, _TICKET_KEY = QKeySequence("Ctrl+Shift+A"), QKeySequence("Ctrl+T")  # as in the event browser
_KEY_EVENTS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
_COLUMNS = ("_id", "timestamp", "type", "user", "object", SUMMARY)


class RowActions(QObject):
    """Acts on the current or the selected rows; calls ``set_filter`` with a changed filter."""

    def __init__(
        self,
        table: FeedTable,
        model: FeedModel,
        signals: FeedSignals,
        set_filter: Callable[[Query], None],
    ) -> None:
        super().__init__(table)
        self._table = table
        self._model = model
        self._signals = signals
        self._set_filter = set_filter
        self._show = self._add("live.row.show", "Return", self._show_in_browser)
        self._schema = self._add("live.row.schema", "", self._show_schema)
        self._copy = self._add("live.row.copy", "Ctrl+C", partial(self._copy_rows, events_table))
        self._copy_as_json = self._add(
            "live.row.json", "Ctrl+Shift+C", partial(self._copy_rows, records_json)
        )
        self._link = self._add("live.row.link", "", self._request_link)
        self._ticket = self._add("live.row.ticket", "", self._request_ticket)
        self._only_type = self._add("live.row.only", "", self._show_only_type)
        self._hide = self._add("live.row.without", "", self._hide_type)
        self._only_user = self._add("live.row.user", "", self._show_only_user)
        self._expand = self._add("live.row.expand", "Space", self._toggle)
        self._up = self._add("live.row.mark.up", "Alt+Up", partial(table.go_to_mark, -1))
        self._down = self._add("live.row.mark.down", "Alt+Down", partial(table.go_to_mark, 1))
        self._sharing = {_LINK_KEY.toString(): self._link, _TICKET_KEY.toString(): self._ticket}
        self._show.setText(tr("Show in the event browser"))
        self._schema.setText(tr("Show the schema version of this commit"))
        self._expand.setText(tr("Expand the row"))
        self._copy.setText(tr("Copy as table"))
        self._copy_as_json.setText(tr("Copy as JSON, as polled"))
        for action, text, key in (
            (self._link, tr("Copy link to event"), _LINK_KEY),
            (self._ticket, tr("Copy for ticket"), _TICKET_KEY),
        ):
            action.setText(f"{text}\t{key.toString(QKeySequence.SequenceFormat.NativeText)}")
        self._up.setText(tr("Go to the mark above"))
        self._down.setText(tr("Go to the mark below"))
        on_context_menu(table, self._open_menu)
        table.installEventFilter(self)
        table.doubleClicked.connect(self._show_in_browser)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Takes the keys of the page's actions for sharing, which would share its events instead of rows."""
        if isinstance(event, QKeyEvent) and event.type() in _KEY_EVENTS:
            action = self._sharing.get(QKeySequence(event.keyCombination()).toString())
            if action is not None:
                event.accept()
                if event.type() == QEvent.Type.KeyPress:
                    action.trigger()
                return True
        return super().eventFilter(watched, event)

    def _add(self, name: str, shortcut: str, slot: Callable[[], None]) -> QAction:
        action = QAction(self, shortcut=QKeySequence(shortcut))
        action.setObjectName(name)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.setShortcutVisibleInContextMenu(True)
        action.triggered.connect(slot)
        self._table.addAction(action)
        return action

    def _open_menu(self, index: QModelIndex, position: QPoint) -> None:
        event = self._current()
        if event is None or not index.isValid():
            return
        self._only_type.setText(tr("Show only {name}", name=entry_text(event.type)))
        self._hide.setText(tr("Hide {name}", name=entry_text(event.type)))
        menu = context_menu(self._table, "live.row.menu")
        menu.addAction(self._show)
        if is_commit(event):
            menu.addAction(self._schema)
        is_open = self._table.expanded.is_open(event)
        self._expand.setText(tr("Collapse the row") if is_open else tr("Expand the row"))
        menu.addAction(self._expand)
        menu.addSeparator()
        copies = menu.addMenu(tr("&Copy"))
        text = str(index.data() or "")
        if text:
            copied = copies.addAction(entry_text(text))
            copied.triggered.connect(partial(QApplication.clipboard().setText, text))
            copies.addSeparator()
        copies.addActions([self._copy, self._copy_as_json])
        copies.addSeparator()
        copies.addActions([self._link, self._ticket])
        menu.addSeparator()
        menu.addActions([self._only_type, self._hide])
        if user_text(event):
            self._only_user.setText(tr("Show only {name}", name=entry_text(user_text(event))))
            menu.addAction(self._only_user)
        if self._table.dividers.marks:
            menu.addSeparator()
            menu.addActions([self._up, self._down])
        menu.popup(position)

    def _current(self) -> Event | None:
        index = self._table.currentIndex()
        return self._model.event_at(index.row()) if index.isValid() else None

    def _toggle(self) -> None:
        self._table.expanded.toggle(self._table.currentIndex().row())

    def _show_in_browser(self) -> None:
        event = self._current()
        if event is not None:
            self._signals.event_chosen.emit(event)

    def _show_schema(self) -> None:
        event = self._current()
        if event is not None and is_commit(event):
            self._signals.schema_requested.emit(event)

    def _request_link(self) -> None:
        event = self._current()
        if event is not None:
            self._signals.link_requested.emit(event)

    def _request_ticket(self) -> None:
        rows = list(islice(selected_rows(self._table), MOST_EVENTS))
        events = [self._model.record_at(row) for row in rows]
        if events:
            self._signals.ticket_requested.emit(events, sum(1 for _ in selected_rows(self._table)))

    def _show_only_type(self) -> None:
        event = self._current()
        if event is not None:
            self._set_filter(with_only_type(self._model.feed.filter, event.type))

    def _show_only_user(self) -> None:
        event = self._current()
        if event is not None:
            self._set_filter(_with_user(self._model.feed.filter, event))

    def _hide_type(self) -> None:
        event = self._current()
        if event is not None:
            self._set_filter(without_type(self._model.feed.filter, event.type))

    def _copy_rows(self, format_events: Callable[[list[Event]], str]) -> None:
        events = [self._model.event_at(row) for row in islice(selected_rows(self._table), _MOST_COPIED)]
        if events:
            QApplication.clipboard().setText(format_events(events))
            self._signals.copied.emit(len(events), sum(1 for _ in selected_rows(self._table)))


def _with_user(query: Query, event: Event) -> Query:
    if event.user_id is not None:
        return replace(query, users=(event.user_id,))
    return with_condition(query, field_condition("user", user_text(event)))


def events_table(events: Iterable[Event]) -> str:
    """A line with the names of the columns and a line for each event, cells separated by tabs."""
    rows = [
        (
            str(event.id),
            exact_time(event.timestamp),
            event.type,
            user_text(event),
            object_text(event),
            event_summary(event),
        )
        for event in events
    ]
    return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in (_COLUMNS, *rows))
