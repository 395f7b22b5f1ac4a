"""Ways to connect to PostgreSQL: through a pooler, encrypted, with a certificate or a password."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlencode

import psycopg
import pytest
import trustme
from sqlalchemy import text

from server_stub.database import Database, DatabaseUnusableError, WriteLock, open_database
from server_stub.events import EventDraft, EventLog, EventQuery
from server_stub.events.log import Caller
from server_stub.events.record import RecordForm
from tests.postgresql import Cluster, free_port, is_installed

_POOLER = shutil.which("pgbouncer", path=os.pathsep.join(["/usr/sbin", os.environ.get("PATH", "")]))
_CALLER = Caller("", None)


@contextmanager
def _pooler(cluster: Cluster, port: int) -> Iterator[None]:
    """A PgBouncer before the cluster that gives each transaction any of two connections."""
    assert _POOLER is not None
    file, users = cluster.folder / "pooler.ini", cluster.folder / "users.txt"
    users.write_text('"cdb" ""\n')
    file.write_text(
        f"[databases]\n* = host=127.0.0.1 port={cluster.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
        f"listen_port = {port}\nauth_type = trust\nauth_file = {users}\npool_mode = transaction\n"
        f"unix_socket_dir =\ndefault_pool_size = 2\npidfile = {cluster.folder}/pooler.pid\n"
        f"logfile = {cluster.folder}/pooler.log\n"
    )
    for each in (file, users):
        each.chmod(0o644)
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    with subprocess.Popen([*as_user, _POOLER, "-q", str(file)]) as process:
        try:
            yield
        finally:
            with suppress(FileNotFoundError):
                os.kill(int((cluster.folder / "pooler.pid").read_text()), signal.SIGINT)
            process.wait(20)


def _opened(url: str) -> Database:
    """The database, as soon as something listens at its address."""
    until = time.monotonic() + 60
    while True:
        try:
            return open_database(url)
        except DatabaseUnusableError:
            if time.monotonic() > until:
                raise
        time.sleep(0.05)


def _use(database: Database) -> None:
    """Writes and reads as often as the driver would need to prepare the statements."""
    log = EventLog(database, "instance")
    for _ in range(8):
        with database.write(WriteLock.ACCOUNTS) as connection:
            last = log.append(connection, [EventDraft("SEARCH", 1)])[-1]
        with database.reader() as reader:
            assert log.newest_id(reader) >= last
            assert b"".join(log.records(reader, _CALLER, EventQuery(), RecordForm.SHORT))
        with database.read() as connection:
            assert connection.execute(text("SELECT count(*) FROM _event")).scalar_one() >= last


@pytest.mark.skipif(_POOLER is None, reason="PgBouncer is not installed (Debian: pgbouncer)")
def test_a_pooler_of_transactions(cluster: Cluster) -> None:
    """It may give each transaction another connection, and no setting of ours remains on any."""
    name = cluster.create_database()
    port = free_port()
    with _pooler(cluster, port):
        url = f"postgresql://cdb@127.0.0.1:{port}/{name}"
        first, second = _opened(url), open_database(url)
        with ThreadPoolExecutor(4) as threads:
            for done in [threads.submit(_use, each) for each in (first, second, first, second)]:
                done.result(60)
        assert first.answers(20)
        with second.set_up(), psycopg.connect(url) as other:
            for setting in ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"):
                assert other.execute(f"SHOW {setting}".encode()).fetchone() == ("0",)
        used = "SELECT numbackends FROM pg_stat_database WHERE datname = current_database()"
        ((connections,),) = cluster.execute(used, name)
        # Those of the pooler, and this one.
        assert int(str(connections)) <= 3
        first.close()
        second.close()
    cluster.drop_database(name)


@pytest.fixture(scope="module")
def secured() -> Iterator[tuple[Cluster, Path]]:
    """A cluster that asks `cdb` for a certificate and `scram` for a password, and a folder of files."""
    if not is_installed():
        pytest.skip("PostgreSQL is not installed (Debian: postgresql)")
    with Cluster.running() as cluster:
        authority, folder = trustme.CA(), cluster.folder
        issued = authority.issue_cert("127.0.0.1")
        authority.cert_pem.write_to_path(folder / "authority.pem")
        trustme.CA().cert_pem.write_to_path(folder / "other.pem")
        client = authority.issue_cert("cdb.example.org", common_name="cdb")
        for prefix, made in (("server", issued), ("client", client)):
            made.cert_chain_pems[0].write_to_path(folder / f"{prefix}.pem")
            made.private_key_pem.write_to_path(folder / f"{prefix}-key.pem")
            (folder / f"{prefix}-key.pem").chmod(0o600)
        if os.geteuid() == 0:
            shutil.chown(folder / "server-key.pem", "postgres", "postgres")
        for name, file in (("cert", "server"), ("key", "server-key"), ("ca", "authority")):
            cluster.execute(f"ALTER SYSTEM SET ssl_{name}_file = '{folder}/{file}.pem'")
        cluster.execute("ALTER SYSTEM SET ssl = on")
        cluster.execute("CREATE ROLE scram LOGIN SUPERUSER PASSWORD 'right'")
        (cluster.data / "pg_hba.conf").write_text(
            "hostssl all cdb 127.0.0.1/32 cert\nhostnossl all cdb 127.0.0.1/32 trust\n"
            "hostssl all scram 127.0.0.1/32 scram-sha-256\n"
        )
        cluster.execute("SELECT pg_reload_conf()")
        yield cluster, folder


def _address(cluster: Cluster, user: str, files: Mapping[str, Path], host: str = "127.0.0.1") -> str:
    query = urlencode({"sslmode": "verify-full", **files})
    return f"postgresql://{user}@{host}:{cluster.port}/postgres?{query}"


def test_certificates_of_both_sides(secured: tuple[Cluster, Path]) -> None:
    """The server shows that it is meant, and the client who it is."""
    cluster, folder = secured
    known = {"sslrootcert": folder / "authority.pem"}
    own = {"sslcert": folder / "client.pem", "sslkey": folder / "client-key.pem"}
    database = _opened(_address(cluster, "cdb", own | known))
    with database.read() as connection:
        of_this = text("SELECT ssl, client_dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        ssl, subject = connection.execute(of_this).one()
        assert ssl
        assert "/CN=cdb" in subject
    assert database.answers(20)
    _use(database)
    database.close()
    with pytest.raises(DatabaseUnusableError, match="certificate verify failed"):
        open_database(_address(cluster, "cdb", own | {"sslrootcert": folder / "other.pem"}))
    with pytest.raises(DatabaseUnusableError, match="does not match host name"):
        open_database(_address(cluster, "cdb", own | known, "localhost"))
    with pytest.raises(DatabaseUnusableError, match="certificate"):
        open_database(_address(cluster, "cdb", known))


def test_a_password(secured: tuple[Cluster, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is proved and not sent, may come from the environment, and is in no message."""
    cluster, folder = secured
    known = {"sslrootcert": folder / "authority.pem"}
    database = _opened(_address(cluster, "scram:right", known))
    _use(database)
    database.close()
    monkeypatch.setenv("PGPASSWORD", "right")
    database = open_database(_address(cluster, "scram", known))
    assert database.answers(20)
    database.close()
    with pytest.raises(DatabaseUnusableError, match="password authentication failed") as caught:
        open_database(_address(cluster, "scram:wrong-secret", known))
    assert "wrong-secret" not in str(caught.value)
