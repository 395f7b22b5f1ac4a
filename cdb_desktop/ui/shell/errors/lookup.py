"""Details of a server error, which the service logs under a uuid (§7.1)."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.client import ServerErrorDetails
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import CAPTION, GAP, MARGIN, TIGHT
from cdb_desktop.ui.theme.style_sheets import LINE_EDIT
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from cdb_desktop.vocabulary.times import exact_time

_LOG_HEIGHT = 180


class LookupView(QWidget):
    """A field for the uuid of a server error, and the details that the service returned.

    Signals: ``requested`` with the uuid.
    """

    requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._connected = False
        self._head = Label(tr("Details from the service"), self)
        self._head.setFont(scaled(self.font(), CAPTION, QFont.Weight.DemiBold))
        self._head.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._uuid = named("errors.uuid", QLineEdit(self, clearButtonEnabled=True))
        self._ask = named("errors.ask", QPushButton(tr("Request details"), self))
        self._answer = named("errors.answer", Label(self, wordWrap=True))
        self._answer.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._log = named("errors.log", QPlainTextEdit(self, readOnly=True))
        self._log.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._uuid.textChanged.connect(self._update_buttons)
        self._uuid.returnPressed.connect(self._ask.click)
        self._ask.clicked.connect(self._request)
        self._create_layout()
        self._uuid.setPlaceholderText(tr("uuid of the failure"))
        self._uuid.setAccessibleName(tr("uuid of the failure"))
        self._log.setAccessibleName(tr("Log of the service"))
        self._update_buttons()
        self.forget()

    @property
    def text(self) -> str:
        """The details as plain text; empty before there are any."""
        return "\n".join(filter(None, (self._answer.text(), self._log.toPlainText())))

    def show_service(self, *, connected: bool) -> None:
        """Enables the request while there is a connection."""
        self._connected = connected
        self._update_buttons()

    def show_uuid(self, uuid: str) -> None:
        """Puts the uuid of an error into the field."""
        self._uuid.setText(uuid)
        self.forget()

    def show_details(self, found: ServerErrorDetails) -> None:
        """Shows the details."""
        call = " ".join(filter(None, (found.method, found.url)))
        lines = (found.code, exact_time(found.timestamp), call, found.description)
        self._answer.setText("\n".join(filter(None, lines)))
        self._answer.show()
        self._log.setPlainText(found.log)
        self._log.setVisible(bool(found.log))

    def show_failure(self, message: ErrorMessage) -> None:
        """Shows why there are no details."""
        self._answer.setText(f"{message.title}. {message.text} {message.remedy}")
        self._answer.show()
        self._log.hide()

    def forget(self) -> None:
        """Removes the details of another error."""
        for widget in (self._answer, self._log):
            widget.clear()
            widget.hide()

    def _update_buttons(self) -> None:
        self._ask.setEnabled(self._connected and bool(self._uuid.text().strip()))
        self._ask.setToolTip("" if self._connected else tr("Requires a connection to the service."))

    def _request(self) -> None:
        self.requested.emit(self._uuid.text().strip())

    def _create_layout(self) -> None:
        self._uuid.setStyleSheet(LINE_EDIT)
        self._log.setFixedHeight(_LOG_HEIGHT)
        field = QHBoxLayout()
        field.setSpacing(GAP)
        field.addWidget(self._uuid, stretch=1)
        field.addWidget(self._ask)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, 0, MARGIN, 0)
        layout.setSpacing(TIGHT)
        layout.addWidget(self._head)
        layout.addLayout(field)
        layout.addWidget(self._answer)
        layout.addWidget(self._log)
