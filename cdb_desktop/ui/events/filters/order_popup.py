"""The popup for the sort order: by which columns, in which sequence and direction."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QListWidgetItem, QPushButton, QWidget

from cdb_desktop.client import Sort
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.query import NEWEST_FIRST, Query, default_sort
from cdb_desktop.ui.events.browser.model import field_names
from cdb_desktop.ui.events.popups.checklist import MovableList, beside, list_button
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.popup import Popup

_SIZE = 240, 180
_FIELD = Qt.ItemDataRole.UserRole
_DOWN = Qt.ItemDataRole.UserRole + 1
_TURNS = (Qt.Key.Key_Left, Qt.Key.Key_Right)


class OrderPopup(Popup):
    """Ticked columns sort the rows, the first before the second. The service sorts by no others."""

    def __init__(self, appearance: Appearance, query: Query, parent: QWidget) -> None:
        super().__init__(appearance, tr("Sort by"), tr("Apply"), parent)
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
        reset = QPushButton(tr("Newest first"), self)
        reset.setAutoDefault(False)
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
        self.close()


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
        """Left and Right reverse."""
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
