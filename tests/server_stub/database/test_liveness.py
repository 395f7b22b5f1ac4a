"""A PostgreSQL server that is frozen, and servers of ours that are frozen while others wait for them."""

import re
import sys
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import httpx
import pytest
from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import DBAPIError

from server_stub.database import Database, WriteLock, liveness, open_database
from server_stub.database.postgresql import Patience
from server_stub.events import EventDraft, EventLog
from tests.postgresql import Cluster
from tests.server import serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def name(cluster: Cluster) -> Iterator[str]:
    """The name of an empty database."""
    made = cluster.create_database()
    yield made
    cluster.drop_database(made)


@pytest.fixture
def opened(cluster: Cluster, name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """The database, which is given up after little silence."""
    monkeypatch.setattr(liveness, "_PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr(liveness, "_SILENT_SECONDS", 0.5)
    database = open_database(cluster.url(name))
    yield database
    database.close()


def _append(database: Database) -> int:
    with database.write() as connection:
        return EventLog(database, "instance").append(connection, [EventDraft("SEARCH", 1)])[-1]


def _is_appended(database: Database) -> bool:
    try:
        return _append(database) > 0
    except DBAPIError:
        return False


def test_a_frozen_database_is_given_up(cluster: Cluster, opened: Database) -> None:
    """Who waits gets an error, who asks an answer in time, and afterwards everything works again."""
    assert _append(opened) == 1
    assert opened.answers(20)
    with cluster.frozen():
        assert not opened.answers(0.2)
        assert opened.is_silent
        with pytest.raises(DBAPIError, match="does not answer") as caught, opened.reader():
            pass
        assert opened.repeats(caught.value, only_reads=True) == 1
        assert opened.repeats(caught.value, only_reads=False) == 0
        for _ in range(3):  # None of them waits for a connection.
            with pytest.raises(DBAPIError, match="does not answer"):
                _append(opened)
    while not _is_appended(opened):
        time.sleep(0.01)
    assert opened.answers(20)
    assert not opened.is_silent


def test_a_slow_statement_is_not_given_up(opened: Database) -> None:
    """A database that answers others is not silent."""
    with opened.read() as connection:
        connection.execute(text("SELECT pg_sleep(1.2)"))
    assert not opened.is_silent


def test_a_server_answers_without_its_database(cluster: Cluster, name: str) -> None:
    """Settings come from memory, and a load balancer learns that the service is not ready."""
    with serving(cluster.url(name)) as url, httpx.Client(base_url=f"{url}/api/v1", timeout=60) as client:
        version = client.get("settings").json()["database_version"]
        assert client.get("ready").status_code == 200
        with cluster.frozen():
            answer = client.get("ready")
            assert (answer.status_code, answer.json()["code"]) == (503, "error.server.database")
            assert client.get("settings").json()["database_version"] == version
            assert client.get("ready").elapsed.total_seconds() < liveness._SILENT_SECONDS
        while client.get("ready").status_code != 200:
            time.sleep(0.05)


def test_nobody_waits_for_a_frozen_writer(cluster: Cluster, name: str, opened: Database) -> None:
    """One that pauses while it holds the counter of events is undone; it may begin again."""
    other = open_database(cluster.url(name))
    appended: list[int] = []
    waiting = threading.Thread(target=lambda: appended.append(_append(other)))

    def pause(connection: Connection) -> None:
        assert EventLog(opened, "instance").append(connection, [EventDraft("SEARCH", 1)]) == range(1, 2)
        waiting.start()
        waiting.join(60)
        connection.execute(text("SELECT 1"))

    with pytest.raises(DBAPIError) as caught, opened.write() as connection:
        pause(connection)
    assert appended == [1]
    assert opened.repeats(caught.value, only_reads=False)
    assert _append(opened) == 2
    other.close()


@pytest.mark.parametrize(
    ("lock", "pauses", "waits", "idle", "runs"),
    [
        (None, False, "5s", "4s", "30s"),
        (WriteLock.ACCOUNTS, False, "5s", "4s", "30s"),
        (WriteLock.SCHEMA, False, "1min", "30s", "0"),
        (WriteLock.SCHEMA, True, "1min", "0", "0"),
    ],
)
def test_limits_of_writers(
    opened: Database, lock: WriteLock | None, waits: str, idle: str, runs: str, *, pauses: bool
) -> None:
    """What is quick waits for little, and may not pause or hang; limits end with the transaction.

    No statement is compiled, which would take longer than to run it.
    """
    names = ("lock_timeout", "idle_in_transaction_session_timeout", "statement_timeout", "jit")
    settings = select(*map(func.current_setting, names))
    with opened.write(lock, pauses=pauses) as connection:
        assert tuple(connection.execute(settings).one()) == (waits, idle, runs, "off")
    with opened.read() as connection:
        assert tuple(connection.execute(settings).one()) == ("1min", "0", "0", "off")
    with opened.reader() as reader:
        assert reader.scalar(select(func.current_setting("jit")), {}) == "off"


@pytest.mark.parametrize(
    ("shorter", "reason"), [("lock_timeout", "lock timeout"), ("statement_timeout", "statement timeout")]
)
def test_a_hanging_statement_ends(
    cluster: Cluster, name: str, opened: Database, monkeypatch: pytest.MonkeyPatch, shorter: str, reason: str
) -> None:
    """A writer that waits for what another program has locked is undone; the next one succeeds."""
    brief = re.sub(rf"{shorter} = '\d+s'", f"{shorter} = '100ms'", Patience.BRIEF)
    monkeypatch.setattr("server_stub.database.engine.Patience", SimpleNamespace(BRIEF=brief))
    with cluster.connect(name) as other, other.transaction():
        other.execute("LOCK TABLE _counter")
        with pytest.raises(DBAPIError, match=reason), opened.write() as connection:
            EventLog(opened, "instance").append(connection, [EventDraft("SEARCH", 1)])
    assert _append(opened) == 1
