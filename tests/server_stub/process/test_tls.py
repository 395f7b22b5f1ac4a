"""The server with a certificate: the real client verifies it, and unusable files are reported."""

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

from cdb_desktop.client import Client, UnreachableError
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
