"""Four writers and three pollers at once: no poller misses an event, none gets one twice (§4.2)."""

import subprocess
import sys
import threading

import pytest

from tests.server_stub.endurance.process import Client, running
from tests.server_stub.endurance.store import Store

_WRITERS, _POLLERS = 4, 3
_EXPECTED = "SELECT id FROM _event WHERE type = 'OBJECT_DELETE' AND pollable = 1 ORDER BY id"


class Poller(threading.Thread):
    """Follows the log until it is complete; `seen` has the ids in the order of arrival."""

    def __init__(self, client: Client, complete: threading.Event) -> None:
        super().__init__()
        self._client = client
        self._complete = complete
        self._cursor = self._client.first_cursor
        self.seen: list[int] = []
        self.polls = 0

    def forget_sign_ins(self) -> None:
        """Starts after the existing events, since sign-ins of the pollers do not count."""
        while self._poll():
            self.seen.clear()

    def run(self) -> None:
        while self._poll() or not self._complete.is_set():
            self.polls += 1
        # Events that became visible between the last empty response and the flag.
        while self._poll():
            self.polls += 1

    def _poll(self) -> bool:
        new = self._client.poll(self._cursor)
        self.seen += new
        self._cursor = new[-1] if new else self._cursor
        return bool(new)


@pytest.mark.parametrize(
    ("workers", "events"),
    [
        (2, 400),
        pytest.param(4, 50_000, marks=pytest.mark.long),
    ],
)
@pytest.mark.timeout(600)
def test_no_event_is_missed_or_repeated(store: Store, workers: int, events: int) -> None:
    """Every poller gets exactly its visible events, each once, by ascending id."""
    complete = threading.Event()
    with running(store.url, workers) as server:
        pollers = [Poller(server.client(), complete) for _ in range(_POLLERS)]
        for poller in pollers:
            poller.forget_sign_ins()
        for poller in pollers:
            poller.start()
        _write(store.url, events)
        complete.set()
        for poller in pollers:
            poller.join(60)
    expected = [id_ for (id_,) in store.rows(_EXPECTED)]
    assert len(expected) == events
    for poller in pollers:
        assert poller.seen == expected
        assert poller.polls > 10  # they followed while it was written


def _write(url: str, events: int) -> None:
    """Runs all writers at the same time, each in a process."""
    command = [sys.executable, "-m", "tests.server_stub.endurance.writing", url, str(events // _WRITERS)]
    writers = [subprocess.Popen([*command, str(seed)]) for seed in range(_WRITERS)]
    assert [writer.wait(500) for writer in writers] == [0] * _WRITERS
