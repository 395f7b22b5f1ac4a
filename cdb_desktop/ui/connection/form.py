"""The form of a connection: address, log-in, password, name, color and network."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLineEdit, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.connection.address import Address, parse_address
from cdb_desktop.ui.connection.color_picker import ColorPicker
from cdb_desktop.ui.connection.hint import Hint
from cdb_desktop.ui.connection.messages import (
    address_fault,
    address_meaning,
    keyring_hint,
    remember_label,
    unencrypted_warning,
)
from cdb_desktop.ui.connection.network_fields import PLACES, NetworkFields
from cdb_desktop.ui.connection.profile import ConnectionInput, ConnectionProfile
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.labels import Label

_FIELD = 340


class ConnectionForm(QWidget):
    """Hints and errors are shown below their fields.

    Signals: ``changed`` on every input · ``resized`` when the form needs more or less space.
    """

    changed = Signal()
    resized = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.address = self._field("address")
        self.login = self._field("login")
        self.password = self._field("password")
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.remember = QCheckBox(self)
        self.remember.setObjectName("connection.dialog.remember")
        self.name = self._field("name")
        self.swatches = ColorPicker(appearance, self)
        self.network = NetworkFields(appearance, self)
        self._hints = {place: Hint(appearance, self) for place in ("address", "password", "remember")}
        texts = {
            "address": tr("&Address"),
            "login": tr("&Log-in"),
            "password": tr("&Password"),
            "name": tr("&Name"),
            "colour": tr("Color"),
        }
        self._labels = {name: Label(text, self) for name, text in texts.items()}
        self._lasting = True
        self._has_stored_password = False
        self._create_layout()
        for field in (self.address, self.login):
            field.textEdited.connect(self._identity_changed)
        self.address.textEdited.connect(self.network.forget_trusted)
        self.password.textEdited.connect(self._typed)
        self.network.changed.connect(self.changed)
        self.network.resized.connect(self.resized)
        self.address.setPlaceholderText("https://db.example.org")
        self.name.setPlaceholderText(tr("as the service calls itself"))
        for field, label in ((self.address, "address"), (self.login, "login"), (self.password, "password")):
            field.setAccessibleName(texts[label].replace("&", ""))
        self.show_keyring(lasting=True)
        self._typed()

    @property
    def parsed_address(self) -> Address:
        """The result of parsing the address."""
        return parse_address(self.address.text())

    @property
    def entered(self) -> ConnectionInput:
        """The contents of the fields."""
        profile = ConnectionProfile(
            self.parsed_address.url,
            self.login.text().strip(),
            self.name.text().strip(),
            self.swatches.colour,
            network=self.network.network,
        )
        return ConnectionInput(
            profile, self.password.text(), self.remember.isChecked(), self.network.passphrase
        )

    @property
    def is_complete(self) -> bool:
        """Whether the fields suffice to sign in."""
        has_password = bool(self.password.text()) or self._has_stored_password
        return bool(self.is_reachable and self.login.text().strip() and has_password)

    @property
    def is_reachable(self) -> bool:
        """Whether the fields suffice to reach the service."""
        return bool(self.parsed_address.url) and self.network.is_usable

    def show_profile(self, profile: ConnectionProfile) -> None:
        """Fills the fields except for the password."""
        self.address.setText(profile.address)
        self.login.setText(profile.login)
        self.name.setText(profile.name)
        self.swatches.choose(profile.colour)
        self.password.clear()
        self.network.show_network(profile.network)
        self.network.show_kept(kept=False)
        self.show_kept(kept=False)
        self._typed()

    def show_kept(self, *, kept: bool) -> None:
        """Shows whether the password of this connection is stored, so that it need not be typed."""
        self._has_stored_password = kept
        remembered = tr("remembered")
        self.password.setPlaceholderText(remembered if kept else "")
        self.remember.setChecked(kept or self._lasting)
        self.changed.emit()

    def show_keyring(self, *, lasting: bool) -> None:
        """Shows whether passwords can be stored permanently."""
        self._lasting = lasting
        self.remember.setChecked(self.remember.isChecked() and (lasting or self._has_stored_password))
        self.remember.setText(remember_label(lasting=lasting))
        self._hints["remember"].show_hint("muted", keyring_hint(lasting=lasting))

    def show_failure(self, place: str, text: str) -> None:
        """Shows an error below a field."""
        if place in PLACES:
            self.network.show_problem(place, text)
            return
        self._hints[place].show_hint("danger", text)
        field = self.address if place == "address" else self.password
        field.setFocus()
        field.selectAll()

    def hint(self, place: str) -> Hint:
        """The hint below a field: ``address``, ``password``, ``remember``, or one of the network."""
        return self.network.hint(place) if place in PLACES else self._hints[place]

    def focus_first(self) -> None:
        """Focuses the first field that is empty."""
        fields = (self.address, self.login, self.password)
        next((field for field in fields if not field.text()), self.password).setFocus()

    def _identity_changed(self) -> None:
        # The stored password is that of another connection.
        self.show_kept(kept=False)
        self._typed()

    def _typed(self) -> None:
        address, hint = self.parsed_address, self._hints["address"]
        if address.is_unencrypted:
            hint.show_hint("warning", unencrypted_warning())
        elif address.fault:
            hint.show_hint("muted", address_fault(address))
        else:
            hint.show_hint("muted", address_meaning(address))
        self._hints["password"].show_hint("muted", "")
        self.changed.emit()

    def _field(self, name: str) -> QLineEdit:
        field = QLineEdit(self)
        field.setObjectName(f"connection.dialog.{name}")
        field.setMinimumWidth(_FIELD)
        return field

    def _create_layout(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GROUP)
        grid.setVerticalSpacing(TIGHT)
        rows: tuple[tuple[str, QWidget], ...] = (
            ("address", self.address),
            ("", self._hints["address"]),
            ("login", self.login),
            ("gap", self),
            ("password", self.password),
            ("", self._hints["password"]),
            ("", self.remember),
            ("", self._hints["remember"]),
            ("gap", self),
            ("name", self.name),
            ("gap", self),
            ("colour", self.swatches),
            ("gap", self),
            ("wide", self.network),
        )
        for row, (label, widget) in enumerate(rows):
            if label == "gap":
                grid.setRowMinimumHeight(row, GAP)
                continue
            if label == "wide":
                grid.addWidget(widget, row, 0, 1, 2)
                continue
            grid.addWidget(widget, row, 1)
            if label:
                self._labels[label].setBuddy(widget)
                grid.addWidget(self._labels[label], row, 0, Qt.AlignmentFlag.AlignVCenter)
        grid.setColumnStretch(1, 1)
        # The labels of form and network are one column.
        width = max(self.network.labels_width, *(one.sizeHint().width() for one in self._labels.values()))
        grid.setColumnMinimumWidth(0, width)
        self.network.set_labels_width(width)
