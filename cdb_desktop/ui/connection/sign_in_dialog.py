"""The dialog that asks for the password again after the session was lost."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.connection.messages import keyring_hint, remember_label
from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.form import Field
from cdb_desktop.ui.widgets.labels import Hint, Label
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.vocabulary.error_messages import ErrorMessage


class SignInDialog(BaseDialog):
    """It is opened again and again until its connection ends.

    Signals: ``submitted`` with the password and whether to remember it · ``declined`` when the user closes
    it · ``disconnect_requested`` when the connection is to be closed.
    """

    submitted = Signal(str, bool)
    declined = Signal()
    disconnect_requested = Signal()

    def __init__(self, appearance: Appearance, profile: ConnectionProfile, parent: QWidget) -> None:
        super().__init__(appearance, "connection.sign_in", parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        text = tr(
            "The session has expired or was ended. Sign in again to continue; your filters and "
            "drafts are kept."
        )
        self.set_texts(tr("Sign in again"), text, tr("Sign in"))
        self.cancel_button.setText(tr("Not now"))
        self.password = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.remember = QCheckBox()
        self.body.addWidget(Label(f"{profile.title} · {profile.subtitle}", self))
        self._form = self.add_form(
            Field("password", self.password, tr("&Password")), Field("remember", self.remember)
        )
        self._form.changed.connect(self._update_buttons)
        self._form.resized.connect(self.fit)
        self.accept_button.clicked.connect(
            lambda: self.submitted.emit(self.password.text(), self.remember.isChecked())
        )
        named("connection.sign_in.disconnect", self.add_button(tr("&Disconnect"), self._leave))
        self.rejected.connect(self.declined)
        self.show_keyring(lasting=True)

    @property
    def hint(self) -> Hint:
        """What is being done, or why it failed."""
        return self._form.hint("password")

    def ask(self, error: ErrorMessage | None = None) -> None:
        """Opens the dialog; ``error`` describes why the stored password was not accepted."""
        self.password.clear()
        self.open()
        self._show_idle("" if error is None else f"{error.title}. {error.text} {error.remedy}")

    def show_busy(self) -> None:
        """Disables the fields while the client signs in."""
        self._form.setEnabled(False)
        self._form.show_hint("password", tr("Signing in…"))
        self._update_buttons()

    def show_failure(self, message: ErrorMessage) -> None:
        """Shows why the sign-in failed."""
        self._show_idle(f"{message.title}. {message.text} {message.remedy}")
        self.password.selectAll()

    def show_keyring(self, *, lasting: bool) -> None:
        """Shows whether the password can be stored permanently."""
        self.remember.setText(remember_label(lasting=lasting))
        self._form.show_hint("remember", keyring_hint(lasting=lasting))

    def _show_idle(self, failure: str) -> None:
        self._form.setEnabled(True)
        self._form.show_hint("password", failure, "danger")
        self._update_buttons()
        self.password.setFocus()

    def _leave(self) -> None:
        self.hide()
        self.disconnect_requested.emit()

    def _update_buttons(self) -> None:
        self.accept_button.setEnabled(bool(self.password.text()) and self._form.isEnabled())
