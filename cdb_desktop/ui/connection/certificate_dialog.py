"""The dialog that shows the certificate of a service that was not accepted, and offers to trust it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase, QPalette
from PySide6.QtWidgets import QCheckBox, QRadioButton, QWidget

from cdb_desktop.client import Certificate, CertificateProblem
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.connection.messages import split_fingerprint
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.form import Field
from cdb_desktop.ui.widgets.labels import Hint, Label
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from cdb_desktop.vocabulary.times import day_and_time

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
        self._show_warning()
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

    def _show_warning(self) -> None:
        warning = ""
        if not self._own.names(self._host):
            warning = tr("It does not name {host}.", host=self._host)
        if self._is_expired:
            warning = f"{warning} {tr('It has expired.')}".strip()
        self._warning.show_hint("warning", warning)
        self._warning.setVisible(bool(warning))

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
