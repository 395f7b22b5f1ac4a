"""The section "Network" of a connection's form: proxy, client certificate and authority."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QGridLayout,
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
from cdb_desktop.ui.connection.hint import Hint, Tone
from cdb_desktop.ui.connection.messages import proxy_fault, trusted_certificate
from cdb_desktop.ui.connection.profile import NetworkSettings
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.input_handling import ignore_wheel, set_tab_order
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.object_names import named

_PROXIES: tuple[Literal["system", "none", "address"], ...] = ("system", "none", "address")
_FILES = ("certificate", "key", "authority")
_LABELS = ("proxy", "proxy_login", *_FILES, "passphrase", "trusted")
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
        self.header = named("connection.dialog.network", QToolButton(self, autoRaise=True))
        self._summary = Hint(appearance, self)
        self._body = QWidget(self)
        self.proxy = ignore_wheel(named("connection.dialog.proxy", QComboBox(self._body)))
        self.proxy.addItems([""] * len(_PROXIES))
        self._lines = {name: self._line(name) for name in ("proxy_address", *_FILES, "passphrase")}
        self._lines["passphrase"].setEchoMode(QLineEdit.EchoMode.Password)
        self._choose = {name: self._button(f"{name}.choose") for name in _FILES}
        self._distrust = self._button("distrust")
        self._forget_login = self._button("proxy_login.forget")
        self._proxy_login = named("connection.dialog.proxy_login", Hint(appearance, self._body))
        self._proxy_user = ""
        self._trusted = named("connection.dialog.trusted", Hint(appearance, self._body))
        self._hints = {
            name: named(f"connection.dialog.{name}.hint", Hint(appearance, self._body)) for name in PLACES
        }
        self._labels = {name: Label(self._body) for name in _LABELS}
        self._network = NetworkSettings()
        self._has_stored_passphrase = self._is_expanded = False
        self._create_layout()
        self._connect_signals()
        self.header.setText(tr("N&etwork"))
        self.header.setToolTip(tr("Proxy, client certificate, and which certificates are trusted"))
        for name, text in {
            "proxy": tr("Pro&xy"),
            "certificate": tr("Client &certificate"),
            "key": tr("&Key"),
            "passphrase": tr("Passphra&se"),
            "authority": tr("Own a&uthority"),
            "proxy_login": tr("Proxy sign-in"),
            "trusted": tr("Trusted"),
        }.items():
            self._labels[name].setText(text)
        for index, text in enumerate(
            (
                tr("System proxy"),
                tr("No proxy"),
                tr("Proxy address…"),
            )
        ):
            self.proxy.setItemText(index, text)
        self.proxy.setToolTip(
            tr(
                "The system proxy is that of the environment variables, or of the settings of "
                "Windows and macOS. Automatic configuration (PAC) is not read. This computer is "
                "always reached directly."
            )
        )
        self._lines["proxy_address"].setPlaceholderText("http://proxy.example.org:3128")
        self._lines["certificate"].setPlaceholderText(tr("PEM file"))
        self._lines["key"].setPlaceholderText(tr("empty if it is in the file of the certificate"))
        self._lines["authority"].setPlaceholderText(tr("PEM file, trusted besides the system's"))
        self.show_kept(kept=self._has_stored_passphrase)
        for name, line in self._lines.items():
            label = self._labels["proxy" if name == "proxy_address" else name].text().replace("&", "")
            line.setAccessibleName(tr("Proxy address") if name == "proxy_address" else label)
        self.proxy.setAccessibleName(self._labels["proxy"].text().replace("&", ""))
        for name, button in self._choose.items():
            button.setText(tr("Choose…"))
            button.setAccessibleName(f"{self._lines[name].accessibleName()}: {button.text()}")
        self._forget_login.setText(tr("Forget"))
        self._forget_login.setToolTip(tr("Delete user name and password of the proxy from the keyring"))
        self._distrust.setText(tr("Remove"))
        self._distrust.setToolTip(tr("Trust this certificate no longer"))
        self._update_rows()
        self._check_proxy()
        self._expand(is_expanded=False)

    @property
    def network(self) -> NetworkSettings:
        """The settings; an invalid address of a proxy is left out."""
        certificate, key, authority = (self._lines[name].text().strip() for name in _FILES)
        proxy = _PROXIES[self.proxy.currentIndex()]
        address = self._proxy_address.url if proxy == "address" else ""
        return replace(
            self._network,
            proxy=proxy,
            proxy_address=address,
            certificate=certificate,
            key=key if certificate else "",
            authority=authority,
        )

    @property
    def passphrase(self) -> str:
        """The passphrase of the key, as typed."""
        return self._lines["passphrase"].text() if self.network.certificate else ""

    @property
    def is_usable(self) -> bool:
        """Whether the address of the proxy is valid, if one is used."""
        return self.proxy.currentIndex() != _PROXIES.index("address") or bool(self._proxy_address.url)

    @property
    def is_expanded(self) -> bool:
        """Whether the section is expanded."""
        return self._is_expanded

    @property
    def labels_width(self) -> int:
        """The width of the widest label."""
        return max(label.sizeHint().width() for label in self._labels.values())

    def line(self, name: str) -> QLineEdit:
        """The field ``proxy_address``, ``certificate``, ``key``, ``passphrase`` or ``authority``."""
        return self._lines[name]

    def hint(self, place: str) -> Hint:
        """The hint below a field."""
        return self._hints[place]

    def set_labels_width(self, width: int) -> None:
        """Aligns its fields with those of the form."""
        self._grid.setColumnMinimumWidth(0, width)

    def show_network(self, network: NetworkSettings) -> None:
        """Fills the fields."""
        self._network = network
        self.proxy.setCurrentIndex(_PROXIES.index(network.proxy))
        self._lines["proxy_address"].setText(network.proxy_address)
        for name in _FILES:
            self._lines[name].setText(getattr(network, name))
        self._lines["passphrase"].clear()
        self._proxy_user = ""
        self.clear_hints()
        self._expand(is_expanded=False)
        self._update_rows()

    def show_trusted(self, network: NetworkSettings) -> None:
        """Shows the trusted certificate of ``network``."""
        self._network = replace(
            self._network,
            trusted_certificate=network.trusted_certificate,
            trusted_authority=network.trusted_authority,
        )
        self._expand(is_expanded=True)
        self._update_rows()

    def forget_trusted(self) -> None:
        """Removes the trusted certificate, such as when the address changes."""
        self._network = replace(self._network, trusted_certificate="", trusted_authority="")
        self._update_rows()

    def show_kept(self, *, kept: bool) -> None:
        """Shows whether the passphrase is stored, so that it need not be typed."""
        self._has_stored_passphrase = kept
        remembered = tr("remembered")
        self._lines["passphrase"].setPlaceholderText(remembered if kept else "")

    def show_proxy_login(self, user: str) -> None:
        """Shows the user name that is stored for the proxy, with a button to forget it; hides it if empty."""
        self._proxy_user = user
        self._proxy_login.show_hint("muted", tr("remembered for {user}", user=user) if user else "")
        self._update_rows()

    def show_problem(self, place: str, text: str) -> None:
        """Shows an error below a field, and focuses it."""
        self.mark(place, "danger", text)
        field: QWidget = self.proxy
        if place != "proxy":
            field = self._lines[place]
        elif self._lines["proxy_address"].isVisibleTo(self):
            field = self._lines["proxy_address"]
        field.setFocus()

    def mark(self, place: str, tone: Tone, text: str) -> None:
        """Shows a text below a field without focusing it."""
        self._set_hint(place, tone, text)
        self._expand(is_expanded=True)
        self.resized.emit()

    def clear_hints(self) -> None:
        """Removes all hints and errors."""
        for place in PLACES:
            self._set_hint(place, "muted", "")
        self._check_proxy()

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
        dialog.setNameFilters(
            [
                tr("Certificates and keys (*.pem *.crt *.cer *.key)"),
                tr("All files (*)"),
            ]
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self._chosen(name, path))
        dialog.open()

    @property
    def _proxy_address(self) -> Address:
        typed = self._lines["proxy_address"].text().strip()
        return parse_address(typed if "://" in typed or not typed else f"http://{typed}")

    def _chosen(self, name: str, path: str) -> None:
        self._lines[name].setText(path)
        self._edited(name)
        self.finished.emit()

    def _edited(self, name: str) -> None:
        place = "proxy" if name == "proxy_address" else name
        self._set_hint(place, "muted", "")
        if name in {"certificate", "key"}:
            for other in ("certificate", "key", "passphrase"):
                self._set_hint(other, "muted", "")
        if place == "proxy":
            self.show_proxy_login("")  # that was of another proxy
            self._check_proxy()
        self._update_rows()
        self.changed.emit()

    def _check_proxy(self) -> None:
        is_address = self.proxy.currentIndex() == _PROXIES.index("address")
        fault = self._proxy_address.fault if is_address else ""
        self._set_hint("proxy", "warning" if fault == "credentials" else "muted", proxy_fault(fault))

    def _set_hint(self, place: str, tone: Tone, text: str) -> None:
        hint = self._hints[place]
        hint.show_hint(tone, text)
        hint.setVisible(bool(text))
        self.resized.emit()

    def _choose_proxy(self) -> None:
        self._edited("proxy_address")
        if self.proxy.currentIndex() == _PROXIES.index("address"):
            self._lines["proxy_address"].setFocus()

    def _request_forgetting(self) -> None:
        self.proxy.setFocus()  # the button is hidden
        self.show_proxy_login("")
        self.forget_login_requested.emit()

    def _remove_trusted(self) -> None:
        self.header.setFocus()
        self.forget_trusted()
        self.changed.emit()

    def _update_rows(self) -> None:
        """Shows only the rows that apply."""
        is_address = self.proxy.currentIndex() == _PROXIES.index("address")
        self._lines["proxy_address"].setVisible(is_address)
        has_certificate = bool(self._lines["certificate"].text().strip())
        for name in ("key", "passphrase"):
            self._labels[name].setVisible(has_certificate)
            self._lines[name].setVisible(has_certificate)
        self._choose["key"].setVisible(has_certificate)
        for widget in (self._labels["proxy_login"], self._proxy_login, self._forget_login):
            widget.setVisible(bool(self._proxy_user))
        network = self.network
        pem = network.trusted_certificate or network.trusted_authority
        for widget in (*(self._labels["trusted"], self._trusted), self._distrust):
            widget.setVisible(bool(pem))
        is_authority = not network.trusted_certificate
        self._trusted.show_hint(
            "muted",
            trusted_certificate(certificate_fingerprint(pem), is_authority=is_authority) if pem else "",
        )
        self._update_summary()
        self.resized.emit()

    def _update_summary(self) -> None:
        network = self.network
        proxies = {
            "system": "",
            "none": tr("no proxy"),
            "address": network.proxy_address,
        }
        parts = (
            proxies[network.proxy],
            tr("client certificate") if network.certificate else "",
            tr("own authority") if network.authority else "",
            tr("trusted certificate") if network.trusted_certificate or network.trusted_authority else "",
        )
        summary = " · ".join(part for part in parts if part)
        self._summary.show_hint("muted", summary or tr("system proxy, system certificates"))
        self._describe()

    def _expand(self, *, is_expanded: bool) -> None:
        self._is_expanded = is_expanded
        self.header.setArrowType(Qt.ArrowType.DownArrow if is_expanded else Qt.ArrowType.RightArrow)
        self._body.setVisible(is_expanded)
        self._summary.setVisible(not is_expanded)
        self._describe()
        self.resized.emit()

    def _toggle(self) -> None:
        self.header.setFocus()  # also after its mnemonic, so that Tab goes to the fields
        self._expand(is_expanded=not self._is_expanded)

    def _describe(self) -> None:
        state = tr("expanded") if self._is_expanded else tr("collapsed")
        self.header.setAccessibleDescription(f"{state}, {self._summary.text()}")

    def _connect_signals(self) -> None:
        self.header.clicked.connect(self._toggle)
        self.proxy.activated.connect(self._choose_proxy)
        self._distrust.clicked.connect(self._remove_trusted)
        self._forget_login.clicked.connect(self._request_forgetting)
        for name, line in self._lines.items():
            line.textEdited.connect(lambda _text, name=name: self._edited(name))
            line.editingFinished.connect(self.finished)
        for name, button in self._choose.items():
            button.clicked.connect(lambda _=False, name=name: self.choose_file(name))

    def _line(self, name: str) -> QLineEdit:
        return named(f"connection.dialog.{name}", QLineEdit(self._body))

    def _button(self, name: str) -> QToolButton:
        button = named(f"connection.dialog.{name}", QToolButton(self._body))
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _create_layout(self) -> None:
        self.header.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.header.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._grid = QGridLayout(self._body)
        self._grid.setContentsMargins(0, TIGHT, 0, 0)
        self._grid.setHorizontalSpacing(GROUP)
        self._grid.setVerticalSpacing(TIGHT)
        self._grid.setColumnStretch(1, 1)
        row = 0
        for name in ("proxy", *("certificate", "key", "passphrase", "authority")):
            self._labels[name].setBuddy(self.proxy if name == "proxy" else self._lines[name])
            self._grid.addWidget(self._labels[name], row, 0, Qt.AlignmentFlag.AlignVCenter)
            self._grid.addWidget(self.proxy if name == "proxy" else self._lines[name], row, 1)
            if name in self._choose:
                self._grid.addWidget(self._choose[name], row, 2)
            if name == "proxy":
                row += 1
                self._grid.addWidget(self._lines["proxy_address"], row, 1)
            self._grid.addWidget(self._hints[name], row + 1, 1, 1, 2)
            row += 2
            if name == "proxy":
                self._grid.addWidget(self._labels["proxy_login"], row, 0)
                self._grid.addWidget(self._proxy_login, row, 1)
                self._grid.addWidget(self._forget_login, row, 2)
                row += 1
        self._trusted.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._grid.addWidget(self._labels["trusted"], row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(self._trusted, row, 1)
        self._grid.addWidget(self._distrust, row, 2, Qt.AlignmentFlag.AlignTop)
        head = QHBoxLayout()
        head.setSpacing(GAP)
        head.addWidget(self.header)
        head.addWidget(self._summary, stretch=1, alignment=Qt.AlignmentFlag.AlignVCenter)
        head.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._body)
        set_tab_order(
            self.header,
            self.proxy,
            self._lines["proxy_address"],
            self._forget_login,
            self._lines["certificate"],
            self._choose["certificate"],
            self._lines["key"],
            self._choose["key"],
            self._lines["passphrase"],
            self._lines["authority"],
            self._choose["authority"],
            self._distrust,
        )
