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

from cdb_desktop.client import OAuthClient, Settings, certificate_fingerprint, parse_redirect
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.connection.address import Address, parse_address
from cdb_desktop.ui.connection.messages import (
    address_fault,
    address_meaning,
    found_service,
    keyring_hint,
    proxy_fault,
    redirect_fault,
    remember_label,
    trusted_certificate,
    unencrypted_warning,
)
from cdb_desktop.ui.connection.profile import (
    DEFAULT_COLOUR,
    ConnectionInput,
    ConnectionProfile,
    NetworkSettings,
    SignInSettings,
)
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, TIGHT
from cdb_desktop.ui.widgets.form import Choice, Field, Form, tool_button
from cdb_desktop.ui.widgets.labels import Hint, Tone
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named

_FIELD = 340


class ConnectionForm(Form):
    """Hints and errors are shown below their fields.

    Signals: ``look_requested`` when an address has been entered, so that the service may be asked what it is
    · ``sign_out_requested`` to end the sign-in that was kept.
    """

    look_requested = Signal()
    sign_out_requested = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        self.address = QLineEdit(placeholderText="https://db.example.org")
        self.address.setMinimumWidth(_FIELD)
        self.method = Choice({"password": tr("Log-in and password"), "browser": tr("In the browser")})
        self.login = QLineEdit()
        self.password = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.remember = QCheckBox()
        self._signed_in = Hint(appearance)
        sign_out = tool_button(tr("Sign out"), self._request_sign_out)
        self.name = QLineEdit(placeholderText=tr("as the service calls itself"))
        self.swatches = ColorPicker(appearance)
        self._has_methods = True  # as far as is known
        self._has_stored_password = False
        super().__init__(
            appearance,
            "connection.dialog",
            Field("address", self.address, tr("&Address")),
            Field("method", self.method, tr("S&ign-in"), enabled_if=lambda: self._has_methods),
            Field("login", self.login, tr("&Log-in"), visible_if=self._has_password),
            Field("password", self.password, tr("&Password"), visible_if=self._has_password),
            Field(
                "signed_in",
                self._signed_in,
                tr("Kept sign-in"),
                beside=[Field("sign_out", sign_out, tip=tr("End the sign-in at the service, too"))],
                visible_if=lambda: self._has_stored_password and not self._has_password(),
            ),
            Field("remember", self.remember),
            Field("name", self.name, tr("&Name")),
            Field("colour", self.swatches, tr("Color")),
            parent=parent,
        )
        self.sign_in, self.network = SignInFields(appearance, self), NetworkFields(appearance, self)
        sections = (self.sign_in, self.network)
        width = max(form.label_width for form in (self, *(one.form for one in sections)))
        self.set_label_width(width)
        for section in sections:
            self.rows.addRow(section)
            section.form.set_label_width(width)
            section.changed.connect(self.changed)
            section.resized.connect(self.resized)
        self._lasting = True
        self._is_decided = False
        self._looked_at = self._found = ""
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
        self.method.currentIndexChanged.connect(lambda _row: self._show_method())
        self.method.decided.connect(self._decide)
        self.address.editingFinished.connect(self._request_look)
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
            sign_in=replace(self.sign_in.settings, method=self.method.value),
        )
        password = self.password.text() if self._has_password() else ""
        return ConnectionInput(
            profile, password, self.remember.isChecked(), self.network.passphrase, self.sign_in.secret
        )

    @property
    def is_complete(self) -> bool:
        """Whether the fields suffice to sign in."""
        if not self._has_password():
            return self.is_reachable and self.sign_in.is_usable
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
        self.sign_in.show_settings(profile.sign_in)
        self._is_decided = profile.used > 0
        self._looked_at = self._found = ""
        self.show_methods(None)
        self.method.show_value(profile.sign_in.method)
        self.network.show_kept(kept=False)
        self.show_kept(kept=False)
        self._check_address()

    def show_kept(self, *, kept: bool) -> None:
        """Shows whether the password of this connection is stored, so that it need not be typed."""
        self._has_stored_password = kept
        self.password.setPlaceholderText(tr("remembered") if kept else "")
        self.remember.setChecked(kept or self._lasting)
        login = self.login.text()
        self._signed_in.show_hint("muted", tr("remembered for {user}", user=login) if kept else "")
        self.update_rows()
        self.changed.emit()

    def show_keyring(self, *, lasting: bool) -> None:
        """Shows whether passwords can be stored permanently."""
        self._lasting = lasting
        self.remember.setChecked(self.remember.isChecked() and (lasting or self._has_stored_password))
        is_password = self._has_password()
        self.remember.setText(remember_label(lasting=lasting, is_password=is_password))
        self.show_hint("remember", keyring_hint(lasting=lasting, is_password=is_password))

    def show_failure(self, place: str, text: str) -> None:
        """Shows an error below a field."""
        section = self._section(place)
        if section is not None:
            section.show_problem(place, text)
            return
        place = "method" if place == "password" and not self._has_password() else place
        self.show_hint(place, text, "danger")
        if place == "method":
            self.method.setFocus()
            return
        field = self.address if place == "address" else self.password
        field.setFocus()
        field.selectAll()

    def hint(self, name: str) -> Hint:
        """The hint below a field, also of a section."""
        section = self._section(name)
        return super().hint(name) if section is None else section.hint(name)

    def focus_first(self) -> None:
        """Focuses the first field that is empty."""
        has_password = self._has_password()
        fields = (self.address, self.login, self.password) if has_password else (self.address,)
        last = self.password if has_password else self.method
        next((field for field in fields if not field.text()), last).setFocus()

    def show_methods(self, service: Settings | None) -> None:
        """Shows which service answers at the address, and the ways to sign in there; None: unknown."""
        self._has_methods = service is None or service.generation > 5
        if service is not None:
            self._looked_at, self._found = self.parsed_address.url, found_service(service)
        self.sign_in.setEnabled(self._has_methods)
        tip = "" if self._has_methods else tr("This service signs in with log-in and password only.")
        self.method.setToolTip(tip)
        if not self._has_methods:
            self.method.show_value("password")
        elif service is not None and not (self._is_decided or self._uses_password()):
            self.method.show_value("browser")
        self.update_rows()
        self._check_address()

    def _section(self, place: str) -> Section | None:
        return next((one for one in (self.sign_in, self.network) if place in one.places), None)

    def _has_password(self) -> bool:
        return bool(self.method.value != "browser")

    def _uses_password(self) -> bool:
        """Whether log-in or password are being entered."""
        return any(field.text() or field.hasFocus() for field in (self.login, self.password))

    def _decide(self) -> None:
        self._is_decided = True
        self.show_hint("method", "")

    def _show_method(self) -> None:
        self.sign_in.show_browser(is_used=not self._has_password())
        self.show_keyring(lasting=self._lasting)

    def _request_sign_out(self) -> None:
        self.method.setFocus()  # the button is hidden
        self.sign_out_requested.emit()
        self.show_kept(kept=False)

    def _request_look(self) -> None:
        url = self.parsed_address.url
        if url and url != self._looked_at:
            self._looked_at, self._found = url, ""
            self.look_requested.emit()

    def _check_address(self) -> None:
        """Describes the address; errors of the last attempt may be corrected now."""
        for name in ("password", "method"):
            self.show_hint(name, "")
        address = self.parsed_address
        found = self._found if address.url == self._looked_at else ""
        if address.is_unencrypted:
            self.show_hint("address", f"{unencrypted_warning()}\n{found}".strip(), "warning")
        else:
            self.show_hint("address", found or address_fault(address) or address_meaning(address))


class Section(QWidget):
    """A part of the form that is collapsed at first; its header summarizes the fields.

    Signals: ``changed`` on every input · ``resized`` when the section needs more or less space.
    """

    changed = Signal()
    resized = Signal()
    places: tuple[str, ...] = ()  # the fields that may have an error

    def __init__(
        self, appearance: Appearance, name: str, title: str, tip: str, parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.is_expanded = False
        self.header = named(f"connection.dialog.{name}", QToolButton(self, autoRaise=True))
        self.header.setText(title)
        self.header.setToolTip(tip)
        self.header.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.header.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._summary = Hint(appearance, self)
        self.form = self._create_form(appearance)
        self._create_layout()
        self.header.clicked.connect(self._toggle)
        self.form.resized.connect(self.resized)
        self.form.changed.connect(self._refresh)
        self.form.changed.connect(self.changed)

    def hint(self, place: str) -> Hint:
        """The hint below a field."""
        return self.form.hint(place)

    def show_problem(self, place: str, text: str) -> None:
        """Shows an error below a field, and focuses it."""
        self.mark(place, "danger", text)
        self._field(place).setFocus()

    def mark(self, place: str, tone: Tone, text: str) -> None:
        """Shows a text below a field without focusing it."""
        self._expand(is_expanded=True)
        self.form.show_hint(place, text, tone)

    def _field(self, place: str) -> QWidget:
        raise NotImplementedError

    def _create_form(self, appearance: Appearance) -> Form:
        raise NotImplementedError

    def _refresh(self) -> None:
        """Shows the rows that apply, and the summary."""
        raise NotImplementedError

    def _summarize(self, text: str) -> None:
        self._summary.show_hint("muted", text)
        self._describe()
        self.form.update_rows()

    def _expand(self, *, is_expanded: bool) -> None:
        self.is_expanded = is_expanded
        self.header.setArrowType(Qt.ArrowType.DownArrow if is_expanded else Qt.ArrowType.RightArrow)
        self.form.setVisible(is_expanded)
        self._summary.setVisible(not is_expanded)
        self._describe()
        self.resized.emit()

    def _toggle(self) -> None:
        self.header.setFocus()  # also after its mnemonic, so that Tab goes to the fields
        self._expand(is_expanded=not self.is_expanded)

    def _describe(self) -> None:
        state = tr("expanded") if self.is_expanded else tr("collapsed")
        self.header.setAccessibleDescription(f"{state}, {self._summary.text()}")

    def _create_layout(self) -> None:
        head = lay_out(QHBoxLayout(), self.header, spacing=GAP)
        head.addWidget(self._summary, stretch=1, alignment=Qt.AlignmentFlag.AlignVCenter)
        head.addStretch()
        lay_out(QVBoxLayout(self), head, self.form, spacing=TIGHT)


class SignInFields(Section):
    """How the program presents itself where it signs in with OAuth 2.0: client, redirect address, scope."""

    places = ("client", "secret", "redirect", "scope")

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        default = OAuthClient()
        self.lines = {
            "client": QLineEdit(placeholderText=default.name),
            "secret": QLineEdit(echoMode=QLineEdit.EchoMode.Password),
            "redirect": QLineEdit(placeholderText=tr("http://127.0.0.1/ on a free port")),
            "scope": QLineEdit(placeholderText=default.scope),
        }
        self._has_browser = False
        super().__init__(
            appearance,
            "sign_in",
            tr("Sign-in &details"),
            tr("Client, redirect address and scope, as the administrators of the service have set them"),
            parent,
        )
        for name, line in self.lines.items():
            line.textChanged.connect(lambda _text, name=name: self._edited(name))
        self._refresh()
        self._expand(is_expanded=False)

    @property
    def settings(self) -> SignInSettings:
        """The settings, without the method."""
        client, redirect, scope = (
            self.lines[name].text().strip() for name in ("client", "redirect", "scope")
        )
        return SignInSettings(client=client, redirect=redirect if self.is_usable else "", scope=scope)

    @property
    def secret(self) -> str:
        """The secret of the client, as typed."""
        return self.lines["secret"].text() if self._has_client() else ""

    @property
    def is_usable(self) -> bool:
        """Whether the redirect address is one."""
        return parse_redirect(self.lines["redirect"].text()) is not None

    def show_settings(self, settings: SignInSettings) -> None:
        """Fills the fields except for the secret."""
        for name in ("client", "redirect", "scope"):
            self.lines[name].setText(getattr(settings, name))
        self.lines["secret"].clear()
        self.show_kept(kept=False)
        self._expand(is_expanded=False)

    def show_kept(self, *, kept: bool) -> None:
        """Shows whether the secret is stored, so that it need not be typed."""
        self.lines["secret"].setPlaceholderText(tr("remembered") if kept else tr("none for a public client"))

    def show_browser(self, *, is_used: bool) -> None:
        """Shows the redirect address only if the browser is used."""
        self._has_browser = is_used
        self._refresh()

    def _has_client(self) -> bool:
        return bool(self.lines["client"].text().strip())

    def _edited(self, name: str) -> None:
        """Removes errors that the new text may have corrected."""
        self.form.show_hint(name, "" if name != "redirect" or self.is_usable else redirect_fault())

    def _field(self, place: str) -> QWidget:
        return self.lines[place]

    def _refresh(self) -> None:
        settings = self.settings
        shown = settings.redirect or tr("free port")
        self._summarize(
            " · ".join([settings.client or OAuthClient().name, *([shown] if self._has_browser else ())])
        )

    def _create_form(self, appearance: Appearance) -> Form:
        return Form(
            appearance,
            "connection.dialog",
            Field("client", self.lines["client"], tr("Client ID")),
            Field("secret", self.lines["secret"], tr("Client secret"), visible_if=self._has_client),
            Field(
                "redirect",
                self.lines["redirect"],
                tr("Redirect address"),
                tip=tr(
                    "The address on this computer to which the browser returns. Port and path must be "
                    "registered with the client, unless the service accepts any port."
                ),
                visible_if=lambda: self._has_browser,
            ),
            Field("scope", self.lines["scope"], tr("Scope")),
            parent=self,
        )


_FILES = ("certificate", "key", "authority")


class NetworkFields(Section):
    """How the service is reached: proxy and certificates.

    Signals: ``finished`` when a field has been edited and can be checked · ``forget_login_requested`` to
    delete the stored login of the proxy.
    """

    finished = Signal()
    forget_login_requested = Signal()
    places = ("proxy", "certificate", "key", "passphrase", "authority")

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        self._network = NetworkSettings()
        self._proxy_user = ""
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
        self.lines = {
            "proxy_address": QLineEdit(placeholderText="http://proxy.example.org:3128"),
            "certificate": QLineEdit(placeholderText=tr("PEM file")),
            "key": QLineEdit(placeholderText=tr("empty if it is in the file of the certificate")),
            "passphrase": QLineEdit(echoMode=QLineEdit.EchoMode.Password),
            "authority": QLineEdit(placeholderText=tr("PEM file, trusted besides the system's")),
        }
        self.lines["proxy_address"].setAccessibleName(tr("Proxy address"))
        self._proxy_login, self._trusted = Hint(appearance), Hint(appearance)
        self._trusted.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        tip = tr("Proxy, client certificate, and which certificates are trusted")
        super().__init__(appearance, "network", tr("N&etwork"), tip, parent)
        self.proxy.currentIndexChanged.connect(lambda _row: self._edited("proxy"))
        self.proxy.decided.connect(lambda _proxy: self.lines["proxy_address"].setFocus())
        for name, line in self.lines.items():
            line.textChanged.connect(lambda _text, name=name: self._edited(name))
            line.editingFinished.connect(self.finished)
        self._refresh()
        self._expand(is_expanded=False)

    @property
    def network(self) -> NetworkSettings:
        """The settings; an invalid address of a proxy is left out."""
        certificate, key, authority = (self.lines[name].text().strip() for name in _FILES)
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
        return self.lines["passphrase"].text() if self._has_certificate() else ""

    @property
    def is_usable(self) -> bool:
        """Whether the address of the proxy is valid, if one is used."""
        return not self._has_address() or bool(self._proxy_address.url)

    def show_network(self, network: NetworkSettings) -> None:
        """Fills the fields."""
        self._network = network
        self.proxy.show_value(network.proxy)
        self.lines["proxy_address"].setText(network.proxy_address)
        for name in _FILES:
            self.lines[name].setText(getattr(network, name))
        self.lines["passphrase"].clear()
        self.show_proxy_login("")
        for place in self.places:
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
        self.lines["passphrase"].setPlaceholderText(tr("remembered") if kept else "")

    def show_proxy_login(self, user: str) -> None:
        """Shows the user name that is stored for the proxy, with a button to forget it; hides it if empty."""
        self._proxy_user = user
        self._proxy_login.show_hint("muted", tr("remembered for {user}", user=user) if user else "")
        self._refresh()

    def choose_file(self, name: str) -> None:
        """Opens a dialog to choose the file of a field."""
        titles = {
            "certificate": tr("Choose the client certificate"),
            "key": tr("Choose the key of the client certificate"),
            "authority": tr("Choose the authority file"),
        }
        self._expand(is_expanded=True)
        before = self.lines[name].text()
        dialog = QFileDialog(self, titles[name], str(Path(before).parent) if before else str(Path.home()))
        dialog.setObjectName(f"connection.dialog.{name}.dialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([tr("Certificates and keys (*.pem *.crt *.cer *.key)"), tr("All files (*)")])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.lines[name].setText)
        # The same file may have been repaired.
        dialog.fileSelected.connect(lambda _path: self._edited(name))
        dialog.fileSelected.connect(self.finished)
        dialog.open()

    @property
    def _proxy_address(self) -> Address:
        typed = self.lines["proxy_address"].text().strip()
        return parse_address(typed if "://" in typed or not typed else f"http://{typed}")

    def _has_address(self) -> bool:
        return bool(self.proxy.value == "address")

    def _has_certificate(self) -> bool:
        return bool(self.lines["certificate"].text().strip())

    def _edited(self, name: str) -> None:
        """Removes errors that the new text may have corrected."""
        if name in {"proxy", "proxy_address"}:
            self.show_proxy_login("")  # that was of another proxy
            fault = self._proxy_address.fault if self._has_address() else ""
            self.form.show_hint("proxy", proxy_fault(fault), "warning" if fault == "credentials" else "muted")
            return
        for place in ("certificate", "key", "passphrase") if name in {"certificate", "key"} else (name,):
            self.form.show_hint(place, "")

    def _field(self, place: str) -> QWidget:
        if place != "proxy":
            return self.lines[place]
        return self.lines["proxy_address"] if self._has_address() else self.proxy

    def _request_forgetting(self) -> None:
        self.proxy.setFocus()  # the button is hidden
        self.show_proxy_login("")
        self.forget_login_requested.emit()

    def _remove_trusted(self) -> None:
        self.header.setFocus()
        self.forget_trusted()
        self.changed.emit()

    def _refresh(self) -> None:
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
        self._summarize(summary or tr("system proxy, system certificates"))

    def _create_form(self, appearance: Appearance) -> Form:
        forget = tool_button(tr("Forget"), self._request_forgetting)
        distrust = tool_button(tr("Remove"), self._remove_trusted)
        forget_tip = tr("Delete user name and password of the proxy from the keyring")
        address = Field("proxy_address", self.lines["proxy_address"], visible_if=self._has_address)
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
                self.lines["passphrase"],
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
        return Field(name, self.lines[name], label, beside=beside, visible_if=visible_if)


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
        layout = lay_out(QHBoxLayout(self), spacing=TIGHT)
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
