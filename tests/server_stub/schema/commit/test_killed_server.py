"""A server process is killed during commits: what it has acknowledged is committed, the rest may be."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

import httpx
import pytest

from server_stub.accounts import ROOT
from server_stub.process.composition import compose
from tests.contract.caller import Caller
from tests.server_process import ServerProcess
from tests.server_stub.command import running
from tests.server_stub.schema.documents import Json, column, document, table
from tests.server_stub.schema.harness import Harness, expected_tables

ROWS = 1500


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a signal of POSIX")
def test_killed_during_commits(harness: Harness) -> None:
    """The schema is the old or the new one with all rows; the next commit succeeds and outlives a kill."""
    harness.save_and_commit(document(table("work", column("title"), column("year", "number"))))
    harness.insert("work", *({"_id": n, "title": f"w{n}", "year": n} for n in range(1, ROWS + 1)))
    users = compose(harness.database, demo=True).users
    with harness.database.write() as connection:
        users.add(connection, "root", "root", displayname="Root", rights=(ROOT,))
    # Only the server may have the file open.
    harness.database.close()
    with _serving(harness) as (_, caller):
        _save(caller)
        began = time.monotonic()
        assert caller.post("schema/commit").status_code == 200
        seconds = time.monotonic() - began
    for share in (0.3, 0.8):
        _commit_and_die(harness, share * seconds)
    # This one is only killed when it has answered.
    assert _commit_and_die(harness, 3600)


@contextmanager
def _serving(harness: Harness) -> Iterator[tuple[ServerProcess, Caller]]:
    with (
        running("--database", str(harness.path)) as (child, base),
        httpx.Client(base_url=base, trust_env=False, timeout=60) as client,
    ):
        yield child, Caller(client).signed_in("root")


def _save(caller: Caller) -> None:
    """Saves a HEAD with another name and type, unless one is left from before the kill."""
    current, head = (caller.get(f"schema/user/{one}", format="json").json() for one in ("CURRENT", "HEAD"))
    if head["tables"] == current["tables"]:
        (work,) = head["tables"]
        is_first = work["name"] == "work"
        work["name"] = "piece" if is_first else "work"
        work["columns"][1]["type"] = "decimal.2" if is_first else "number"
        saved = caller.post("schema/user/HEAD", head)
        assert saved.status_code == 200, saved.text


def _commit_and_die(harness: Harness, seconds: float) -> bool:
    """Kills the server some time after the start of a commit, or after its answer; whether there was one."""
    with _serving(harness) as (child, caller):
        _save(caller)
        before = _current(harness)
        killer = Timer(seconds, child.kill)
        killer.start()
        try:
            answered = caller.post("schema/commit").status_code == 200
        except httpx.TransportError:
            answered = False
        child.kill()
        killer.cancel()
        child.wait(20)
    assert _current(harness) in ((before + 1,) if answered else (before, before + 1))
    assert harness.sql("PRAGMA integrity_check") == [("ok",)]
    current: Json = harness.schemas.read("CURRENT")
    harness.database.close()
    assert harness.tables() == expected_tables(current)
    counted = harness.sql(f"SELECT count(*), sum(year) FROM {current['tables'][0]['name']}")  # noqa: S608
    assert counted == [(ROWS, ROWS * (ROWS + 1) // 2)]
    return answered


def _current(harness: Harness) -> int:
    ((version,),) = harness.sql("SELECT max(version) FROM _schema_version WHERE committed_at IS NOT NULL")
    return int(version)
