"""The sheet in which columns are chosen, ordered and pinned, also such from keys of info."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from cdb_desktop.ui.events.column_list import ColumnList
from cdb_desktop.ui.events.column_setup import ColumnSetup
from cdb_desktop.ui.events.popup import Popup
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.event_columns import browser_columns
from cdb_desktop.ui.widgets.more_columns import INFO
from cdb_desktop.ui.widgets.named import named

_SIZE = 280, 320


class ColumnsPopup(Popup):
    """Columns to tick; what begins with ``info.`` is added by its spelling."""

    def __init__(self, appearance: Appearance, columns: ColumnSetup, parent: QWidget) -> None:
        super().__init__(appearance, self.tr("Columns"), self.tr("Apply"), parent)
        hint = self.tr("Search, or add a key such as info.limit")
        self.list = ColumnList(appearance, hint, _key, self)
        self.list.setMinimumSize(*_SIZE)
        hidden = [column.name for column in columns.choices if column.name not in columns.shown]
        titles = {column.name: column.title for column in columns.choices}
        self.list.show_values([(name, titles[name]) for name in (*columns.shown, *hidden)], columns.shown)
        self.list.show_pinned(columns.pinned)
        self._usual = tuple(column.name for column in browser_columns())
        self._is_usual = False
        self.up = self._button("up", self.tr("Move &up"), self.tr("Further left (Alt+Up)"))
        self.down = self._button("down", self.tr("Move &down"), self.tr("Further right (Alt+Down)"))
        tip = self.tr("Stays at the left while the others are scrolled")
        self.pin = self._button("pin", self.tr("&Pin"), tip)
        self.up.clicked.connect(lambda: self.list.move_current(-1))
        self.down.clicked.connect(lambda: self.list.move_current(1))
        self.pin.clicked.connect(self.list.toggle_pin)
        self.list.changed.connect(self._follow)
        self.add(self._beside(), stretch=1)
        self.add_note(
            self.tr(
                "Alt+Up and Alt+Down order the columns, as dragging their titles does. "
                "Keys of info need whole events: pages load slower."
            )
        )
        reset = QPushButton(self.tr("The usual ones"), self)
        reset.setAutoDefault(False)
        reset.clicked.connect(self._take_usual)
        self.finish(self.list.search, reset)
        self.list.list.setCurrentRow(0)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are chosen, in their order; the usual ones if none is."""
        return self._usual if self._is_usual or not self.list.ticked else self.list.ticked

    @property
    def pinned(self) -> tuple[str, ...]:
        """Those of them that stay."""
        return () if self._is_usual else self.list.pinned

    def _button(self, name: str, text: str, tip: str) -> QPushButton:
        button = named(f"events.columns.{name}", QPushButton(text, self))
        button.setToolTip(tip)
        button.setAutoDefault(False)
        return button

    def _beside(self) -> QWidget:
        widget = QWidget(self)
        row, buttons = QHBoxLayout(widget), QVBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        buttons.setSpacing(GAP)
        for button in (self.up, self.down, self.pin):
            buttons.addWidget(button)
        buttons.addStretch(1)
        row.addWidget(self.list, stretch=1)
        row.addLayout(buttons)
        return widget

    def _follow(self) -> None:
        self.up.setEnabled(self.list.can_move(-1))
        self.down.setEnabled(self.list.can_move(1))
        self.pin.setText(self.tr("Un&pin") if self.list.is_pinned() else self.tr("&Pin"))

    def _take_usual(self) -> None:
        self._is_usual = True
        self.close()


def _key(text: str) -> str | None:
    key = text.strip()
    return key if key.startswith(INFO) and len(key) > len(INFO) else None
