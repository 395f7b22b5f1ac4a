"""The sheet that asks where to go: to an event by its id, to a row by its number, to either end."""

from __future__ import annotations

from enum import Enum
from functools import partial

from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QPushButton, QWidget

from cdb_desktop.ui.events.popup import Popup
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP

_DIGITS = r"[#\d][\d.,\s]{0,24}"


class Goal(Enum):
    """What a number means."""

    EVENT = "event"
    ROW = "row"


class JumpPopup(Popup):
    """``goal`` and ``number`` tell where to go; ``number`` is None where nothing was typed."""

    def __init__(self, appearance: Appearance, rows: int, parent: QWidget) -> None:
        super().__init__(appearance, self.tr("Go to"), self.tr("Go"), parent)
        self._rows = rows
        self._goal = QComboBox(self)
        self._goal.addItem(self.tr("Event id"), Goal.EVENT)
        self._goal.addItem(self.tr("Row"), Goal.ROW)
        self._goal.setAccessibleName(self.tr("What the number means"))
        self._goal.setObjectName("events.jump.goal")
        self._number = QLineEdit(self)
        self._number.setValidator(QRegularExpressionValidator(_DIGITS, self))
        self._number.setAccessibleName(self.tr("Number"))
        self._number.setObjectName("events.jump.number")
        line = QWidget(self)
        layout = QHBoxLayout(line)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.addWidget(self._goal)
        layout.addWidget(self._number, stretch=1)
        self.add(line)
        self.add(self._ends())
        self.finish(self._number)

    @property
    def goal(self) -> Goal:
        """What the number means."""
        return Goal(self._goal.currentData())

    @property
    def number(self) -> int | None:
        """The number that was typed, whatever separates its digits."""
        digits = "".join(one for one in self._number.text() if one.isdecimal())
        return int(digits) if digits else None

    def _ends(self) -> QWidget:
        widget = QWidget(self)
        layout = QHBoxLayout(widget)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        for text, row in ((self.tr("First row (Home)"), 1), (self.tr("Last row (End)"), self._rows)):
            button = QPushButton(text, widget)
            button.clicked.connect(partial(self._take_row, row))
            layout.addWidget(button)
        return widget

    def _take_row(self, row: int) -> None:
        self._goal.setCurrentIndex(self._goal.findData(Goal.ROW))
        self._number.setText(str(row))
        self.close()
