"""PostgreSQL stops, is killed and restarts under load: errors are error objects, and nothing is lost."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from statistics import median
from typing import Any

import httpx
import pytest

from tests.contract.documents import column, schema, table
from tests.postgresql import Cluster, is_installed
from tests.server import serving
from tests.server_stub.command import refused, running, signal_end
from tests.server_stub.endurance.process import worker_ids
from tests.server_stub.endurance.repeated_call import RepeatedCall, repeated
from tests.server_stub.endurance.store import PostgresqlStore, add_users

# What an outage is: how the cluster ends, and how long it stays away.
_OUTAGES: tuple[tuple[Callable[[Cluster], None], float], ...] = (
    (lambda cluster: cluster.stop("fast"), 0.0),
    (Cluster.kill, 0.0),
    (lambda cluster: cluster.stop("immediate"), 1.5),
)


@pytest.fixture
def store() -> Iterator[PostgresqlStore]:
    """A database of a cluster of its own, which may be stopped."""
    if not is_installed():
        pytest.skip("PostgreSQL is not installed (Debian: postgresql)")
    with Cluster.running() as cluster:
        yield PostgresqlStore(cluster)


def _is_outage(status: int, content: Any) -> bool:
    is_named = content["code"] == "error.server.database" and bool(content["description"])
    return status in {500, 503} and is_named


def _event_callers(url: str) -> dict[str, RepeatedCall]:
    call = partial(RepeatedCall, url, is_expected=_is_outage)
    return {
        "insert": call("POST", "event", {"type": "SEARCH", "info": {"filling": "x" * 300}}).signed_in(),
        "list": call("GET", "event/list", limit=100).signed_in(),
        "poll": call("GET", "event/poll").signed_in(),
        "log-in": call("POST", "session/authenticate", login="root", password="root").signed_in(),
        "session": call("GET", "session").signed_in(),
        "settings": call("GET", "settings"),
        "settings with a token": call("GET", "settings").signed_in(),
        "ready": call("GET", "ready"),
    }


def _schema_callers(url: str) -> dict[str, RepeatedCall]:
    call = partial(RepeatedCall, url, is_expected=_is_outage)
    head = schema(table("work", column("title")), version=2)
    return {
        "schema": call("GET", "schema/user/CURRENT", format="json").signed_in(),
        "save": call("POST", "schema/user/HEAD", head).signed_in(),
        "names": call("POST", "l10n/user/HEAD", {"schema.work.name": {"de-DE": "Werk"}}).signed_in(),
    }


def _seconds_until_normal(callers: dict[str, RepeatedCall]) -> float:
    """How long it takes until every call has succeeded."""
    began = time.monotonic()
    for name, caller in callers.items():
        while not (caller.acknowledged and caller.acknowledged[-1].ended > began):
            assert caller.is_alive(), (name, caller.faults)
            time.sleep(0.005)
    firsts = (
        next(each.ended for each in caller.acknowledged if each.ended > began) for caller in callers.values()
    )
    return max(firsts) - began


@pytest.mark.parametrize("outages", [3, pytest.param(20, marks=pytest.mark.long)])
@pytest.mark.timeout(900)
def test_nothing_acknowledged_is_lost(store: PostgresqlStore, outages: int) -> None:
    """During an outage each call succeeds or gets an error object, after it everything works again."""
    add_users(store.url)
    began = time.monotonic()
    with serving(store.url, "--workers", "2") as url:
        with closing(RepeatedCall(url, "GET", "session").signed_in()) as first:
            first.call("POST", "schema/user/HEAD", schema(table("work", column("title"))), {})
            assert first.call("POST", "schema/commit", None, {})[0] == 200
        callers, seconds = _event_callers(url) | _schema_callers(url), list[float]()
        with repeated(callers.values()):
            _seconds_until_normal(callers)
            start = time.monotonic() - began
            for number in range(outages):
                seconds.append(_seconds_after_outage(store, callers, url, number))
        assert not [caller.faults for caller in callers.values() if caller.faults]
    print(  # noqa: T201
        {name: dict(caller.statuses) for name, caller in callers.items()},
        f"normal after {start:.1f} s from the start, then",
        [f"{each:.1f}" for each in seconds],
    )
    if outages > len(_OUTAGES):
        # Otherwise it would be faster to start the server anew.
        assert median(seconds) < start
    assert set(callers["settings"].statuses) == set(callers["settings with a token"].statuses) == {200}
    assert set(callers["ready"].statuses) == {200, 503}
    _check(store, callers)


def _seconds_after_outage(
    store: PostgresqlStore, callers: dict[str, RepeatedCall], url: str, number: int
) -> float:
    ends, away = _OUTAGES[number % len(_OUTAGES)]
    _seconds_until_normal(callers)
    ends(store.cluster)
    with closing(RepeatedCall(url, "GET", "settings")) as other:
        assert other.call("GET", "settings", None, {})[0] == 200
        status, error = other.call("GET", "ready", None, {})
        assert (status, error["code"]) == (503, "error.server.database")
    time.sleep(away)
    store.cluster.start()
    return _seconds_until_normal(callers)


def _check(store: PostgresqlStore, callers: dict[str, RepeatedCall]) -> None:
    stored = [id_ for (id_,) in store.rows("SELECT id FROM _event ORDER BY id")]
    inserted = [each.content["event"]["_id"] for each in callers["insert"].acknowledged]
    signed_in = [each.content["current_max_event_id"] for each in callers["log-in"].acknowledged]
    assert {*inserted, *signed_in} <= set(stored)
    assert inserted == sorted(inserted)
    assert store.rows("SELECT value FROM _counter") == [(stored[-1],)]


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_promoted_standby_serves_on(store: PostgresqlStore) -> None:
    """A server whose address names both servers goes on with the standby, which has everything."""
    add_users(store.url)
    primary = store.cluster
    with primary.standby() as standby:
        hosts = f"host=127.0.0.1:{primary.port}&host=127.0.0.1:{standby.port}"
        url = f"postgresql://cdb@/{store.name}?{hosts}&target_session_attrs=read-write"
        # Only what the standby has as well is acknowledged.
        primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.execute("SELECT pg_reload_conf()")
        while primary.execute("SELECT sync_state FROM pg_stat_replication") != [("sync",)]:
            time.sleep(0.05)
        with serving(url, "--workers", "2") as served:
            callers = _event_callers(served)
            with repeated(callers.values()):
                _seconds_until_normal(callers)
                primary.kill()
                standby.promote()
                _seconds_until_normal(callers)
            assert not [caller.faults for caller in callers.values() if caller.faults]
        _check(PostgresqlStore(standby, store.name), callers)


def test_a_server_ends_cleanly_without_the_database(store: PostgresqlStore) -> None:
    """It ends as usual, although this cannot be logged; the next one says why it does not start."""
    with running("--database", store.url) as (server, url):
        assert url
        store.cluster.stop()
        errors = signal_end(server)
    assert "SERVER_SHUTDOWN" in errors
    assert errors.count("Traceback") == 0
    done = refused("--port", "0", "--database", store.url)
    # Before the end it may have logged that the database does not answer.
    (reason,) = (line for line in done.stderr.splitlines() if not line.startswith("{"))
    assert (done.returncode, done.stdout) == (1, "")
    assert store.name in reason
    assert "Traceback" not in done.stderr


def test_a_worker_waits_for_the_database(store: PostgresqlStore) -> None:
    """A worker that is killed during an outage is replaced, without a traceback and by one that serves."""
    with running("--database", store.url, "--workers", "2") as (server, url):
        while not _is_ready(url):
            time.sleep(0.05)
        before = worker_ids(server.pid)
        store.cluster.stop()
        os.kill(before[0], signal.SIGKILL)
        while not (replaced := set(worker_ids(server.pid)) - set(before)):
            time.sleep(0.05)
        os.kill(before[1], signal.SIGKILL)
        store.cluster.start()
        while not _is_ready(url):
            time.sleep(0.05)
        errors = signal_end(server)
    assert replaced
    assert "Traceback" not in errors


def _is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/api/v1/ready", timeout=1).status_code == 200
    except httpx.TransportError:
        return False
