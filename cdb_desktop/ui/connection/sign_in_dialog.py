"""The dialog that asks for the password again after the session was lost."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.connection.messages import keyring_hint, remember_label
from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import GAP, GROUP, HEAD, MARGIN
from cdb_desktop.ui.widgets.buttons import FilledButton
from cdb_desktop.ui.widgets.labels import Hint, Label
from cdb_desktop.vocabulary.error_messages import ErrorMessage

_WIDTH = 440


class SignInDialog(QDialog):
    """Signals: ``submitted`` with the password and whether to remember it · ``declined`` when the user closes
    it · ``disconnect_requested`` when the connection is to be closed.
    """

    submitted = Signal(str, bool)
    declined = Signal()
    disconnect_requested = Signal()

    def __init__(self, appearance: Appearance, profile: ConnectionProfile, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("connection.sign_in")
        self.setWindowTitle(tr("Sign in again"))
        self._head = Label(tr("Sign in again"), self)
        text = tr(
            "The session has expired or was ended. Sign in again to continue; your filters and "
            "drafts are kept."
        )
        self._text = Label(text, self)
        self._who = Label(f"{profile.title} · {profile.subtitle}", self)
        self.password = QLineEdit(self, echoMode=QLineEdit.EchoMode.Password)
        self.password.setPlaceholderText(tr("Password"))
        self.password.setAccessibleName(tr("Password"))
        self.remember = QCheckBox(self)
        self.hint = Hint(appearance, self)
        self._keyring = Hint(appearance, self)
        self._disconnect, self._later = QPushButton(tr("&Disconnect"), self), QPushButton(tr("Not now"), self)
        self._sign_in = FilledButton(appearance, self)
        self._sign_in.setText(tr("Sign in"))
        self._create_layout()
        self.password.textChanged.connect(self._update_buttons)
        self._sign_in.clicked.connect(
            lambda: self.submitted.emit(self.password.text(), self.remember.isChecked())
        )
        self._later.clicked.connect(self.reject)
        self._disconnect.clicked.connect(self._leave)
        self.rejected.connect(self.declined)
        self.show_keyring(lasting=True)
        self._update_buttons()

    def ask(self, error: ErrorMessage | None = None) -> None:
        """Opens the dialog; ``error`` describes why the stored password was not accepted."""
        self.password.clear()
        self._set_busy(busy=False)
        self._show_error(error)
        self.open()
        self.password.setFocus()

    def show_busy(self) -> None:
        """Disables the fields while the client signs in."""
        self._set_busy(busy=True)
        self.hint.show_hint("muted", tr("Signing in…"))

    def show_failure(self, error: ErrorMessage) -> None:
        """Shows why the sign-in failed."""
        self._set_busy(busy=False)
        self._show_error(error)
        self.password.setFocus()
        self.password.selectAll()

    def show_keyring(self, *, lasting: bool) -> None:
        """Shows whether the password can be stored permanently."""
        self.remember.setText(remember_label(lasting=lasting))
        self._keyring.show_hint("muted", keyring_hint(lasting=lasting))

    def _leave(self) -> None:
        self.hide()
        self.disconnect_requested.emit()

    def _show_error(self, error: ErrorMessage | None) -> None:
        text = f"{error.title}. {error.text} {error.remedy}" if error else ""
        self.hint.show_hint("danger", text)
        self.adjustSize()

    def _set_busy(self, *, busy: bool) -> None:
        for widget in (self.password, self.remember):
            widget.setEnabled(not busy)
        self._update_buttons()

    def _update_buttons(self) -> None:
        self._sign_in.setEnabled(bool(self.password.text()) and self.password.isEnabled())

    def _create_layout(self) -> None:
        self.setFixedWidth(_WIDTH)
        self._head.setFont(scaled(self.font(), HEAD, QFont.Weight.Medium))
        self._text.setWordWrap(True)
        names = {"disconnect": self._disconnect, "later": self._later, "submit": self._sign_in}
        for name, widget in {**names, "password": self.password, "remember": self.remember}.items():
            widget.setObjectName(f"connection.sign_in.{name}")
        for button in (self._disconnect, self._later):
            button.setAutoDefault(False)
        self._sign_in.setDefault(True)
        buttons = QHBoxLayout()
        buttons.setSpacing(GAP)
        buttons.addWidget(self._disconnect)
        buttons.addStretch(1)
        buttons.addWidget(self._later)
        buttons.addWidget(self._sign_in)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        layout.setSpacing(GAP)
        for widget in (self._head, self._text):
            layout.addWidget(widget)
        layout.addSpacing(GAP)
        for widget in (self._who, self.password, self.hint, self.remember, self._keyring):
            layout.addWidget(widget)
        layout.addSpacing(GROUP)
        layout.addLayout(buttons)
