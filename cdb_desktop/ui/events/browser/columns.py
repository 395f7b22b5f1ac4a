"""The columns of the rows: which, in which order, how wide and which are pinned; remembered by name."""

from collections.abc import Collection, Sequence

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, QSettings, QTimer, Signal
from PySide6.QtGui import QFontMetrics

from cdb_desktop.foundation.files import DAMAGE
from cdb_desktop.queries.saved_views import ColumnState, sanitized_columns
from cdb_desktop.ui.events.browser.model import FIELDS, ResultModel
from cdb_desktop.ui.events.browser.table import BrowserTable
from cdb_desktop.ui.theme.measures import GAP, GROUP
from cdb_desktop.ui.widgets.event_table.columns import (
    EventColumn,
    browser_columns,
    fit_widths,
    info_column,
    more_columns,
)
from cdb_desktop.ui.widgets.settings import set_value_aside
from cdb_desktop.vocabulary.event_json import INFO
from cdb_desktop.vocabulary.event_summary import SUMMARY

_KEY = "events/column_states"
_REST = 300  # milliseconds: dragging a border changes the width many times
_NARROWEST = 24
# Texts that must remain visible in a narrow table; longer ones are elided, with the full text as a tool tip.
_LEAST = {
    "type": "XX OBJECT_UPDATE",
    "user": "Alexandra So",
    "object": "objecttype 0",
    SUMMARY: "What the event is about, in some",
}
_GIVES_WAY = "object"  # to the summary in a narrow table, since most summaries name the object

States = tuple[ColumnState, ...]
_NARROWEST_BY_HAND = 2 * GROUP


class Columns(QObject):
    """The columns of a table.

    Signals: ``needs_changed`` (bool) when the visible columns begin or cease to need whole events ·
    ``shown_changed`` when other columns are visible.
    """

    needs_changed = Signal(bool)
    shown_changed = Signal()

    def __init__(self, table: BrowserTable, model: ResultModel, settings: QSettings) -> None:
        super().__init__(table)
        self._table = table
        self._model = model
        self._settings = settings
        self._header = table.horizontalHeader()
        self.needs_whole = False  # whether a visible column needs whole events
        self._pinned: set[str] = set()
        self._narrowed: dict[str, int] = {}  # widths of columns that were narrowed to fit
        self._given_way: set[str] = set()  # columns that are hidden to fit, which the user has not hidden
        self._is_fitting = False
        self._rest = QTimer(self, singleShot=True, interval=_REST)
        self._rest.timeout.connect(self._keep)
        self.apply(self._read())
        for changed in (self._header.sectionResized, self._header.sectionMoved):
            changed.connect(self._wait)
        # Deferred: the header still processes the drag.
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._settle)
        self._header.sectionMoved.connect(self._settle_soon)
        # A scroll bar that appears or disappears changes the available width.
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._fit)
        table.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Resize:
            self._later.start()
        return super().eventFilter(watched, event)

    @property
    def states(self) -> States:
        """The columns in visual order, hidden ones last."""
        order = sorted(range(self._header.count()), key=self._header.visualIndex)
        states = [self._state(place) for place in order]
        return tuple(sorted(states, key=lambda one: not one.shown))

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of the visible columns, in visual order."""
        return tuple(state.name for state in self.states if state.shown)

    @property
    def are_detailed(self) -> bool:
        """Whether a visible column shows more of whole events."""
        shown = set(self.shown)
        return any(column.detailed and column.name in shown for column in self._model.columns)

    @property
    def needed_width(self) -> int:
        """The width in pixels at which all visible columns can be read without scrolling."""
        *others, last = self._shown_places or [0]
        least = sum(self._least_width(place, self._wanted_width(place)) for place in others)
        return least + self._least_width(last, self._usual_width(last))

    @property
    def choices(self) -> tuple[EventColumn, ...]:
        """All columns that can be shown."""
        return self._model.columns

    @property
    def pinned(self) -> tuple[str, ...]:
        """The names of the pinned columns, in visual order."""
        return tuple(name for name in self.shown if name in self._pinned)

    def show(self, names: Sequence[str], pinned: Collection[str] = ()) -> None:
        """Shows these columns in this order, pinned ones first."""
        known = {state.name: state for state in self.states}
        if self.shown:
            # The last one fills the remaining width, which is not stored.
            known[self.shown[-1]] = ColumnState(self.shown[-1])
        widths = {name: known[name].width if name in known else 0 for name in names}
        self.apply(tuple(ColumnState(name, widths[name], pinned=name in pinned) for name in names))
        self._keep()

    def show_usual(self) -> None:
        """Restores the default columns, their order and widths, none pinned."""
        self.apply(())
        self._keep()

    def apply(self, states: States) -> None:
        """Restores columns; an empty sequence restores the default ones."""
        usual = [column.name for column in browser_columns()]
        wanted = states or tuple(ColumnState(name) for name in usual)
        infos = [state.name for state in wanted if state.name.startswith(INFO)]
        self._model.show_columns(_all(infos))
        places = {column.name: place for place, column in enumerate(self._model.columns)}
        listed = [state for state in wanted if state.shown and state.name in places]
        shown = sorted(listed, key=lambda state: not state.pinned)
        self._pinned = {state.name for state in shown if state.pinned}
        for name, place in places.items():
            self._header.setSectionHidden(place, name not in {state.name for state in shown})
        for visual, state in enumerate(shown):
            place = places[state.name]
            self._header.moveSection(self._header.visualIndex(place), visual)
            self._header.resizeSection(place, state.width or self._usual_width(place))
        self._table.pinned.pin(len(self._pinned))
        self._narrowed, self._given_way = {}, set()
        self._fit()
        self._emit_needs()
        self.shown_changed.emit()

    def _state(self, place: int) -> ColumnState:
        name = self._model.columns[place].name
        hidden = self._is_hidden(place)
        # The last one fills the remaining width, which depends on the window and is not stored.
        fills = self._header.stretchLastSection() and place == self._last
        width = 0 if hidden or fills else self._wanted_width(place)
        return ColumnState(name, width, not hidden, not hidden and name in self._pinned)

    @property
    def _last(self) -> int | None:
        """The last visible column."""
        return next(reversed(self._shown_places), None)

    @property
    def _shown_places(self) -> list[int]:
        """The columns that the user has not hidden, in visual order."""
        order = sorted(range(self._header.count()), key=self._header.visualIndex)
        return [place for place in order if not self._is_hidden(place)]

    def _is_hidden(self, place: int) -> bool:
        return self._header.isSectionHidden(place) and self._model.columns[place].name not in self._given_way

    def _usual_width(self, place: int) -> int:
        sample = QFontMetrics(self._table.font()).horizontalAdvance(self._model.columns[place].sample)
        return max(_NARROWEST, sample + 3 * GAP, self._title_width(place))

    def _title_width(self, place: int) -> int:
        column = self._model.columns[place]
        title = f"{column.title} ▾" if column.name in FIELDS else column.title
        return QFontMetrics(self._table.font()).horizontalAdvance(title) + 3 * GAP

    def _wanted_width(self, place: int) -> int:
        """The width of a column before it was narrowed."""
        width, name = self._header.sectionSize(place), self._model.columns[place].name
        is_usual = name in self._given_way or self._narrowed.get(name) == width
        return self._usual_width(place) if is_usual else width

    def _fit(self) -> None:
        """Narrows columns with default widths if not all columns are visible.

        All remain readable; widths set by the user are not changed.
        """
        fills = self._header.stretchLastSection()
        room = self._table.viewport().width()
        self._give_way(room if fills else self.needed_width)
        *places, last = [one for one in self._shown_places if not self._header.isSectionHidden(one)] or [0]
        wanted = [self._wanted_width(place) for place in places]
        least = [self._least_width(place, width) for place, width in zip(places, wanted, strict=True)]
        # The others give way first.
        usual_of_last = self._usual_width(last)
        least_of_last = max(self._least_width(last, usual_of_last), min(usual_of_last, room - sum(least)))
        room -= least_of_last if fills else self._header.sectionSize(last)
        # If they still do not fit the table is scrolled: every column remains readable.
        widths = least if sum(least) > room else fit_widths(room, wanted, least, 0)
        names = [self._model.columns[place].name for place in places]
        self._is_fitting = True
        for place, width in zip(places, widths, strict=True):
            self._header.resizeSection(place, width)
        if fills:
            # It is never narrower than it was when it began to stretch.
            self._header.setStretchLastSection(False)
            self._header.resizeSection(last, least_of_last)
            self._header.setStretchLastSection(True)
        self._is_fitting = False
        self._narrowed = {
            name: width for name, width, usual in zip(names, widths, wanted, strict=True) if width < usual
        }

    def _give_way(self, room: int) -> None:
        """Hides the column of objects if the summary has too little space beside it."""
        *others, last = self._shown_places or [0]
        place = next((one for one in others if self._model.columns[one].name == _GIVES_WAY), None)
        if place is None or self._model.columns[last].name != SUMMARY or _GIVES_WAY in self._pinned:
            return
        gives_way = self.needed_width > room and self._wanted_width(place) == self._usual_width(place)
        self._given_way = {_GIVES_WAY} if gives_way else set()
        self._header.setSectionHidden(place, gives_way)

    def _least_width(self, place: int, wanted: int) -> int:
        sample = _LEAST.get(self._model.columns[place].name)
        if sample is None or wanted != self._usual_width(place):
            return wanted
        least = QFontMetrics(self._table.font()).horizontalAdvance(sample) + 2 * GAP
        return min(wanted, max(least, self._title_width(place)))

    def _emit_needs(self) -> None:
        shown = set(self.shown)
        needs = any(column.whole and column.name in shown for column in self._model.columns)
        if needs != self.needs_whole:
            self.needs_whole = needs
            self.needs_changed.emit(needs)

    def _wait(self) -> None:
        if not self._is_fitting:
            self._rest.start()

    def _settle_soon(self) -> None:
        # Not connected directly: start() would take the signal's argument as its interval.
        self._soon.start()

    def _settle(self) -> None:
        """Moves unpinned columns that were dragged before a pinned one behind it."""
        if not self._pinned:
            return
        for visual, name in enumerate(sorted(self.shown, key=lambda name: name not in self._pinned)):
            place = next(at for at, column in enumerate(self._model.columns) if column.name == name)
            self._header.moveSection(self._header.visualIndex(place), visual)
        self._table.pinned.settle()

    def _read(self) -> States:
        try:
            return sanitized_columns(
                msgspec.json.decode(str(self._settings.value(_KEY, "")) or "[]", type=States)
            )
        except DAMAGE as error:
            set_value_aside(self._settings, _KEY, error)
            return ()

    def _keep(self) -> None:
        self._settings.setValue(_KEY, msgspec.json.encode(self.states).decode())


def _all(infos: Sequence[str]) -> tuple[EventColumn, ...]:
    return (*browser_columns(), *more_columns(), *(info_column(name) for name in dict.fromkeys(infos)))


class ColumnCommands(QObject):
    """Commands for one column, given by its place in the model."""

    def __init__(self, table: BrowserTable, columns: Columns) -> None:
        super().__init__(table)
        self._table = table
        self._columns = columns
        self._header = table.horizontalHeader()
        table.pinned.titles.sectionHandleDoubleClicked.connect(self.fit)

    def name(self, place: int) -> str:
        """The name of the column."""
        return self._columns.choices[place].name

    def is_pinned(self, place: int) -> bool:
        """Whether the column is pinned."""
        return self.name(place) in self._columns.pinned

    def can_hide(self) -> bool:
        """Whether another column stays visible."""
        return len(self._columns.shown) > 1

    def hide(self, place: int) -> None:
        """Hides the column."""
        rest = tuple(name for name in self._columns.shown if name != self.name(place))
        self._columns.show(rest, self._columns.pinned)

    def pin(self, place: int, *, pinned: bool) -> None:
        """Pins the column behind those that are pinned already, or unpins it."""
        others = set(self._columns.pinned) - {self.name(place)}
        self._columns.show(self._columns.shown, others | ({self.name(place)} if pinned else set()))

    def widen(self, place: int, by: int) -> None:
        """Makes the column wider by so many pixels, or narrower."""
        self._resize(place, self._header.sectionSize(place) + by)

    def fit(self, place: int) -> None:
        """Makes the column as wide as its longest visible value, but no wider than the table."""
        table = self._table
        wanted = max(table.sizeHintForColumn(place), self._header.sectionSizeHint(place))
        beside = 0 if place in table.pinned.places else table.pinned.width
        self._resize(place, min(wanted, table.viewport().width() - beside - GROUP))

    def reset_widths(self) -> None:
        """Restores the default widths; order and pins stay."""
        self._columns.apply(tuple(replace(state, width=0) for state in self._columns.states))

    def _resize(self, place: int, width: int) -> None:
        header, shown = self._header, self._columns.shown
        least = _NARROWEST_BY_HAND
        if shown and self.name(place) == shown[-1]:
            # The last one fills the room that the others leave.
            others = header.length() - header.sectionSize(place)
            least = max(least, self._table.viewport().width() - others)
        header.resizeSection(place, max(least, width))
