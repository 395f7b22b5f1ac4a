"""Ways to connect to PostgreSQL: through a pooler, encrypted, with a certificate or a password."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest.mock import MagicMock
from urllib.parse import urlencode

import psycopg
import pytest
import trustme
from sqlalchemy import text

from server_stub.database import Database, DatabaseUnusableError, WriteLock, open_database
from server_stub.database.postgresql import Budget
from server_stub.events import EventDraft, EventLog, EventQuery
from server_stub.events.log import Caller
from server_stub.events.record import RecordForm
from tests.postgresql import Cluster, free_port, is_installed

_POOLER = shutil.which("pgbouncer", path=os.pathsep.join(["/usr/sbin", os.environ.get("PATH", "")]))
_CALLER = Caller("", None)
_CONNECTIONS = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND backend_type = 'client backend'"
)


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
        ((connections,),) = cluster.execute(_CONNECTIONS, name)
        # Those of the pooler, and this one.
        assert int(str(connections)) <= 3
        first.close()
        second.close()
    cluster.drop_database(name)


def test_connections_stay_below_the_limit(cluster: Cluster) -> None:
    """Threads take turns with as many as the server permits to each process; too few are refused at once."""
    name = cluster.create_database()
    limit = 15
    cluster.execute(f"CREATE ROLE few_{name} LOGIN CONNECTION LIMIT {limit}")
    cluster.execute(f"ALTER DATABASE {name} OWNER TO few_{name}")
    url = cluster.url(name).replace("cdb@", f"few_{name}@")
    opened = [open_database(url, processes=2) for _ in range(2)]
    counts: list[int] = []
    with ThreadPoolExecutor(25) as threads:
        used = [threads.submit(_use, opened[number % 2]) for number in range(24)]
        for done in used:
            ((count,),) = cluster.execute(_CONNECTIONS, name)
            counts.append(int(str(count)) - 1)
            done.result(60)
    assert all(each.answers(20) for each in opened)
    assert 4 <= max(counts) <= limit
    with pytest.raises(DatabaseUnusableError, match="start fewer --workers"):
        open_database(url, processes=4)
    for each in opened:
        each.close()
    cluster.drop_database(name)
    cluster.execute(f"DROP ROLE few_{name}")


@pytest.mark.parametrize(
    ("permitted", "processes", "shares"),
    [(97, 1, (7, 15)), (97, 4, (7, 14)), (97, 8, (3, 7)), (97, 22, (2, 1)), (97, 23, None), (20, 1, (5, 11))],
)
def test_shares_of_connections(permitted: int, processes: int, shares: tuple[int, int] | None) -> None:
    """All processes together, with the one that supervises them, stay below what is permitted."""
    connection = MagicMock()
    connection.execute.return_value.scalar_one.return_value = permitted
    share = Budget.of(connection, processes)
    assert share == shares
    if share is not None:
        assert processes * (sum(share) + 1) < permitted


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
