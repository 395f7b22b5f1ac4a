"""SIGKILL at random moments during inserts: no acknowledged event is lost, and the file is intact."""

import os
import signal
import sys
import threading
import time
from http.client import HTTPException
from random import Random

import pytest

from tests.server_stub.endurance.process import Client, running, worker_ids
from tests.server_stub.endurance.store import Store

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")

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


def _kill_while_writing(store: Store, workers: int, turn: int, rng: Random) -> dict[int, int]:
    with running(store.url, workers) as server:
        writers = [
            Writer(server.client(), first=(turn * _WRITERS + each) * 1_000_000) for each in range(_WRITERS)
        ]
        for writer in writers:
            writer.start()
        time.sleep(rng.uniform(0.005, 0.25))
        if ids := worker_ids(server.child.pid):
            # The other processes go on without it.
            os.kill(rng.choice(ids), signal.SIGKILL)
            time.sleep(rng.uniform(0.005, 0.1))
        server.kill()
        for writer in writers:
            writer.join(20)
    return {id_: number for writer in writers for id_, number in writer.acknowledged.items()}


def _stored(store: Store) -> dict[int, int]:
    store.check()
    assert store.rows("SELECT value FROM _counter") == store.rows("SELECT max(id) FROM _event")
    return dict(store.rows("SELECT id, object_id FROM _event WHERE type = 'SEARCH'"))


@pytest.mark.parametrize(("workers", "kills"), [(2, 2), pytest.param(4, 160, marks=pytest.mark.long)])
@pytest.mark.timeout(3600)
def test_nothing_acknowledged_is_lost(store: Store, workers: int, kills: int) -> None:
    """After each kill the database is intact, has all acknowledged events, and no id occurs twice."""
    rng, acknowledged = Random(20), dict[int, int]()
    for turn in range(kills):
        answered = _kill_while_writing(store, workers, turn, rng)
        assert not acknowledged.keys() & answered.keys()
        acknowledged |= answered
        assert acknowledged.items() <= _stored(store).items()
    assert len(acknowledged) > kills  # the kills came while events were written


@pytest.mark.timeout(60)
def test_a_kill_leaves_no_lock(store: Store) -> None:
    """The server that starts after a kill, also without workers, can read and write immediately."""
    with running(store.url) as server:
        before = server.client().insert(1)
        server.kill()
    assert before in _stored(store)
    with running(store.url) as server:
        assert server.client().insert(2) > before
