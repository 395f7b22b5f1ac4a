"""Nodes of a PostgreSQL cluster with Patroni are killed, stopped, frozen and cut off under load.

Nothing acknowledged is lost, no id is used twice, no worker is restarted, and reads go on.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.contract.documents import column, schema, table
from tests.server import started
from tests.server_stub.endurance.process import worker_ids
from tests.server_stub.endurance.repeated_call import RepeatedCall, repeated
from tests.server_stub.endurance.store import add_users

sys.path.append(str(Path(__file__).parents[3] / "packaging"))
from cluster import Node, PatroniCluster, missing_programs

_SUBNET = "10.213.47"
_READS = ("poll", "list")


class _Poller(RepeatedCall):
    """Polls twice a second from the last event that it has seen."""

    def __init__(self, url: str) -> None:
        super().__init__(url, "GET", "event/poll", is_expected=_is_outage)
        self.signed_in()
        self._cursor = int(self.call("GET", "session", None, {})[1]["current_max_event_id"])
        self.seen: list[int] = []

    def _call_once(self) -> None:
        self._call = "GET", f"event/poll/{self._cursor}", None, {"limit": 1000}
        before = len(self.acknowledged)
        super()._call_once()
        if len(self.acknowledged) > before:
            self.seen += [each["event"]["_id"] for each in self.acknowledged[-1].content]
            self._cursor = max(self.seen, default=self._cursor)
        self.ends.wait(0.5)


class _Writer(RepeatedCall):
    """Inserts events, not as fast as possible."""

    def __init__(self, url: str) -> None:
        event = {"type": "SEARCH", "info": {"filling": "x" * 300}, "pollable": True}
        super().__init__(url, "POST", "event", event, is_expected=_is_outage)

    def _call_once(self) -> None:
        super()._call_once()
        self.ends.wait(0.05)


class _Committer(RepeatedCall):
    """Saves a document and commits it; another one may do so at the same time."""

    def __init__(self, url: str, name: str) -> None:
        super().__init__(url, "GET", "", is_expected=lambda status, _: status in {400, 404, 500, 503})
        self._name = name
        self.versions: list[int] = []

    def _call_once(self) -> None:
        status, version = self.call("GET", "schema/user/CURRENT", None, {"format": "json"})
        number = version["version"] + 1 if status == 200 else 1
        tables = [table("work", column("title")), table(f"{self._name}{number % 5}", column("title"))]
        self._call = "POST", "schema/user/HEAD", schema(*tables, version=number), {}
        super()._call_once()
        self.acknowledged.clear()
        self._call = "POST", "schema/commit", None, {}
        super()._call_once()
        self.versions += [each.content["version"] for each in self.acknowledged]
        self.ends.wait(1)


def _is_outage(status: int, content: Any) -> bool:
    return status in {500, 503} and content["code"] == "error.server.database"


def _processes(node: Node) -> list[int]:
    """The processes of a node, which have its folder as their own."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cwd").readlink().is_relative_to(node.folder):
                found.append(int(process.name))
    return found


def _signal(node: Node, number: signal.Signals) -> None:
    for process in _processes(node):
        with suppress(ProcessLookupError):
            os.kill(process, number)


def _kill(node: Node) -> None:
    _signal(node, signal.SIGKILL)


def _freeze(node: Node) -> None:
    _signal(node, signal.SIGSTOP)


def _thaw(node: Node) -> None:
    _signal(node, signal.SIGCONT)


def _cut_off(node: Node) -> None:
    _link(node, "down")


def _join(node: Node) -> None:
    _link(node, "up")


def _link(node: Node, state: str) -> None:
    subprocess.run(["ip", "link", "set", f"cdb-{node.name}", state], check=True)


def _nothing(_: Node) -> None:
    """A node that has ended is only started again."""


def _to_etcd(number: signal.Signals) -> Callable[[Node], None]:
    def send(node: Node) -> None:
        assert node.etcd is not None
        node.etcd.send_signal(number)

    return send


_Fault = tuple[str, Callable[[Node], None], Callable[[Node], None]]
_FAULTS: Sequence[_Fault] = (
    ("kill", _kill, _nothing),
    ("freeze", _freeze, _thaw),
    ("stop", Node.stop, _nothing),
    ("cut off", _cut_off, _join),
)
_ETCD_FAULTS: Sequence[_Fault] = (
    ("kill", _to_etcd(signal.SIGKILL), _nothing),
    ("freeze", _to_etcd(signal.SIGSTOP), _thaw),
    ("stop", _to_etcd(signal.SIGTERM), _nothing),
    ("cut off", _cut_off, _join),
)
_ROUNDS = [
    *product(["primary"], _FAULTS),
    *product(["sync_standby"], _FAULTS),
    *product(["etcd"], _ETCD_FAULTS),
    *product(["primary"], _FAULTS),
]


@contextmanager
def _networks(count: int) -> Iterator[list[list[str]]]:
    """Commands that run programs on machines of their own, with addresses of a common network."""
    bridge, names = "cdb-bridge", [f"cdb-node{number}" for number in range(1, count + 1)]

    def ip(*arguments: str) -> None:
        subprocess.run(["ip", *arguments], check=True, capture_output=True)

    try:
        ip("link", "add", bridge, "type", "bridge")
        ip("addr", "add", f"{_SUBNET}.254/24", "dev", bridge)
        ip("link", "set", bridge, "up")
        for number, name in enumerate(names, 1):
            ip("netns", "add", name)
            ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("link", "set", name, "master", bridge, "up")
            ip("-n", name, "addr", "add", f"{_SUBNET}.{number}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield [["ip", "netns", "exec", name] for name in names]
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)
        subprocess.run(["ip", "link", "delete", bridge], check=False, capture_output=True)


@pytest.fixture
def cluster() -> Iterator[PatroniCluster]:
    """Three nodes in network namespaces, which only root may make."""
    if missing := missing_programs():
        pytest.skip(f"Not installed: {' '.join(missing)}")
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("network namespaces take root and iproute2")
    folder = Path(tempfile.mkdtemp(prefix="cdb-nodes-"))
    folder.chmod(0o755)
    with _networks(3) as commands:
        addresses = [f"{_SUBNET}.{number}" for number in (1, 2, 3)]
        made = PatroniCluster(folder, addresses, within=commands)
        try:
            made.start()
            yield made
        finally:
            for node in made.nodes:
                _kill(node)
            shutil.rmtree(folder, ignore_errors=True)


def _node(cluster: PatroniCluster, role: str) -> Node:
    states = cluster.states()
    if role == "etcd":
        return cluster.nodes[states.index("replica")]
    return cluster.nodes[states.index(role)]


class _Round:
    """A fault: when a standby was promoted and when the next event was stored, in seconds from the fault."""

    def __init__(self, cluster: PatroniCluster, callers: dict[str, list[RepeatedCall]], role: str) -> None:
        self._cluster = cluster
        self._callers = callers
        self._node = _node(cluster, role)
        self._was_primary = role == "primary"

    def run(self, fault: _Fault) -> dict[str, float]:
        """Lets it happen, waits until everything works, and mends it."""
        _, act, mend = fault
        began = time.monotonic()
        act(self._node)
        found = {}
        if self._was_primary:
            while self._cluster.primary() in {None, self._node}:
                assert time.monotonic() < began + 90
                time.sleep(0.05)
            found["promoted"] = time.monotonic() - began
        found["write"] = self._next("insert", began + found.get("promoted", 0)) - began
        for name in _READS:
            found[name] = self._longest(name, began)
        mend(self._node)
        self._cluster.start()
        return found

    def _next(self, name: str, after: float) -> float:
        while True:
            last = (each for caller in self._callers[name] for each in caller.acknowledged[-9:])
            ends = [each.ended for each in last if each.ended > after]
            assert not [caller.faults for caller in self._callers[name] if caller.faults]
            if ends:
                return min(ends)
            assert time.monotonic() < after + 90
            time.sleep(0.02)

    def _longest(self, name: str, began: float) -> float:
        """The longest time between two answers that one of the callers has got since the fault."""
        return max(
            max(after - before for before, after in pairwise(ends))
            for caller in self._callers[name]
            for ends in [
                [began, *(each.ended for each in caller.acknowledged if each.ended > began), time.monotonic()]
            ]
        )


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_failovers(cluster: PatroniCluster) -> None:
    """The counts of faults with their times are printed."""
    rounds = _ROUNDS[: int(os.environ.get("CDB_FAILOVERS", len(_ROUNDS)))]
    add_users(cluster.url)
    with started(cluster.url, "--replica", "auto", "--workers", "2", "--log-level", "ERROR") as (
        process,
        url,
    ):
        first = RepeatedCall(url, "GET", "event/list", is_expected=_is_outage, limit=20).signed_in()
        callers: dict[str, list[RepeatedCall]] = {
            "insert": [_Writer(url).signed_in() for _ in range(4)],
            "commit": [_Committer(url, name).signed_in() for name in ("first", "second")],
            "poll": [_Poller(url) for _ in range(50)],
            "list": [first],
        }
        workers = worker_ids(process.pid)
        assert len(workers) == 2
        with repeated(each for several in callers.values() for each in several):
            for role, fault in rounds:
                found = _Round(cluster, callers, role).run(fault)
                shown = {name: round(seconds, 2) for name, seconds in found.items()}
                print(role, fault[0], shown, flush=True)  # noqa: T201
        assert worker_ids(process.pid) == workers
    assert not [caller.faults for several in callers.values() for caller in several if caller.faults]
    for name, several in callers.items():
        print(name, sum((caller.statuses for caller in several), Counter[int]()))  # noqa: T201
    _check(cluster, callers)


def _check(cluster: PatroniCluster, callers: dict[str, list[RepeatedCall]]) -> None:
    primary = cluster.primary()
    assert primary is not None
    with psycopg.connect(
        f"host={primary.address} port={cluster.port} user=postgres dbname=cdb"
    ) as connection:
        stored = [id_ for (id_,) in connection.execute("SELECT id FROM _event ORDER BY id")]
        commits = len(connection.execute("SELECT 1 FROM _event WHERE type = 'SCHEMA_COMMIT'").fetchall())
        counter = connection.execute("SELECT value FROM _counter").fetchall()
    inserted = [each.content["event"]["_id"] for caller in callers["insert"] for each in caller.acknowledged]
    assert len(set(inserted)) == len(inserted)
    assert set(inserted) <= set(stored)
    assert counter == [(stored[-1],)]
    versions = [
        each for caller in callers["commit"] if isinstance(caller, _Committer) for each in caller.versions
    ]
    assert len(set(versions)) == len(versions) <= commits
    for poller in callers["poll"]:
        assert isinstance(poller, _Poller)
        assert poller.seen == sorted(set(poller.seen))
        assert set(inserted) <= {*poller.seen, *range(poller.seen[-1] + 1, stored[-1] + 1)}
