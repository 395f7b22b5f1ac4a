"""The form of a connection: address, log-in, password, name, color and network."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.client import certificate_fingerprint
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.connection.address import Address, parse_address
from cdb_desktop.ui.connection.messages import (
    address_fault,
    address_meaning,
    keyring_hint,
    proxy_fault,
    remember_label,
    trusted_certificate,
    unencrypted_warning,
)
from cdb_desktop.ui.connection.profile import (
    DEFAULT_COLOUR,
    ConnectionInput,
    ConnectionProfile,
    NetworkSettings,
)
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, TIGHT
from cdb_desktop.ui.widgets.form import Choice, Field, Form, tool_button
from cdb_desktop.ui.widgets.labels import Hint, Tone
from cdb_desktop.ui.widgets.object_names import named

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
        for field in (self.login, self.password):
            field.textEdited.connect(self._check_address)
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
        """Describes the address; errors of the last attempt may be corrected now."""
        self.show_hint("password", "")
        address = self.parsed_address
        if address.is_unencrypted:
            self.show_hint("address", unencrypted_warning(), "warning")
        else:
            self.show_hint("address", address_fault(address) or address_meaning(address))


_FILES = ("certificate", "key", "authority")
PLACES = ("proxy", "certificate", "key", "passphrase", "authority")


class NetworkFields(QWidget):
    """Collapsed at first; its header summarizes the settings.

    Signals: ``changed`` on every input · ``finished`` when a field has been edited and can be checked ·
    ``forget_login_requested`` to delete the stored login of the proxy · ``resized`` when the section needs
    more or less space.
    """

    changed = Signal()
    finished = Signal()
    forget_login_requested = Signal()
    resized = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._network = NetworkSettings()
        self._proxy_user = ""
        self._is_expanded = False
        self.header = named("connection.dialog.network", QToolButton(self, autoRaise=True))
        self.header.setText(tr("N&etwork"))
        self.header.setToolTip(tr("Proxy, client certificate, and which certificates are trusted"))
        self.header.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.header.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._summary = Hint(appearance, self)
        self.proxy = Choice(
            {"system": tr("System proxy"), "none": tr("No proxy"), "address": tr("Proxy address…")}
        )
        self.proxy.setToolTip(
            tr(
                "The system proxy is that of the environment variables, or of the settings of "
                "Windows and macOS. Automatic configuration (PAC) is not read. This computer is "
                "always reached directly."
            )
        )
        self._lines = {
            "proxy_address": QLineEdit(placeholderText="http://proxy.example.org:3128"),
            "certificate": QLineEdit(placeholderText=tr("PEM file")),
            "key": QLineEdit(placeholderText=tr("empty if it is in the file of the certificate")),
            "passphrase": QLineEdit(echoMode=QLineEdit.EchoMode.Password),
            "authority": QLineEdit(placeholderText=tr("PEM file, trusted besides the system's")),
        }
        self._lines["proxy_address"].setAccessibleName(tr("Proxy address"))
        self._proxy_login, self._trusted = Hint(appearance), Hint(appearance)
        self._trusted.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.form = self._create_form(appearance)
        self._create_layout()
        self.header.clicked.connect(self._toggle)
        self.proxy.currentIndexChanged.connect(lambda _row: self._edited("proxy"))
        self.proxy.decided.connect(lambda _proxy: self._lines["proxy_address"].setFocus())
        for name, line in self._lines.items():
            line.textChanged.connect(lambda _text, name=name: self._edited(name))
            line.editingFinished.connect(self.finished)
        self.form.resized.connect(self.resized)
        self.form.changed.connect(self._refresh)
        self.form.changed.connect(self.changed)
        self._refresh()
        self._expand(is_expanded=False)

    @property
    def network(self) -> NetworkSettings:
        """The settings; an invalid address of a proxy is left out."""
        certificate, key, authority = (self._lines[name].text().strip() for name in _FILES)
        return replace(
            self._network,
            proxy=self.proxy.value,
            proxy_address=self._proxy_address.url if self._has_address() else "",
            certificate=certificate,
            key=key if certificate else "",
            authority=authority,
        )

    @property
    def passphrase(self) -> str:
        """The passphrase of the key, as typed."""
        return self._lines["passphrase"].text() if self._has_certificate() else ""

    @property
    def is_usable(self) -> bool:
        """Whether the address of the proxy is valid, if one is used."""
        return not self._has_address() or bool(self._proxy_address.url)

    @property
    def is_expanded(self) -> bool:
        """Whether the section is expanded."""
        return self._is_expanded

    def line(self, name: str) -> QLineEdit:
        """The field ``proxy_address``, ``certificate``, ``key``, ``passphrase`` or ``authority``."""
        return self._lines[name]

    def hint(self, place: str) -> Hint:
        """The hint below a field."""
        return self.form.hint(place)

    def show_network(self, network: NetworkSettings) -> None:
        """Fills the fields."""
        self._network = network
        self.proxy.show_value(network.proxy)
        self._lines["proxy_address"].setText(network.proxy_address)
        for name in _FILES:
            self._lines[name].setText(getattr(network, name))
        self._lines["passphrase"].clear()
        self.show_proxy_login("")
        for place in PLACES:
            self._edited(place)
        self._expand(is_expanded=False)

    def show_trusted(self, network: NetworkSettings) -> None:
        """Shows the trusted certificate of ``network``."""
        self._network = replace(
            self._network,
            trusted_certificate=network.trusted_certificate,
            trusted_authority=network.trusted_authority,
        )
        self._expand(is_expanded=True)
        self._refresh()

    def forget_trusted(self) -> None:
        """Removes the trusted certificate, such as when the address changes."""
        self._network = replace(self._network, trusted_certificate="", trusted_authority="")
        self._refresh()

    def show_kept(self, *, kept: bool) -> None:
        """Shows whether the passphrase is stored, so that it need not be typed."""
        self._lines["passphrase"].setPlaceholderText(tr("remembered") if kept else "")

    def show_proxy_login(self, user: str) -> None:
        """Shows the user name that is stored for the proxy, with a button to forget it; hides it if empty."""
        self._proxy_user = user
        self._proxy_login.show_hint("muted", tr("remembered for {user}", user=user) if user else "")
        self._refresh()

    def show_problem(self, place: str, text: str) -> None:
        """Shows an error below a field, and focuses it."""
        self.mark(place, "danger", text)
        if place == "proxy":
            (self._lines["proxy_address"] if self._has_address() else self.proxy).setFocus()
        else:
            self._lines[place].setFocus()

    def mark(self, place: str, tone: Tone, text: str) -> None:
        """Shows a text below a field without focusing it."""
        self._expand(is_expanded=True)
        self.form.show_hint(place, text, tone)

    def choose_file(self, name: str) -> None:
        """Opens a dialog to choose the file of a field."""
        titles = {
            "certificate": tr("Choose the client certificate"),
            "key": tr("Choose the key of the client certificate"),
            "authority": tr("Choose the authority file"),
        }
        self._expand(is_expanded=True)
        before = self._lines[name].text()
        dialog = QFileDialog(self, titles[name], str(Path(before).parent) if before else str(Path.home()))
        dialog.setObjectName(f"connection.dialog.{name}.dialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([tr("Certificates and keys (*.pem *.crt *.cer *.key)"), tr("All files (*)")])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._lines[name].setText)
        # The same file may have been repaired.
        dialog.fileSelected.connect(lambda _path: self._edited(name))
        dialog.fileSelected.connect(self.finished)
        dialog.open()

    @property
    def _proxy_address(self) -> Address:
        typed = self._lines["proxy_address"].text().strip()
        return parse_address(typed if "://" in typed or not typed else f"http://{typed}")

    def _has_address(self) -> bool:
        return bool(self.proxy.value == "address")

    def _has_certificate(self) -> bool:
        return bool(self._lines["certificate"].text().strip())

    def _edited(self, name: str) -> None:
        """Removes errors that the new text may have corrected."""
        if name in {"proxy", "proxy_address"}:
            self.show_proxy_login("")  # that was of another proxy
            fault = self._proxy_address.fault if self._has_address() else ""
            self.form.show_hint("proxy", proxy_fault(fault), "warning" if fault == "credentials" else "muted")
            return
        for place in ("certificate", "key", "passphrase") if name in {"certificate", "key"} else (name,):
            self.form.show_hint(place, "")

    def _request_forgetting(self) -> None:
        self.proxy.setFocus()  # the button is hidden
        self.show_proxy_login("")
        self.forget_login_requested.emit()

    def _remove_trusted(self) -> None:
        self.header.setFocus()
        self.forget_trusted()
        self.changed.emit()

    def _refresh(self) -> None:
        """Shows the rows that apply, and the summary."""
        network = self.network
        pem = network.trusted_certificate or network.trusted_authority
        is_authority = not network.trusted_certificate
        text = trusted_certificate(certificate_fingerprint(pem), is_authority=is_authority) if pem else ""
        self._trusted.show_hint("muted", text)
        proxies = {"system": "", "none": tr("no proxy"), "address": network.proxy_address}
        parts = (
            proxies[network.proxy],
            tr("client certificate") if network.certificate else "",
            tr("own authority") if network.authority else "",
            tr("trusted certificate") if pem else "",
        )
        summary = " · ".join(part for part in parts if part)
        self._summary.show_hint("muted", summary or tr("system proxy, system certificates"))
        self._describe()
        self.form.update_rows()

    def _expand(self, *, is_expanded: bool) -> None:
        self._is_expanded = is_expanded
        self.header.setArrowType(Qt.ArrowType.DownArrow if is_expanded else Qt.ArrowType.RightArrow)
        self.form.setVisible(is_expanded)
        self._summary.setVisible(not is_expanded)
        self._describe()
        self.resized.emit()

    def _toggle(self) -> None:
        self.header.setFocus()  # also after its mnemonic, so that Tab goes to the fields
        self._expand(is_expanded=not self._is_expanded)

    def _describe(self) -> None:
        state = tr("expanded") if self._is_expanded else tr("collapsed")
        self.header.setAccessibleDescription(f"{state}, {self._summary.text()}")

    def _create_form(self, appearance: Appearance) -> Form:
        forget = tool_button(tr("Forget"), self._request_forgetting)
        distrust = tool_button(tr("Remove"), self._remove_trusted)
        forget_tip = tr("Delete user name and password of the proxy from the keyring")
        address = Field("proxy_address", self._lines["proxy_address"], visible_if=self._has_address)
        return Form(
            appearance,
            "connection.dialog",
            Field("proxy", self.proxy, tr("Pro&xy"), beside=[address]),
            Field(
                "proxy_login",
                self._proxy_login,
                tr("Proxy sign-in"),
                beside=[Field("proxy_login.forget", forget, tip=forget_tip)],
                visible_if=lambda: bool(self._proxy_user),
            ),
            self._file_field("certificate", tr("Client &certificate")),
            self._file_field("key", tr("&Key"), self._has_certificate),
            Field(
                "passphrase",
                self._lines["passphrase"],
                tr("Passphra&se"),
                visible_if=self._has_certificate,
            ),
            self._file_field("authority", tr("Own a&uthority")),
            Field(
                "trusted",
                self._trusted,
                tr("Trusted"),
                beside=[Field("distrust", distrust, tip=tr("Trust this certificate no longer"))],
                visible_if=lambda: bool(self._trusted.text()),
            ),
            parent=self,
        )

    def _file_field(self, name: str, label: str, visible_if: Callable[[], bool] | None = None) -> Field:
        choose = tool_button(tr("Choose…"), partial(self.choose_file, name))
        choose.setAccessibleName(f"{label.replace('&', '')}: {choose.text()}")
        beside = [Field(f"{name}.choose", choose)]
        return Field(name, self._lines[name], label, beside=beside, visible_if=visible_if)

    def _create_layout(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(GAP)
        head.addWidget(self.header)
        head.addWidget(self._summary, stretch=1, alignment=Qt.AlignmentFlag.AlignVCenter)
        head.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(TIGHT)
        layout.addLayout(head)
        layout.addWidget(self.form)


COLOURS = (
    DEFAULT_COLOUR,
    "#0C8A7B",
    "#3B8B45",
    "#A87200",
    "#D9534A",
    "#8D63D8",
    "#C2539A",
    "#76808C",
)


def colour_name(colour: str) -> str:
    """The name of a color in the language in use; its code if it is not one of these."""
    names = (
        tr("Blue"),
        tr("Teal"),
        tr("Green"),
        tr("Amber"),
        tr("Red"),
        tr("Violet"),
        tr("Pink"),
        tr("Grey"),
    )
    return dict(zip(COLOURS, names, strict=True)).get(colour, colour)


_SIZE, _DISC = 28, 16


class ColorPicker(QWidget):
    """A row of discs of which one is selected; the arrow keys move the selection."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self._swatches = {colour: _Swatch(colour, appearance, self) for colour in COLOURS}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(TIGHT)
        for swatch in self._swatches.values():
            self._group.addButton(swatch)
            layout.addWidget(swatch)
        layout.addStretch(1)
        self.choose(DEFAULT_COLOUR)
        for colour, swatch in self._swatches.items():
            swatch.setToolTip(colour_name(colour))
            swatch.setAccessibleName(colour_name(colour))

    @property
    def colour(self) -> str:
        """The selected color, such as ``#1F5FBF``."""
        return next(colour for colour, swatch in self._swatches.items() if swatch.isChecked())

    def choose(self, colour: str) -> None:
        """Selects a color; the default if it is not one of these."""
        self._swatches.get(colour, self._swatches[DEFAULT_COLOUR]).setChecked(True)


class _Swatch(QAbstractButton):
    def __init__(self, colour: str, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._colour = colour
        self._appearance = appearance
        self.setObjectName(f"connection.dialog.colour.{colour}")
        self.setCheckable(True)
        self.setFixedSize(QSize(_SIZE, _SIZE))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        disc = QRectF(0, 0, _DISC, _DISC)
        disc.moveCenter(QRectF(self.rect()).center())
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self.isChecked() or self.hasFocus():
                ring = QColor(tokens.accent if self.hasFocus() else tokens.muted)
                painter.setPen(QPen(ring, 2 if self.isChecked() else 1))
                painter.drawEllipse(disc.adjusted(-4, -4, 4, 4))
            painter.setPen(Qt.PenStyle.NoPen)
            colour = QColor(self._colour)
            colour.setAlphaF(1.0 if self.isEnabled() else 0.4)
            painter.setBrush(colour)
            painter.drawEllipse(disc)
