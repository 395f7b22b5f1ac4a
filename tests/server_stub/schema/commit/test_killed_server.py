"""A server process is killed at random moments during commits: the schema is the old or the new one."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from threading import Timer

import httpx
import pytest

from server_stub.accounts import ROOT
from server_stub.process.composition import compose
from tests.contract.caller import Caller
from tests.server_process import ServerProcess
from tests.server_stub.command import running
from tests.server_stub.schema.documents import (
    Json,
    column,
    column_of,
    document,
    foreign_key,
    named,
    owned_by,
    place_of,
    table,
    unique_key,
)
from tests.server_stub.schema.harness import Harness, expected_tables

ROWS = 1500
KILLS = 10

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a signal of POSIX")


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 10))])
@pytest.mark.timeout(240)
def test_killed_at_random_moments(harness: Harness, seed: int) -> None:
    """After ten kills an acknowledged commit persists, and the last commit succeeds."""
    random = Random(seed)
    _prepare(harness)
    with _serving(harness) as (_, caller):
        seconds = _timed_commit(caller)
    deaths = [_commit_and_die(harness, random.uniform(0, 1.3 * seconds)) for _ in range(KILLS)]
    while all(deaths):  # on a machine that has become faster none came in time
        seconds /= 2
        deaths.append(_commit_and_die(harness, seconds))
    with _serving(harness) as (_, caller):
        _timed_commit(caller)
    _check(harness)


def _prepare(harness: Harness) -> None:
    """Creates works, a nested table and a hierarchy with rows, and a user who may commit."""
    work = table("work", column("title"), column("year", "number"), column("place", "link"))
    work["columns"].append(place_of("work__notes"))
    work["foreign_keys"] = [foreign_key("place", "place")]
    notes = table("work__notes", column("note"), **owned_by("work"))
    harness.save_and_commit(document(work, notes, table("place", column("name"), is_hierarchical=True)))
    harness.insert("place", {"_id": 1, "name": "Ulm"})
    harness.insert("work", *({"_id": n, "title": f"w{n}", "year": n, "place": 1} for n in range(1, ROWS + 1)))
    harness.insert("work__notes", *({"_uplink_id": n, "note": f"n{n}"} for n in range(1, ROWS + 1)))
    users = compose(harness.database, demo=True).users
    with harness.database.write() as connection:
        users.add(connection, "root", "root", displayname="Root", rights=(ROOT,))
    # Only the server may have the file open.
    harness.database.close()


@contextmanager
def _serving(harness: Harness) -> Iterator[tuple[ServerProcess, Caller]]:
    with (
        running("--database", str(harness.path)) as (child, base),
        httpx.Client(base_url=base, trust_env=False, timeout=30) as client,
    ):
        yield child, Caller(client).signed_in("root")


def _changed(head: Json) -> Json:
    """A document that differs from CURRENT in all respects, alternating between two versions."""
    work = next(one for one in head["tables"] if one["name"] in ("work", "piece"))
    first = work["name"] == "work"
    work["name"] = "piece" if first else "work"
    title, year = (column_of(work, name if first else f"{name}s") for name in ("title", "year"))
    title.update(name="titles" if first else "title", not_null=first)
    year.update(name="years" if first else "year", type="decimal.2" if first else "number")
    work["unique_keys"] = [unique_key("titles")] if first else []
    head["tables"] = [one for one in head["tables"] if one["name"] != "other"]
    if first:
        work["columns"].append(column("fresh", default="x"))
        head["tables"].append(table("other", column("name")))
    else:
        work["columns"] = [one for one in work["columns"] if one.get("name") != "fresh"]
    named(head, "place")["is_hierarchical"] = not first
    return head


def _timed_commit(caller: Caller) -> float:
    """Saves and commits; returns the duration of the commit in seconds."""
    _save(caller)
    begin = time.monotonic()
    assert caller.post("schema/commit").status_code == 200
    return time.monotonic() - begin


def _save(caller: Caller) -> None:
    """Saves a changed HEAD, unless one is left from before the kill."""
    current, head = (caller.get(f"schema/user/{one}", format="json").json() for one in ("CURRENT", "HEAD"))
    if head["tables"] == current["tables"]:
        saved = caller.post("schema/user/HEAD", _changed(head))
        assert saved.status_code == 200, saved.text


def _commit_and_die(harness: Harness, seconds: float) -> bool:
    """Kills the server after the start of a commit; returns whether it had responded before."""
    with _serving(harness) as (child, caller):
        _save(caller)
        before = _current(harness)
        killer = Timer(seconds, child.kill)
        killer.start()
        try:
            answered = caller.post("schema/commit").status_code == 200
        except httpx.TransportError:
            answered = False
        killer.join()
        child.wait(20)
    after = _current(harness)
    assert after in (before, before + 1)
    assert after == before + 1 or not answered
    _check(harness)
    return answered


def _current(harness: Harness) -> int:
    ((version,),) = harness.sql("SELECT max(version) FROM _schema_version WHERE committed_at IS NOT NULL")
    return int(version)


def _check(harness: Harness) -> None:
    """The file is intact, the tables are those of CURRENT, and all rows and values are there."""
    assert harness.sql("PRAGMA integrity_check") == [("ok",)]
    assert harness.sql("PRAGMA foreign_key_check") == []
    current = harness.schemas.read("CURRENT")
    harness.database.close()
    assert harness.tables() == expected_tables(current)
    name, title, year = (
        ("piece", "titles", "years") if "piece" in harness.tables() else ("work", "title", "year")
    )
    counted = harness.sql(f"SELECT count(*), count(DISTINCT {title}), sum({year}) FROM {name}")  # noqa: S608
    assert counted == [(ROWS, ROWS, ROWS * (ROWS + 1) // 2)]
    assert harness.sql(f"SELECT count(DISTINCT _uplink_id) FROM {name}__notes") == [(ROWS,)]  # noqa: S608
    commits = harness.sql("SELECT count(*) FROM _event WHERE type='SCHEMA_COMMIT'")
    steps = "SELECT max(version), count(*) FILTER (WHERE state <> 'done') FROM _journal"
    assert commits == [(_current(harness),)]
    assert harness.sql(steps) == [(_current(harness), 0)]
