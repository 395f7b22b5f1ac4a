"""The form of a connection: address, log-in, password, name, color and network."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.connection.address import Address, parse_address
from cdb_desktop.ui.connection.color_picker import ColorPicker
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
from cdb_desktop.ui.widgets.form import Field, Form
from cdb_desktop.ui.widgets.labels import Hint

_FIELD = 340


class ConnectionForm(Form):
    """Hints and errors are shown below their fields."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        self.address = QLineEdit(placeholderText="https://db.example.org")
        self.address.setMinimumWidth(_FIELD)
        self.login = QLineEdit()
        self.password = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.remember = QCheckBox()
        self.name = QLineEdit(placeholderText=tr("as the service calls itself"))
        self.swatches = ColorPicker(appearance)
        super().__init__(
            appearance,
            "connection.dialog",
            Field("address", self.address, tr("&Address")),
            Field("login", self.login, tr("&Log-in")),
            Field("password", self.password, tr("&Password")),
            Field("remember", self.remember),
            Field("name", self.name, tr("&Name")),
            Field("colour", self.swatches, tr("Color")),
            parent=parent,
        )
        self.network = NetworkFields(appearance, self)
        self.rows.addRow(self.network)
        width = max(self.label_width, self.network.form.label_width)
        for form in (self, self.network.form):
            form.set_label_width(width)
        self._lasting = True
        self._has_stored_password = False
        # Nothing jumps while an address is typed.
        keeping = self.hint("address").sizePolicy()
        keeping.setRetainSizeWhenHidden(True)
        self.hint("address").setSizePolicy(keeping)
        for field in (self.address, self.login):
            field.textEdited.connect(lambda _text: self.show_kept(kept=False))  # that of another connection
        self.address.textEdited.connect(self.network.forget_trusted)
        self.address.textChanged.connect(self._check_address)
        self.changed.connect(lambda: self.show_hint("password", ""))
        self.network.changed.connect(self.changed)
        self.network.resized.connect(self.resized)
        self.show_keyring(lasting=True)

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
        self._check_address()

    def show_kept(self, *, kept: bool) -> None:
        """Shows whether the password of this connection is stored, so that it need not be typed."""
        self._has_stored_password = kept
        self.password.setPlaceholderText(tr("remembered") if kept else "")
        self.remember.setChecked(kept or self._lasting)
        self.changed.emit()

    def show_keyring(self, *, lasting: bool) -> None:
        """Shows whether passwords can be stored permanently."""
        self._lasting = lasting
        self.remember.setChecked(self.remember.isChecked() and (lasting or self._has_stored_password))
        self.remember.setText(remember_label(lasting=lasting))
        self.show_hint("remember", keyring_hint(lasting=lasting))

    def show_failure(self, place: str, text: str) -> None:
        """Shows an error below a field."""
        if place in PLACES:
            self.network.show_problem(place, text)
            return
        self.show_hint(place, text, "danger")
        field = self.address if place == "address" else self.password
        field.setFocus()
        field.selectAll()

    def hint(self, name: str) -> Hint:
        """The hint below a field, also of the network."""
        return self.network.hint(name) if name in PLACES else super().hint(name)

    def focus_first(self) -> None:
        """Focuses the first field that is empty."""
        fields = (self.address, self.login, self.password)
        next((field for field in fields if not field.text()), self.password).setFocus()

    def _check_address(self) -> None:
        address = self.parsed_address
        if address.is_unencrypted:
            self.show_hint("address", unencrypted_warning(), "warning")
        else:
            self.show_hint("address", address_fault(address) or address_meaning(address))
