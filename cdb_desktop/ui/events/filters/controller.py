"""Changes the query with the filter bar and its popups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import TypeAlias

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.links import LinkError, is_link, parse_link
from cdb_desktop.queries.query import Part, Query, QueryPart, without, without_filters
from cdb_desktop.queries.typed_query import TypedQueryError, with_terms
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.events.filters.choices_popup import ChoicesPopup
from cdb_desktop.ui.events.filters.dates_popup import DatesPopup
from cdb_desktop.ui.events.filters.filter_bar import FilterBar
from cdb_desktop.ui.events.filters.order_popup import OrderPopup
from cdb_desktop.ui.events.filters.users_popup import UsersPopup
from cdb_desktop.ui.widgets.query_line import QueryLine
from cdb_desktop.ui.widgets.query_texts import fault_text, part_name, summary
from cdb_desktop.vocabulary.conditions import Condition
from cdb_desktop.vocabulary.query_text import condition_text, event_id, parse_query

FilterEditor: TypeAlias = ChoicesPopup | UsersPopup | DatesPopup
CountsOf: TypeAlias = Callable[[Query, QueryPart], Mapping[str, int]]


class FilterController(QObject):
    """Shows the query in the filter bar and opens the popups that change it.

    Signals: ``users_popup_opened`` (UsersPopup), for the search for users that are not in the rows ·
    ``event_requested`` with a typed id · ``link_requested`` with a typed or pasted link.
    """

    users_popup_opened = Signal(object)
    event_requested = Signal(object)
    link_requested = Signal(str)

    def __init__(self, view: BrowserView, line: QueryLine, bar: FilterBar, counts_of: CountsOf) -> None:
        """``counts_of`` gives the known numbers of events for each value of a part of a query."""
        super().__init__(view)
        self._view = view
        self._appearance = view.appearance
        self._line, self._bar = line, bar
        self._counts_of = counts_of
        line.entered.connect(self._enter)
        line.last_chip_requested.connect(self._edit_last)
        view.query_shown.connect(self._show_query)
        view.query_offered.connect(bar.show_offer)
        bar.query_requested.connect(self._ask)
        view.names_learned.connect(self._update_names)
        bar.edit_requested.connect(self.edit)
        bar.value_typed.connect(self._edit_values)
        bar.remove_requested.connect(lambda part: self._ask(without(self._view.query, part)))
        bar.pollable_requested.connect(lambda value: self._ask(replace(self._view.query, pollable=value)))
        bar.clear_requested.connect(self.clear)
        # Bound methods of objects: actions outlive the page, and Qt disconnects them.
        actions = view.actions_by_name
        actions["search"].triggered.connect(line.take_focus)
        actions["filter"].triggered.connect(bar.open_menu)
        actions["clear_filters"].triggered.connect(self.clear)
        actions["order"].triggered.connect(self.edit_order)

    def _show_query(self) -> None:
        self._bar.show_query(self._view.query, self._view.seen)

    def _update_names(self) -> None:
        """Updates the chips if rows contain the name for a number on one of them."""
        query, seen = self._view.query, self._view.seen
        if {part: summary(part, query, seen) for part in query.parts} != self._bar.summaries:
            self._show_query()

    def clear(self) -> None:
        """Removes all filters and keeps the sort order."""
        self._ask(without_filters(self._view.query))

    def edit(self, part: Part, anchor: QWidget) -> FilterEditor | None:
        """Opens the popup of a part below ``anchor``.

        A part that is yes or no is inverted instead, and a condition is edited as text.
        """
        if isinstance(part, Condition):
            self._line.edit(condition_text(part))
            self._ask(without(self._view.query, part))
            return None
        if part is QueryPart.POLLABLE:
            self._ask(replace(self._view.query, pollable=not self._view.query.pollable))
            return None
        popup = self._popup(part, self._bar)
        popup.accepted.connect(partial(self._take, lambda: popup.query))
        popup.open_below(anchor)
        if isinstance(popup, UsersPopup):
            self.users_popup_opened.emit(popup)
        return popup

    def edit_order(self) -> None:
        """Opens the popup of the sort order."""
        popup = OrderPopup(self._appearance, self._view.query, self._bar)
        popup.accepted.connect(partial(self._take, lambda: popup.query))
        popup.open_below(self._bar)

    def _enter(self, text: str) -> None:
        """Adds the typed terms to the query, or goes to the event or the link that was typed."""
        if is_link(text):
            self._open_link(text)
            return
        number = event_id(text)
        if number is not None:
            self._line.clear()
            self.event_requested.emit(number)
            return
        view = self._view
        terms = parse_query(text, datetime.now(UTC), set(view.seen.object_types))
        try:
            query = with_terms(view.query, terms, view.seen)
        except TypedQueryError as error:
            self._line.show_error(fault_text(error), error.term.first, error.term.last)
            return
        self._line.clear()
        if query == view.query:
            view.reload_requested.emit()
        else:
            self._ask(query)

    def _open_link(self, text: str) -> None:
        try:
            parse_link(text)
        except LinkError as error:
            reason = tr("This link cannot be opened. {reason}", reason=error.reason)
            self._line.show_error(reason, max(0, error.place - 1), len(text))
            return
        self._line.clear()
        self.link_requested.emit(text)

    def _edit_last(self) -> None:
        """Edits the last condition, or opens the popup of the last filter."""
        parts = self._view.query.parts
        if parts:
            self.edit(parts[-1], self._bar.chip(parts[-1]))

    def _edit_values(self, text: str) -> None:
        """Opens the popup of types with the typed text, or that of users once only users match."""
        popup = self.edit(QueryPart.TYPE, self._bar.chip(QueryPart.TYPE))
        if isinstance(popup, ChoicesPopup):
            popup.none_found.connect(partial(self._search_users, popup))
            popup.look_for(text)

    def _search_users(self, types: ChoicesPopup, text: str) -> None:
        is_user = any(text.casefold() in name.casefold() for _number, name in self._view.seen.users)
        if not is_user or types.query != self._view.query:
            return
        types.close()
        users = self.edit(QueryPart.USER, self._bar.chip(QueryPart.USER))
        if isinstance(users, UsersPopup):
            users.look_for(text)

    def _popup(self, part: QueryPart, parent: QWidget) -> FilterEditor:
        if part is QueryPart.USER:
            return UsersPopup(self._appearance, part_name(part), self._view.query, self._view.seen, parent)
        if part is QueryPart.DATE:
            return self._dates_popup(parent)
        counts = self._counts_of(self._view.query, part)
        return ChoicesPopup(self._appearance, part, self._view.query, self._view.seen, parent, counts)

    def _dates_popup(self, parent: QWidget) -> DatesPopup:
        now, title = datetime.now(UTC), part_name(QueryPart.DATE)
        return DatesPopup(self._appearance, title, self._view.query, now, self._view.named_event, parent)

    def _take(self, query: Callable[[], Query]) -> None:
        self._ask(query())

    def _ask(self, query: Query) -> None:
        if query != self._view.query:
            self._view.query_requested.emit(query)
