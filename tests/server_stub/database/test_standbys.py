"""Reads on hot standbys: used while up to date, replaced in the same request when late, cancelled or down."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy import func, select

from server_stub.accounts import ROOT
from server_stub.database import Database, Reader, WrongDatabaseError, open_database, postgresql
from server_stub.database.engine import FIND_STANDBYS
from server_stub.database.tables import event
from server_stub.events import EventDraft, EventLog
from server_stub.http.application import create_app
from server_stub.process.composition import compose
from tests.contract.transports import in_process
from tests.postgresql import Cluster
from tests.server_stub.command import called

_IS_STANDBY = select(func.pg_is_in_recovery())
_LAST = select(func.max(event.c.id))


@pytest.fixture(scope="module")
def standby(cluster: Cluster) -> Iterator[Cluster]:
    """A standby that cancels queries at once if they are in the way of what it has to replay."""
    with cluster.standby(max_standby_streaming_delay="0") as running_standby:
        yield running_standby


@pytest.fixture
def name(cluster: Cluster) -> Iterator[str]:
    """The name of an empty database."""
    made = cluster.create_database()
    yield made
    cluster.drop_database(made)


@pytest.fixture
def replicated(
    cluster: Cluster, standby: Cluster, name: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Database]:
    """The database, read on the standby; who connects waits long."""
    monkeypatch.setattr(postgresql, "_RETRY_SECONDS", 0.05)
    _wait(cluster, standby)
    opened = open_database(cluster.url(name), [f"{standby.url(name)}?connect_timeout=600"])
    _append(opened)
    yield opened
    opened.close()
    _asked(standby, "SELECT pg_wal_replay_resume()")


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads wait for the standby as long as that takes on a busy machine."""
    monkeypatch.setattr(postgresql, "_PATIENCE_SECONDS", 20)


def _wait(cluster: Cluster, standby: Cluster) -> None:
    """Waits until the standby has replayed everything."""
    ((position,),) = cluster.execute("SELECT pg_current_wal_insert_lsn()")
    while not _asked(standby, f"SELECT pg_last_wal_replay_lsn() >= '{position}'"):
        time.sleep(0.01)


def _asked(standby: Cluster, statement: str) -> object:
    """The answer of the standby, which may cancel any query, even those of somebody who connects."""
    while True:
        with suppress(psycopg.OperationalError):
            return standby.execute(statement)[0][0]
        time.sleep(0.01)


def _append(database: Database) -> int:
    log = EventLog(database, "instance")
    with database.write() as connection:
        return log.append(connection, [EventDraft("SEARCH", 1)])[-1]


def _is_standby(reader: Reader) -> bool:
    return bool(reader.scalar(_IS_STANDBY, {}))


def _eventually_on_the_standby(database: Database) -> bool:
    return _until(lambda: database.read_replicated(_is_standby))


def _until(is_met: Callable[[], object]) -> bool:
    """Whether a condition becomes true within a minute."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if is_met():
            return True
        time.sleep(0.02)
    return False


def test_reads_are_spread(replicated: Database) -> None:
    """What may be read on a standby is, and the rest is not."""
    assert _eventually_on_the_standby(replicated)
    with replicated.reader() as reader:
        assert not _is_standby(reader)


def test_a_late_standby_is_left_out(replicated: Database, cluster: Cluster, standby: Cluster) -> None:
    """A read never lacks what was written before and the standby does not have; later it is used again."""
    _wait(cluster, standby)
    _asked(standby, "SELECT pg_wal_replay_pause()")
    for _ in range(3):
        written = _append(replicated)
        assert replicated.read_replicated(lambda reader: reader.scalar(_LAST, {})) == written
        assert not replicated.read_replicated(_is_standby)
    _asked(standby, "SELECT pg_wal_replay_resume()")
    assert _eventually_on_the_standby(replicated)


@pytest.mark.usefixtures("patient")
def test_time_never_runs_backwards(
    replicated: Database, cluster: Cluster, standby: Cluster, name: str
) -> None:
    """While others write, a read has everything that the same client wrote or read, in whichever process."""
    other = open_database(cluster.url(name), [standby.url(name)])
    end = threading.Event()

    def disturb() -> None:
        while not end.is_set():
            _append(other)

    writer = threading.Thread(target=disturb)
    writer.start()
    seen, on_standby = 0, 0
    try:
        for number in range(150):
            database = (replicated, other)[number % 2]
            seen = max(seen, _append(database))
            for reading in (other, replicated):
                found, is_standby = reading.read_replicated(
                    lambda reader: (int(reader.scalar(_LAST, {})), _is_standby(reader))
                )
                assert found >= seen
                seen = found
                on_standby += is_standby
    finally:
        end.set()
        writer.join()
        other.close()
    assert on_standby > 0


@pytest.mark.usefixtures("patient")
def test_a_cancelled_read_is_repeated(replicated: Database, cluster: Cluster, name: str) -> None:
    """A standby that cancels a query, to go on replaying, is replaced by the primary within the read."""
    for _ in range(50):
        _append(replicated)
    assert _eventually_on_the_standby(replicated)
    places = []

    def work(reader: Reader) -> int:
        places.append(_is_standby(reader))
        found = int(reader.scalar(_LAST, {}))
        if places[-1]:
            cluster.execute("DELETE FROM _event WHERE id > 10", name)
            cluster.execute("VACUUM _event", name)
            while True:
                reader.scalar(_LAST, {})
        return found

    assert replicated.read_replicated(work) == 10
    assert places == [True, False]
    assert _eventually_on_the_standby(replicated)


def test_a_standby_that_is_down(replicated: Database, standby: Cluster) -> None:
    """The primary is read while the standby is down, and the standby again soon after it has come back."""
    assert _eventually_on_the_standby(replicated)
    standby.stop("immediate")
    try:
        for _ in range(3):
            assert not replicated.read_replicated(_is_standby)
    finally:
        standby.start(max_standby_streaming_delay="0")
    assert _eventually_on_the_standby(replicated)


def test_a_record_without_its_end(
    replicated: Database, standby: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a primary, a standby that lacks the rest of what it has received is read, but not at once."""
    monkeypatch.setattr(postgresql, "_REST_SECONDS", 60)
    assert _eventually_on_the_standby(replicated)
    _asked(standby, "SELECT pg_wal_replay_pause()")
    _append(replicated)
    behind = "SELECT pg_last_wal_receive_lsn() > pg_last_wal_replay_lsn()"
    assert _until(lambda: _asked(standby, behind))
    with pytest.raises(postgresql.NoStandbyError), replicated.read_instead():
        pass
    monkeypatch.setattr(postgresql, "_REST_SECONDS", 0.01)

    def is_read() -> bool:
        with suppress(postgresql.NoStandbyError), replicated.read_instead(), replicated.reader() as reader:
            return _is_standby(reader)
        return False

    assert _until(is_read)


@pytest.fixture
def signed_in(
    replicated: Database, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[httpx.Client, dict[str, str]]]:
    """A client with its session, for a server that waits long until it gives up what does not answer."""
    services = compose(replicated, demo=True)
    with replicated.write() as connection:
        services.users.add(connection, "root", "root", displayname="Root", rights=[ROOT])
    with in_process(create_app(services)) as client:
        query = {"token": client.get("/api/v1/session").json()["token"]}
        form = {"login": "root", "password": "root"}
        client.post("/api/v1/session/authenticate", params=query, data=form)
        assert _eventually_on_the_standby(replicated)
        for limit in ("_PATIENCE_SECONDS", "_SILENT_SECONDS"):
            monkeypatch.setattr(f"server_stub.database.liveness.{limit}", 600)
        assert replicated.answers(20)
        yield client, query


def test_reads_do_not_wait_for_a_frozen_primary(
    cluster: Cluster, signed_in: tuple[httpx.Client, dict[str, str]]
) -> None:
    """They go to the standby long before the primary is given up."""
    client, query = signed_in
    last = client.get("/api/v1/session", params=query).json()["current_max_event_id"]
    with cluster.frozen():
        answers = [client.get(f"/api/v1/event/{path}", params=query) for path in ("list", f"poll/{last}")]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[1].json() == []


def test_headers_do_not_wait_for_a_frozen_primary(
    cluster: Cluster, signed_in: tuple[httpx.Client, dict[str, str]]
) -> None:
    """A refusal that takes no database still shows the version of the schema, as of before."""
    client, _ = signed_in
    before = client.get("/api/v1/nothing").headers["x-easydb-user-schema-version"]
    with cluster.frozen():
        answer = client.get("/api/v1/nothing")
    assert (answer.status_code, answer.json()["code"]) == (400, "error.api.invalid_api")
    assert answer.headers["x-easydb-user-schema-version"] == before


@pytest.mark.parametrize("is_connected", [True, False])
def test_reads_do_not_wait_for_a_frozen_standby(
    standby: Cluster, signed_in: tuple[httpx.Client, dict[str, str]], *, is_connected: bool
) -> None:
    """They go to the primary, whether they have been sent to the standby or would connect to it first."""
    client, query = signed_in
    if is_connected:
        assert client.get("/api/v1/event/list", params=query).status_code == 200
    with standby.frozen():
        answer = client.get("/api/v1/event/list", params=query)
    assert answer.status_code == 200


def test_a_standby_becomes_the_primary(monkeypatch: pytest.MonkeyPatch) -> None:
    """The standby is found, and read while there is no primary; after its promotion it is the primary."""
    monkeypatch.setattr(postgresql, "_RETRY_SECONDS", 0.05)
    with Cluster.running() as first, first.standby() as second:
        name = first.create_database()
        hosts = f"host=127.0.0.1:{second.port}&host=127.0.0.1:{first.port}"
        opened = open_database(f"postgresql://cdb@/{name}?{hosts}", [FIND_STANDBYS])
        assert "standby" in str(opened.risk_of_loss())
        services = compose(opened, demo=True)
        with opened.write() as connection:
            services.users.add(connection, "root", "root", displayname="Root", rights=[ROOT])
        written = [_append(opened) for _ in range(20)]
        with in_process(create_app(services)) as client:
            token = client.get("/api/v1/session").json()["token"]

            def call(path: str, token: str = token) -> tuple[int, Any]:
                answer = client.get(f"/api/v1/{path}", params={"token": token, "limit": "1000"})
                return answer.status_code, answer.json()

            def insert() -> int:
                body = {"type": "SEARCH", "info": {}, "pollable": True}
                return client.post("/api/v1/event", params={"token": token}, json=body).status_code

            form = {"login": "root", "password": "root"}
            signed_in = client.post("/api/v1/session/authenticate", params={"token": token}, data=form).json()
            polled = f"event/poll/{signed_in['current_max_event_id']}"
            assert _eventually_on_the_standby(opened)
            asked: list[str] = []
            replayed = postgresql.Standbys._replayed

            def noted(standbys: postgresql.Standbys, standby: postgresql._Standby) -> int | None:
                asked.append(str(standby))
                return replayed(standbys, standby)

            monkeypatch.setattr(postgresql.Standbys, "_replayed", noted)
            first.stop("fast")  # Sends the standby everything before it ends.
            assert {each["event"]["_id"] for each in call("event/list")[1]["objects"]} >= {*written}
            assert call(polled) == (200, [])
            assert call("session")[0] == 200
            # If the primary were frozen, asking it would take seconds.
            assert asked
            assert not [each for each in asked if str(first.port) in each]
            status, error = call("event/list", "of-a-moment-ago")
            assert (status, error["code"]) == (503, "error.server.database")
            assert insert() == 503
            second.promote()
            assert _until(lambda: insert() == 200)
            assert _until(lambda: call(polled)[1])
        assert _append(opened) > written[-1]
        second.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        second.execute("SELECT pg_reload_conf()")
        assert _until(lambda: opened.risk_of_loss() is None)
        opened.close()
        # An option of the time before may remain: what has been promoted is not read as a standby.
        opened = open_database(second.url(name), [second.url(name)])
        position = opened.read_replicated(lambda reader: reader.scalar(_LAST, {}))
        assert position > written[-1]
        assert opened.standbys is not None
        with pytest.raises(postgresql.NoStandbyError):
            opened.standbys.read(_is_standby)
        opened.close()


def test_it_starts_without_the_standby(cluster: Cluster, standby: Cluster, name: str) -> None:
    """A standby that is down at the start is no reason not to serve."""
    address = standby.url(name).replace(str(standby.port), "1")
    opened = open_database(cluster.url(name), [address])
    assert not opened.read_replicated(_is_standby)
    opened.close()


def test_only_standbys_of_the_database(cluster: Cluster, standby: Cluster, name: str) -> None:
    """Another database of the standby and other products are refused."""
    _wait(cluster, standby)
    with pytest.raises(WrongDatabaseError, match="no standby"):
        open_database(cluster.url(name), [standby.url("postgres")])
    done = called("--database", "a.sqlite", "--replica", standby.url(name))
    assert (done.returncode, done.stdout) == (2, "")
    assert "Only a PostgreSQL database" in done.stderr
    done = called("--database", cluster.url(name), "--replica", "auto")
    assert (done.returncode, "name them all" in done.stderr) == (2, True)
    done = called(
        "--database", cluster.url(name), "--replica", standby.url("postgres").replace("cdb@", "cdb:secret@")
    )
    assert done.returncode == 2
    assert "Warning" in done.stderr
    assert "secret" not in done.stderr


@pytest.mark.usefixtures("patient")
def test_the_calls_that_are_spread(replicated: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists, CSV and single events come from the standby; polls and everything else from the primary."""
    services = compose(replicated, demo=True)
    with replicated.write() as connection:
        services.users.add(connection, "root", "root", displayname="Root", rights=[ROOT])
    assert _eventually_on_the_standby(replicated)
    places: list[bool] = []
    for method in ("records", "full_record", "poll", "count"):
        original = getattr(EventLog, method)

        def noted(
            log: EventLog, reader: Reader, *given: object, _do: object = original, **more: object
        ) -> object:
            places.append(_is_standby(reader))
            return _do(log, reader, *given, **more)  # type: ignore[operator]

        monkeypatch.setattr(EventLog, method, noted)

    def call(path: str, **parameters: str) -> tuple[int, list[bool]]:
        places.clear()
        answer = client.get(f"/api/v1/{path}", params={"token": token, **parameters})
        return answer.status_code, places

    with in_process(create_app(services)) as client:
        token = client.get("/api/v1/session").json()["token"]
        form = {"login": "root", "password": "root"}
        client.post("/api/v1/session/authenticate", params={"token": token}, data=form)
        # The standby cancels a read that is in the way of what it has to replay.
        assert _until(lambda: call("event/list") == (200, [True, True]))
        assert _until(lambda: call("event/1") == (200, [True]))
        assert _until(lambda: call("event/999999") == (400, [True]))
        assert call("event/poll/0")[1] in ([], [False])
        assert call("event/list", format="csv") == (200, [])
