"""The JSON of the document or of a table, which can be edited and applied."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QFontDatabase, QKeyEvent, QPalette, QTextCursor, QTextFormat
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, TIGHT
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.labels import ElidedLabel
from cdb_desktop.ui.widgets.object_names import named

_ENTER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class JsonEditor(QWidget):
    """The text, and below it buttons to apply or discard what was changed.

    Signals: ``entered`` with the key of the table (None: the document) and the text · ``discarded``.
    """

    entered = Signal(object, str)
    discarded = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._table: int | None = None
        self.text = _Text(self)
        self._bar = QWidget(self)
        self._error = named("schema.json.error", ElidedLabel(self))
        self.apply_button = named("schema.json.apply", QPushButton(tr("Apply"), self))
        self.discard_button = named("schema.json.discard", QPushButton(tr("Discard"), self))
        self._arrange()
        self.text.modificationChanged.connect(self._bar.setVisible)
        self.text.textChanged.connect(self._clear_error)
        self.text.apply_requested.connect(self._apply)
        self.apply_button.clicked.connect(self._apply)
        self.discard_button.clicked.connect(self.discard)
        self.text.setAccessibleName(tr("JSON"))
        self.apply_button.setToolTip(tr("Apply (Ctrl+Enter)"))

    @property
    def is_edited(self) -> bool:
        """Whether the text has been changed and not yet applied."""
        return self.text.document().isModified()

    @property
    def error(self) -> str:
        """The error that is shown, empty for none."""
        return self._error.text()

    def hasFocus(self) -> bool:  # noqa: N802
        """Whether text or buttons have the focus."""
        return any(each.hasFocus() for each in (self.text, self.apply_button, self.discard_button))

    def toPlainText(self) -> str:  # noqa: N802
        """The text."""
        return self.text.toPlainText()

    def show_text(self, table: int | None, text: str, *, editable: bool) -> None:
        """Shows the JSON of a table, or of the document."""
        self._table = table
        self.text.setReadOnly(not editable)
        if text != self.text.toPlainText():
            self.text.setPlainText(text)
        self.text.document().setModified(False)

    def show_error(self, line: int, reason: str) -> None:
        """Shows an error at its line, which becomes the current one."""
        self._error.setText(tr("Line {line}: {reason}", line=str(line), reason=reason))
        cursor = QTextCursor(self.text.document().findBlockByNumber(line - 1))
        self.text.setTextCursor(cursor)
        self.text.ensureCursorVisible()
        mark = QTextEdit.ExtraSelection()
        mark.cursor = cursor
        color = QColor(self._appearance.tokens.danger)
        color.setAlpha(60)
        mark.format.setBackground(color)
        mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        self.text.setExtraSelections([mark])
        self.text.setFocus()

    def accept(self) -> None:
        """The text has been applied."""
        self.text.document().setModified(False)
        self._clear_error()

    def discard(self) -> None:
        """Discards the changes of the text."""
        self.accept()
        self.discarded.emit()
        self.text.setFocus()

    def _apply(self) -> None:
        if self.is_edited:
            self.entered.emit(self._table, self.text.toPlainText())

    def _clear_error(self) -> None:
        if self._error.text():
            self._error.setText("")
            self.text.setExtraSelections([])

    def _arrange(self) -> None:
        palette = QPalette(self._error.palette())
        palette.setColor(QPalette.ColorRole.WindowText, QColor(self._appearance.tokens.danger))
        self._error.setPalette(palette)
        row = QHBoxLayout(self._bar)
        row.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
        row.setSpacing(GAP)
        row.addWidget(self._error, stretch=1)
        row.addWidget(self.discard_button)
        row.addWidget(self.apply_button)
        self._bar.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.text, stretch=1)
        layout.addWidget(self._bar)


class _Text(QPlainTextEdit):
    """The text.

    Signals: ``apply_requested`` on Ctrl+Enter.
    """

    apply_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Ctrl+Enter applies the text."""
        is_control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if is_control and event.key() in _ENTER_KEYS:
            self.apply_requested.emit()
        else:
            super().keyPressEvent(event)
