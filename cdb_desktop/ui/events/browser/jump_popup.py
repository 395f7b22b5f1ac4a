"""The popup "Go to": an event by its id, a row by its number, a time, or either end."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import Enum
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QPushButton, QWidget
from shiboken6 import isValid

from cdb_desktop.client import Sort
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.query import is_time_order
from cdb_desktop.ui.events.popups.moment_field import MomentField
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.popup import Popup
from cdb_desktop.vocabulary.time_input import TimeFault, TimeInputError, parse_time

_BETWEEN = str.maketrans("", "", "#.,' \u00a0\u202f\u2019")  # characters allowed between the digits
_LARGEST = 2**63 - 1


class JumpTarget(Enum):
    """What the input means."""

    EVENT = "event"
    ROW = "row"
    TIME = "time"


class JumpPopup(Popup):
    """A line for the target, with buttons for both ends; open until ``arrive`` is called.

    Signals: ``go_requested`` when the user wants to go there · ``stop_requested`` when they cancel.
    """

    go_requested = Signal()
    stop_requested = Signal()

    def __init__(self, appearance: Appearance, rows: int, order: Sequence[Sort], parent: QWidget) -> None:
        super().__init__(appearance, tr("Go to"), tr("Go"), parent)
        self._rows, self._order = rows, order
        self._guessed: JumpTarget | None = None
        self._is_searching = self._has_arrived = False
        self._target = named("events.jump.goal", QComboBox(self))
        names = (tr("Event id"), tr("Row"), tr("Time"))
        for target, name in zip(JumpTarget, names, strict=True):
            self._target.addItem(name, target)
        self._target.setAccessibleName(tr("Meaning of the input"))
        self.field = MomentField(appearance, "events.jump", "", self)
        self.line: QLineEdit = self.field.line
        self.line.textChanged.connect(self._guess)
        self._target.currentIndexChanged.connect(self._read)
        self.field.changed.connect(self._read)
        self.add(self._beside(self._target, self.field))
        self._ends = self._make_ends()
        self.add(self._ends)
        self.finish(self.line)
        self._read()

    @property
    def target(self) -> JumpTarget:
        """The selected meaning of the input."""
        return JumpTarget(self._target.currentData())

    @property
    def value(self) -> int | datetime | None:
        """The number or the time; None for nothing or an invalid text."""
        return self.field.moment if self.target is JumpTarget.TIME else self._number

    @property
    def is_searching(self) -> bool:
        """Whether a jump is running."""
        return self._is_searching

    def arrive(self) -> None:
        """Closes the popup after the jump has succeeded."""
        self._is_searching, self._has_arrived = False, True
        self.close()

    def refuse(self, message: str) -> None:
        """Shows why the jump failed, and keeps the text."""
        self._set_searching(searching=False)
        self.line.selectAll()
        self.field.show_message(message, "danger")

    def stop(self) -> None:
        """Enables the input again after a cancellation."""
        if self._is_searching and isValid(self):
            self._set_searching(searching=False)
            self._read()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Escape cancels the jump first, then closes the popup."""
        if not self._is_searching:
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Escape:
            self.stop()
            self.stop_requested.emit()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Starts the jump; a click outside meanwhile cancels it."""
        if self._is_searching:
            self._is_searching, self.is_cancelled = False, True
            self.stop_requested.emit()
        elif self._starts_jump():
            self._set_searching(searching=True)
            self.go_requested.emit()
            if not self._has_arrived:
                event.ignore()
                return
        super().closeEvent(event)

    def _starts_jump(self) -> bool:
        """Whether closing starts a jump."""
        is_over = self.is_cancelled or self._has_arrived
        return not is_over and self.holds() is None and self.value is not None

    def _set_searching(self, *, searching: bool) -> None:
        self._is_searching = searching
        if searching:
            self.line.setFocus()
            self.field.show_message(tr("Searching… Esc stops."))
        for part in (self._target, self._ends, self.apply):
            part.setEnabled(not searching)
        self.line.setReadOnly(searching)

    def holds(self) -> QWidget | None:
        """The line, as long as its text is invalid."""
        return self.line if self.line.text().strip() and (self.value is None or self._wrong()) else None

    @property
    def _number(self) -> int | None:
        digits = self.line.text().strip().translate(_BETWEEN)
        return int(digits) if digits.isdecimal() and len(digits) < 30 else None

    def _wrong(self) -> str:
        """Why the number is not possible, empty if it is."""
        number = self._number
        if self.target is JumpTarget.TIME or not self.line.text().strip():
            return ""
        if number is None:
            return tr("Not a number.")
        if self.target is JumpTarget.EVENT and number > _LARGEST:
            return tr("This id is too large.")
        return tr("Rows begin with 1.") if self.target is JumpTarget.ROW and number < 1 else ""

    def _guess(self, text: str) -> None:
        """A text that is a time selects the time; a bare number changes nothing."""
        if self.target is JumpTarget.TIME:
            if self._guessed is not None and self._number is not None and self.field.fault is not None:
                self._choose(self._guessed)
            return
        try:
            parse_time(text, datetime.now(UTC))
        except TimeInputError as error:
            if error.fault is TimeFault.NONSENSE or self._number is not None:
                return
        before = self.target
        self._choose(JumpTarget.TIME)
        self._guessed = before

    def _choose(self, target: JumpTarget) -> None:
        self._guessed = None
        self._target.setCurrentIndex(self._target.findData(target))

    def _read(self) -> None:
        hint = {
            JumpTarget.EVENT: tr("Such as 19,998"),
            JumpTarget.ROW: tr("1 to {rows}", rows=self._rows),
            JumpTarget.TIME: tr("Such as 2026-11-20 14:02, 14:02, or 2h"),
        }[self.target]
        self.field.offer_calendar(offered=self.target is JumpTarget.TIME)
        self.line.setPlaceholderText(hint)
        self.line.setAccessibleName(self._target.currentText())
        if self.target is JumpTarget.TIME:
            self._show_time()
        elif wrong := self._wrong():
            self.field.show_message(wrong, "danger")
        else:
            self._show_number()

    def _show_number(self) -> None:
        beyond = self.target is JumpTarget.ROW and (self._number or 0) > self._rows
        self.field.show_message(tr("There are fewer rows; this goes to the last one.") if beyond else "")

    def _show_time(self) -> None:
        self.field.show_meaning()
        if self.field.fault is None and not is_time_order(self._order):
            self.field.show_message(tr("Sorts the rows newest first; Alt+Left goes back."), "warning")

    def _make_ends(self) -> QWidget:
        first = QPushButton(tr("First row (Home)"), self)
        last = QPushButton(tr("Last row (End)"), self)
        for button, row in ((first, 1), (last, self._rows)):
            button.setAutoDefault(False)
            button.clicked.connect(partial(self._take_row, row))
        return self._beside(first, last, is_even=True)

    def _beside(self, left: QWidget, right: QWidget, *, is_even: bool = False) -> QWidget:
        widget = QWidget(self)
        layout = QHBoxLayout(widget)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.addWidget(left, int(is_even))
        layout.addWidget(right, 1)
        if not is_even:
            # There is a note below the right one.
            layout.setAlignment(left, Qt.AlignmentFlag.AlignTop)
        return widget

    def _take_row(self, row: int) -> None:
        self._choose(JumpTarget.ROW)
        self.line.setText(str(row))
        self.close()
