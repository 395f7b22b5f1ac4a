"""Dialogs of a connection: password, sign-in at a proxy, certificate, and links to other connections."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase, QPalette
from PySide6.QtWidgets import QCheckBox, QLineEdit, QRadioButton, QWidget

from cdb_desktop.client import Certificate, CertificateProblem
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.links import LinkOrigin
from cdb_desktop.ui.connection.browser_buttons import BrowserButtons
from cdb_desktop.ui.connection.messages import browser_wait, keyring_hint, remember_label, split_fingerprint
from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.form import Field
from cdb_desktop.ui.widgets.labels import Hint, Label
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from cdb_desktop.vocabulary.times import day_and_time


class SignInDialog(BaseDialog):
    """It is opened again and again until its connection ends.

    Signals: ``submitted`` with the password and whether to remember it · ``declined`` when the user closes
    it · ``disconnect_requested`` when the connection is to be closed · ``browser_requested`` to open the
    browser again · ``copy_requested`` to copy the address for it.
    """

    submitted = Signal(str, bool)
    declined = Signal()
    disconnect_requested = Signal()
    browser_requested = Signal()
    copy_requested = Signal()

    def __init__(
        self,
        appearance: Appearance,
        profile: ConnectionProfile,
        parent: QWidget,
        *,
        has_browser: bool = False,
    ) -> None:
        """``has_browser``: the browser signs in, so that no password is asked for."""
        super().__init__(appearance, "connection.sign_in", parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        text = tr(
            "The session has expired or was ended. Sign in again to continue; your filters and "
            "drafts are kept."
        )
        accept = tr("Sign in in the browser") if has_browser else tr("Sign in")
        self.set_texts(tr("Sign in again"), text, accept)
        self._has_browser, self._is_busy = has_browser, False
        self.cancel_button.setText(tr("Not now"))
        self.password = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.remember = QCheckBox()
        self.body.addWidget(Label(f"{profile.title} · {profile.subtitle}", self))
        self._form = self.add_form(
            Field("password", self.password, tr("&Password"), visible_if=lambda: not has_browser),
            Field("remember", self.remember, visible_if=lambda: not has_browser),
            Field("state", Label(""), None),
        )
        self.browser = BrowserButtons("connection.sign_in", self)
        self.browser.hide()
        self.body.addWidget(self.browser)
        self.browser.again_requested.connect(self.browser_requested)
        self.browser.copy_requested.connect(self.copy_requested)
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
        return self._form.hint(self._place)

    @property
    def _place(self) -> str:
        return "state" if self._has_browser else "password"

    def ask(self, error: ErrorMessage | None = None) -> None:
        """Opens the dialog; ``error`` describes why the stored password was not accepted."""
        self.password.clear()
        self.open()
        self._show_idle("" if error is None else f"{error.title}. {error.text} {error.remedy}")

    def show_busy(self) -> None:
        """Disables the fields while the client signs in."""
        self._is_busy = True
        # Without fields there is nothing to disable but the text.
        self._form.setEnabled(self._has_browser)
        self._form.show_hint(self._place, tr("Signing in…"))
        self._update_buttons()

    def show_waiting(self, redirect: str, is_open: bool) -> None:
        """Shows that the browser is waited for, if this dialog has requested it."""
        if self.isVisible() and self._is_busy:
            self._form.show_hint(self._place, browser_wait(redirect, is_open=is_open))
            self.browser.show()
            self.fit()

    def show_failure(self, message: ErrorMessage) -> None:
        """Shows why the sign-in failed."""
        self._show_idle(f"{message.title}. {message.text} {message.remedy}")
        self.password.selectAll()

    def show_keyring(self, *, lasting: bool) -> None:
        """Shows whether the password can be stored permanently."""
        self.remember.setText(remember_label(lasting=lasting))
        self._form.show_hint("remember", keyring_hint(lasting=lasting))

    def _show_idle(self, failure: str) -> None:
        self._is_busy = False
        self._form.setEnabled(True)
        self.browser.hide()
        self._form.show_hint(self._place, failure, "danger")
        self._update_buttons()
        (self.accept_button if self._has_browser else self.password).setFocus()

    def _leave(self) -> None:
        self.hide()
        self.disconnect_requested.emit()

    def _update_buttons(self) -> None:
        is_complete = self._has_browser or bool(self.password.text())
        self.accept_button.setEnabled(is_complete and not self._is_busy)


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


class OpenLinkDialog(BaseDialog):
    """Offers to switch to the connection of a link, or to create one if there is none, and to stay.

    Signals: ``switch_requested`` (ConnectionProfile) · ``new_requested`` for a new connection ·
    ``here_requested`` to open the link in the present connection.
    """

    switch_requested = Signal(object)
    new_requested = Signal()
    here_requested = Signal()

    def __init__(
        self,
        appearance: Appearance,
        origin: LinkOrigin,
        profile: ConnectionProfile | None,
        present: str,
        parent: QWidget,
    ) -> None:
        """``profile`` is the connection of the link if the user has it.

        ``present`` is the name of the open connection, empty if a model file is open instead.
        """
        super().__init__(appearance, "connection.link", parent)
        self._profile = profile
        name = tr("“{text}”", text=origin.name) + (f" ({origin.server})" if origin.server else "")
        texts = [tr("The link is for {name}.", name=name)]
        if profile is None:
            texts.append(tr("You have no such connection. Create one only if you know this service."))
        else:
            texts.append(
                tr("“{present}” is open. Unsaved changes of its schema are kept as a draft.", present=present)
                if present
                else tr("It takes the place of the open model file.")
            )
        accept = tr("New connection…") if profile is None else tr("Switch to “{name}”", name=profile.title)
        self.set_texts(tr("This link is for another connection"), " ".join(texts), accept)
        self.accept_button.clicked.connect(self._accept)
        if present:
            here = tr("Open it in “{present}”", present=present)
            named("connection.link.here", self.add_button(here, self.here_requested.emit))

    def _accept(self) -> None:
        self.close()
        if self._profile is not None:
            self.switch_requested.emit(self._profile)
        else:
            self.new_requested.emit()


_WIDTH = 600
_MOST_NAMES = 12
_NAME = 320  # pixels of the name of an authority
# Trusting an expired certificate, or one for another host, would not help.
_TRUSTABLE = frozenset({"issuer", "self_signed", "changed", "other"})


class CertificateDialog(BaseDialog):
    """The certificate is trusted for one connection only.

    Signals, after which the dialog is closed: ``trusted`` with the PEM text that was confirmed and whether it
    is that of an authority · ``file_requested`` when the file of an authority is to be chosen.
    """

    trusted = Signal(str, bool)
    file_requested = Signal()

    def __init__(
        self,
        appearance: Appearance,
        host: str,
        problem: CertificateProblem,
        certificates: Sequence[Certificate],
        parent: QWidget,
    ) -> None:
        super().__init__(appearance, "connection.certificate", parent)
        self._host = host
        self._own = certificates[0]
        last = certificates[-1]
        # An authority vouches for host names, so it does not help if the certificate names another host.
        can_help = last.is_authority and last.pem != self._own.pem and self._own.names(host)
        self._authority = last if can_help else None
        until = self._own.valid_until
        self._is_expired = until is not None and until < datetime.now(UTC)
        self.is_trustable = problem in _TRUSTABLE and not self._is_expired
        self.only_this = named("connection.certificate.only", QRadioButton(self))
        self.its_authority = named("connection.certificate.authority", QRadioButton(self))
        self.compared = named("connection.certificate.compared", QCheckBox(self))
        self._warning = named("connection.certificate.warning", Hint(appearance, self))
        self._meaning = Hint(appearance, self)
        self.setMinimumWidth(_WIDTH)
        self._create_rows()

    def show_certificate(self, message: ErrorMessage) -> None:
        """Opens the dialog; ``message`` describes why the certificate was not accepted."""
        self.set_texts(
            tr("Certificate of {host}", host=self._host),
            f"{message.title}. {message.text}",
            tr("Trust for this connection"),
        )
        if not self.is_trustable:
            self.set_text(f"{message.title}. {message.text} {message.remedy}")
        self.open()
        self.fit()
        (self.compared if self.is_trustable else self.cancel_button).setFocus()

    def _trust(self) -> None:
        is_authority = self._authority is not None and self.its_authority.isChecked()
        chosen = self._authority if is_authority and self._authority is not None else self._own
        self.trusted.emit(chosen.pem, is_authority)
        self.close()

    def _update_buttons(self) -> None:
        """Shows the fingerprint of the certificate that would be trusted."""
        is_authority = self._authority is not None and self.its_authority.isChecked()
        shown = self._authority if is_authority and self._authority is not None else self._own
        self._fingerprint.setText(split_fingerprint(shown.fingerprint))
        caption = tr("SHA-256 fingerprint")
        if is_authority:
            caption = tr("SHA-256 of the authority")
        self._caption.setText(caption)
        self._fingerprint.setAccessibleName(f"{caption} {shown.fingerprint}")
        self._meaning.show_hint(
            "muted",
            tr("Any certificate that this authority issues for the host is accepted, also a renewed one.")
            if is_authority
            else tr(
                "This connection accepts no other certificate then; when it is renewed, you are asked again."
            ),
        )
        self.accept_button.setEnabled(self.compared.isChecked())

    def _other_chosen(self) -> None:
        # The user has compared the other fingerprint.
        self.compared.setChecked(False)
        self._update_buttons()

    def _create_rows(self) -> None:
        own = self._own
        rows = {
            "subject": (tr("Issued to"), own.subject),
            "issuer": (tr("Issued by"), self._issuer()),
            "validity": (tr("Valid"), self._validity()),
            "hosts": (tr("Host names"), self._hosts()),
            "fingerprint": (tr("SHA-256 of the authority"), ""),
        }
        values = {name: Label(text, wordWrap=True) for name, (_caption, text) in rows.items()}
        form = self.add_form(*(Field(name, values[name], caption) for name, (caption, _text) in rows.items()))
        for name, (caption, text) in rows.items():
            values[name].setAccessibleName(f"{caption} {text}")
            values[name].setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            form.label(name).setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._fingerprint, self._caption = values["fingerprint"], form.label("fingerprint")
        self._fingerprint.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        form.set_label_width(form.label_width)  # also for the longer caption of the last row
        warning = ""
        if not self._own.names(self._host):
            warning = tr("It does not name {host}.", host=self._host)
        if self._is_expired:
            warning = f"{warning} {tr('It has expired.')}".strip()
        self._warning.show_hint("warning", warning)
        self._warning.setVisible(bool(warning))
        self.body.addWidget(self._warning)
        self._add_choices()
        self.cancel_button.setText(tr("Cancel") if self.is_trustable else tr("Close"))
        self._update_buttons()

    def _add_choices(self) -> None:
        widgets = (self.only_this, self.its_authority, self._meaning, self.compared)
        for widget in widgets:
            self.body.addWidget(widget)
            widget.setVisible(self.is_trustable)
        self.accept_button.setVisible(self.is_trustable)
        if not self.is_trustable:
            self.cancel_button.setDefault(True)
            return
        self.only_this.setText(tr("Trust this &certificate only"))
        self.only_this.setChecked(True)
        if self._authority is not None:
            subject = self._authority.subject
            name = self.fontMetrics().elidedText(subject, Qt.TextElideMode.ElideMiddle, _NAME)
            self.its_authority.setText(
                tr("Trust the &authority that issued it: {name}", name=name.replace("&", "&&"))
            )
            self.its_authority.setToolTip(subject)
        for radio in (self.only_this, self.its_authority):
            radio.setVisible(self._authority is not None)
            radio.clicked.connect(self._other_chosen)
        self.compared.setText(tr("I have com&pared the fingerprint with the administrators of the service"))
        self.compared.toggled.connect(self._update_buttons)
        self.accept_button.clicked.connect(self._trust)
        self.add_button(tr("Choose authority &file…"), self.file_requested.emit)

    def _issuer(self) -> str:
        if self._own.is_self_signed:
            return tr("{issuer} (itself)", issuer=self._own.issuer)
        return self._own.issuer

    def _validity(self) -> str:
        return tr("{begin} to {end}", begin=_day(self._own.valid_from), end=_day(self._own.valid_until))

    def _hosts(self) -> str:
        names = self._own.host_names
        if not names:
            return tr("none", context="proxy")
        more = len(names) - _MOST_NAMES
        return ", ".join(names[:_MOST_NAMES]) + (f", … (+{more})" if more > 0 else "")


def _day(moment: datetime | None) -> str:
    return "?" if moment is None else day_and_time(moment)
