"""Short calls go on while others take long: a large commit, and tables that another program has locked."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from tests.contract.documents import column, schema, table
from tests.server import serving
from tests.server_stub.endurance.repeated_call import RepeatedCall, repeated
from tests.server_stub.endurance.store import PostgresqlStore, SqliteStore, Store, add_users

_LOCKS = "SELECT count(*) FROM pg_locks WHERE NOT granted"


@contextmanager
def _served(store: Store) -> Iterator[tuple[str, RepeatedCall]]:
    """A server with users, its URL and a session of root."""
    add_users(store.url)
    with serving(store.url) as url, closing(RepeatedCall(url, "GET", "session").signed_in()) as root:
        yield url, root


def _reads(url: str) -> dict[str, RepeatedCall]:
    return {
        "list": RepeatedCall(url, "GET", "event/list", limit=100).signed_in(),
        "poll": RepeatedCall(url, "GET", "event/poll").signed_in(),
        "settings": RepeatedCall(url, "GET", "settings"),
    }


def _writes(url: str) -> dict[str, RepeatedCall]:
    return {
        "insert": RepeatedCall(url, "POST", "event", {"type": "SEARCH"}).signed_in(),
        "log-in": RepeatedCall(
            url, "POST", "session/authenticate", login="root", password="root"
        ).signed_in(),
    }


def _seconds(call: RepeatedCall, began: float, ended: float) -> list[float]:
    """How long the answers took that were asked for and read within a time, in ascending order."""
    return sorted(
        each.ended - each.began for each in call.acknowledged if each.began >= began and each.ended <= ended
    )


@pytest.mark.parametrize("tables", [150, pytest.param(1000, marks=pytest.mark.long)])
@pytest.mark.timeout(600)
def test_a_large_commit_does_not_block_other_calls(store: Store, tables: int) -> None:
    """Reads go on while tables are committed; so do other writes on PostgreSQL, and they wait on SQLite."""
    columns = [column(f"c{number}") for number in range(4)]
    document = schema(*(table(f"t{number}", *columns) for number in range(tables)))
    with _served(store) as (url, root):
        assert root.call("POST", "schema/user/HEAD", document, {})[0] == 200
        reads, writes = _reads(url), _writes(url)
        calls = reads | writes
        with repeated(calls.values()):
            _await_answers(calls)
            began = time.monotonic()
            status, answer = root.call("POST", "schema/commit", None, {})
            ended = time.monotonic()
            assert status == 200, answer
            _await_answers(calls)
    assert not [call.faults for call in calls.values() if call.faults]
    taken = {name: _seconds(call, began, ended) for name, call in calls.items()}
    print(f"commit {ended - began:.1f} s", {name: _summary(found) for name, found in taken.items()})  # noqa: T201
    going_on = reads if isinstance(store, SqliteStore) else calls
    assert all(len(taken[name]) >= 2 for name in going_on)


def _await_answers(calls: dict[str, RepeatedCall]) -> None:
    """Waits until each call has been answered once more."""
    before = {name: len(call.acknowledged) for name, call in calls.items()}
    while any(len(call.acknowledged) == before[name] for name, call in calls.items()):
        assert all(call.is_alive() for call in calls.values()), [call.faults for call in calls.values()]
        time.sleep(0.005)


def _summary(seconds: list[float]) -> str:
    if not seconds:
        return "none"
    return f"{len(seconds)}, p99 {seconds[len(seconds) * 99 // 100] * 1000:.0f} ms"


def test_a_waiting_commit_does_not_block_other_calls(postgresql: PostgresqlStore) -> None:
    """While another program reads a table that a commit changes, all calls go on, also those that queue."""
    with _served(postgresql) as (url, root):
        assert root.call("POST", "schema/user/HEAD", schema(table("work", column("a"))), {})[0] == 200
        assert root.call("POST", "schema/commit", None, {})[0] == 200
        head = root.call("GET", "schema/user/HEAD", None, {"format": "json"})[1]
        head["tables"][0]["columns"].append(column("b"))
        assert root.call("POST", "schema/user/HEAD", head, {})[0] == 200
        calls = _reads(url) | _writes(url)
        commit = RepeatedCall(url, "POST", "schema/commit").signed_in()
        names = [
            RepeatedCall(url, "POST", "l10n/user/HEAD", {"schema.work.name": {"de-DE": "Werk"}}).signed_in()
            for _ in range(4)
        ]
        with repeated([*calls.values(), commit, *names]):
            with postgresql.connect() as other, other.transaction():
                other.execute("LOCK TABLE work IN ACCESS EXCLUSIVE MODE")
                _await_waiting(postgresql)
                _await_answers(calls)
                _await_answers(calls)
            _await_answers({"commit": commit})
        for each in (*calls.values(), commit, *names):
            assert not each.faults


def _await_waiting(store: PostgresqlStore) -> None:
    while store.rows(_LOCKS) == [(0,)]:
        time.sleep(0.01)


def test_a_locked_event_table_stops_only_what_needs_it(postgresql: PostgresqlStore) -> None:
    """Lists wait, but the schema, settings and new sessions do not, and the lists succeed at last."""
    with _served(postgresql) as (url, root):
        assert root.call("POST", "schema/user/HEAD", schema(table("work", column("a"))), {})[0] == 200
        lists = [RepeatedCall(url, "GET", "event/list").signed_in() for _ in range(5)]
        others = {
            "settings": RepeatedCall(url, "GET", "settings"),
            "ready": RepeatedCall(url, "GET", "ready"),
            "session": RepeatedCall(url, "GET", "session"),
            "schema": RepeatedCall(url, "GET", "schema/user/HEAD", format="json").signed_in(),
            "save": RepeatedCall(url, "POST", "l10n/user/HEAD", {}).signed_in(),
        }
        with repeated([*lists, *others.values()]):
            with postgresql.connect() as other, other.transaction():
                other.execute("LOCK TABLE _event IN ACCESS EXCLUSIVE MODE")
                _await_waiting(postgresql)
                _await_answers(others)
                _await_answers(others)
            _await_answers({str(number): each for number, each in enumerate(lists)})
        for each in (*lists, *others.values()):
            assert not each.faults
