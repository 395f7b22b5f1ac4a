"""Tests of proxies and certificates over real sockets."""

import asyncio
import gc
import logging
import socket
import ssl
import traceback
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import httpx
import pytest

from cdb_desktop.client import (
    NO_PROXY,
    CertificateError,
    Client,
    ClientCertificate,
    ClientCertificateError,
    NetworkOptions,
    NetworkOptionsError,
    ProxyLogin,
    ProxyLoginError,
    UnreachableError,
    check_options,
    fetch_certificates,
    proxy_for,
)
from cdb_desktop.client.transport import _Route
from tests.desktop.client.canned_service import Canned, CannedService
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

CONFIG = "GET /api/v1/config/list"
LOGIN = ProxyLogin(USER, PROXY_PASSWORD)
WRONG = ProxyLogin(USER, "swordfish-wrong")
SECRETS = ("swordfish", "YW5uYTpzd29yZGZpc2g")  # the second as Basic authentication sends it


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """An authority and its certificates."""
    return Certificates(tmp_path_factory.mktemp("certificates"))


async def test_a_configured_proxy_forwards_calls(service: CannedService) -> None:
    """It is used with user name and password, for a service without TLS."""
    service.prepare(CONFIG, Canned({"a": 1}))
    async with forward_proxy(service.url) as proxy:
        options = NetworkOptions(proxy.url, LOGIN)
        async with Client(f"http://{HOST}", network=options) as client:
            assert await client.config() == {"a": 1}
    assert proxy.request_lines[0].startswith(f"GET http://{HOST}/api/v1/config/list")


async def test_a_tunnel_connects_to_a_service_with_tls(certificates: Certificates) -> None:
    """The proxy sees the host only; the certificate is checked through the tunnel."""
    async with tls_service(certificates.context()) as service, forward_proxy(service.url) as proxy:
        options = NetworkOptions(proxy.url, LOGIN, authority=certificates.file("ca.pem"))
        async with Client(f"https://{HOST}", network=options) as client:
            assert await client.config() == {}
            assert await client.config() == {}
    assert proxy.request_lines == [f"CONNECT {HOST}:443 HTTP/1.1"]


async def test_a_proxy_may_use_tls_itself(certificates: Certificates) -> None:
    """The same authorities apply; an untrusted certificate of the proxy is reported as the proxy's."""
    context = certificates.context("127.0.0.1")
    async with tls_service(certificates.context()) as service, forward_proxy(service.url, context) as proxy:
        options = NetworkOptions(proxy.url, LOGIN, authority=certificates.file("ca.pem"))
        async with Client(f"https://{HOST}", network=options) as client:
            assert await client.config() == {}
        async with Client(f"https://{HOST}", network=NetworkOptions(proxy.url, LOGIN)) as client:
            with pytest.raises(UnreachableError) as caught:
                await client.config()
    assert caught.value.kind == "proxy"
    assert "certificate verify failed" in caught.value.reason


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("login", [None, WRONG])
async def test_a_proxy_requires_a_login(
    certificates: Certificates, scheme: str, login: ProxyLogin | None
) -> None:
    """The error has its own type, also for a tunnel, and states whether a login was refused."""
    async with (
        forward_proxy("http://127.0.0.1:1") as proxy,
        Client(f"{scheme}://{HOST}", network=NetworkOptions(proxy.url, login)) as client,
    ):
        with pytest.raises(ProxyLoginError) as caught:
            await client.config()
    error = caught.value
    assert (error.proxy, error.is_refused, error.methods) == (proxy.url, login is not None, ("basic",))
    assert (error.kind, error.status, error.is_possible) == ("proxy", 407, True)


@pytest.mark.parametrize(
    ("methods", "possible"),
    [
        (("Negotiate", "NTLM"), False),
        (("Negotiate", 'Basic realm="a, b"'), True),
        (('Negotiate, Basic realm="x"',), True),
        (('Digest realm="Basic"',), False),
        ((), True),
    ],
)
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_names_its_methods(methods: tuple[str, ...], scheme: str, *, possible: bool) -> None:
    """No login is requested if none of the methods is supported."""
    async with forward_proxy("http://127.0.0.1:1") as proxy:
        proxy.methods = methods
        async with Client(f"{scheme}://{HOST}", network=NetworkOptions(proxy.url)) as client:
            with pytest.raises(ProxyLoginError) as caught:
                await client.config()
    assert caught.value.is_possible is possible


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_the_login_of_the_proxy_is_requested(
    certificates: Certificates, service: CannedService, scheme: str
) -> None:
    """It is requested until it is accepted; then the call is repeated, and later calls use it."""
    answers = [WRONG, LOGIN]
    refused: list[bool] = []

    async def ask(error: ProxyLoginError) -> ProxyLogin:
        refused.append(error.is_refused)
        return answers.pop(0)

    service.prepare(CONFIG, Canned({}), Canned({}))
    async with (
        tls_service(certificates.context()) as secure,
        forward_proxy(secure.url if scheme == "https" else service.url) as proxy,
        Client(
            f"{scheme}://{HOST}", network=NetworkOptions(proxy.url, authority=certificates.file("ca.pem"))
        ) as client,
    ):
        client.proxy_login_with(ask)
        assert await client.config() == {}
        assert await client.config() == {}
    assert refused == [False, True]


async def test_without_a_login_the_call_fails() -> None:
    """The callback may raise the error."""

    async def ask(error: ProxyLoginError) -> ProxyLogin:
        raise error

    async with (
        forward_proxy("http://127.0.0.1:1") as proxy,
        Client(f"http://{HOST}", network=NetworkOptions(proxy.url)) as client,
    ):
        client.proxy_login_with(ask)
        with pytest.raises(ProxyLoginError):
            await client.config()


async def test_a_407_of_the_service_is_not_treated_as_the_proxys(service: CannedService) -> None:
    """Without a configured proxy the status is reported unchanged."""
    service.prepare(CONFIG, Canned(b"", 407))
    async with Client(service.url) as client:
        with pytest.raises(UnreachableError) as caught:
            await client.config()
    assert not isinstance(caught.value, ProxyLoginError)


async def test_the_user_of_the_environments_proxy_is_sent(service: CannedService) -> None:
    """A refused user is reported, without the password."""
    service.prepare(CONFIG, Canned({"a": 1}), Canned({"a": 2}))
    async with forward_proxy(service.url) as proxy:
        with environment_proxy(proxy.url.replace("://", f"://{USER}:{PROXY_PASSWORD}@")):
            async with Client(f"http://{HOST}") as client:
                assert await client.config() == {"a": 1}
        with environment_proxy(proxy.url.replace("://", "://me:swordfish-old@")):
            async with Client(f"http://{HOST}") as client:
                with pytest.raises(ProxyLoginError) as caught:
                    await client.config()
            assert (caught.value.proxy, caught.value.is_refused) == (proxy.url, True)
            async with Client(f"http://{HOST}", network=NetworkOptions(proxy_login=LOGIN)) as client:
                assert await client.config() == {"a": 2}


@pytest.mark.parametrize(
    ("url", "options", "exceptions", "expected"),
    [
        (f"http://{HOST}", NetworkOptions(), "", "http://proxy.example:3128"),
        (f"https://{HOST}", NetworkOptions(), "", "http://proxy.example:3128"),
        (f"https://{HOST}", NetworkOptions(NO_PROXY), "", ""),
        (f"https://{HOST}", NetworkOptions("https://other.example"), "*", "https://other.example"),
        ("http://localhost:8040", NetworkOptions(), "", ""),
        ("http://127.0.0.1:8040", NetworkOptions("http://other.example:1"), "", ""),
        ("https://[::1]", NetworkOptions("http://other.example:1"), "", ""),
        (f"https://{HOST}", NetworkOptions(), "example", ""),
        (f"https://{HOST}:8443", NetworkOptions(), f"{HOST}:8443", ""),
        (f"https://{HOST}:8443", NetworkOptions(), f"{HOST}:8444", "http://proxy.example:3128"),
        ("https://10.1.2.3", NetworkOptions(), "a.example, 10.0.0.0/8", ""),
        ("https://11.1.2.3", NetworkOptions(), "10.0.0.0/8, fe80::/10", "http://proxy.example:3128"),
    ],
)
def test_which_proxy_is_used(url: str, options: NetworkOptions, exceptions: str, expected: str) -> None:
    """The environment's with its exceptions, the configured one, or none; always none for this machine."""
    with environment_proxy("proxy.example:3128", exceptions):
        assert proxy_for(url, options) == expected


@pytest.mark.parametrize("address", ["proxy.example:3128", "socks5://proxy.example", "http://", "http://a:x"])
def test_the_address_of_a_proxy_is_checked(address: str) -> None:
    """The address is checked before any request."""
    with pytest.raises(NetworkOptionsError) as caught:
        Client(f"http://{HOST}", network=NetworkOptions(address))
    assert (caught.value.option, caught.value.problem) == ("proxy", "address")


async def test_a_configured_authority_is_trusted_besides_the_systems(certificates: Certificates) -> None:
    """Without it the issuer is unknown."""
    async with tls_service(certificates.context()) as service:
        async with Client(
            service.url, network=NetworkOptions(authority=certificates.file("ca.pem"))
        ) as client:
            assert await client.config() == {}
        async with Client(service.url) as client:
            with pytest.raises(CertificateError) as caught:
                await client.config()
        assert len(service.requests) == 1
    assert (caught.value.kind, caught.value.problem) == ("tls", "issuer")
    options = NetworkOptions(authority=certificates.file("ca.pem"))
    own, system = (_Route(httpx.URL(service.url), one).context for one in (options, NetworkOptions()))
    counts = [vars(one)["_ctx"].cert_store_stats()["x509_ca"] for one in (own, system)]
    assert counts[0] == counts[1] + 1 > 2


async def test_the_reason_for_refusing_a_certificate(certificates: Certificates) -> None:
    """The certificate has expired, or is for another host."""
    network = NetworkOptions(authority=certificates.file("ca.pem"))
    problems = []
    yesterday = datetime.now(UTC) - timedelta(days=1)
    for context in (
        certificates.context(until=yesterday),
        certificates.context("other.example"),
        certificates.context("127.0.0.2"),
    ):
        async with tls_service(context) as service, Client(service.url, network=network) as client:
            with pytest.raises(CertificateError) as caught:
                await client.config()
            problems.append(caught.value.problem)
            assert service.requests == []
    assert problems == ["expired", "host_name", "host_name"]


@pytest.mark.parametrize("behind_proxy", [False, True])
async def test_a_certificate_can_be_fetched(certificates: Certificates, *, behind_proxy: bool) -> None:
    """Nothing is sent to a service that is not trusted, and the connection is closed."""
    async with (
        tls_service(certificates.context(sends_authority=True)) as service,
        forward_proxy(service.url) as proxy,
    ):
        url, options = (
            (f"https://{HOST}", NetworkOptions(proxy.url, LOGIN)) if behind_proxy else (service.url, None)
        )
        own, authority = await fetch_certificates(url, options)
        assert service.requests == []
        assert bool(proxy.request_lines) is behind_proxy
    assert "CN=Museum" in own.subject
    assert own.issuer == authority.subject == authority.issuer
    assert "O=Museum authority" in own.issuer
    assert own.host_names == ("127.0.0.1", HOST)
    assert (own.is_authority, authority.is_authority) == (False, True)
    assert own.names(HOST)
    assert not own.names("other.example")
    assert own.valid_from is not None
    assert own.valid_until is not None
    assert own.valid_from < datetime.now(UTC) < own.valid_until
    assert len(own.fingerprint) == 32 * 3 - 1
    assert authority.pem == certificates.authority.cert_pem.bytes().decode()


async def test_fetching_a_certificate_behind_a_proxy_that_requires_a_login(
    certificates: Certificates,
) -> None:
    """The error is the same as for any call; so is that of an unreachable service."""
    async with forward_proxy("http://127.0.0.1:1") as proxy:
        with pytest.raises(ProxyLoginError):
            await fetch_certificates(f"https://{HOST}", NetworkOptions(proxy.url))
    with pytest.raises(UnreachableError) as caught:
        await fetch_certificates("https://127.0.0.1:1")
    assert caught.value.kind == "refused"


async def test_only_the_trusted_certificate_is_accepted(certificates: Certificates) -> None:
    """It is accepted for any host; another one is refused, even from a known authority."""
    async with tls_service(certificates.context("elsewhere.example")) as service:
        (own,) = await fetch_certificates(service.url)
        network = NetworkOptions(trusted_certificate=own.pem, authority=certificates.file("ca.pem"))
        async with Client(service.url, network=network) as client:
            assert await client.config() == {}
    for context in (certificates.context(), certificates.context("elsewhere.example")):
        async with tls_service(context) as service, Client(service.url, network=network) as client:
            with pytest.raises(CertificateError) as caught:
                await client.config()
        assert caught.value.problem == "changed"


async def test_a_trusted_authority_is_accepted_for_its_hosts_only(certificates: Certificates) -> None:
    """Another certificate of it is accepted, but not for another host."""
    async with tls_service(certificates.context(sends_authority=True)) as service:
        _own, authority = await fetch_certificates(service.url)
    network = NetworkOptions(trusted_authority=authority.pem)
    async with tls_service(certificates.context()) as service, Client(service.url, network=network) as client:
        assert await client.config() == {}
    context = certificates.context("other.example")
    async with tls_service(context) as service, Client(service.url, network=network) as client:
        with pytest.raises(CertificateError) as caught:
            await client.config()
    assert caught.value.problem == "host_name"


@pytest.mark.parametrize("newest", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize(
    ("file", "key", "passphrase"),
    [("both.pem", "", ""), ("client.pem", "key.pem", ""), ("client.pem", "locked.pem", PASSPHRASE)],
)
async def test_a_client_certificate_is_sent(
    certificates: Certificates, file: str, key: str, passphrase: str, newest: ssl.TLSVersion
) -> None:
    """It is in one file or two, with or without a passphrase."""
    certificate = ClientCertificate(certificates.file(file), key and certificates.file(key), passphrase)
    network = NetworkOptions(authority=certificates.file("ca.pem"), certificate=certificate)
    context = certificates.context(wants_client=True, newest=newest)
    async with tls_service(context) as service, Client(service.url, network=network) as client:
        assert await client.config() == {}


@pytest.mark.parametrize("file", ["", "stranger.pem"])
async def test_a_service_requires_another_client_certificate(certificates: Certificates, file: str) -> None:
    """The error has its own type, and states whether a certificate was sent."""
    certificate = ClientCertificate(certificates.file(file)) if file else None
    network = NetworkOptions(authority=certificates.file("ca.pem"), certificate=certificate)
    with strict_tls_service(certificates.context(wants_client=True)) as url:
        async with Client(url, network=network) as client:
            with pytest.raises(ClientCertificateError) as caught:
                await client.config()
    assert caught.value.is_refused is bool(file)
    assert caught.value.kind == "tls"


async def test_a_gateway_requires_a_client_certificate(
    certificates: Certificates, service: CannedService
) -> None:
    """nginx accepts the connection and answers 400 with its own page."""
    page = b"<html><head><title>400 No required SSL certificate was sent</title></head></html>"
    service.prepare(CONFIG, Canned(page, 400, headers={"content-type": "text/html"}))
    async with Client(service.url) as client:
        with pytest.raises(ClientCertificateError) as caught:
            await client.config()
    assert not caught.value.is_refused


UNUSABLE = (
    ("missing.pem", "", "", "certificate", "missing"),
    (".", "", "", "certificate", "unreadable"),
    ("letter.txt", "", "", "certificate", "not_pem"),
    ("client.p12", "", "", "certificate", "pkcs12"),
    ("key.pem", "", "", "certificate", "not_pem"),
    ("client.pem", "", "", "key", "no_key"),
    ("client.pem", "missing.pem", "", "key", "missing"),
    ("client.pem", "letter.txt", "", "key", "not_pem"),
    ("client.pem", "other-key.pem", "", "key", "mismatch"),
    ("client.pem", "locked.pem", "", "passphrase", "missing"),
    ("client.pem", "locked.pem", "swordfish", "passphrase", "wrong"),
    ("client.pem", "locked.pem", "x" * 2000, "passphrase", "wrong"),
)


@pytest.mark.parametrize(("file", "key", "passphrase", "option", "problem"), UNUSABLE)
def test_a_client_certificate_is_checked(
    certificates: Certificates, file: str, key: str, passphrase: str, option: str, problem: str
) -> None:
    """The error names the option and the problem, and contains no passphrase."""
    certificate = ClientCertificate(certificates.file(file), key and certificates.file(key), passphrase)
    with pytest.raises(NetworkOptionsError) as caught:
        check_options(NetworkOptions(certificate=certificate))
    assert (caught.value.option, caught.value.problem) == (option, problem)
    assert_clean("".join(traceback.format_exception(caught.value)))


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        ("missing.pem", "missing"),
        ("letter.txt", "not_pem"),
        ("key.pem", "not_pem"),
        ("client.pem", "no_authority"),
    ],
)
def test_an_authority_is_checked(certificates: Certificates, file: str, problem: str) -> None:
    """The file is checked before any request."""
    with pytest.raises(NetworkOptionsError) as caught:
        Client(f"https://{HOST}", network=NetworkOptions(authority=certificates.file(file)))
    assert (caught.value.option, caught.value.problem) == ("authority", problem)


def test_files_of_an_authority_have_several_forms(certificates: Certificates, tmp_path: Path) -> None:
    """The file may be DER, or PEM with other text before it."""
    pem = certificates.authority.cert_pem.bytes()
    with_text, binary = tmp_path / "text.pem", tmp_path / "binary.cer"
    with_text.write_bytes("Zertifizierungsstelle für Geräte\n".encode() + pem)
    binary.write_bytes(ssl.PEM_cert_to_DER_cert(pem.decode()))
    for file in (with_text, binary):
        check_options(NetworkOptions(authority=str(file)))


async def test_no_secret_is_revealed(certificates: Certificates, caplog: pytest.LogCaptureFixture) -> None:
    """Neither debug logs nor errors nor representations contain one."""
    for name in ("", "httpx", "httpcore", "cdb_desktop"):
        caplog.set_level(logging.DEBUG, logger=name)
    certificate = ClientCertificate(
        certificates.file("client.pem"), certificates.file("locked.pem"), PASSPHRASE
    )
    texts: list[str] = []
    async with tls_service(certificates.context(wants_client=True)) as service:
        for password in (PROXY_PASSWORD, "other"):
            async with forward_proxy(service.url, password=password) as proxy:
                options = NetworkOptions(proxy.url, LOGIN, certificate, certificates.file("ca.pem"))
                for scheme in ("http", "https"):
                    async with Client(f"{scheme}://{HOST}", network=options, timeout=5.0) as client:
                        texts.append(f"{options!r} {client!r} {vars(client)} {vars(client._transport)}")
                        texts.append(f"{vars(client._transport._route)}")
                        try:
                            await client.config()
                        except Exception as error:  # noqa: BLE001
                            texts += [repr(error), *traceback.format_exception(error), repr(vars(error))]
    assert any("407" in one for one in texts)
    assert "httpcore" in caplog.text
    assert_clean("\n".join((*texts, caplog.text)))


def assert_clean(text: str) -> None:
    assert not [secret for secret in SECRETS if secret in text]


@pytest.mark.parametrize("is_secure", [False, True])
async def test_no_connection_is_forgotten(certificates: Certificates, *, is_secure: bool) -> None:
    """Calls and the closing of the client are cancelled at any moment, after which no socket is open."""
    random = Random(1)
    before = open_sockets()
    async with tls_service(certificates.context() if is_secure else None) as service:
        for _ in range(4):
            client = Client(service.url, network=NetworkOptions(authority=certificates.file("ca.pem")))
            for _ in range(4):
                await asyncio.gather(*(cancelled_call(client, random) for _ in range(25)))
            closing = asyncio.create_task(client.close())
            await steps(random.randint(1, 4))
            closing.cancel()
            await asyncio.wait([closing])
    assert not open_sockets() - before


async def cancelled_call(client: Client, random: Random) -> None:
    call = asyncio.create_task(client.config())
    # The second time while the first cancels what httpcore does at the end of a call.
    for longest in (60, 4):
        await steps(random.randrange(longest))
        call.cancel()
    await asyncio.wait([call])


async def steps(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def open_sockets() -> set[socket.socket]:
    found = (one for one in gc.get_objects() if isinstance(one, socket.socket))
    return {one for one in found if one.type == socket.SOCK_STREAM and one.fileno() >= 0}
