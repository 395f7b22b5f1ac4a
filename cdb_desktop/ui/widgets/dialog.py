"""The base of all dialogs: a title, a text, content, an error and buttons."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, HEAD, MARGIN, scaled
from cdb_desktop.ui.widgets.buttons import FilledButton
from cdb_desktop.ui.widgets.form import Field, Form
from cdb_desktop.ui.widgets.help import FailureButtons, HelpButton, help_on_f1
from cdb_desktop.ui.widgets.labels import Label, color_text
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.vocabulary.error_messages import ErrorMessage

_NARROWEST = 480
_FRAME = 48  # maximum height in pixels of the title and the frame of a window


class BaseDialog(QDialog):
    """A modal dialog. Show it with ``open()``, which does not block; it is deleted when it is closed.

    The content is added to ``body``.

    Signals: ``explain_requested`` with the code of an error, after the dialog has closed.
    """

    explain_requested = Signal(str)

    def __init__(self, appearance: Appearance, name: str, parent: QWidget) -> None:
        """``name`` is the object name, and the prefix of those of its parts."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(_NARROWEST)
        self._appearance = appearance
        self._title = Label(self)
        self._title.setFont(scaled(self.font(), HEAD, QFont.Weight.DemiBold))
        self._text = named(f"{name}.text", Label(self))
        self._fault = named(f"{name}.fault", Label(self))
        self._more = FailureButtons(appearance, self)
        self._more.explain_requested.connect(self._explain)
        self.cancel_button = named(f"{name}.cancel", QPushButton(tr("Cancel"), self))
        self.accept_button = named(f"{name}.accept", FilledButton(appearance, self))
        self.accept_button.setFocus()
        self.cancel_button.clicked.connect(self.reject)
        self.body = QVBoxLayout()
        self.help_button = named(f"{name}.help", HelpButton(appearance, self))
        help_on_f1(self)
        self._buttons = QHBoxLayout()
        self._arrange()

    @property
    def text(self) -> str:
        """The text below the title."""
        return self._text.text()

    @property
    def fault(self) -> str:
        """The error that is shown, empty for none."""
        return self._fault.text()

    def set_texts(self, title: str, text: str, accept: str) -> None:
        """Sets title, text and the text of the filled button."""
        self.setWindowTitle(title)
        self._title.setText(title)
        self.set_text(text)
        self.accept_button.setText(accept)
        self.accept_button.updateGeometry()

    def set_text(self, text: str) -> None:
        """Sets the text below the title."""
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self._grow()

    def show_fault(self, text: str, tone: str = "danger") -> None:
        """Shows an error; ``tone`` is the name of its color."""
        color_text(self._fault, getattr(self._appearance.tokens, tone))
        self._fault.setText(text)
        self._fault.setVisible(bool(text))
        self._more.show_failure(None)
        self._grow()

    def show_failure(self, message: ErrorMessage) -> None:
        """Shows the message of an error with buttons to copy its details and to explain it."""
        self.show_fault(f"{message.title}. {message.text} {message.remedy}")
        self._more.show_failure(message)
        self._grow()

    def make_button(self, name: str, text: str) -> QPushButton:
        """A button as high as the others; ``name`` is the end of its object name."""
        button = named(f"{self.objectName()}.{name}", QPushButton(text, self, autoDefault=False))
        self._level(button)
        return button

    def add_line(self, *widgets: QWidget, wide: QWidget | None = None) -> QHBoxLayout:
        """Adds widgets beside one another; ``wide`` takes the space that is left."""
        line = lay_out(QHBoxLayout(), spacing=GAP)
        for widget in widgets:
            line.addWidget(widget, stretch=int(widget is wide))
        self.body.addLayout(line)
        return line

    def add_button(self, text: str, does: Callable[[], None]) -> QPushButton:
        """Adds a button that calls ``does`` and closes the dialog."""
        button = QPushButton(text, self, autoDefault=False)
        self._level(button)
        button.clicked.connect(does)
        button.clicked.connect(self.close)
        self._buttons.insertWidget(self._buttons.count() - 1, button)
        return button

    def add_form(self, *fields: Field) -> Form:
        """Adds a form whose object names begin with that of the dialog."""
        form = Form(self._appearance, self.objectName(), *fields, parent=self)
        form.resized.connect(self._grow)
        self.body.addWidget(form)
        return form

    def resize_within_screen(self, width: int, height: int) -> None:
        """Resizes the dialog; on a low screen it is smaller, so that its buttons stay visible."""
        self.resize(QSize(width, height).boundedTo(self.screen().availableSize() - QSize(_FRAME, _FRAME)))

    def fit(self) -> None:
        """Resizes the dialog to the height that its content needs at this width.

        adjustSize() would limit it to two thirds of the screen, and parts would overlap.
        """
        layout = self.layout()
        if layout is not None:
            layout.activate()
            needed = layout.totalHeightForWidth(self.width())
            self.resize(self.width(), needed if needed > 0 else layout.sizeHint().height())

    def _level(self, button: QPushButton) -> None:
        """Gives a button the height of the filled one."""
        button.setFixedHeight(self.accept_button.sizeHint().height())

    def _grow(self) -> None:
        """Grows with new lines, which a window does not do automatically."""
        layout = self.layout()
        if layout is not None and self.isVisible():
            layout.activate()
            self.resize(self.width(), max(self.height(), layout.minimumHeightForWidth(self.width())))

    def _explain(self, code: str) -> None:
        self.close()
        self.explain_requested.emit(code)

    def _arrange(self) -> None:
        for label in (self._text, self._fault):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._fault.hide()
        self.cancel_button.setAutoDefault(False)
        self._level(self.cancel_button)
        self.accept_button.setDefault(True)
        self.body.setSpacing(GAP)
        self._buttons.setSpacing(GAP)
        self._buttons.addWidget(self.help_button)
        self._buttons.addStretch(1)
        self._buttons.addWidget(self.cancel_button)
        self._buttons.addWidget(self.accept_button)
        layout = lay_out(
            QVBoxLayout(self),
            self._title,
            self._text,
            margins=(MARGIN, GROUP + GAP, MARGIN, GROUP),
            spacing=GAP,
        )
        layout.addLayout(self.body, stretch=1)
        layout.addWidget(self._fault)
        layout.addWidget(self._more)
        layout.addSpacing(GAP)
        layout.addLayout(self._buttons)
