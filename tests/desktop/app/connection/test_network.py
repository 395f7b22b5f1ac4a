"""Tests of a real window in a corporate network: proxies, client certificates, own authorities."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QWidget

from cdb_desktop.app.options import Options
from cdb_desktop.ui.connection.certificate_dialog import CertificateDialog
from cdb_desktop.ui.connection.hint import Hint
from cdb_desktop.ui.connection.profile import ConnectionProfile, NetworkSettings
from cdb_desktop.ui.connection.proxy_dialog import ProxyDialog
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
from tests.server import serving

_OPTIONS = ("--demo", "--demo-events", "200", "--allow-host", HOST)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """An authority and what it has issued; server.pem with server-key.pem bring the authority along."""
    made = Certificates(tmp_path_factory.mktemp("certificates"))
    issued = made.authority.issue_cert(HOST, common_name="Museum")
    issued.cert_chain_pems[0].write_to_path(made.folder / "server.pem")
    made.authority.cert_pem.write_to_path(made.folder / "server.pem", append=True)
    issued.private_key_pem.write_to_path(made.folder / "server-key.pem")
    return made


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a reference server that may be called HOST."""
    with serving(tmp_path_factory.mktemp("plain") / "demo.sqlite", *_OPTIONS) as url:
        yield url


@pytest.fixture(scope="module")
def tls_server(made: Certificates, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a reference server that speaks TLS as HOST."""
    options = (*_OPTIONS, "--tls-cert", made.file("server.pem"))
    file = tmp_path_factory.mktemp("tls") / "demo.sqlite"
    with serving(file, *options, "--tls-key", made.file("server-key.pem")) as url:
        yield url


def proxy_sheet(app: AppWindow) -> ProxyDialog | None:
    return next((one for one in app.window.findChildren(ProxyDialog) if one.isVisible()), None)


def certificate_sheet(app: AppWindow) -> CertificateDialog | None:
    return next((one for one in app.window.findChildren(CertificateDialog) if one.isVisible()), None)


def click(widget: QWidget, name: str) -> None:
    button = widget.findChild(QAbstractButton, name)
    assert isinstance(button, QAbstractButton)
    assert button.isVisible()
    button.click()


async def sign_in(app: AppWindow, user: str, password: str) -> None:
    await until(lambda: proxy_sheet(app))
    sheet = proxy_sheet(app)
    assert sheet is not None
    sheet.user.setText(user)
    QTest.keyClicks(sheet.password, password)
    sheet.accept_button.click()
    await until(lambda: not sheet.isVisible() or proxy_sheet(app) is not sheet)


async def test_the_window_asks_for_the_login_of_a_proxy(
    open_app: OpenApp,
    server: str,
    keys: MemoryKeyring,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """As often as it is wrong; it is kept in the keyring only, and not asked for again."""
    caplog.set_level(logging.DEBUG)
    async with forward_proxy(server) as proxy:
        with environment_proxy(proxy.url):
            async with open_app() as app:
                app.controller.start(Options(server=f"http://{HOST}", login="root", password="admin"))
                await sign_in(app, USER, "swordfish-wrong")
                await until(lambda: (sheet := proxy_sheet(app)) is not None and sheet.fault)
                await sign_in(app, USER, PROXY_PASSWORD)
                await until(lambda: app.opened)
                name = ("cdb-desktop", f"proxy:{proxy.url}")
                await until(lambda: name in keys.kept)
                assert keys.kept[name] == f'["{USER}","{PROXY_PASSWORD}"]'
            async with open_app() as app:
                app.controller.start(Options(server=f"http://{HOST}", login="root", password="admin"))
                await until(lambda: app.opened)
                assert proxy_sheet(app) is None
    told = caplog.text + (tmp_path / "connections.json").read_text()
    assert HOST in told
    assert "swordfish" not in told


async def test_the_login_of_a_proxy_can_be_forgotten(
    open_app: OpenApp, server: str, keys: MemoryKeyring
) -> None:
    """The section Network shows whose it is, and deletes it from the keyring and from memory."""
    async with forward_proxy(server) as proxy, open_app() as app:
        entry = ConnectionProfile(f"http://{HOST}", "root", network=NetworkSettings("address", proxy.url))
        app.controller.open_profile(entry, "admin")
        await sign_in(app, USER, PROXY_PASSWORD)
        name = ("cdb-desktop", f"proxy:{proxy.url}")
        await until(lambda: app.opened and name in keys.kept)
        app.window.start.choices.changed.emit(entry)
        fields = app.sheet.form.network
        line = fields.findChild(Hint, "connection.sheet.proxy_login")
        assert isinstance(line, Hint)
        await until(lambda: USER in line.text())
        fields.header.click()
        assert line.isVisible()
        click(app.sheet, "connection.sheet.proxy_login.forget")
        assert not line.isVisible()
        await until(lambda: name not in keys.kept)
        app.sheet.reject()
        app.controller.open_profile(entry, "admin")
        await until(lambda: proxy_sheet(app))


async def test_a_proxy_s_sheet_that_is_closed_ends_the_attempt(open_app: OpenApp, server: str) -> None:
    """The page says why; to try again asks again."""
    async with forward_proxy(server) as proxy, open_app() as app:
        entry = ConnectionProfile(f"http://{HOST}", "root", network=NetworkSettings("address", proxy.url))
        app.controller.open_profile(entry, "admin")
        await until(lambda: proxy_sheet(app))
        sheet = proxy_sheet(app)
        assert sheet is not None
        sheet.reject()
        await until(lambda: app.failed)
        assert app.window.start.failure == app.failed[0]
        assert proxy.url in app.failed[0].text
        app.window.start.again_requested.emit()
        await sign_in(app, USER, PROXY_PASSWORD)
        await until(lambda: app.opened)


async def test_nobody_is_asked_by_an_attempt_that_was_given_up(open_app: OpenApp, server: str) -> None:
    """Its sheet goes with it, and nothing is said."""
    async with forward_proxy(server) as proxy, open_app() as app:
        app.controller.open_profile(
            ConnectionProfile(f"http://{HOST}", "root", network=NetworkSettings("address", proxy.url)),
            "admin",
        )
        await until(lambda: proxy_sheet(app))
        app.window.start.back_requested.emit()
        await until(lambda: not proxy_sheet(app))
        assert app.failed == []


async def test_a_proxy_that_changes_its_mind_is_answered_in_the_connection(
    open_app: OpenApp, server: str
) -> None:
    """All calls wait for one sheet and go on; put off, the action for signing in brings it back."""
    async with forward_proxy(server, password="") as proxy, open_app() as app:
        entry = ConnectionProfile(f"http://{HOST}", "root", network=NetworkSettings("address", proxy.url))
        app.controller.open_profile(entry, "admin")
        await until(lambda: app.opened)
        proxy.password = PROXY_PASSWORD
        await until(lambda: proxy_sheet(app), 20)
        sheet = proxy_sheet(app)
        assert sheet is not None
        sheet.reject()
        await until(app.window.notice.isVisible)
        assert "Proxy requires sign-in" in app.window.notice.title
        action = app.window.actions_by_name["sign_in"]
        assert action.isEnabled()
        action.trigger()
        await sign_in(app, USER, PROXY_PASSWORD)
        await until(lambda: not action.isEnabled())
        assert (await app.client.config()) is not None


async def test_an_unknown_issuer_is_trusted_after_a_look(
    open_app: OpenApp, tls_server: str, keys: MemoryKeyring, made: Certificates
) -> None:
    """From the page: the certificate is shown, compared, and kept with the connection."""
    async with forward_proxy(tls_server, password="") as proxy:
        network = NetworkSettings("address", proxy.url)
        async with open_app() as app:
            app.controller.open_profile(
                ConnectionProfile(f"https://{HOST}", "root", network=network), "admin"
            )
            await until(lambda: app.failed)
            assert "unknown issuer" in app.failed[0].title
            app.window.start.certificate_requested.emit()
            await until(lambda: certificate_sheet(app))
            sheet = certificate_sheet(app)
            assert sheet is not None
            assert sheet.its_authority.isVisible()
            sheet.compared.click()
            sheet.accept_button.click()
            await until(lambda: app.opened)
            (known,) = app.context.store.file.profiles
            own = (made.folder / "server.pem").read_text().split("-----END CERTIFICATE-----")[0]
            assert known.network.trusted_certificate.startswith(own.strip())
            assert known.network.trusted_authority == ""
        async with open_app() as app:
            keys.set_password("cdb-desktop", f"root@https://{HOST}", "admin")
            app.controller.start(Options())
            await until(lambda: app.opened)


async def test_the_form_shows_the_certificate_too(
    open_app: OpenApp, tls_server: str, made: Certificates
) -> None:
    """Instead of trusting it, the file of the authority is chosen there; then it is tried again."""
    async with forward_proxy(tls_server, password="") as proxy, open_app() as app:
        app.window.actions_by_name["connect"].trigger()
        form = app.sheet.form
        form.show_profile(
            ConnectionProfile(f"https://{HOST}", "root", network=NetworkSettings("address", proxy.url))
        )
        QTest.keyClicks(form.password, "admin")
        click(app.sheet, "connection.sheet.connect")
        await until(lambda: app.failed)
        assert "unknown issuer" in form.hint("address").text()
        click(app.sheet, "connection.sheet.certificate.show")
        await until(lambda: certificate_sheet(app))
        sheet = certificate_sheet(app)
        assert sheet is not None
        button = next(one for one in sheet.findChildren(QAbstractButton) if "authority &file" in one.text())
        button.click()
        await until(lambda: app.sheet.findChild(QFileDialog))
        dialog = app.sheet.findChild(QFileDialog)
        assert dialog is not None
        dialog.fileSelected.emit(made.file("ca.pem"))
        dialog.close()
        assert app.sheet.form.network.is_expanded
        click(app.sheet, "connection.sheet.connect")
        await until(lambda: app.opened)
        assert app.context.store.file.profiles[0].network.authority == made.file("ca.pem")


async def test_a_certificate_is_trusted_from_the_form(open_app: OpenApp, tls_server: str) -> None:
    """What was to be done goes on by itself: here a test of the connection."""
    async with forward_proxy(tls_server, password="") as proxy, open_app() as app:
        app.window.actions_by_name["connect"].trigger()
        app.sheet.form.show_profile(
            ConnectionProfile(f"https://{HOST}", network=NetworkSettings("address", proxy.url))
        )
        click(app.sheet, "connection.sheet.test")
        await until(app.sheet.show_certificate.isVisible)
        click(app.sheet, "connection.sheet.certificate.show")
        await until(lambda: certificate_sheet(app))
        sheet = certificate_sheet(app)
        assert sheet is not None
        sheet.its_authority.click()
        sheet.compared.click()
        sheet.accept_button.click()
        await until(lambda: "responds." in app.sheet.outcome.text())
        assert app.sheet.form.entered.profile.network.trusted_authority


async def test_files_are_checked_as_they_are_named(open_app: OpenApp, made: Certificates) -> None:
    """The field is named with the remedy, before anything is sent."""
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
        fields = app.sheet.form.network
        for file, key, passphrase, place, tone, words in cases:
            fields.show_network(NetworkSettings())
            fields.header.click()
            QTest.keyClicks(fields.line("certificate"), made.file(file))
            QTest.keyClicks(fields.line("key"), key and made.file(key))
            QTest.keyClicks(fields.line("passphrase"), passphrase)
            fields.finished.emit()
            await until(lambda place=place, words=words: words in fields.hint(place).text())  # type: ignore[misc]
            assert fields.hint(place).tone == tone


async def test_a_passphrase_is_asked_for_and_remembered(
    open_app: OpenApp, tls_server: str, keys: MemoryKeyring, made: Certificates
) -> None:
    """In the form, at its field; then the keyring has it, and no file."""
    async with forward_proxy(tls_server, password="") as proxy:
        network = NetworkSettings(
            "address", proxy.url, made.file("client.pem"), made.file("locked.pem"), made.file("ca.pem")
        )
        entry = ConnectionProfile(f"https://{HOST}", "root", network=network)
        keys.set_password("cdb-desktop", entry.key, "admin")
        async with open_app() as app:
            app.controller.open_profile(entry)
            await until(lambda: app.failed)
            assert "Passphrase is missing" in app.sheet.form.hint("passphrase").text()
            await until(lambda: app.sheet.form.is_complete)
            QTest.keyClicks(app.sheet.form.network.line("passphrase"), PASSPHRASE)
            click(app.sheet, "connection.sheet.connect")
            await until(lambda: app.opened)
            await until(lambda: ("cdb-desktop", entry.passphrase_key) in keys.kept)
            (known,) = app.context.store.file.profiles
            assert known == replace(entry, name=known.name, used=known.used)
        async with open_app() as app:
            app.controller.start(Options())
            await until(lambda: app.opened)
            app.window.start.choices.forgotten.emit(entry)
            await until(lambda: ("cdb-desktop", entry.passphrase_key) not in keys.kept)


async def test_a_service_that_wants_a_client_certificate(open_app: OpenApp, made: Certificates) -> None:
    """The form opens at the field."""
    with strict_tls_service(made.context("127.0.0.1", wants_client=True)) as url:
        async with open_app() as app:
            entry = ConnectionProfile(url, "root", network=NetworkSettings(authority=made.file("ca.pem")))
            app.controller.open_profile(entry, "admin")
            await until(lambda: app.failed)
            assert app.sheet.isVisible()
            assert "wants a client certificate" in app.sheet.form.hint("certificate").text()


async def test_a_certificate_that_cannot_be_fetched(open_app: OpenApp, made: Certificates) -> None:
    """The service may be gone meanwhile: that is said then."""
    async with open_app() as app:
        async with tls_service(made.context("127.0.0.1")) as service:
            app.controller.open_profile(ConnectionProfile(service.url, "root"), "admin")
            await until(lambda: app.failed)
        app.window.start.certificate_requested.emit()
        await until(lambda: len(app.failed) == 2)
        assert app.failed[1].title == "Nobody answers at this address"
