"""Ties the actions of the table of actions to what they mean in the event browser."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from cdb_desktop.events.history import History
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.browser_table import BrowserTable
from cdb_desktop.ui.events.filters.filter_editing import FilterEditing
from cdb_desktop.ui.events.inspector.inspector import Inspector
from cdb_desktop.ui.events.obstacle_words import obstacle_words
from cdb_desktop.ui.widgets.notice import FileNotice


class Commands(QObject):
    """What menu and keys do here.

    Signals: ``history_requested`` (-1 back, 1 forward) · ``jump_requested`` · ``export_requested`` ·
    ``inspector_toggled`` · ``give_up_requested`` when nobody wants to wait for the rows to come ·
    ``search_left`` by Escape when nothing else is open.
    """

    history_requested = Signal(int)
    jump_requested = Signal()
    export_requested = Signal()
    inspector_toggled = Signal()
    give_up_requested = Signal()
    search_left = Signal()

    def __init__(
        self,
        actions: Actions,
        table: BrowserTable,
        inspector: Inspector,
        editing: FilterEditing,
        notice: FileNotice,
    ) -> None:
        super().__init__(table)
        self._actions = actions
        self._table = table
        self._notice = notice
        notice.file_told.connect(self._offer_file)
        actions.set_possible("show_file", False, obstacle_words("show_file"))
        table.inspect_requested.connect(self.open_inspector)
        table.leave_requested.connect(self._leave)
        inspector.close_requested.connect(self._close_inspector)
        # Only signals and methods of objects: actions outlive the browser, and Qt lets go of those by itself.
        actions["inspector"].toggled.connect(self.inspector_toggled)
        for name, act in (
            ("filter", editing.open_menu),
            ("clear_filters", editing.clear),
            ("order", editing.edit_order),
            ("jump", self.jump_requested),
            ("export", self.export_requested),
            ("query_back", self._go_back),
            ("query_forward", self._go_forward),
            ("show_file", notice.show_folder),
        ):
            actions[name].triggered.connect(act)

    def offer_queries(self, history: History) -> None:
        """Offers what can be done about the query in force."""
        for name, there in (
            ("clear_filters", history.present.parts),
            ("query_back", history.past),
            ("query_forward", history.future),
        ):
            self._actions.set_possible(name, bool(there), obstacle_words(name))

    def offer_rows(self, *, there: bool) -> None:
        """Offers what takes rows, if there are any."""
        for name in ("export", "jump"):
            self._actions.set_possible(name, there, obstacle_words(name))

    def open_inspector(self) -> None:
        """The inspector stands beside the rows."""
        self._actions["inspector"].setChecked(True)

    def _leave(self) -> None:
        """One step back: ends waiting, or closes the notice, the inspector, the requests or the search."""
        if self._table.is_waiting:
            self.give_up_requested.emit()
        elif self._notice.isVisible():
            self._notice.hide()
        elif self._actions["inspector"].isChecked():
            self._close_inspector()
        elif self._actions["requests"].isChecked():
            self._actions["requests"].setChecked(False)
        else:
            self.search_left.emit()

    def _close_inspector(self) -> None:
        self._actions["inspector"].setChecked(False)
        self._table.setFocus()

    def _offer_file(self) -> None:
        self._actions.set_possible("show_file", True)

    def _go_back(self) -> None:
        self.history_requested.emit(-1)

    def _go_forward(self) -> None:
        self.history_requested.emit(1)
