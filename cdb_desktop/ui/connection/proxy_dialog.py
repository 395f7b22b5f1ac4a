"""The dialog that asks for user name and password of a proxy."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLineEdit, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.connection.hint import Hint
from cdb_desktop.ui.connection.messages import keyring_hint, remember_label
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.object_names import named


class ProxyDialog(BaseDialog):
    """Signals: ``submitted`` with user name, password and whether to remember them, when it is closed."""

    submitted = Signal(str, str, bool)

    def __init__(self, appearance: Appearance, proxy: str, parent: QWidget) -> None:
        super().__init__(appearance, "connection.proxy", parent)
        self._proxy = proxy
        self._lasting = True
        self._is_refused = False
        self.user = named("connection.proxy.user", QLineEdit(self))
        self.password = named("connection.proxy.password", QLineEdit(self))
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.remember = named("connection.proxy.remember", QCheckBox(self))
        self.remember.setChecked(True)
        self._keyring = Hint(appearance, self)
        self._labels = (Label(self), Label(self))
        for label, line in zip(self._labels, (self.user, self.password), strict=True):
            label.setBuddy(line)
            line.textChanged.connect(self._update_buttons)
        self.accept_button.clicked.connect(self.accept)
        self.accepted.connect(self._submit)
        grid = QGridLayout()
        grid.setHorizontalSpacing(GROUP)
        grid.setVerticalSpacing(GAP)
        for row, (label, line) in enumerate(zip(self._labels, (self.user, self.password), strict=True)):
            grid.addWidget(label, row, 0)
            grid.addWidget(line, row, 1)
        grid.addWidget(self.remember, 2, 1)
        grid.addWidget(self._keyring, 3, 1)
        self.body.addLayout(grid)
        self._retranslate()

    def ask(self, user: str = "", *, is_refused: bool = False) -> None:
        """Opens the dialog; ``is_refused``: the proxy did not accept ``user`` and the password."""
        self._is_refused = is_refused
        self.user.setText(user)
        self._retranslate()
        self.open()
        self.fit()
        (self.password if user else self.user).setFocus()

    def show_keyring(self, *, lasting: bool) -> None:
        """Shows whether the password can be stored permanently."""
        self._lasting = lasting
        self._retranslate()
        self.fit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Translates the texts when the language changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def _submit(self) -> None:
        self.submitted.emit(self.user.text(), self.password.text(), self.remember.isChecked())

    def _update_buttons(self) -> None:
        self.accept_button.setEnabled(bool(self.user.text()))

    def _retranslate(self) -> None:
        self.set_texts(
            tr("Sign in to the proxy"),
            tr(
                "The proxy {proxy} requires a sign-in (HTTP 407). User name and password are usually those "
                "of your network account; they are not sent to the service.",
                proxy=self._proxy,
            ),
            tr("Sign in"),
        )
        self.cancel_button.setText(tr("Cancel"))
        self.show_fault(
            tr("The proxy did not accept this user name and password.") if self._is_refused else ""
        )
        names = (tr("&User name"), tr("&Password"))
        for label, line, name in zip(self._labels, (self.user, self.password), names, strict=True):
            label.setText(name)
            line.setAccessibleName(name.replace("&", ""))
        self.remember.setText(remember_label(lasting=self._lasting))
        self._keyring.show_hint("muted", keyring_hint(lasting=self._lasting))
        self._keyring.setVisible(bool(self._keyring.text()))
        self._update_buttons()
