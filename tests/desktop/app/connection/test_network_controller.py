"""Tests of a real window in a corporate network: proxies, client certificates, private authorities."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QLabel, QWidget

from cdb_desktop.app.options import Options
from cdb_desktop.ui.connection.dialogs import CertificateDialog, ProxyDialog
from cdb_desktop.ui.connection.profile import ConnectionProfile, NetworkSettings
from cdb_desktop.ui.widgets.labels import Hint
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.app.services import MemoryKeyring
from tests.desktop.client.networks import (
    HOST,
    PASSPHRASE,
    PROXY_PASSWORD,
    USER,
    Certificates,
    environment_proxy,
    forward_proxy,
    strict_tls_service,
    tls_service,
)
from tests.desktop.patience import until
from tests.desktop.ui.finding import awaited_child, child_of
from tests.server import serving

_OPTIONS = ("--demo", "--demo-events", "200", "--allow-host", HOST)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """An authority and its certificates; server.pem with server-key.pem includes the authority's."""
    certificates = Certificates(tmp_path_factory.mktemp("certificates"))
    issued = certificates.authority.issue_cert(HOST, common_name="Museum")
    issued.cert_chain_pems[0].write_to_path(certificates.folder / "server.pem")
    certificates.authority.cert_pem.write_to_path(certificates.folder / "server.pem", append=True)
    issued.private_key_pem.write_to_path(certificates.folder / "server-key.pem")
    return certificates


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a reference server that may be called HOST."""
    with serving(tmp_path_factory.mktemp("plain") / "demo.sqlite", *_OPTIONS) as url:
        yield url


@pytest.fixture(scope="module")
def tls_server(certificates: Certificates, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a reference server that uses TLS as HOST."""
    options = (*_OPTIONS, "--tls-cert", certificates.file("server.pem"))
    file = tmp_path_factory.mktemp("tls") / "demo.sqlite"
    with serving(file, *options, "--tls-key", certificates.file("server-key.pem")) as url:
        yield url


def proxy_dialog(app: AppWindow) -> ProxyDialog | None:
    return next((one for one in app.window.findChildren(ProxyDialog) if one.isVisible()), None)


async def certificate_dialog(app: AppWindow) -> CertificateDialog:
    await until(lambda: any(one.isVisible() for one in app.window.findChildren(CertificateDialog)))
    return next(one for one in app.window.findChildren(CertificateDialog) if one.isVisible())


def click(widget: QWidget, name: str) -> None:
    button = child_of(widget, QAbstractButton, name)
    assert button.isVisible()
    button.click()


async def sign_in(app: AppWindow, user: str, password: str) -> None:
    await until(lambda: proxy_dialog(app))
    dialog = proxy_dialog(app)
    assert dialog is not None
    dialog.user.setText(user)
    QTest.keyClicks(dialog.password, password)
    dialog.accept_button.click()
    await until(lambda: not dialog.isVisible() or proxy_dialog(app) is not dialog)


async def test_the_window_asks_for_the_login_of_a_proxy(
    open_app: OpenApp,
    server: str,
    keys: MemoryKeyring,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The dialog opens again after a wrong password; the right one is stored in the keyring only."""
    caplog.set_level(logging.DEBUG)
    async with forward_proxy(server) as proxy:
        with environment_proxy(proxy.url):
            async with open_app() as app:
                app.controller.start(Options(server=f"http://{HOST}", login="root", password="admin"))
                await sign_in(app, USER, "swordfish-wrong")
                await until(lambda: (dialog := proxy_dialog(app)) is not None and dialog.fault)
                await sign_in(app, USER, PROXY_PASSWORD)
                await until(lambda: app.opened)
                name = ("cdb-desktop", f"proxy:{proxy.url}")
                await until(lambda: name in keys.passwords)
                assert keys.passwords[name] == f'["{USER}","{PROXY_PASSWORD}"]'
            async with open_app() as app:
                app.controller.start(Options(server=f"http://{HOST}", login="root", password="admin"))
                await until(lambda: app.opened)
                assert proxy_dialog(app) is None
    text = caplog.text + (tmp_path / "connections.json").read_text()
    assert HOST in text
    assert "swordfish" not in text


async def test_the_login_of_a_proxy_can_be_deleted(
    open_app: OpenApp, server: str, keys: MemoryKeyring
) -> None:
    """The Network section and the settings show the user, and delete the login from keyring and memory."""
    async with forward_proxy(server) as proxy, open_app() as app:
        entry = ConnectionProfile(f"http://{HOST}", "root", network=NetworkSettings("address", proxy.url))
        name = ("cdb-desktop", f"proxy:{proxy.url}")
        app.controller.open_profile(entry, "admin")
        await sign_in(app, USER, PROXY_PASSWORD)
        await until(lambda: app.opened and name in keys.passwords)
        app.window.start.choices.changed.emit(entry)
        fields = app.connection_dialog.form.network
        line = child_of(fields, Hint, "connection.dialog.proxy_login")
        await until(lambda: USER in line.text())
        fields.header.click()
        assert line.isVisible()
        click(app.connection_dialog, "connection.dialog.proxy_login.forget")
        assert not line.isVisible()
        await until(lambda: name not in keys.passwords)
        app.connection_dialog.reject()
        app.controller.open_profile(entry, "admin")
        await sign_in(app, USER, PROXY_PASSWORD)
        await until(lambda: len(app.opened) == 2 and name in keys.passwords)
        app.window.actions_by_name["settings"].setChecked(True)
        page = app.window.offline_pages.settings
        button = f"settings.proxy.{proxy.url}"
        await until(lambda: page.findChild(QAbstractButton, button))
        assert USER in {label.text() for label in page.proxies.findChildren(QLabel)}
        click(page, button)
        await until(lambda: name not in keys.passwords)
        await until(lambda: not page.findChild(QAbstractButton, button))
        app.controller.open_profile(entry, "admin")
        await until(lambda: proxy_dialog(app))


async def test_closing_the_proxy_dialog_ends_the_attempt(open_app: OpenApp, server: str) -> None:
    """The page shows the reason; trying again opens it again. Cancelling closes it and reports nothing."""
    async with forward_proxy(server) as proxy, open_app() as app:
        entry = ConnectionProfile(f"http://{HOST}", "root", network=NetworkSettings("address", proxy.url))
        app.controller.open_profile(entry, "admin")
        await until(lambda: proxy_dialog(app))
        dialog = proxy_dialog(app)
        assert dialog is not None
        dialog.reject()
        await until(lambda: app.failed)
        assert app.window.start.failure == app.failed[0]
        assert proxy.url in app.failed[0].text
        app.window.start.again_requested.emit()
        await until(lambda: proxy_dialog(app))
        app.window.start.back_requested.emit()
        await until(lambda: not proxy_dialog(app))
        assert len(app.failed) == 1
        app.controller.open_profile(entry, "admin")
        await sign_in(app, USER, PROXY_PASSWORD)
        await until(lambda: app.opened)


async def test_a_proxy_that_requires_a_new_login_is_answered_while_connected(
    open_app: OpenApp, server: str
) -> None:
    """All calls wait for one dialog; if it is closed, the action for signing in opens it again."""
    async with forward_proxy(server, password="") as proxy, open_app() as app:
        entry = ConnectionProfile(f"http://{HOST}", "root", network=NetworkSettings("address", proxy.url))
        app.controller.open_profile(entry, "admin")
        await until(lambda: app.opened)
        proxy.password = PROXY_PASSWORD
        await until(lambda: proxy_dialog(app), 20)
        dialog = proxy_dialog(app)
        assert dialog is not None
        dialog.reject()
        await until(app.window.notice.isVisible)
        assert "Proxy requires sign-in" in app.window.notice.title
        action = app.window.actions_by_name["sign_in"]
        assert action.isEnabled()
        action.trigger()
        await sign_in(app, USER, PROXY_PASSWORD)
        await until(lambda: not action.isEnabled())
        assert (await app.client.config()) is not None


async def test_an_unknown_issuer_is_trusted_after_confirmation(
    open_app: OpenApp, tls_server: str, keys: MemoryKeyring, certificates: Certificates
) -> None:
    """The page shows the certificate; once it is confirmed it is stored with the connection."""
    async with forward_proxy(tls_server, password="") as proxy:
        network = NetworkSettings("address", proxy.url)
        async with open_app() as app:
            app.controller.open_profile(
                ConnectionProfile(f"https://{HOST}", "root", network=network), "admin"
            )
            await until(lambda: app.failed)
            assert "unknown issuer" in app.failed[0].title
            app.window.start.certificate_requested.emit()
            dialog = await certificate_dialog(app)
            assert dialog.its_authority.isVisible()
            dialog.compared.click()
            dialog.accept_button.click()
            await until(lambda: app.opened)
            (profile,) = app.context.store.file.profiles
            own = (certificates.folder / "server.pem").read_text().split("-----END CERTIFICATE-----")[0]
            assert profile.network.trusted_certificate.startswith(own.strip())
            assert profile.network.trusted_authority == ""
        async with open_app() as app:
            keys.set_password("cdb-desktop", f"root@https://{HOST}", "admin")
            app.controller.start(Options())
            await until(lambda: app.opened)


async def test_the_dialog_shows_the_certificate_too(
    open_app: OpenApp, tls_server: str, certificates: Certificates
) -> None:
    """Instead of trusting it, the user chooses the file of the authority, and the attempt is repeated."""
    async with forward_proxy(tls_server, password="") as proxy, open_app() as app:
        app.window.actions_by_name["connect"].trigger()
        form = app.connection_dialog.form
        form.show_profile(
            ConnectionProfile(f"https://{HOST}", "root", network=NetworkSettings("address", proxy.url))
        )
        QTest.keyClicks(form.password, "admin")
        click(app.connection_dialog, "connection.dialog.connect")
        await until(lambda: app.failed)
        assert "unknown issuer" in form.hint("address").text()
        click(app.connection_dialog, "connection.dialog.certificate.show")
        dialog = await certificate_dialog(app)
        button = next(one for one in dialog.findChildren(QAbstractButton) if "authority &file" in one.text())
        button.click()
        file_dialog = await awaited_child(app.connection_dialog, QFileDialog)
        file_dialog.fileSelected.emit(certificates.file("ca.pem"))
        file_dialog.close()
        assert app.connection_dialog.form.network.is_expanded
        click(app.connection_dialog, "connection.dialog.connect")
        await until(lambda: app.opened)
        assert app.context.store.file.profiles[0].network.authority == certificates.file("ca.pem")


async def test_a_certificate_is_trusted_from_the_dialog(open_app: OpenApp, tls_server: str) -> None:
    """The interrupted action continues by itself: here a test of the connection."""
    async with forward_proxy(tls_server, password="") as proxy, open_app() as app:
        app.window.actions_by_name["connect"].trigger()
        app.connection_dialog.form.show_profile(
            ConnectionProfile(f"https://{HOST}", network=NetworkSettings("address", proxy.url))
        )
        click(app.connection_dialog, "connection.dialog.test")
        await until(app.connection_dialog.show_certificate.isVisible)
        click(app.connection_dialog, "connection.dialog.certificate.show")
        dialog = await certificate_dialog(app)
        dialog.its_authority.click()
        dialog.compared.click()
        dialog.accept_button.click()
        await until(lambda: "responds." in app.connection_dialog.outcome.text())
        assert app.connection_dialog.form.entered.profile.network.trusted_authority


async def test_files_are_checked_when_they_are_entered(open_app: OpenApp, certificates: Certificates) -> None:
    """The error is shown at the field with its remedy, before any request."""
    cases = (
        ("letter.txt", "", "", "certificate", "danger", "holds no certificate"),
        ("client.p12", "", "", "certificate", "danger", "openssl pkcs12"),
        ("client.pem", "", "", "key", "muted", "Choose the file with the key"),
        ("client.pem", "other-key.pem", "", "key", "danger", "does not match"),
        ("client.pem", "locked.pem", "", "passphrase", "muted", "Passphrase is missing"),
        ("client.pem", "locked.pem", "wrong", "passphrase", "danger", "Passphrase is wrong"),
    )
    async with open_app() as app:
        app.window.actions_by_name["connect"].trigger()
        fields = app.connection_dialog.form.network
        for file, key, passphrase, field, tone, message in cases:
            fields.show_network(NetworkSettings())
            fields.header.click()
            QTest.keyClicks(fields.lines["certificate"], certificates.file(file))
            QTest.keyClicks(fields.lines["key"], key and certificates.file(key))
            QTest.keyClicks(fields.lines["passphrase"], passphrase)
            fields.finished.emit()
            await until(lambda field=field, message=message: message in fields.hint(field).text())  # type: ignore[misc]
            assert fields.hint(field).tone == tone


async def test_a_passphrase_is_requested_and_stored(
    open_app: OpenApp, tls_server: str, keys: MemoryKeyring, certificates: Certificates
) -> None:
    """It is entered at its field and stored in the keyring, not in a file."""
    async with forward_proxy(tls_server, password="") as proxy:
        network = NetworkSettings(
            "address",
            proxy.url,
            certificates.file("client.pem"),
            certificates.file("locked.pem"),
            certificates.file("ca.pem"),
        )
        entry = ConnectionProfile(f"https://{HOST}", "root", network=network)
        keys.set_password("cdb-desktop", entry.key, "admin")
        async with open_app() as app:
            app.controller.open_profile(entry)
            await until(lambda: app.failed)
            assert "Passphrase is missing" in app.connection_dialog.form.hint("passphrase").text()
            await until(lambda: app.connection_dialog.form.is_complete)
            QTest.keyClicks(app.connection_dialog.form.network.lines["passphrase"], PASSPHRASE)
            click(app.connection_dialog, "connection.dialog.connect")
            await until(lambda: app.opened)
            await until(lambda: ("cdb-desktop", entry.passphrase_key) in keys.passwords)
            (profile,) = app.context.store.file.profiles
            assert profile == replace(entry, name=profile.name, used=profile.used)
        async with open_app() as app:
            app.controller.start(Options())
            await until(lambda: app.opened)
            app.window.start.choices.forgotten.emit(entry)
            await until(lambda: ("cdb-desktop", entry.passphrase_key) not in keys.passwords)


async def test_a_service_that_requires_a_client_certificate(
    open_app: OpenApp, certificates: Certificates
) -> None:
    """The dialog opens at the field."""
    with strict_tls_service(certificates.context("127.0.0.1", wants_client=True)) as url:
        async with open_app() as app:
            entry = ConnectionProfile(
                url, "root", network=NetworkSettings(authority=certificates.file("ca.pem"))
            )
            app.controller.open_profile(entry, "admin")
            await until(lambda: app.failed)
            assert app.connection_dialog.isVisible()
            assert "wants a client certificate" in app.connection_dialog.form.hint("certificate").text()


async def test_a_certificate_that_cannot_be_fetched(open_app: OpenApp, certificates: Certificates) -> None:
    """If the service has become unavailable, that is reported."""
    async with open_app() as app:
        async with tls_service(certificates.context("127.0.0.1")) as service:
            app.controller.open_profile(ConnectionProfile(service.url, "root"), "admin")
            await until(lambda: app.failed)
        app.window.start.certificate_requested.emit()
        await until(lambda: len(app.failed) == 2)
        assert app.failed[1].title == "Nobody answers at this address"
