"""What can be done with the selected rows of the feed: by key, by double click and in a menu."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import islice

from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QModelIndex, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu

from cdb_desktop.client import Event
from cdb_desktop.live.copying import as_table
from cdb_desktop.ui.live.feed_table import FeedTable
from cdb_desktop.ui.live.model import FeedModel
from cdb_desktop.ui.live.place import selected_rows
from cdb_desktop.ui.widgets.menus import on_context_menu
from cdb_desktop.vocabulary.event_json import records_json
from cdb_desktop.vocabulary.event_text import is_commit, user_text

_MOST = 1_000  # rows that are copied at once without a pause


class RowActions(QObject):
    """The actions of a feed's table.

    Signals: ``event_chosen`` with an Event that is to be looked at · ``choice_made`` with a
    Choice · ``copied`` (number, selected) after rows went to the clipboard · ``schema_requested`` with the
    Event of a commit, whose version is to be seen.
    """

    event_chosen = Signal(object)
    schema_requested = Signal(object)
    choice_made = Signal(object)
    copied = Signal(int, int)

    def __init__(self, table: FeedTable, model: FeedModel) -> None:
        super().__init__(table)
        self._table = table
        self._model = model
        self._show = self._made("live.row.show", "Return", self._choose_event)
        self._schema = self._made("live.row.schema", "", self._lead_to_schema)
        self._copy = self._made("live.row.copy", "Ctrl+C", self._copy_table)
        self._copy_as_json = self._made("live.row.json", "Ctrl+Shift+C", self._copy_json)
        self._only = self._made("live.row.only", "", self._show_only)
        self._without = self._made("live.row.without", "", self._hide)
        self._of_user = self._made("live.row.user", "", self._show_only_user)
        self._up = self._made("live.row.mark.up", "Alt+Up", partial(table.go_to_mark, -1))
        self._down = self._made("live.row.mark.down", "Alt+Down", partial(table.go_to_mark, 1))
        self.retranslate()
        on_context_menu(table, self._open_menu)
        table.doubleClicked.connect(self._choose_event)

    def retranslate(self) -> None:
        """Fetches the names in the language of now."""
        translate = QCoreApplication.translate
        self._show.setText(translate("Live", "Show in the event browser"))
        self._schema.setText(translate("Live", "Show the schema version of this commit"))
        self._copy.setText(translate("Live", "Copy as table"))
        self._copy_as_json.setText(translate("Live", "Copy as JSON, as polled"))
        self._up.setText(translate("Live", "Go to the mark above"))
        self._down.setText(translate("Live", "Go to the mark below"))

    def _made(self, name: str, key: str, act: Callable[[], None]) -> QAction:
        action = QAction(self, shortcut=QKeySequence(key))
        action.setObjectName(name)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.setShortcutVisibleInContextMenu(True)
        action.triggered.connect(act)
        self._table.addAction(action)
        return action

    def _open_menu(self, index: QModelIndex, at: QPoint) -> None:
        """The menu of the current row, which a click makes current; beside all rows there is none."""
        event = self._current()
        if event is None or not index.isValid():
            return
        translate = QCoreApplication.translate
        self._only.setText(translate("Live", "Show only %1").replace("%1", event.type))
        self._without.setText(translate("Live", "Hide %1").replace("%1", event.type))
        menu = QMenu(self._table)
        menu.setObjectName("live.row.menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self._show)
        if is_commit(event):
            menu.addAction(self._schema)
        menu.addSeparator()
        menu.addActions([self._copy, self._copy_as_json])
        menu.addSeparator()
        menu.addActions([self._only, self._without])
        if user_text(event):
            self._of_user.setText(translate("Live", "Show only %1").replace("%1", user_text(event)))
            menu.addAction(self._of_user)
        if self._table.dividers.marks:
            menu.addSeparator()
            menu.addActions([self._up, self._down])
        menu.popup(at)

    def _current(self) -> Event | None:
        index = self._table.currentIndex()
        return self._model.event_at(index.row()) if index.isValid() else None

    def _selected(self) -> list[Event]:
        return [self._model.event_at(row) for row in islice(selected_rows(self._table), _MOST)]

    def _choose_event(self) -> None:
        event = self._current()
        if event is not None:
            self.event_chosen.emit(event)

    def _lead_to_schema(self) -> None:
        event = self._current()
        if event is not None and is_commit(event):
            self.schema_requested.emit(event)

    def _show_only(self) -> None:
        event = self._current()
        if event is not None:
            self.choice_made.emit(self._model.feed.filter.only(event.type))

    def _show_only_user(self) -> None:
        event = self._current()
        if event is not None:
            self.choice_made.emit(replace(self._model.feed.filter, user=user_text(event)))

    def _hide(self) -> None:
        event = self._current()
        if event is not None:
            self.choice_made.emit(self._model.feed.filter.without(event.type))

    def _copy_table(self) -> None:
        self._put(as_table)

    def _copy_json(self) -> None:
        self._put(records_json)

    def _put(self, text: Callable[[list[Event]], str]) -> None:
        events = self._selected()
        if events:
            QApplication.clipboard().setText(text(events))
            self.copied.emit(len(events), sum(1 for _ in selected_rows(self._table)))
