"""The popup in which columns are chosen, ordered and pinned, also those for keys of info."""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import islice

from PySide6.QtCore import QObject, QPoint, QSize, Qt
from PySide6.QtGui import QActionGroup, QIcon
from PySide6.QtWidgets import QHeaderView, QListWidgetItem, QMenu, QPushButton, QWidget

from cdb_desktop.client import Event, Sort
from cdb_desktop.events.event_details import EventDetails
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.events.result import QueryResult
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.known_values import InfoKeys
from cdb_desktop.queries.query import Query, not_sorted_by, sorted_by, sorted_only_by
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.columns import ColumnCommands, Columns
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.event_requests import whole_events
from cdb_desktop.ui.events.browser.model import FIELDS
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.events.popups.checklist import MovableList, beside, list_button
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GROUP, ICON
from cdb_desktop.ui.widgets.event_table.columns import browser_columns
from cdb_desktop.ui.widgets.labels import BESIDE, SideTextDelegate
from cdb_desktop.ui.widgets.menus import context_menu
from cdb_desktop.ui.widgets.popup import Popup
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.event_json import INFO

_NAME = Qt.ItemDataRole.UserRole
_PINNED = Qt.ItemDataRole.UserRole + 1
_SPOKEN = Qt.ItemDataRole.AccessibleTextRole
_SIZE = 280, 320
_WORK = "events.columns.keys"
_INSPECTED = 64  # events whose info is remembered
_SAMPLE = 100  # events that are fetched where the rows have come without info
_FEW = 12  # where that takes a call for each of them
_MOST_ROWS = 1_000
_AT_ONCE = 5  # events between two breaths of the window; some have 100 kB of info
_OFFERED = 200


class ColumnList(MovableList):
    """The columns to tick and sort; pinned ones are at the top."""

    def __init__(
        self,
        appearance: Appearance,
        hint: str,
        accepts: Callable[[str], str | None],
        entry: Callable[[str], str],
        parent: QWidget,
    ) -> None:
        super().__init__(hint, accepts=accepts, parent=parent, name="columns", entry=entry)
        self._pin = icon("pin", appearance)
        self.list.setItemDelegate(SideTextDelegate(appearance, self.list))
        self.list.setIconSize(QSize(ICON, ICON))

    @property
    def pinned(self) -> tuple[str, ...]:
        """The names of the pinned columns, as listed."""
        return tuple(str(item.data(_NAME)) for item in self._items() if item.data(_PINNED))

    def show_pinned(self, names: Collection[str]) -> None:
        """Pins these columns; called once, when all are listed."""
        for item in self._items():
            self._mark(item, pinned=item.data(_NAME) in names)

    def offer(self, keys: Sequence[tuple[str, int]], events: int) -> None:
        """Lists columns, each with the number of events, of so many, that have a value there."""
        self.add_values(name for name, _count in keys)
        counts = dict(keys)
        for item in self._items():
            count = counts.get(str(item.data(_NAME)))
            if count is not None:
                item.setData(BESIDE, f"{max(1, round(100 * count / events))} %")
                for role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
                    item.setData(
                        role,
                        tr(
                            "{count:1 of {events} events with info has|{count} of "
                            "{events} events with info have} it.",
                            count=count,
                            events=events,
                        ),
                    )

    def may_pass(self, item: QListWidgetItem, other: QListWidgetItem) -> bool:
        """Pinned columns stay among themselves."""
        return bool(item.data(_PINNED)) is bool(other.data(_PINNED))

    def is_pinned(self) -> bool:
        """Whether the current column is pinned."""
        row = self.list.currentRow()
        return row >= 0 and bool(self.list.item(row).data(_PINNED))

    def toggle_pin(self) -> None:
        """Pins the current column behind those that are pinned, or unpins it."""
        row = self.list.currentRow()
        if row < 0 or self.list.item(row) is self._anyway:
            return
        item = self.list.item(row)
        pinned = not item.data(_PINNED)
        target = len(self.pinned) - (0 if pinned else 1)
        self._mark(item, pinned=pinned)
        if pinned:
            item.setCheckState(Qt.CheckState.Checked)
        self._put(item, target)

    def _mark(self, item: QListWidgetItem, *, pinned: bool) -> None:
        item.setData(_PINNED, pinned)
        item.setIcon(self._pin if pinned else QIcon())
        item.setData(_SPOKEN, tr("{text}, pinned", text=item.text()) if pinned else None)


def _add_text(key: str) -> str:
    return tr("Add the column “{key}”", key=key)


class ColumnsPopup(Popup):
    """The columns to tick; a text that begins with ``info.`` adds a column."""

    applies_outside = True

    def __init__(self, appearance: Appearance, columns: Columns, parent: QWidget) -> None:
        super().__init__(appearance, "events.columns", tr("Columns"), tr("Apply"), parent)
        hint = tr("Search, or add a key such as info.limit")
        self.list = ColumnList(appearance, hint, _key, _add_text, self)
        self.list.setMinimumSize(*_SIZE)
        hidden = [column.name for column in columns.choices if column.name not in columns.shown]
        titles = {column.name: column.title for column in columns.choices}
        self.list.show_values([(name, titles[name]) for name in (*columns.shown, *hidden)], columns.shown)
        self.list.show_pinned(columns.pinned)
        self._usual = tuple(column.name for column in browser_columns())
        self.is_usual = False  # whether the default columns in their default widths are wanted
        self.up = list_button(self, "events.columns.up", tr("Move &up"), tr("Further left (Alt+Up)"))
        self.down = list_button(self, "events.columns.down", tr("Move &down"), tr("Further right (Alt+Down)"))
        tip = tr("Stays on the left while the others scroll")
        self.pin = list_button(self, "events.columns.pin", tr("&Pin"), tip)
        self.up.clicked.connect(lambda: self.list.move_current(-1))
        self.down.clicked.connect(lambda: self.list.move_current(1))
        self.pin.clicked.connect(self.list.toggle_pin)
        self.list.changed.connect(self._follow)
        self.add(beside(self, self.list, self.up, self.down, self.pin), stretch=1)
        self.add_note(
            tr(
                "Alt+Up and Alt+Down reorder the columns, as does dragging their titles. Keys of "
                "info require complete events, which load more slowly."
            )
        )
        self.keys_note = self.add_note(" ")
        # Room for two lines is reserved: the status changes while the popup is open.
        self.keys_note.setMinimumHeight(2 * self.keys_note.fontMetrics().lineSpacing())
        reset = QPushButton(tr("Reset"), self, autoDefault=False)
        reset.clicked.connect(self._take_usual)
        self.finish(self.list.search, reset)
        self.list.list.setCurrentRow(0)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the chosen columns in their order; the default ones if none is ticked."""
        return self._usual if self.is_usual or not self.list.ticked else self.list.ticked

    @property
    def pinned(self) -> tuple[str, ...]:
        """The names of the pinned columns, as listed."""
        return () if self.is_usual else self.list.pinned

    def offer_keys(self, keys: Sequence[tuple[str, int]], events: int, *, looks: bool = False) -> None:
        """Lists keys of info, each with the number of ``events`` that have it; ``looks``: more may follow."""
        self.list.offer([(INFO + path, count) for path, count in keys], events)
        if looks:
            self.keys_note.setText(tr("Searching for keys of info…"))
        elif keys:
            self.keys_note.setText(
                tr(
                    "The list ends with the keys of info found in {events:1 "
                    "event.|{events} events, most frequent first.}",
                    events=events,
                )
            )
        else:
            self.keys_note.setText(tr("None of these events has info."))

    def _follow(self) -> None:
        self.up.setEnabled(self.list.can_move(-1))
        self.down.setEnabled(self.list.can_move(1))
        self.pin.setText(tr("Un&pin") if self.list.is_pinned() else tr("&Pin"))

    def _take_usual(self) -> None:
        self.is_usual = True
        self.confirm()


def _key(text: str) -> str | None:
    key = text.strip()
    return key if key.startswith(INFO) and len(key) > len(INFO) else None


class ColumnsController(QObject):
    """Opens the popup and finds keys of info that can be columns.

    It offers the keys that rows and inspector have shown; if the rows have no info, some events are fetched.
    """

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._context = context
        self._keys = InfoKeys()
        self._inspected: deque[Event] = deque(maxlen=_INSPECTED)
        self._sampled: Query | None = None

    def open(self) -> None:
        """Opens the popup; keys are added as they are found."""
        view = self._context.view
        popup = ColumnsPopup(view.appearance, view.columns, view)
        popup.offer_keys(self._keys.most_frequent(_OFFERED), self._keys.events, looks=True)
        popup.accepted.connect(lambda: self._take(popup))
        popup.closed.connect(self._stop)
        popup.open_below(view.views_button)
        self._context.tasks.start(_WORK, self._look(popup), on_error=partial(self._failed, popup))

    def _take(self, popup: ColumnsPopup) -> None:
        columns = self._context.view.columns
        if popup.is_usual:
            columns.show_usual()
        else:
            columns.show(popup.names, popup.pinned)

    def remember(self, details: EventDetails) -> None:
        """Takes in the keys of a record that the inspector has shown."""
        if details.is_whole:
            self._inspected.append(details.event)

    def _stop(self) -> None:
        self._context.tasks.cancel(_WORK)

    async def _look(self, popup: ColumnsPopup) -> None:
        result, query = self._context.rows.result, self._context.view.query
        here = [] if result is None else list(islice(_with_info(result), _MOST_ROWS))
        await self._add_keys_of([*self._inspected, *here])
        if result is not None and not here and self._sampled != query:
            await self._add_keys_of(await self._sample(result))
            self._sampled = query
        popup.offer_keys(self._keys.most_frequent(_OFFERED), self._keys.events)

    async def _add_keys_of(self, events: Sequence[Event]) -> None:
        for first in range(0, len(events), _AT_ONCE):
            self._keys.add(events[first : first + _AT_ONCE])
            await asyncio.sleep(0)

    async def _sample(self, result: QueryResult) -> Sequence[Event]:
        """Some whole events of the result. Raises ClientError."""
        client = self._context.client
        if client.capabilities.full_list and not isinstance(result, MatchedResult):
            chosen = result.resolved_query.filter
            return (await client.list_events(chosen, limit=_SAMPLE, full=True, skip_count=True)).events
        # A service before 5.140 lists short records only (§9 rule 2).
        found = (result.event(row) for row in range(_FEW))
        return await whole_events(client, [event.id for event in found if event is not None])

    def _failed(self, popup: ColumnsPopup, error: Exception) -> None:
        popup.keys_note.setText(tr("Not looked up: {title}", title=error_message(error).title))


def _with_info(result: QueryResult) -> Iterator[Event]:
    return (event for page in result.loaded_events() for event in page if event.info is not None)


Ask = Callable[[Query], None]
COLUMN_ACTIONS = ("column_titles", "column_narrow", "column_widen", "column_fit", "column_widths")


def title_menu(
    parent: QWidget, place: int, query: Query, steps: ColumnCommands, actions: Actions, ask: Ask
) -> QMenu:
    """The menu of a title, deleted when it is closed; actions about a column apply to this one."""
    menu = context_menu(parent, "events.table.titles.menu")
    _offer_order(menu, FIELDS.get(steps.name(place)), query, ask)
    menu.addSeparator()
    is_pinned = steps.is_pinned(place)
    text = tr("Un&pin") if is_pinned else tr("&Pin at the left")
    menu.addAction(text).triggered.connect(partial(steps.pin, place, pinned=not is_pinned))
    hide = menu.addAction(tr("&Hide"))
    hide.triggered.connect(partial(steps.hide, place))
    hide.setEnabled(steps.can_hide())
    menu.addSeparator()
    for name in ("column_fit", "column_widths", "order", "columns"):
        actions[name].setShortcutVisibleInContextMenu(True)
        menu.addAction(actions[name])
    menu.insertSeparator(actions["order"])
    return menu


def orders(field: str, query: Query) -> list[tuple[str, bool | None, Query]]:
    """The entries for sorting by a field: text, query, and whether the rows are sorted so already.

    The bool is None for entries that change a sort order rather than select one.
    """
    known = next((one for one in query.order if one.field == field), None)
    result: list[tuple[str, bool | None, Query]] = [
        (text, known == order, sorted_only_by(query, order))
        for text, order in (
            (tr("Sort &ascending"), Sort(field)),
            (tr("Sort &descending"), Sort(field, descending=True)),
        )
    ]
    if known is None and query.sort:
        text = tr("A&lso sort by this column")
        result.append((text, None, sorted_by(query, field, also=True)))
    elif known is not None and len(query.sort) > 1:
        text = tr("&Reverse, keep the others")
        result.append((text, None, sorted_by(query, field, also=True)))
    if known in query.sort:
        result.append((tr("Do &not sort by this column"), None, not_sorted_by(query, field)))
    return result


def _offer_order(menu: QMenu, field: str | None, query: Query, ask: Ask) -> None:
    if field is None:
        menu.addAction(tr("The service cannot sort by this column.")).setEnabled(False)
        return
    directions = QActionGroup(menu, exclusionPolicy=QActionGroup.ExclusionPolicy.ExclusiveOptional)
    for text, is_so, wanted in orders(field, query):
        action = menu.addAction(text)
        if is_so is not None:
            action.setCheckable(True)
            action.setChecked(is_so)
            directions.addAction(action)
        action.triggered.connect(partial(ask, wanted))


class ColumnMenuController(QObject):
    """Opens the menu of a title and handles the actions about a column.

    The actions apply to the column whose menu is open, whose cell was clicked last, or that was moved to.
    """

    def __init__(self, view: BrowserView) -> None:
        super().__init__(view)
        self._view = view
        self._cursor = view.table.title_cursor
        self._steps = ColumnCommands(view.table, view.columns)
        self._cursor.menu_requested.connect(self._open)
        self._cursor.sort_requested.connect(view.table.sort_by)
        for titles in (view.table.horizontalHeader(), view.table.pinned.titles):
            titles.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            titles.customContextMenuRequested.connect(partial(self._open_over, titles))
        # Bound methods of objects: actions outlive the browser, and Qt disconnects them.
        functions = (self._go_to, self._narrow, self._widen, self._fit, self._reset)
        for name, go in zip(COLUMN_ACTIONS, functions, strict=True):
            view.actions_by_name[name].triggered.connect(go)

    def _open_over(self, titles: QHeaderView, at: QPoint) -> None:
        place = titles.logicalIndexAt(at)
        if place >= 0:
            self._open(place, titles.viewport().mapToGlobal(at))

    def _open(self, place: int, at: QPoint) -> None:
        view = self._view
        self._cursor.go_to(place)
        ask = view.query_requested.emit
        title_menu(view, place, view.query, self._steps, view.actions_by_name, ask).popup(at)

    def _go_to(self) -> None:
        self._cursor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _narrow(self) -> None:
        self._steps.widen(self._cursor.place, -GROUP)
        self._show_width()

    def _widen(self) -> None:
        self._steps.widen(self._cursor.place, GROUP)
        self._show_width()

    def _fit(self) -> None:
        self._steps.fit(self._cursor.place)
        self._show_width()

    def _reset(self) -> None:
        self._steps.reset_widths()
        self._view.count.show_message(tr("The widths of all columns are reset."))

    def _show_width(self) -> None:
        """Shows which column was changed, which is not visible while the rows have the focus."""
        self._cursor.flash()
        place, view = self._cursor.place, self._view
        width = view.table.horizontalHeader().sectionSize(place)
        column = view.columns.choices[place].title
        view.count.show_message(tr("{column}: {width} pixels wide", column=column, width=width))
