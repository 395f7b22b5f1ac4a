"""The dialog that asks for user name and password of a proxy."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.connection.messages import keyring_hint, remember_label
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.form import Field


class ProxyDialog(BaseDialog):
    """Signals: ``submitted`` with user name, password and whether to remember them, when it is closed."""

    submitted = Signal(str, str, bool)

    def __init__(self, appearance: Appearance, proxy: str, parent: QWidget) -> None:
        super().__init__(appearance, "connection.proxy", parent)
        text = tr(
            "The proxy {proxy} requires a sign-in (HTTP 407). User name and password are usually those "
            "of your network account; they are not sent to the service.",
            proxy=proxy,
        )
        self.set_texts(tr("Sign in to the proxy"), text, tr("Sign in"))
        self.user, self.password = QLineEdit(), QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.remember = QCheckBox()
        self.remember.setChecked(True)
        self._form = self.add_form(
            Field("user", self.user, tr("&User name")),
            Field("password", self.password, tr("&Password")),
            Field("remember", self.remember),
        )
        self._form.changed.connect(self._update_buttons)
        self.accept_button.clicked.connect(self.accept)
        self.accepted.connect(self._submit)
        self.show_keyring(lasting=True)
        self._update_buttons()

    def ask(self, user: str = "", *, is_refused: bool = False) -> None:
        """Opens the dialog; ``is_refused``: the proxy did not accept ``user`` and the password."""
        self.user.setText(user)
        self.show_fault(tr("The proxy did not accept this user name and password.") if is_refused else "")
        self.open()
        self.fit()
        (self.password if user else self.user).setFocus()

    def show_keyring(self, *, lasting: bool) -> None:
        """Shows whether the password can be stored permanently."""
        self.remember.setText(remember_label(lasting=lasting))
        self._form.show_hint("remember", keyring_hint(lasting=lasting))
        self.fit()

    def _submit(self) -> None:
        self.submitted.emit(self.user.text(), self.password.text(), self.remember.isChecked())

    def _update_buttons(self) -> None:
        self.accept_button.setEnabled(bool(self.user.text()))
