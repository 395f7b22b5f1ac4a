"""Opens the sheets in which a query is changed, and tells the query that comes out of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import TypeAlias

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from cdb_desktop.client import Event, Session
from cdb_desktop.events.query import Part, Query, cleared, without
from cdb_desktop.events.seen import Seen
from cdb_desktop.ui.events.browser.order_popup import OrderPopup
from cdb_desktop.ui.events.browser.phrases import part_name, summary
from cdb_desktop.ui.events.filters.choices_popup import ChoicesPopup
from cdb_desktop.ui.events.filters.dates_popup import DatesPopup
from cdb_desktop.ui.events.filters.filter_bar import FilterBar
from cdb_desktop.ui.events.filters.users_popup import UsersPopup
from cdb_desktop.ui.theme.appearance import Appearance

Sheet: TypeAlias = ChoicesPopup | UsersPopup | DatesPopup
CountsOf: TypeAlias = Callable[[Query, Part], Mapping[str, int]]


def _nothing_counted(_query: Query, _part: Part) -> Mapping[str, int]:
    return {}


class FilterEditing(QObject):
    """Keeps the query that is shown and what the rows have shown of users and types.

    ``counts_of`` gives what is known of how many events the values of a part have.

    Signals: ``query_requested`` (Query) when somebody wants another one · ``users_sheet_opened``
    (UsersPopup), for whoever finds users that nobody has met.
    """

    query_requested = Signal(object)
    users_sheet_opened = Signal(object)

    def __init__(self, appearance: Appearance, bar: FilterBar, current: Callable[[], Event | None]) -> None:
        """``current`` gives the event that is chosen in the rows."""
        super().__init__(bar)
        self._current = current
        self._appearance = appearance
        self._bar = bar
        self.query = Query()
        self.seen = Seen()
        self.counts_of: CountsOf = _nothing_counted
        bar.edit_requested.connect(self.edit)
        bar.value_typed.connect(self._edit_values)
        bar.remove_requested.connect(lambda part: self._ask(without(self.query, part)))
        bar.pollable_requested.connect(lambda value: self._ask(replace(self.query, pollable=value)))
        bar.clear_requested.connect(self.clear)

    def meet(self, session: Session) -> None:
        """Knows the session's own user and groups by name from now on."""
        self.seen.meet(session)
        self._bar.show_query(self.query, self.seen)

    def show_query(self, query: Query) -> None:
        """``query`` is in force."""
        self.query = query
        self._bar.show_query(query, self.seen)

    def tell_names(self) -> None:
        """Rows have come, and may have told who a number on a chip is."""
        told = {part: summary(part, self.query, self.seen) for part in self.query.parts}
        if told != self._bar.summaries:
            self._bar.show_query(self.query, self.seen)

    def open_menu(self) -> None:
        """Offers the kinds of filters."""
        self._bar.open_menu()

    def clear(self) -> None:
        """Asks for everything, in the same order."""
        self._ask(cleared(self.query))

    def edit(self, part: Part, anchor: QWidget) -> Sheet | None:
        """Opens the sheet of a part below ``anchor``; what is yes or no is turned round without one."""
        if part is Part.POLLABLE:
            self._ask(replace(self.query, pollable=not self.query.pollable))
            return None
        popup = self._sheet(part, self._bar)
        popup.accepted.connect(partial(self._take, lambda: popup.query))
        popup.open_below(anchor)
        if isinstance(popup, UsersPopup):
            self.users_sheet_opened.emit(popup)
        return popup

    def edit_order(self) -> None:
        """Opens the sheet of the order."""
        popup = OrderPopup(self._appearance, self.query, self._bar)
        popup.accepted.connect(partial(self._take, lambda: popup.query))
        popup.open_below(self._bar)

    def _edit_values(self, text: str) -> None:
        """Opens the sheet of types with what was typed so far; as soon as only users have it, theirs."""
        popup = self.edit(Part.TYPE, self._bar.chip(Part.TYPE))
        if isinstance(popup, ChoicesPopup):
            popup.none_found.connect(partial(self._look_among_users, popup))
            popup.look_for(text)

    def _look_among_users(self, types: ChoicesPopup, text: str) -> None:
        is_user = any(text.casefold() in name.casefold() for _number, name in self.seen.users)
        if not is_user or types.query != self.query:
            return
        types.close()
        users = self.edit(Part.USER, self._bar.chip(Part.USER))
        if isinstance(users, UsersPopup):
            users.look_for(text)

    def _sheet(self, part: Part, parent: QWidget) -> Sheet:
        if part is Part.USER:
            return UsersPopup(self._appearance, part_name(part), self.query, self.seen, parent)
        if part is Part.DATE:
            return self._dates_sheet(parent)
        counts = self.counts_of(self.query, part)
        return ChoicesPopup(self._appearance, part, self.query, self.seen, parent, counts)

    def _dates_sheet(self, parent: QWidget) -> DatesPopup:
        now, title = datetime.now(UTC), part_name(Part.DATE)
        return DatesPopup(self._appearance, title, self.query, now, self._current(), parent)

    def _take(self, query: Callable[[], Query]) -> None:
        self._ask(query())

    def _ask(self, query: Query) -> None:
        if query != self.query:
            self.query_requested.emit(query)
