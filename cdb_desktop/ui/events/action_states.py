"""Which actions of the event browser are possible, and why the others are not."""

from __future__ import annotations

from PySide6.QtCore import QObject

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.history import QueryHistory
from cdb_desktop.ui.events.browser.column_menu import COLUMN_ACTIONS
from cdb_desktop.ui.events.browser.table import number_of_rows, selected_ranges
from cdb_desktop.ui.events.browser.view import BrowserView

_WITH_ROWS = ("export", "export_options", "jump", "summary", "delete_found", *COLUMN_ACTIONS)
_WITH_SELECTION = ("delete_selected", "share_event", "share_ticket")


class EventActionStates(QObject):
    """Enables actions according to the query, the rows, and the selection."""

    def __init__(self, view: BrowserView) -> None:
        super().__init__(view)
        self._view = view
        self._set("show_file", possible=False)
        view.notice.file_written.connect(self._offer_file)
        view.query_shown.connect(self._follow_query)
        view.result_shown.connect(self._follow_rows)
        view.rows_gone.connect(self._follow_rows)
        view.table.rows_selected.connect(self.follow_selection)
        # A bound method of an object: actions outlive the page, and Qt disconnects it.
        view.actions_by_name["inspector"].toggled.connect(self.follow_selection)
        self.follow_selection()

    def follow_selection(self, _changed: object = None) -> None:
        """Updates the actions that depend on the selection or on the event outside the rows."""
        selected = number_of_rows(selected_ranges(self._view.table))
        for name in _WITH_SELECTION:
            self._set(name, possible=bool(selected) or self._view.outside is not None)
        self._set("compare", possible=selected in (1, 2))

    def _follow_query(self, history: QueryHistory) -> None:
        self._set("clear_filters", possible=bool(history.present.parts))
        self._set("query_back", possible=bool(history.past))
        self._set("query_forward", possible=bool(history.future))

    def _follow_rows(self) -> None:
        result = self._view.model.result
        for name in _WITH_ROWS:
            self._set(name, possible=result is not None and result.rows > 0)

    def _offer_file(self) -> None:
        self._set("show_file", possible=True)

    def _set(self, name: str, *, possible: bool) -> None:
        self._view.actions_by_name.set_possible(name, possible, "" if possible else obstacle(name))


def obstacle(name: str) -> str:
    """Why an action is not possible; actions that are not listed need rows."""
    return {
        "delete_selected": tr("Select the events to delete first."),
        "share_event": tr("Select an event first."),
        "share_ticket": tr("Select the events for the ticket first."),
        "compare": tr("Select one or two events first."),
        "clear_filters": tr("No filter is set."),
        "show_file": tr("No file has been written since the program started."),
        "query_back": tr("There are no earlier filters."),
        "query_forward": tr("There are no later filters."),
    }.get(name, tr("No events are listed."))
