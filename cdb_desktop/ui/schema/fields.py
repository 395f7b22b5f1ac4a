"""Fields of the form: they tell what somebody decided on, not every letter on the way there."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit, QWidget

from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import CAPTION, TIGHT
from cdb_desktop.ui.widgets.still import still


class TextField(QLineEdit):
    """A line of text.

    Signals: ``decided`` with the text, on Enter or on leaving, when it is another one.
    """

    decided = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._shown = ""
        self.editingFinished.connect(self._decide)

    def show_text(self, text: str) -> None:
        """Shows what counts; a text that is being typed is kept while that stays the same."""
        if text != self._shown or not self.hasFocus():
            self._shown = text
            if self.text() != text:
                self.setText(text)
                self.setCursorPosition(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Escape takes back what was typed."""
        if event.key() == Qt.Key.Key_Escape and self.text() != self._shown:
            self.setText(self._shown)
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Leaves undo and redo to the page where the field itself has nothing to take back."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            undo, redo = QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo
            if (event.matches(undo) and not self.isUndoAvailable()) or (
                event.matches(redo) and not self.isRedoAvailable()
            ):
                event.ignore()
                return True
        return super().event(event)

    def _decide(self) -> None:
        text = self.text().strip()
        if text != self._shown and not self.isReadOnly():
            self._shown = text
            self.setText(text)
            self.decided.emit(text)


class Tick(QCheckBox):
    """A yes or no.

    Signals: ``decided`` with the answer when somebody gives it, never when it is only shown.
    """

    decided = Signal(bool)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.toggled.connect(self.decided)

    def show_answer(self, *, on: bool) -> None:
        """Shows what counts."""
        with QSignalBlocker(self):
            self.setChecked(on)


class Choice(QComboBox):
    """One of several.

    Signals: ``decided`` with the data of what somebody chose.
    """

    decided = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        still(self)
        self.activated.connect(lambda index: self.decided.emit(self.itemData(index)))

    def show_choices(self, choices: list[tuple[str, object]], chosen: object) -> None:
        """Shows what there is, texts with their data, and what counts."""
        with QSignalBlocker(self):
            if choices != [(self.itemText(at), self.itemData(at)) for at in range(self.count())]:
                self.clear()
                for text, data in choices:
                    self.addItem(text, data)
            found = [at for at, (_, data) in enumerate(choices) if data == chosen]
            self.setCurrentIndex(found[0] if found else -1)


def section(parent: QWidget | None = None) -> QLabel:
    """The head of a part of the form."""
    label = QLabel(parent)
    label.setForegroundRole(label.palette().ColorRole.PlaceholderText)
    font = scaled(label.font(), CAPTION, QFont.Weight.DemiBold)
    font.setCapitalization(QFont.Capitalization.AllUppercase)
    font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 106)
    label.setFont(font)
    # Small capitals with dots reach above what the metrics of the font promise.
    label.setContentsMargins(0, TIGHT, 0, 0)
    return label
