"""The server with a certificate: the real client verifies it, and unusable files are reported."""

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from cdb_desktop.client import Client, UnreachableError
from tests.demo_files import create_demo
from tests.server import address
from tests.server_process import ServerProcess
from tests.server_stub.command import called, running, signal_end


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate for this machine, its key, and its certificate authority."""
    folder, authority = tmp_path_factory.mktemp("tls"), trustme.CA()
    issued = authority.issue_cert("localhost", "127.0.0.1")
    for number, blob in enumerate(issued.cert_chain_pems):
        blob.write_to_path(folder / "cert.pem", append=number > 0)
    issued.private_key_pem.write_to_path(folder / "key.pem")
    authority.cert_pem.write_to_path(folder / "authority.pem")
    authority.issue_cert("localhost").private_key_pem.write_to_path(folder / "other-key.pem")
    key = load_pem_private_key((folder / "key.pem").read_bytes(), None)
    locked = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"passphrase"))
    (folder / "locked-key.pem").write_bytes(locked)
    (folder / "letter.txt").write_text("Dear museum, ")
    return folder


def _arguments(folder: Path, cert: str = "cert.pem", key: str = "key.pem") -> tuple[str, ...]:
    return "--tls-cert", str(folder / cert), "--tls-key", str(folder / key)


async def test_the_client_signs_in_over_tls(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The desktop's client verifies the certificate with the authority and refuses others."""
    file = str(tmp_path / "a.sqlite")
    with running(
        "--database", file, "--demo", "--demo-events", "10", "--workers", "2", *_arguments(files)
    ) as (
        child,
        base,
    ):
        assert base.startswith("https://127.0.0.1:")
        monkeypatch.setenv("SSL_CERT_FILE", str(files / "authority.pem"))
        async with Client(base) as client:
            session = await client.authenticate("viewer", "viewer")
            assert session.user is not None
        monkeypatch.setenv("SSL_CERT_FILE", str(files / "letter.txt"))
        async with Client(base) as client:
            with pytest.raises(UnreachableError) as caught:
                await client.start_session()
            assert caught.value.kind == "tls"
        assert signal_end(child) == ""


UNUSABLE = (
    ("missing.pem", "key.pem", "missing.pem cannot be read: No such file"),
    ("cert.pem", "missing.pem", "missing.pem cannot be read: No such file"),
    (".", "key.pem", "cannot be read: Is a directory"),
    ("letter.txt", "key.pem", "cannot be used"),
    ("cert.pem", "letter.txt", "cannot be used"),
    ("cert.pem", "other-key.pem", "is not the key of the certificate"),
    ("cert.pem", "locked-key.pem", "is protected by a passphrase"),
)


@pytest.mark.parametrize(("cert", "key", "message"), UNUSABLE)
def test_unusable_files_are_reported(files: Path, tmp_path: Path, cert: str, key: str, message: str) -> None:
    """An unusable file is reported with its name in a sentence, with exit code 1."""
    done = called("--port", "0", "--database", str(tmp_path / "a.sqlite"), *_arguments(files, cert, key))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("cdb-server: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "a.sqlite").exists()


def test_one_file_alone_is_no_certificate(files: Path) -> None:
    """Certificate and key must be given together."""
    done = called("--tls-cert", str(files / "cert.pem"))
    assert done.returncode == 2
    assert "go together" in done.stderr


EVERYWHERE = "0.0.0.0"  # noqa: S104 - what the warning is for


@pytest.mark.parametrize("encrypted", [False, True])
def test_a_server_for_other_machines(files: Path, tmp_path: Path, *, encrypted: bool) -> None:
    """It accepts any host name, and warns if they can connect without TLS; the warning names the options."""
    more = _arguments(files) if encrypted else ()
    database = ("--database", str(tmp_path / "a.sqlite"), "--demo", "--demo-events", "10")
    with running("--host", EVERYWHERE, *database, *more) as (child, base):
        assert base.startswith(f"http{'s' * encrypted}://{EVERYWHERE}:")
        url = base.replace(EVERYWHERE, "127.0.0.1") + "/api/v1/settings"
        answer = httpx.get(url, headers={"host": "cdb.example"}, verify=False)  # noqa: S501
        assert answer.status_code == 200
        errors = signal_end(child)
    assert ("--tls-cert" in errors) == (not encrypted)
    assert len(errors.splitlines()) == (not encrypted)


CALL = "session/authenticate"
# The system would take the whole response for a client that does not read.
SMALL_BUFFER = ((socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536),)


def _until_nobody_is_let_in(base: str) -> None:
    try:
        while True:
            httpx.get(f"{base}/api/v1/settings")
    except httpx.TransportError:
        return


def test_a_call_that_runs_is_finished(tmp_path: Path) -> None:
    """After SIGTERM a large CSV response is completed, then the server exits with 0."""
    file = str(tmp_path / "a.sqlite")
    with (
        running("--database", file, "--demo", "--demo-events", "2000") as (child, base),
        httpx.Client(transport=httpx.HTTPTransport(socket_options=SMALL_BUFFER)) as client,
    ):
        token = client.get(f"{base}/api/v1/session").json()["token"]
        params = {"token": token}
        client.post(f"{base}/api/v1/{CALL}", params=params, data={"login": "root", "password": "admin"})
        info = {"text": "x" * 30_000}
        for _ in range(300):
            sent = client.post(f"{base}/api/v1/event", params=params, json={"type": "SEARCH", "info": info})
            assert sent.status_code == 200
        asked = params | {"format": "csv", "csv_max_length": "0", "type": "SEARCH", "limit": "300"}
        with client.stream("GET", f"{base}/api/v1/event/list", params=asked) as answer:
            parts = answer.iter_bytes(65_536)
            first = next(parts)
            child.send_signal(signal.SIGTERM)
            _until_nobody_is_let_in(base)
            assert child.poll() is None
            body = first + b"".join(parts)
        assert len(body) == int(answer.headers["content-length"]) > 9_000_000
        assert body.count(b"x" * 30_000) == 300
        assert child.wait(30) == 0


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.long), "2"])
def test_streams_of_all_workers_bring_the_same_and_end_with_the_server(tmp_path: Path, workers: str) -> None:
    """Whichever process has written; the log has no token, even where it has everything else."""
    file = tmp_path / "demo.sqlite"
    create_demo(file, 10)
    options = ["--generation", "6", "--log-level", "DEBUG", "--workers", workers, "--exit-with-stdin"]
    command = ["--port", "0", "--database", str(file), *options]
    with (tmp_path / "log").open("w+") as errors, ServerProcess(command, errors) as process:
        url = address(process)
        given = {"grant_type": "password", "client_id": "web-client", "username": "root", "password": "admin"}
        token = httpx.post(f"{url}/api/oauth2/token", data=given, timeout=60).json()["access_token"]
        header = {"Authorization": f"Bearer {token}"}
        wanted = url.replace("http", "ws", 1) + f"/api/v1/event/stream?access_token={token}"
        with ExitStack() as open_streams:
            streams = [
                open_streams.enter_context(connect(wanted, additional_headers=header, proxy=None))
                for _ in range(6)
            ]
            event = {"event": {"type": "SEARCH", "pollable": True}}
            ids = [
                httpx.post(f"{url}/api/v1/event", json=event, headers=header).json()["event"]["_id"]
                for _ in range(6)
            ]
            for stream in streams:
                assert [json.loads(stream.recv(60))["event"]["_id"] for _ in ids] == ids
            process.stdin.close()
            codes = []
            for stream in streams:
                with pytest.raises(ConnectionClosed) as ended:
                    stream.recv(60)
                codes.append(ended.value.rcvd and ended.value.rcvd.code)
            assert codes == [1012] * 6
        assert process.wait(60) == 0
        errors.seek(0)
        log = errors.read()
    assert token not in log
    assert "Traceback" not in log


OPTIONS = ("--port", "0", "--exit-with-stdin", "--login-from-stdin", "--demo", "--demo-events", "10")


@contextmanager
def server_with_login(file: Path, login: str, password: str) -> Iterator[str]:
    """The base URL of a server with a log-in from standard input, whose end stops the server."""
    with ServerProcess([*OPTIONS, "--database", str(file)], subprocess.PIPE) as child:
        child.stdin.write(json.dumps({"login": login, "password": password}) + "\n")
        child.stdin.flush()
        yield child.stdout.readline().removeprefix("Listening on ").strip()
        output = child.communicate(timeout=20)
    assert child.returncode == 0
    assert password not in "".join(output)


def signed_in(base: str, login: str, password: str) -> httpx.Response:
    """The response to a sign-in."""
    token = httpx.get(f"{base}/api/v1/session").json()["token"]
    form = {"login": login, "password": password}
    return httpx.post(f"{base}/api/v1/session/authenticate", params={"token": token}, data=form)


def test_the_embedding_program_has_every_right(tmp_path: Path) -> None:
    """The user has every right, and the demo users exist as usual."""
    with server_with_login(tmp_path / "a.sqlite", "desktop-1", "a secret of this start") as base:
        session = signed_in(base, "desktop-1", "a secret of this start").json()
        assert "system.root" in session["system_rights"]
        assert signed_in(base, "viewer", "viewer").status_code == 200


def test_each_start_invalidates_the_previous_log_in(tmp_path: Path) -> None:
    """A new log-in ends the sessions of the previous one but belongs to the same user."""
    ids, tokens = [], []
    for login in ("desktop-1", "desktop-2"):
        with server_with_login(tmp_path / "a.sqlite", login, f"secret of {login}") as base:
            session = signed_in(base, login, f"secret of {login}").json()
            ids.append(session["user"]["user"]["_id"])
            tokens.append(session["token"])
            if login == "desktop-2":
                refused = signed_in(base, "desktop-1", "secret of desktop-1")
                assert refused.json()["code"] == "error.user.login_failed"
                left = httpx.get(f"{base}/api/v1/event/list", params={"token": tokens[0]})
                assert left.json()["code"] == "error.user.not_authenticated"
    assert ids[0] == ids[1]


@pytest.mark.parametrize(
    "line", ["", "no JSON, but a secret\n", '{"login": "", "password": "secret"}\n', "[]\n"]
)
def test_a_malformed_line_is_refused_without_quoting_it(tmp_path: Path, line: str) -> None:
    """A malformed line ends the server with code 1 and is not repeated in the message."""
    file = tmp_path / "a.sqlite"
    done = called(*OPTIONS, "--database", str(file), typed=line)
    assert done.returncode == 1
    assert "no log-in" in done.stderr
    assert "secret" not in done.stderr
    assert not file.exists()


def test_a_login_of_another_user_is_refused(tmp_path: Path) -> None:
    """The login of an existing user is refused in a sentence, and the user is not changed."""
    line = json.dumps({"login": "viewer", "password": "a secret"}) + "\n"
    done = called(*OPTIONS, "--database", str(tmp_path / "a.sqlite"), typed=line)
    assert done.returncode == 1
    assert "viewer is another user's" in done.stderr
    assert "Traceback" not in done.stderr
    assert "secret" not in done.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org"])  # noqa: S104
def test_only_loopback(tmp_path: Path, host: str) -> None:
    """Faults are refused where other machines can call, in one sentence."""
    done = called("--database", str(tmp_path / "x.sqlite"), "--chaos", "1", "--host", host)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "cdb-server: --chaos injects faults, so the server must listen on this machine only, "
        f"not on {host}. Leave out --host.\n"
    )


def test_only_one_worker(tmp_path: Path) -> None:
    """Several workers would each count on their own."""
    done = called("--database", str(tmp_path / "x.sqlite"), "--chaos", "off", "--workers", "2")
    assert done.returncode == 2
    assert "Leave out --workers" in done.stderr


def test_a_wrong_file(tmp_path: Path) -> None:
    """The message names the file, the place in it, and the remedy; no database is created."""
    file, database = tmp_path / "rules.json", tmp_path / "x.sqlite"
    done = called("--database", str(database), "--chaos", str(file))
    assert done.returncode == 2
    assert f"the file {file} cannot be read" in done.stderr
    file.write_text('{"rules": [{"fault": "unavailable", "probability": 3}]}')
    done = called("--database", str(database), "--chaos", str(file))
    assert done.returncode == 2
    assert f"{file}: rules[0].probability: Expected float <= 1.0" in done.stderr
    assert not database.exists()


def _statuses(url: str, count: int) -> list[int]:
    with httpx.Client(base_url=f"{url}/api/v1", trust_env=False) as client:
        return [client.get("/settings").status_code for _ in range(count)]


def test_a_file_of_rules(tmp_path: Path) -> None:
    """The rules of the file are in force from the start; each fault is logged."""
    file = tmp_path / "rules.json"
    file.write_text(json.dumps({"rules": [{"fault": "bad-gateway", "call": "GET /settings", "every": 3}]}))
    options = ("--database", str(tmp_path / "x.sqlite"), "--chaos", str(file), "--log-level", "INFO")
    with running(*options) as (child, url):
        assert _statuses(url, 6) == [502, 200, 200, 502, 200, 200]
        written = signal_end(child)
    assert "Warning: this server injects faults on purpose (--chaos)." in written
    lines = [json.loads(line) for line in written.splitlines() if line.startswith("{")]
    injected = [line for line in lines if line["message"] == "fault injected"]
    assert [(line["level"], line["fault"], line["path"]) for line in injected] == [
        ("INFO", "bad-gateway", "/api/v1/settings")
    ] * 2


def test_without_the_option_there_is_no_such_call(tmp_path: Path) -> None:
    """The calls exist only in a server that was started with --chaos."""
    with running("--database", str(tmp_path / "x.sqlite")) as (child, url):
        answer = httpx.get(f"{url}/api/v1/chaos", trust_env=False)
        assert answer.json()["code"] == "error.api.invalid_api"
        assert "/chaos" not in httpx.get(f"{url}/api/v1/openapi.json", trust_env=False).json()["paths"]
        signal_end(child)
