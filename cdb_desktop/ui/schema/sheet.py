"""A sheet over the window: a title, sentences, whatever belongs below, and what can be done. Never blocks."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QListWidget, QPushButton, QVBoxLayout, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import GAP, GROUP, HEAD, MARGIN
from cdb_desktop.ui.widgets.failure_buttons import FailureButtons
from cdb_desktop.ui.widgets.filled_button import FilledButton
from cdb_desktop.vocabulary.sentences import Sentence

_SPACE = 2


class Sheet(QDialog):
    """Opened by ``open()``, gone when it is closed; Escape closes it without doing anything.

    Signals: ``explain_requested`` with the code of a failure; the sheet is gone then.
    """

    explain_requested = Signal(str)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._appearance = appearance
        self._title = QLabel(self)
        self._title.setFont(scaled(self.font(), HEAD, QFont.Weight.DemiBold))
        self._text = QLabel(self)
        self._fault = QLabel(self)
        self._fault.setObjectName("schema.sheet.fault")
        self._more = FailureButtons(appearance, self)
        self._more.explain_requested.connect(self._explain)
        self.accept_button = FilledButton(appearance, self)
        self.accept_button.setObjectName("schema.sheet.accept")
        self.accept_button.setDefault(True)
        self.cancel_button = QPushButton(self.tr("Cancel"), self)
        self.cancel_button.setObjectName("schema.sheet.cancel")
        self.cancel_button.clicked.connect(self.reject)
        self._body = QVBoxLayout()
        self._buttons = QHBoxLayout()
        self._arrange()

    @property
    def fault(self) -> str:
        """What went wrong, empty while nothing did."""
        return self._fault.text()

    def say(self, title: str, text: str, accept: str) -> None:
        """Shows title, sentences and the name of what will happen."""
        self.setWindowTitle(title)
        self._title.setText(title)
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self.accept_button.setText(accept)
        self.accept_button.updateGeometry()

    def show_fault(self, text: str) -> None:
        """Shows what went wrong."""
        palette = QPalette(self._fault.palette())
        palette.setColor(QPalette.ColorRole.WindowText, QColor(self._appearance.tokens.danger))
        self._fault.setPalette(palette)
        self._fault.setText(text)
        self._fault.setVisible(bool(text))
        self._more.show_failure(None)

    def show_failure(self, said: Sentence) -> None:
        """Shows what went wrong, with its details to copy and an explanation where there is one."""
        self.show_fault(f"{said.title}: {said.text} {said.remedy}")
        self._more.show_failure(said)

    def add(self, widget: QWidget) -> None:
        """Adds what belongs below the sentences."""
        self._body.addWidget(widget)

    def add_button(self, text: str, does: Callable[[], None]) -> QPushButton:
        """Adds another thing to do, which closes the sheet."""
        button = QPushButton(text, self)
        button.setAutoDefault(False)
        button.clicked.connect(does)
        button.clicked.connect(self.close)
        self._buttons.insertWidget(self._buttons.count() - 1, button)
        return button

    def _explain(self, code: str) -> None:
        self.close()
        self.explain_requested.emit(code)

    def _arrange(self) -> None:
        for label in (self._text, self._fault):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._fault.hide()
        self.cancel_button.setAutoDefault(False)
        self._body.setSpacing(GAP)
        self._buttons.setSpacing(GAP)
        self._buttons.addStretch(1)
        self._buttons.addWidget(self.cancel_button)
        self._buttons.addWidget(self.accept_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, GROUP + GAP, MARGIN, GROUP)
        layout.setSpacing(GAP)
        layout.addWidget(self._title)
        layout.addWidget(self._text)
        layout.addLayout(self._body)
        layout.addWidget(self._fault)
        layout.addWidget(self._more)
        layout.addSpacing(GAP)
        layout.addLayout(self._buttons)
        self.setMinimumWidth(460)


def listing(lines: list[str], parent: QWidget) -> QListWidget:
    """A list that is only read, as tall as its lines as far as they are few."""
    found = QListWidget(parent)
    found.addItems(lines)
    found.setSelectionMode(QListWidget.SelectionMode.NoSelection)
    found.setSpacing(_SPACE)
    height = max(found.sizeHintForRow(0), 1) + 2 * _SPACE
    found.setFixedHeight(min(len(lines), 10) * height + 2 * (found.frameWidth() + _SPACE))
    return found
