"""Everything at once, from several processes on one database: the outcome is that of some serial order."""

import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count, pairwise
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

import pytest

from server_stub.schema.commit.storage_layout import lay_out
from server_stub.schema.document.model import read_schema
from tests.contract.documents import column, schema, table
from tests.server import serving
from tests.server_stub.endurance.store import PostgresqlStore, add_users

_SHORT, _LONG = 4, 500
# Tables above this number are removed again, so that commits stay short.
_MOST_TABLES = 6
_WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
)


class _Answer(NamedTuple):
    status: int
    content: Any

    @property
    def code(self) -> str:
        """The code of the error object."""
        return str(self.content["code"])


class _Caller:
    """A session that opens a connection for every call, so that each process gets some of them."""

    def __init__(self, urls: list[str], statuses: Counter[int]) -> None:
        self._urls = urls
        self._statuses = statuses
        self._number = 0
        self._token: str | None = None
        self._token = self.call("GET", "session").content["token"]

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> _Answer:
        """Returns the answer, which is never a fault of the server."""
        self._number += 1
        sent = query | {"pretty": 0} | ({"token": self._token} if self._token else {})
        place = urlsplit(self._urls[self._number % len(self._urls)]).netloc
        connection = http.client.HTTPConnection(place, timeout=60)
        try:
            content = None if body is None else json.dumps(body)
            connection.request(method, f"/api/v1/{path}?{urlencode(sent)}", content)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        assert answer.status < 500, (method, path, answer.status, text[:2000])
        self._statuses[answer.status] += 1
        return _Answer(answer.status, json.loads(text))

    def log_in(self, login: str, password: str) -> _Answer:
        """Signs the session in."""
        return self.call("POST", "session/authenticate", login=login, password=password)


class _Save(NamedTuple):
    """A save that was acknowledged, with the moments around it."""

    began: float
    ended: float
    document: Any


class _Race:
    """The actions, and what was acknowledged."""

    def __init__(self, urls: list[str], seed: int) -> None:
        self.statuses = Counter[int]()
        self._random = Random(seed)
        self._urls = urls
        self._numbers = count(1)
        self._signed_out = _Caller(urls, self.statuses)
        self.root = self.signed_in()
        self.saves: list[_Save] = []
        self.heads: list[Any] = []
        self.commits: list[int] = []
        self.log_ins: list[int] = []
        self.names: list[Any] = []
        self.inserted: list[int] = []
        self.deleted: list[int] = []
        self.viewed: list[int] = []
        self.unviewed: list[int] = []  # How many each filtered deletion deleted.

    def signed_in(self) -> _Caller:
        """A new session of root."""
        caller = _Caller(self._urls, self.statuses)
        assert caller.log_in("root", "root").status == 200
        return caller

    @property
    def actions(self) -> list[Callable[[], None]]:
        """The actions of a round in a random order; some of them are in it several times."""
        once = [self._commit, self._delete, self._rename, self._read_head, self._log_in]
        twice = [self._save, self._insert, self._log_in_and_out, self._guess, self._unview]
        chosen = [*once, *twice, *twice]
        self._random.shuffle(chosen)
        return chosen

    def insert(self, event_type: str) -> int:
        """Inserts an event; returns its id."""
        id_ = int(self.root.call("POST", "event", {"type": event_type, "info": {}}).content["event"]["_id"])
        if event_type == "DETAIL_VIEW":
            self.viewed.append(id_)
        return id_

    def delete_views(self, limit: int) -> int:
        """Deletes some events of the type DETAIL_VIEW; returns their number."""
        deleted = int(self.root.call("DELETE", "event", type="DETAIL_VIEW", limit=limit).content["count"])
        self.unviewed.append(deleted)
        return deleted

    def _save(self) -> None:
        document = self.root.call("GET", "schema/user/HEAD", format="json")
        found = schema() if document.status == 404 else document.content
        added = f"t{next(self._numbers)}"
        found["tables"] = [*found["tables"][-_MOST_TABLES:], table(added, column("a"), column("b", "number"))]
        began = time.monotonic()
        answer = self.root.call("POST", "schema/user/HEAD", found)
        if answer.status == 200:
            self.saves.append(_Save(began, time.monotonic(), answer.content))
        else:
            # A commit came first, or the tables read are no longer those of HEAD.
            assert answer.code in {"error.user.version_mismatch", "error.api.invalid_value"}, answer

    def _commit(self) -> None:
        answer = self.root.call("POST", "schema/commit")
        if answer.status == 200:
            self.commits.append(answer.content["version"])
        else:
            assert answer.code == "error.user.instance_not_found"

    def _read_head(self) -> None:
        answer = self.root.call("GET", "schema/user/HEAD", format="json")
        if answer.status == 200:
            self.heads.append(answer.content)

    def _rename(self) -> None:
        names = {f"schema.t{next(self._numbers)}.name": {"de-DE": "Werk"}}
        answer = self.root.call("POST", "l10n/user/HEAD", names)
        if answer.status == 200:
            self.names.append(names)
        else:
            assert answer.code == "error.user.instance_not_found"

    def _insert(self) -> None:
        self.inserted.append(self.insert("SEARCH"))
        self.insert("DETAIL_VIEW")

    def _delete(self) -> None:
        id_ = self.insert("SEARCH")
        assert self.root.call("DELETE", "event", [id_]).content == {"count": 1}
        self.deleted.append(id_)

    def _unview(self) -> None:
        self.delete_views(3)

    def _log_in(self) -> None:
        caller = _Caller(self._urls, self.statuses)
        self.log_ins.append(caller.log_in("root", "root").content["current_max_event_id"])

    def _log_in_and_out(self) -> None:
        # The same session in two processes.
        answer = self._signed_out.log_in("root", "root")
        self.log_ins.append(answer.content["current_max_event_id"])
        assert self._signed_out.call("POST", "session/deauthenticate").status == 200

    def _guess(self) -> None:
        answer = _Caller(self._urls, self.statuses).log_in("viewer", "wrong")
        assert answer.code in {"error.user.login_failed", "error.user.login_disabled_to"}


class _Poller(threading.Thread):
    """Follows the log until it is complete; `seen` maps ids to the types of events in their order."""

    def __init__(self, caller: _Caller, complete: threading.Event) -> None:
        super().__init__()
        self._caller = caller
        self._complete = complete
        self._cursor = caller.call("GET", "session").content["current_max_event_id"]
        self.seen: dict[int, str] = {}

    def run(self) -> None:
        while True:
            is_last = self._complete.is_set()
            for record in self._caller.call("GET", f"event/poll/{self._cursor}", limit=0).content:
                id_ = record["event"]["_id"]
                assert id_ > self._cursor
                self._cursor, self.seen[id_] = id_, record["event"]["type"]
            if is_last:
                return


@contextmanager
def _servers(store: PostgresqlStore) -> Iterator[list[str]]:
    with serving(store.url) as one, serving(store.url, "--workers", "2") as other:
        yield [one, other]


@pytest.mark.parametrize("rounds", [_SHORT, pytest.param(_LONG, marks=pytest.mark.long)])
@pytest.mark.timeout(3600)
def test_outcomes_are_those_of_a_serial_order(postgresql: PostgresqlStore, rounds: int) -> None:
    """Parallel saves, commits, inserts, deletions and log-ins neither fail nor lose or mix anything."""
    add_users(postgresql.url)
    connections = 0
    with _servers(postgresql) as urls:
        race, complete = _Race(urls, rounds), threading.Event()
        pollers = [_Poller(race.signed_in(), complete) for _ in range(2)]
        for poller in pollers:
            poller.start()
        try:
            with ThreadPoolExecutor(len(race.actions)) as threads:
                for _ in range(rounds):
                    _finish([threads.submit(action) for action in race.actions])
                    connections = max(connections, _connections(postgresql))
                _check_deletions(postgresql, race, threads)
        finally:
            complete.set()
            for poller in pollers:
                poller.join(60)
    print(dict(race.statuses), f"{connections} connections")  # noqa: T201
    assert connections < 97  # PostgreSQL's default without those of administrators
    _check_versions(postgresql, race)
    _check_tables(postgresql)
    _check_events(postgresql, race)
    commits = postgresql.rows("SELECT id FROM _event WHERE type = 'SCHEMA_COMMIT' ORDER BY id")
    for poller in pollers:
        assert set(race.log_ins) <= poller.seen.keys()
        assert [(id_,) for id_, kind in poller.seen.items() if kind == "SCHEMA_COMMIT"] == commits


def _finish(running: list[Future[None]]) -> None:
    for each in running:
        each.result(60)


def _check_deletions(store: PostgresqlStore, race: _Race, threads: ThreadPoolExecutor) -> None:
    """Deletions with the same filter at the same time delete different events."""
    for _ in range(20):
        race.insert("DETAIL_VIEW")
    with store.connect() as other, other.transaction():
        other.execute("SELECT id FROM _event WHERE type = 'DETAIL_VIEW' FOR UPDATE")
        running = [threads.submit(race.delete_views, 5) for _ in range(4)]
        while store.rows(_WAITING)[0] < (2,):
            time.sleep(0.01)
    assert [each.result(60) for each in running] == [5] * 4


def _connections(store: PostgresqlStore) -> int:
    ((found,),) = store.rows("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cdb-server'")
    return int(found)


def _check_versions(store: PostgresqlStore, race: _Race) -> None:
    """Every version is the last save of its number, and no id was given twice."""
    stored = {
        version: (json.loads(document), committed_at is not None)
        for version, document, committed_at in store.rows(
            "SELECT version, document, committed_at FROM _schema_version ORDER BY version"
        )
    }
    assert list(stored) == list(range(1, len(stored) + 1))
    assert set(race.commits) == {version for version, (_, is_committed) in stored.items() if is_committed}
    for version, (document, _) in stored.items():
        (save,) = [each for each in race.saves if each.document == document]
        assert not [
            each for each in race.saves if each.document["version"] == version and each.began > save.ended
        ]
    _check_ids(race)
    for head in race.heads:
        version = head["version"]
        before = [stored[version - 1][0]["tables"]] if version > 1 else []
        assert head["tables"] in before + [
            each.document["tables"] for each in race.saves if each.document["version"] == version
        ]
    ((names,),) = store.rows("SELECT texts FROM _localization ORDER BY version DESC LIMIT 1")
    assert json.loads(names) in race.names


def _check_ids(race: _Race) -> None:
    tables: dict[int, str] = {}
    columns: dict[int, tuple[str, str]] = {}
    for save in race.saves:
        for each in save.document["tables"]:
            assert tables.setdefault(each["table_id"], each["name"]) == each["name"]
            for part in each["columns"]:
                place = each["name"], part["name"]
                assert columns.setdefault(part["column_id"], place) == place


def _check_tables(store: PostgresqlStore) -> None:
    """The tables of CURRENT exist with their columns, and no others."""
    ((document,),) = store.rows(
        "SELECT document FROM _schema_version WHERE committed_at > 0 ORDER BY version DESC LIMIT 1"
    )
    expected = {
        (each.name, part.name)
        for each in lay_out(read_schema(json.loads(document))).values()
        for part in each.columns
    }
    assert expected == set(
        store.rows(
            "SELECT table_name, column_name FROM information_schema.columns"
            " WHERE table_schema = 'public' AND table_name NOT LIKE '\\_%'"
        )
    )


def _check_events(store: PostgresqlStore, race: _Race) -> None:
    """What was acknowledged is there, what was deleted is not, and deletions counted each event once."""
    ids = {id_ for (id_,) in store.rows("SELECT id FROM _event")}
    given = [*race.inserted, *race.deleted, *race.viewed, *race.log_ins]
    assert len(given) == len(set(given))
    assert {*race.inserted, *race.log_ins} <= ids
    assert not ids.intersection(race.deleted)
    assert len(ids.intersection(race.viewed)) == len(race.viewed) - sum(race.unviewed)
    assert store.rows("SELECT value FROM _counter") == [(max(ids),)]
    of_sessions: dict[str, list[str]] = {}
    for session, kind in store.rows(
        "SELECT session, type FROM _event WHERE type IN ('USER_LOGIN', 'USER_LOGOUT') ORDER BY id"
    ):
        of_sessions.setdefault(session, []).append(kind)
    for kinds in of_sessions.values():
        assert ("USER_LOGOUT", "USER_LOGOUT") not in list(pairwise(kinds))
