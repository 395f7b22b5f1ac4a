"""Tests of the "Network" section of the connection form and of the dialogs for proxies and certificates."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
import trustme
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Certificate, CertificateProblem, certificate_fingerprint
from cdb_desktop.ui.connection.dialog import ConnectionDialog
from cdb_desktop.ui.connection.dialogs import CertificateDialog, ProxyDialog
from cdb_desktop.ui.connection.profile import ConnectionProfile, NetworkSettings
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.error_messages import fault_message
from tests.desktop.ui.finding import child_of

AUTHORITY = trustme.CA()
PEM = AUTHORITY.issue_cert("db.example").cert_chain_pems[0].bytes().decode()
AUTHORITY_PEM = AUTHORITY.cert_pem.bytes().decode()
OWN = Certificate(
    PEM,
    certificate_fingerprint(PEM),
    "CN=db.example, O=Museum",
    "CN=Museum CA",
    datetime.now(UTC) - timedelta(days=1),
    datetime.now(UTC) + timedelta(days=1),
    ("db.example", "*.db.example"),
)
ISSUER = replace(
    OWN, pem=AUTHORITY_PEM, fingerprint=certificate_fingerprint(AUTHORITY_PEM), is_authority=True
)
SAID = fault_message("certificate.issuer", {"host": "db.example"})


@pytest.fixture
def dialog(window: QWidget, appearance: Appearance) -> ConnectionDialog:
    """The dialog over a window."""
    return ConnectionDialog(appearance, window)


def test_the_section_is_collapsed_and_shows_a_summary(dialog: ConnectionDialog) -> None:
    """The summary is in the accessible name as well; a click or Space expands the section."""
    network = NetworkSettings(
        "address", "http://proxy.example:3128", certificate="/a.pem", authority="/ca.pem"
    )
    dialog.open_profile(ConnectionProfile("https://db.example", "root", network=network))
    fields = dialog.form.network
    assert not fields.proxy.isVisible()
    summary = "http://proxy.example:3128 · client certificate · own authority"
    assert fields._summary.text() == summary
    assert fields.header.accessibleDescription() == f"collapsed, {summary}"
    fields.header.setFocus()
    QTest.keyClick(fields.header, Qt.Key.Key_Space)
    assert fields.lines["proxy_address"].isVisible()
    assert fields.lines["key"].isVisible()
    assert dialog.form.entered.profile.network == network
    assert fields.header.accessibleDescription().startswith("expanded")


def test_typed_values_are_emitted(qtbot: QtBot, dialog: ConnectionDialog) -> None:
    """Files and proxy are part of the connection; the passphrase is not part of its text."""
    dialog.open_profile(ConnectionProfile("https://db.example", "root"))
    fields = dialog.form.network
    fields.header.click()
    assert not fields.lines["passphrase"].isVisible()
    QTest.keyClicks(fields.lines["certificate"], "/a.pem")
    QTest.keyClicks(fields.lines["passphrase"], "swordfish")
    fields.proxy.setCurrentIndex(2)
    fields.proxy.activated.emit(2)
    assert dialog.focusWidget() is fields.lines["proxy_address"]
    QTest.keyClicks(fields.lines["proxy_address"], "proxy.example:3128")
    filled = dialog.form.entered
    assert filled.profile.network == NetworkSettings("address", "http://proxy.example:3128", "/a.pem")
    assert filled.passphrase == "swordfish"
    assert "swordfish" not in repr(filled)
    assert fields.lines["passphrase"].echoMode() == fields.lines["passphrase"].EchoMode.Password
    with qtbot.waitSignal(dialog.check_requested) as blocker:
        fields.lines["proxy_address"].editingFinished.emit()
    assert blocker.args == [filled]


def test_credentials_in_a_proxy_address_are_not_stored(dialog: ConnectionDialog) -> None:
    """They would be readable in the settings file."""
    dialog.open_profile(ConnectionProfile("https://db.example", "root"))
    QTest.keyClicks(dialog.form.password, "x")
    fields = dialog.form.network
    fields.header.click()
    fields.proxy.setCurrentIndex(2)
    fields.proxy.activated.emit(2)
    assert not _button(dialog, "connection.dialog.connect").isEnabled()
    QTest.keyClicks(fields.lines["proxy_address"], "http://anna:swordfish@proxy.example")
    assert "Leave out user name and password" in fields.hint("proxy").text()
    assert dialog.form.entered.profile.network.proxy_address == ""
    assert not _button(dialog, "connection.dialog.connect").isEnabled()
    assert not _button(dialog, "connection.dialog.test").isEnabled()


@pytest.mark.parametrize("place", ["proxy", "certificate", "key", "passphrase", "authority"])
def test_a_failure_opens_the_section_at_its_field(dialog: ConnectionDialog, place: str) -> None:
    """The section is expanded, the field has the focus, and typing removes the message."""
    dialog.open_profile(
        ConnectionProfile("https://db.example", "root", network=NetworkSettings(certificate="/a.pem"))
    )
    dialog.show_failure(place, fault_message("network.proxy.address"))
    fields = dialog.form.network
    assert "cannot be used" in fields.hint(place).text()
    assert fields.hint(place).isVisible()
    field = fields.proxy if place == "proxy" else fields.lines[place]
    assert dialog.focusWidget() is field
    if place != "proxy":
        QTest.keyClicks(field, "x")
        assert not fields.hint(place).isVisible()


def test_a_trusted_certificate_is_shown_and_can_be_removed(dialog: ConnectionDialog) -> None:
    """Trust belongs to the address; another address has none."""
    entry = ConnectionProfile("https://db.example", "root", network=NetworkSettings(trusted_certificate=PEM))
    dialog.open_profile(entry)
    fields = dialog.form.network
    fields.header.click()
    assert certificate_fingerprint(PEM)[:47] in fields._trusted.text()
    _button(dialog, "connection.dialog.distrust").click()
    assert dialog.form.entered.profile.network == NetworkSettings()
    dialog.open_profile(entry)
    assert dialog.form.entered.profile == entry
    QTest.keyClicks(dialog.form.address, "2")
    assert dialog.form.entered.profile.network == NetworkSettings()


def test_a_file_is_chosen_in_a_dialog(qtbot: QtBot, dialog: ConnectionDialog, tmp_path: Path) -> None:
    """The chosen file is validated immediately."""
    file = tmp_path / "ca.pem"
    file.write_text(AUTHORITY_PEM)
    dialog.open_profile(ConnectionProfile("https://db.example", "root"))
    dialog.form.network.header.click()
    _button(dialog, "connection.dialog.authority.choose").click()
    file_dialog = child_of(dialog, QFileDialog)
    with qtbot.waitSignal(dialog.check_requested):
        file_dialog.fileSelected.emit(str(file))
    file_dialog.close()
    assert dialog.form.entered.profile.network.authority == str(file)


def test_the_same_file_can_be_chosen_again(dialog: ConnectionDialog) -> None:
    """It may have been repaired, so its error is removed."""
    network = NetworkSettings(authority="/ca.pem")
    dialog.open_profile(ConnectionProfile("https://db.example", "root", network=network))
    dialog.show_failure("authority", fault_message("network.proxy.address"))
    dialog.form.network.choose_file("authority")
    file_dialog = child_of(dialog, QFileDialog)
    file_dialog.fileSelected.emit("/ca.pem")
    file_dialog.close()
    assert dialog.form.hint("authority").text() == ""


def test_everything_has_a_name_and_fits(dialog: ConnectionDialog) -> None:
    """All fields have accessible names, and the form scrolls on small screens."""
    network = NetworkSettings("address", "http://p.example", "/a", "/b", "/c", trusted_certificate=PEM)
    dialog.open_profile(ConnectionProfile("https://db.example", "root", network=network))
    fields = dialog.form.network
    fields.header.click()
    named = [
        fields.proxy,
        *(fields.lines[name] for name in ("proxy_address", "certificate", "key", "authority")),
    ]
    assert [widget.accessibleName() for widget in named] == [
        "Proxy",
        "Proxy address",
        "Client certificate",
        "Key",
        "Own authority",
    ]
    assert all(one.objectName().startswith("connection.dialog.") for one in named)
    assert dialog.height() <= dialog.screen().availableGeometry().height()
    assert _button(dialog, "connection.dialog.connect").visibleRegion().boundingRect().height() > 20


def test_connections_of_the_first_version_are_read() -> None:
    """They have no network settings, and that version can read newer files."""
    old = b'{"address": "https://db.example", "login": "root", "name": "", "colour": "#2F6FDB", "used": 1.0}'
    assert msgspec.json.decode(old, type=ConnectionProfile) == ConnectionProfile(
        "https://db.example", "root", used=1.0
    )
    new = msgspec.json.encode(ConnectionProfile("https://db.example", network=NetworkSettings("none")))
    assert b'"network":{"proxy":"none"}' in new


def test_the_proxy_dialog_asks_for_credentials(qtbot: QtBot, window: QWidget, appearance: Appearance) -> None:
    """Return signs in; after a refusal the password field has the focus."""
    dialog = ProxyDialog(appearance, "http://proxy.example:3128", window)
    dialog.ask("anna", is_refused=True)
    assert "http://proxy.example:3128" in dialog.text
    assert "did not accept" in dialog.fault
    assert dialog.focusWidget() is dialog.password
    QTest.keyClicks(dialog.password, "swordfish")
    with qtbot.waitSignal(dialog.submitted) as filled:
        QTest.keyClick(dialog.password, Qt.Key.Key_Return)
    assert filled.args == ["anna", "swordfish", True]


def test_the_proxy_dialog_can_be_closed(qtbot: QtBot, window: QWidget, appearance: Appearance) -> None:
    """Escape emits no credentials."""
    dialog = ProxyDialog(appearance, "http://proxy.example", window)
    dialog.ask()
    assert not _button(dialog, "connection.proxy.accept").isEnabled()
    assert dialog.focusWidget() is dialog.user
    with qtbot.assertNotEmitted(dialog.submitted), qtbot.waitSignal(dialog.rejected):
        QTest.keyClick(dialog, Qt.Key.Key_Escape)


def test_a_certificate_is_trusted_after_a_comparison(
    qtbot: QtBot, window: QWidget, appearance: Appearance
) -> None:
    """The dialog shows the certificate; Return alone does not trust it."""
    dialog = CertificateDialog(appearance, "db.example", "issuer", (OWN, ISSUER), window)
    dialog.show_certificate(SAID)
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    assert {OWN.subject, OWN.issuer, "db.example, *.db.example"} <= set(texts)
    assert dialog._fingerprint.text().replace("\n", ":") == OWN.fingerprint
    with qtbot.assertNotEmitted(dialog.trusted):
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    dialog.compared.click()
    with qtbot.waitSignal(dialog.trusted) as trusted:
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert trusted.args == [PEM, False]


def test_the_authority_has_its_own_fingerprint(qtbot: QtBot, window: QWidget, appearance: Appearance) -> None:
    """Selecting the authority requires another comparison."""
    dialog = CertificateDialog(appearance, "db.example", "issuer", (OWN, ISSUER), window)
    dialog.show_certificate(SAID)
    dialog.compared.click()
    dialog.its_authority.click()
    assert not dialog.compared.isChecked()
    assert dialog._fingerprint.text().replace("\n", ":") == ISSUER.fingerprint
    dialog.compared.click()
    with qtbot.waitSignal(dialog.trusted) as trusted:
        dialog.accept_button.click()
    assert trusted.args == [AUTHORITY_PEM, True]


EXPIRED = replace(OWN, valid_until=datetime.now(UTC) - timedelta(hours=1))


HOPELESS: dict[CertificateProblem, Certificate] = {
    "expired": EXPIRED,
    "host_name": OWN,
    "revoked": OWN,
    "not_yet_valid": OWN,
    "issuer": EXPIRED,
}


def test_trust_is_offered_only_if_it_helps(window: QWidget, appearance: Appearance) -> None:
    """Otherwise the dialog shows the certificate and advice."""
    for problem, own in HOPELESS.items():
        dialog = CertificateDialog(appearance, "db.example", problem, (own, ISSUER), window)
        dialog.show_certificate(fault_message(f"certificate.{problem}", {"host": "db.example"}))
        assert not dialog.accept_button.isVisible(), problem
        assert not dialog.compared.isVisible(), problem
        assert dialog._warning.isVisible() is (own is EXPIRED), problem
        assert dialog.cancel_button.text() == "Close"


def test_an_authority_is_not_offered_for_another_host(window: QWidget, appearance: Appearance) -> None:
    """An authority vouches for host names; the certificate itself may still be trusted."""
    dialog = CertificateDialog(appearance, "10.0.0.1", "issuer", (OWN, ISSUER), window)
    dialog.show_certificate(SAID)
    assert not dialog.its_authority.isVisible()
    assert "does not name 10.0.0.1" in dialog._warning.text()
    assert dialog.compared.isVisible()


def _button(dialog: QWidget, name: str) -> QAbstractButton:
    return child_of(dialog, QAbstractButton, name)
