"""SIGKILL at random moments during inserts: no acknowledged event is lost, and the file is intact."""

from __future__ import annotations

import signal
import sqlite3
import sys
import threading
import time
from http.client import HTTPException
from pathlib import Path
from random import Random

import pytest

from tests.server_stub.endurance.process import Client, running

_WRITERS = 2


class Writer(threading.Thread):
    """Inserts events until the server is gone; `acknowledged` maps returned ids to numbers of events."""

    def __init__(self, client: Client, first: int) -> None:
        super().__init__()
        self._client = client
        self._number = first
        self.acknowledged: dict[int, int] = {}

    def run(self) -> None:
        try:
            while True:
                self.acknowledged[self._client.insert(self._number)] = self._number
                self._number += 1
        except (OSError, HTTPException):
            return


def _kill_while_writing(file: Path, turn: int, rng: Random) -> dict[int, int]:
    with running(file) as server:
        writers = [
            Writer(server.client(), first=(turn * _WRITERS + each) * 1_000_000) for each in range(_WRITERS)
        ]
        for writer in writers:
            writer.start()
        time.sleep(rng.uniform(0.005, 0.25))
        server.child.send_signal(signal.SIGKILL)
        for writer in writers:
            writer.join(20)
    return {id_: number for writer in writers for id_, number in writer.acknowledged.items()}


def _stored(file: Path) -> dict[int, int]:
    database = sqlite3.connect(file)
    try:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        counted, last = database.execute(
            "SELECT (SELECT value FROM _counter), max(id) FROM _event"
        ).fetchone()
        assert counted == last
        return dict(database.execute("SELECT id, object_id FROM _event WHERE type = 'SEARCH'").fetchall())
    finally:
        database.close()


@pytest.mark.parametrize("kills", [10, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.timeout(600)
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a signal of POSIX")
def test_nothing_acknowledged_is_lost(tmp_path: Path, kills: int) -> None:
    """After each kill the file is intact, has all acknowledged events, and no id occurs twice."""
    file, rng, acknowledged = tmp_path / "killed.sqlite", Random(20), dict[int, int]()
    for turn in range(kills):
        answered = _kill_while_writing(file, turn, rng)
        assert not acknowledged.keys() & answered.keys()
        acknowledged |= answered
        assert acknowledged.items() <= _stored(file).items()
    assert len(acknowledged) > kills  # the kills came while events were written


def test_a_kill_leaves_no_lock(tmp_path: Path) -> None:
    """The server that starts after a kill can read and write immediately."""
    file = tmp_path / "killed.sqlite"
    with running(file) as server:
        before = server.client().insert(1)
        server.child.kill()
    with running(file) as server:
        assert server.client().insert(2) > before
