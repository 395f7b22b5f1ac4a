"""Single steps on a column of the rows: hidden, pinned, wider, as wide as its contents. Asks nobody."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import QObject

from cdb_desktop.ui.events.browser.browser_table import BrowserTable
from cdb_desktop.ui.events.browser.column_setup import ColumnSetup
from cdb_desktop.ui.theme.measures import GROUP

_NARROWEST = 2 * GROUP


class ColumnSteps(QObject):
    """What is done to one column, which is named by its place in the model."""

    def __init__(self, table: BrowserTable, columns: ColumnSetup) -> None:
        super().__init__(table)
        self._table = table
        self._columns = columns
        self._header = table.horizontalHeader()
        table.pinned.titles.sectionHandleDoubleClicked.connect(self.fit)

    def name(self, place: int) -> str:
        """How the column is called among the columns that can be shown."""
        return self._columns.choices[place].name

    def is_pinned(self, place: int) -> bool:
        """Whether it stays while others are scrolled."""
        return self.name(place) in self._columns.pinned

    def can_hide(self) -> bool:
        """Whether something is left to be seen without one of the columns."""
        return len(self._columns.shown) > 1

    def hide(self, place: int) -> None:
        """The others stay as they are."""
        rest = tuple(name for name in self._columns.shown if name != self.name(place))
        self._columns.show(rest, self._columns.pinned)

    def pin(self, place: int, *, pinned: bool) -> None:
        """It stays from now on, behind those that do already; or it is scrolled like the others."""
        others = set(self._columns.pinned) - {self.name(place)}
        self._columns.show(self._columns.shown, others | ({self.name(place)} if pinned else set()))

    def widen(self, place: int, by: int) -> None:
        """Wider by so many pixels, or narrower."""
        self._resize(place, self._header.sectionSize(place) + by)

    def fit(self, place: int) -> None:
        """As wide as the longest of what is in sight, but no wider than what can be seen at once."""
        table = self._table
        wanted = max(table.sizeHintForColumn(place), self._header.sectionSizeHint(place))
        beside = 0 if place in table.pinned.places else table.pinned.width
        self._resize(place, min(wanted, table.viewport().width() - beside - GROUP))

    def reset_widths(self) -> None:
        """All of them as wide as at first; order and pins stay."""
        self._columns.apply(tuple(replace(state, width=0) for state in self._columns.states))

    def _resize(self, place: int, width: int) -> None:
        header, shown = self._header, self._columns.shown
        least = _NARROWEST
        if shown and self.name(place) == shown[-1]:
            # The last one fills the room that the others leave.
            others = header.length() - header.sectionSize(place)
            least = max(least, self._table.viewport().width() - others)
        header.resizeSection(place, max(least, width))
