"""Tests of the HTTP transport."""

import asyncio
import socket
import ssl
import subprocess
import sys
import time
from types import SimpleNamespace

import httpx
import pytest
import truststore

from cdb_desktop.client import AnswerError, Client, NetworkOptions, SlowAnswerError, UnreachableError
from cdb_desktop.client.transport import _Route, kind_and_reason
from tests.desktop.client.canned_service import Canned, CannedService
from tests.desktop.client.raw_service import HANG_UP, OK, raw_service

CONFIG = "GET /api/v1/config/list"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


async def kind_of(address: str) -> str:
    async with Client(address, timeout=5.0) as client:
        with pytest.raises(UnreachableError) as caught:
            await client.settings()
    assert caught.value.__context__ is None
    return caught.value.kind


async def test_unused_port() -> None:
    """A port without a service is reported as refused."""
    assert await kind_of(f"http://127.0.0.1:{free_port()}") == "refused"


@pytest.mark.parametrize("host", ["a" * 64 + ".localhost", "host..localhost"])
async def test_invalid_host(host: str) -> None:
    """A name that no name service can have is reported as such."""
    assert await kind_of(f"http://{host}/") in {"dns", "address"}


async def test_plain_service_behind_https(service: CannedService) -> None:
    """TLS to a service without TLS is reported as a TLS error."""
    assert await kind_of(service.url.replace("http:", "https:")) == "tls"


@pytest.mark.parametrize(
    "address",
    [
        *("", "host", "ftp://host", "http://", "http://[::1", "http://host:port", "http://host:99999"),
        *("http://host:0", "http://host:-1", "http://xn--a.example", "http://ä..b", "http://\u0080host"),
        *(f"http://{'ä' * 70}", "http://a b", "https://host:80:90"),
    ],
)
def test_invalid_address(address: str) -> None:
    """An address of another scheme is refused before any call."""
    with pytest.raises(UnreachableError) as caught:
        Client(address)
    assert caught.value.kind == "address"


async def test_slow_answer(service: CannedService) -> None:
    """A timeout is reported with its length."""
    service.prepare(CONFIG, Canned({}, delay=1.0))
    async with Client(service.url, timeout=0.25) as client:
        with pytest.raises(SlowAnswerError) as caught:
            await client.config()
    assert caught.value.seconds == 0.25
    assert len(service.requests) == 1


async def test_a_commit_has_no_time_limit(service: CannedService) -> None:
    """It changes tables full of data, so neither the limit of a step nor that of a call applies."""
    service.prepare("POST /api/v1/schema/commit", Canned({}, delay=0.4))
    async with Client(service.url, timeout=0.02) as client:
        started = time.perf_counter()
        await client.commit_schema()
    assert time.perf_counter() - started > 0.35


def test_an_invalid_port_has_a_reason() -> None:
    """The error names the port."""
    with pytest.raises(UnreachableError, match="port"):
        Client("http://host:70000")
    with pytest.raises(UnreachableError, match="host"):
        Client("http://xn--a.example")


@pytest.mark.parametrize("target", ["http://db.example", "https://db.example"])
async def test_an_unreachable_proxy_is_named(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    """The error names the proxy, not the service, and not its password."""
    proxy = f"127.0.0.1:{free_port()}"
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, f"http://me:pw-77@{proxy}")
    monkeypatch.delenv("no_proxy", raising=False)
    async with Client(target, timeout=5.0) as client:
        with pytest.raises(UnreachableError) as caught:
            await client.settings()
    assert caught.value.kind == "proxy"
    assert caught.value.reason.startswith(f"http://{proxy}: ")
    assert "pw-77" not in str(caught.value)


async def test_an_idle_connection_is_closed_before_the_service_closes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Common services close idle connections after five seconds, which would lose a request."""
    async with raw_service([OK], [OK]) as service, Client(service.url) as client:
        await client.config()
        now = time.monotonic
        monkeypatch.setattr("httpcore._async.http11.time", SimpleNamespace(monotonic=lambda: now() + 4.9))
        assert await client.config() == {}
    # One on each of two connections: the first of them was not reused.
    assert len(service.requests) == 2


async def test_a_fresh_connection_is_reused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening a connection takes longer than most calls."""
    async with raw_service([OK, OK]) as service, Client(service.url) as client:
        await client.config()
        now = time.monotonic
        monkeypatch.setattr("httpcore._async.http11.time", SimpleNamespace(monotonic=lambda: now() + 2))
        assert await client.config() == {}
    assert len(service.requests) == 2


async def test_cancelling_leaves_the_client_usable(service: CannedService) -> None:
    """A cancelled call ends at once, and the next one works."""
    service.prepare(CONFIG, Canned({}, delay=0.5), Canned({"a": 1}))
    async with Client(service.url, timeout=5) as client:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await client.config()
        assert await client.config() == {"a": 1}


async def test_address_with_prefix_and_slash(service: CannedService) -> None:
    """A service may have a path prefix, with or without a slash at the end of the address."""
    service.prepare("GET /cdb/api/v1/config/list", Canned({"a": 1}))
    async with Client(f"{service.url}/cdb/") as client:
        assert await client.config() == {"a": 1}
        assert repr(client) == f"Client('{service.url}/cdb')"


async def test_redirect_is_not_followed(service: CannedService) -> None:
    """A redirect would send the token elsewhere: its target is reported instead."""
    target = f"{service.url}/elsewhere"
    service.prepare(CONFIG, Canned(b"", 302, headers={"location": f"{target}?token=abc"}))
    async with Client(service.url) as client:
        with pytest.raises(AnswerError, match="redirect ") as caught:
            await client.config()
    assert target in str(caught.value)
    assert [one.path for one in service.requests] == ["/api/v1/config/list"]


async def test_body_with_a_wrong_encoding(service: CannedService) -> None:
    """A body that does not match its encoding is reported as an unexpected answer."""
    service.prepare(CONFIG, Canned(b"no gzip", headers={"content-encoding": "gzip"}))
    async with Client(service.url) as client:
        with pytest.raises(AnswerError, match="corrupt_body"):
            await client.config()


async def test_stale_connection_is_replaced_for_reads() -> None:
    """If the service has closed a reused connection, a GET is repeated once."""
    async with raw_service([OK], [OK]) as service, Client(service.url) as client:
        await client.config()
        assert await client.config() == {}
    assert len(service.requests) == 3


async def test_stale_connection_is_reported_for_writes() -> None:
    """A request that may have had an effect is never repeated."""
    async with raw_service([OK], [OK]) as service, Client(service.url) as client:
        await client.config()
        with pytest.raises(UnreachableError) as caught:
            await client.delete_events([1])
    assert caught.value.kind == "disconnected"
    assert len(service.requests) == 2


async def test_closed_new_connection_is_reported() -> None:
    """If a service closes a new connection, the request is not repeated."""
    async with raw_service([], []) as service, Client(service.url) as client:
        with pytest.raises(UnreachableError) as caught:
            await client.config()
    assert caught.value.kind == "disconnected"
    assert len(service.requests) == 1


async def test_truncated_answer_is_reported() -> None:
    """An answer that ends before its length is a lost connection, not a short answer."""
    cut = OK.replace(b"content-length: 2", b"content-length: 99")
    async with raw_service([cut, HANG_UP]) as service, Client(service.url) as client:
        with pytest.raises(UnreachableError) as caught:
            await client.config()
    assert caught.value.kind == "disconnected"
    assert len(service.requests) == 1


def test_unsupported_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy that cannot be used is reported as an error."""
    monkeypatch.setenv("ALL_PROXY", "gopher://127.0.0.1:1")
    with pytest.raises(UnreachableError) as caught:
        Client("http://cdb.example")
    assert caught.value.kind == "proxy"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (httpx.ConnectTimeout("slow"), "timeout"),
        (httpx.ProxyError("407"), "proxy"),
        (httpx.UnsupportedProtocol("x"), "address"),
        (httpx.ReadError("x"), "disconnected"),
        (httpx.NetworkError("x"), "network"),
    ],
)
async def test_faults_of_the_library(error: httpx.HTTPError, kind: str) -> None:
    """Faults that cannot be produced with a socket here are reported by kind too."""

    def fail(_request: httpx.Request) -> httpx.Response:
        raise error

    async with Client("http://cdb.example", transport=httpx.MockTransport(fail)) as client:
        with pytest.raises(UnreachableError) as caught:
            await client.poll()
    assert caught.value.kind == kind


def test_certificates_are_those_of_the_system() -> None:
    """TLS uses the system's trust store; without TLS it is not loaded, which would take time."""
    secure, plain = (
        _Route(httpx.URL(f"{scheme}://cdb.example"), NetworkOptions()) for scheme in ("https", "http")
    )
    assert isinstance(secure.context, truststore.SSLContext)
    assert plain.context is False


def test_libraries_can_be_loaded_by_several_threads_at_once() -> None:
    """Each thread gets the complete module; a new process has not loaded it before."""
    code = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from cdb_desktop.client import load_libraries, transport

start = Barrier(4)

def load(_):
    start.wait()
    load_libraries()
    return hasattr(transport.httpx, "AsyncClient") and hasattr(transport.truststore, "SSLContext")

with ThreadPoolExecutor(4) as pool:
    print(list(pool.map(load, range(4))))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == str([True] * 4)


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (socket.gaierror(-2, "Name or service not known"), "dns"),
        (UnicodeError("label too long"), "dns"),
        (ConnectionRefusedError(111, "Connection refused"), "refused"),
        (ConnectionResetError(104, "reset"), "disconnected"),
        (ssl.SSLCertVerificationError(1, "certificate verify failed"), "tls"),
        (OverflowError("port"), "address"),
        (OSError(101, "Network is unreachable"), "network"),
    ],
)
def test_kind(cause: BaseException, kind: str) -> None:
    """The operating system's error determines the kind, at any depth of chaining."""
    outer = OSError("All connection attempts failed")
    outer.__cause__ = ExceptionGroup("several addresses", [ValueError("other"), wrapped(cause)])
    assert kind_and_reason(outer, "network")[0] == kind


def wrapped(cause: BaseException) -> Exception:
    error = RuntimeError("wrapper")
    error.__context__ = cause
    cause.__context__ = error
    return error


def test_reason_is_that_of_the_system() -> None:
    """The reason is the operating system's message."""
    assert (
        kind_and_reason(ConnectionRefusedError(111, "Connection refused"), "network")[1]
        == "Connection refused"
    )
    assert kind_and_reason(RuntimeError(), "proxy") == ("proxy", "RuntimeError")
