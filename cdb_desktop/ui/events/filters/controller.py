"""Changes the query with the filter bar and its popups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import QGridLayout, QListWidgetItem, QPushButton, QWidget

from cdb_desktop.client import Event, EventFilter, Record, Sort
from cdb_desktop.events.facets import sample_pages
from cdb_desktop.events.paging import read_pages
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.foundation.i18n import language, tr
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.links import LinkError, is_link, parse_link
from cdb_desktop.queries.query import (
    NEWEST_FIRST,
    Part,
    Query,
    QueryPart,
    default_sort,
    with_values,
    without,
    without_filters,
)
from cdb_desktop.ui.events.browser.context import BackgroundReader, BrowserContext
from cdb_desktop.ui.events.browser.model import field_names
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.events.filters.filter_bar import FilterBar
from cdb_desktop.ui.events.filters.users_popup import UserSearchState, UsersPopup
from cdb_desktop.ui.events.popups.checklist import Checklist, MovableList, beside, list_button
from cdb_desktop.ui.events.popups.moment_field import MomentField
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, TIGHT
from cdb_desktop.ui.widgets.family_shapes import shape_icon
from cdb_desktop.ui.widgets.labels import Label, SideTextDelegate, caption
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.popup import Popup
from cdb_desktop.ui.widgets.query_line import QueryLine
from cdb_desktop.ui.widgets.query_texts import part_name, preset_name, summary
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.event_types import family_of, group_text, type_words
from cdb_desktop.vocabulary.pattern import Condition
from cdb_desktop.vocabulary.query_text import condition_text, event_id
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan, span_around
from cdb_desktop.vocabulary.times import zone_name

_PER_ROW = 2  # buttons beside one another
_MINUTES = (1, 5)


class DatesPopup(Popup):
    """Buttons for common time spans close the popup; each of the two times may be empty.

    The popup stays open while the times are invalid, and shows why.
    """

    applies_outside = True

    def __init__(
        self,
        appearance: Appearance,
        title: str,
        query: Query,
        now: datetime,
        event: Event | None,
        parent: QWidget,
    ) -> None:
        """``event`` is the current event, None for none."""
        super().__init__(appearance, "events.dates", title, tr("Apply"), parent)
        self._appearance = appearance
        self._query, self._now = query, now
        first, last = tr("The beginning"), tr("No end")
        self._first = MomentField(appearance, "events.dates.from", first, self, may_move=True)
        self._last = MomentField(appearance, "events.dates.to", last, self, day_ends=True, may_move=True)
        agos = query.span.first_ago, query.span.last_ago
        for field, bound, ago in zip((self._first, self._last), query.span.bounds(now), agos, strict=True):
            field.show_moment(bound, ago)
            field.changed.connect(self._use_bounds)
        self._span: TimeSpan | None = query.span
        presets = self._buttons(self._presets())
        self.add(presets)
        if event is not None and event.timestamp is not None:
            text = tr("Around event {id}:", id=event.id)
            self.add_note(text)
            self.add(self._buttons(self._around(event.timestamp)))
        self.add_note(tr("Or between two times ({zone_name}), inclusive:", zone_name=zone_name()))
        self.add(self._bounds())
        reset = named("events.dates.any", QPushButton(tr("Any time"), self))
        reset.clicked.connect(partial(self._take, TimeSpan()))
        self.finish(presets.findChildren(QPushButton)[0], reset)

    @property
    def query(self) -> Query:
        """The query with the chosen time span."""
        return replace(self._query, span=self._typed() if self._span is None else self._span)

    def _typed(self) -> TimeSpan:
        (first, first_ago), (last, last_ago) = (
            (field.moment if field.ago is None else None, field.ago) for field in (self._first, self._last)
        )
        return TimeSpan(first=first, last=last, first_ago=first_ago, last_ago=last_ago)

    def holds(self) -> QWidget | None:
        """The field that has to be corrected."""
        if self._span is not None:
            return None
        wrong = (field for field in (self._first, self._last) if field.fault is not None)
        return next(wrong, self._last if self._is_reversed() else None)

    def _is_reversed(self) -> bool:
        first, last = self._first.moment, self._last.moment
        return first is not None and last is not None and last < first

    def _take(self, span: TimeSpan) -> None:
        self._span = span
        self.confirm()

    def _use_bounds(self) -> None:
        self._span = None
        for button in self.findChildren(QPushButton):
            button.setChecked(False)
        if self._last.fault is None:
            self._last.show_meaning()
        if self._is_reversed():
            self._last.show_message(tr("“To” is before “From”."), "danger")

    def _presets(self) -> Iterator[tuple[str, str, TimeSpan]]:
        for preset in TimePreset:
            yield preset.value, preset_name(preset), TimeSpan(preset)
        yield "from_now", tr("from &now on"), TimeSpan(first=self._now.replace(microsecond=0))

    def _around(self, moment: datetime) -> Iterator[tuple[str, str, TimeSpan]]:
        for minutes, text in zip(_MINUTES, (tr("±1 minute"), tr("±5 minutes")), strict=True):
            yield f"around_{minutes}", text, span_around(moment, minutes)

    def _buttons(self, choices: Iterator[tuple[str, str, TimeSpan]]) -> QWidget:
        widget = QWidget(self)
        layout = QGridLayout(widget)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        for place, (name, text, span) in enumerate(choices):
            button = named(f"events.dates.{name}", QPushButton(text, widget, autoDefault=False))
            button.setCheckable(True)
            button.toggled.connect(partial(self._mark, button))
            button.setChecked(self._query.span == span)
            button.clicked.connect(partial(self._take, span))
            layout.addWidget(button, place // _PER_ROW, place % _PER_ROW)
        return widget

    def _mark(self, button: QPushButton, chosen: bool) -> None:
        # The pressed state is not visible in the dark theme.
        button.setIcon(icon("check", self._appearance) if chosen else QIcon())

    def _bounds(self) -> QWidget:
        grid = QWidget(self)
        layout = QGridLayout(grid)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(GAP)
        layout.setVerticalSpacing(TIGHT)
        bounds = ((tr("From"), self._first), (tr("To"), self._last))
        for row, (text, field) in enumerate(bounds):
            label = Label(text, grid)
            label.setFixedHeight(field.line.sizeHint().height())
            label.setBuddy(field.line)
            field.line.setAccessibleName(text)
            layout.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            layout.addWidget(field, row, 1)
        layout.setColumnStretch(1, 1)
        return grid


_CHOICES_SIZE = 340, 280
_NO_COUNTS: Mapping[str, int] = MappingProxyType({})


class ChoicesPopup(Popup):
    """Types or base types to tick, depending on ``part``.

    Signals: ``none_found`` (text) when no value contains the typed text.
    """

    applies_outside = True
    none_found = Signal(str)

    def __init__(
        self,
        appearance: Appearance,
        part: QueryPart,
        query: Query,
        seen: KnownValues,
        parent: QWidget,
        counts: Mapping[str, int] = _NO_COUNTS,
    ) -> None:
        """``counts`` are the numbers of events by value, among those that match the other filters."""
        super().__init__(appearance, "events.choices", part_name(part), tr("Apply"), parent)
        self._appearance = appearance
        self._part = part
        self._query = query
        self.list = Checklist(tr("Search, or add by name"), accepts=_type_name, parent=self)
        self.list.setMinimumSize(*_CHOICES_SIZE)
        is_type = part is QueryPart.TYPE
        listed = seen.types if is_type else seen.base_types
        ticked = query.types if is_type else query.base_types
        pairs = ((one, one) for one in listed)
        if is_type:
            self.list.show_values(pairs, ticked, self._shape, partial(_type_words, seen))
        else:
            self.list.show_values(pairs, ticked)
        if counts:
            self.list.list.setItemDelegate(SideTextDelegate(appearance, self.list))
            self.list.show_counts(counts)
        self.list.narrowed.connect(self._show_none)
        reset = QPushButton(tr("None"), self, autoDefault=False)
        reset.clicked.connect(self.list.clear_ticks)
        self.add(self.list, stretch=1)
        if counts:
            note = caption(self)
            note.setText(self._counted_among())
            self.add(note)
        self.finish(self.list.search, reset)

    @property
    def query(self) -> Query:
        """The query with the ticked values."""
        return with_values(self._query, self._part, self.list.ticked)

    def _show_none(self) -> None:
        if not self.list.found:
            self.none_found.emit(self.list.search.text().strip())

    def _counted_among(self) -> str:
        if without(self._query, self._part).parts:
            return tr("Numbers of events that match the other filters")
        return tr("Numbers of events in the whole log")

    def _shape(self, event_type: str) -> QIcon:
        return shape_icon(family_of(event_type), self._appearance.tokens, self.devicePixelRatioF())


def _type_words(seen: KnownValues, event_type: str) -> str:
    """What people call a type, and its group if the service has groups."""
    words = ", ".join(type_words(event_type, language()))
    group = seen.group_of_type(event_type)
    return f"{words} · {group_text(group, language())}" if group else words


def _type_name(text: str) -> str | None:
    # Values are joined by commas (§4.3), so they cannot contain one.
    return None if "," in text else text


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
        """Removes all filters and keeps the sort order; the next query can be typed."""
        self._line.setFocus()
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
        query = self._line.added_to(self._view.query)
        if query is None:
            return
        self._line.clear()
        if query == self._view.query:
            self._view.reload_requested.emit()
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
            popup.list.search.setText(text)

    def _search_users(self, types: ChoicesPopup, text: str) -> None:
        is_user = any(text.casefold() in name.casefold() for _number, name in self._view.seen.users)
        if not is_user or types.query != self._view.query:
            return
        types.close()
        users = self.edit(QueryPart.USER, self._bar.chip(QueryPart.USER))
        if isinstance(users, UsersPopup):
            users.list.search.setText(text)

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


_SIZE = 240, 180
_FIELD = Qt.ItemDataRole.UserRole
_DOWN = Qt.ItemDataRole.UserRole + 1
_TURNS = (Qt.Key.Key_Left, Qt.Key.Key_Right)


class OrderPopup(Popup):
    """Ticked columns sort the rows, the first before the second. The service sorts by no others."""

    applies_outside = True

    def __init__(self, appearance: Appearance, query: Query, parent: QWidget) -> None:
        super().__init__(appearance, "events.order", tr("Sort by"), tr("Apply"), parent)
        self._query = query
        self.list = OrderList(tr("Columns that can be sorted by"), self)
        self.list.setMinimumSize(*_SIZE)
        self.list.show_order(query.sort)
        self.up = list_button(self, "events.order.up", tr("Move &up"), tr("Higher priority (Alt+Up)"))
        self.down = list_button(self, "events.order.down", tr("Move &down"), tr("Lower priority (Alt+Down)"))
        self.turn = list_button(
            self, "events.order.turn", tr("&Reverse"), tr("Reverse the direction (Left, Right)")
        )
        self.up.clicked.connect(lambda: self.list.move_current(-1))
        self.down.clicked.connect(lambda: self.list.move_current(1))
        self.turn.clicked.connect(self.list.turn_current)
        self.list.changed.connect(self._follow)
        self.add(beside(self, self.list, self.up, self.down, self.turn), stretch=1)
        self.add_note(tr("Space selects, Left and Right reverse, Alt+Up and Alt+Down change the priority."))
        self._note = self.add_note("")
        reset = QPushButton(tr("Newest first"), self, autoDefault=False)
        reset.clicked.connect(self._take_usual)
        self.finish(self.list.list, reset)
        self.list.list.setCurrentRow(0)
        self._follow()

    @property
    def query(self) -> Query:
        """The query with the chosen order."""
        chosen = self.list.order
        return replace(self._query, sort=() if chosen == (NEWEST_FIRST,) else chosen)

    def _follow(self) -> None:
        self.up.setEnabled(self.list.can_move(-1))
        self.down.setEnabled(self.list.can_move(1))
        fields = [one.field for one in self.list.order]
        if not fields:
            text = tr("Nothing selected: newest first.")
        elif NEWEST_FIRST.field in fields[:-1]:
            text = tr("Ids are unique: columns after the id have no effect.")
        else:
            text = " "
        self._note.setText(text)

    def _take_usual(self) -> None:
        self.list.clear_ticks()
        self.confirm()


class OrderList(MovableList):
    """Columns with their directions."""

    def __init__(self, hint: str, parent: QWidget) -> None:
        super().__init__(hint, accepts=_nothing, parent=parent, name="order")
        self.search.hide()

    @property
    def order(self) -> tuple[Sort, ...]:
        """The ticked columns, as listed."""
        ticked = (item for item in self._items() if item.checkState() == Qt.CheckState.Checked)
        return tuple(Sort(str(item.data(_FIELD)), bool(item.data(_DOWN))) for item in ticked)

    def show_order(self, order: tuple[Sort, ...]) -> None:
        """Lists all columns, those of the current order first."""
        names = field_names()
        known = {one.field: one for one in order} | {
            field: default_sort(field) for field in names if field not in {one.field for one in order}
        }
        self.show_values([(field, names[field]) for field in known], [one.field for one in order])
        for item in self._items():
            self._set_direction(item, descending=known[str(item.data(_FIELD))].descending)

    def turn_current(self) -> None:
        """Reverses and ticks the current column."""
        row = self.list.currentRow()
        if row >= 0:
            item = self.list.item(row)
            self._set_direction(item, descending=not item.data(_DOWN))
            item.setCheckState(Qt.CheckState.Checked)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in _TURNS:
            self.turn_current()
            return True
        return super().eventFilter(watched, event)

    def _set_direction(self, item: QListWidgetItem, *, descending: bool) -> None:
        item.setData(_DOWN, descending)
        name = field_names()[str(item.data(_FIELD))]
        item.setText(f"{name} {'▾' if descending else '▴'}")
        item.setData(
            Qt.ItemDataRole.AccessibleTextRole,
            (tr("{name}, descending", name=name) if descending else tr("{name}, ascending", name=name)),
        )


def _nothing(_text: str) -> str | None:
    return None


_WORK = "events.users"
# Calls, and records of each: a user with a hundredth of the events is hardly ever missed.
_SAMPLE_PAGES, _SAMPLE_RECORDS = 16, 200


class UserSearchController(QObject):
    """Finds users by name.

    The service has no list of users: the popup offers those of a sample of the log, and can search all of
    it.
    """

    def __init__(self, context: BrowserContext, filters: FilterController) -> None:
        super().__init__(context.view)
        self._tasks = context.tasks
        self._source = BackgroundReader(context)
        self._is_sampled = False
        filters.users_popup_opened.connect(self._follow_popup)

    def _follow_popup(self, popup: UsersPopup) -> None:
        popup.look_requested.connect(partial(self._begin, popup))
        popup.stop_requested.connect(partial(self._tasks.give_up, _WORK))
        popup.closed.connect(partial(self._tasks.cancel, _WORK))
        if not self._is_sampled:
            self._tasks.start(
                _WORK, self._add_recent(popup), title=tr("Searching for users"), on_error=_silent
            )

    def _begin(self, popup: UsersPopup) -> None:
        before = popup.looking
        self._tasks.start(
            _WORK,
            self._look(popup),
            title=tr("Searching for users"),
            on_error=partial(self._failed, popup),
            on_given_up=lambda: popup.show_search_state(UserSearchState(before.read)),
        )
        popup.show_search_state(UserSearchState(before.read, before.total, runs=True))

    async def _add_recent(self, popup: UsersPopup) -> None:
        total = await self._source.count(EventFilter())
        for offset, limit in sample_pages(total, _SAMPLE_PAGES, _SAMPLE_RECORDS):
            await self._source.records(EventFilter(), offset, limit)
            popup.show_known_users()
        self._is_sampled = True

    async def _look(self, popup: UsersPopup) -> None:
        if not self._is_sampled and not popup.looking.read:
            await self._add_recent(popup)
        total = await self._source.count(EventFilter())
        # Continues one page before the end of the last search, since events may have been deleted.
        start = max(0, popup.looking.read - PAGE_SIZE)
        text, known = popup.wanted, popup.found

        async def fetch(offset: int) -> Sequence[Record]:
            return await self._source.records(EventFilter(), start + offset)

        read = start
        async with aclosing(read_pages(fetch, descending=True)) as pages:
            async for page in pages:
                read += len(page)
                popup.show_known_users()
                if popup.found > (known if popup.wanted == text else 0):
                    popup.show_search_state(UserSearchState(read))
                    return
                self._show_progress(popup, UserSearchState(read, max(total, read), runs=True))
        popup.show_search_state(UserSearchState(read, read, is_whole=True))

    def _show_progress(self, popup: UsersPopup, looking: UserSearchState) -> None:
        popup.show_search_state(looking)
        text = tr(
            "Searching for users: {read} of {total:1 event|{total} events} read",
            total=looking.total,
            read=looking.read,
        )
        self._tasks.show_progress(_WORK, text, looking.read / looking.total if looking.total else None)

    def _failed(self, popup: UsersPopup, error: Exception) -> None:
        popup.show_search_state(UserSearchState(popup.looking.read, failure=error_message(error).title))


def _silent(_error: Exception) -> None:
    """Ignores errors of the sample, which is read without a request of the user; a search shows its own."""
