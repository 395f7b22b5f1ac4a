"""Nodes of a PostgreSQL cluster with Patroni are killed, stopped, frozen and cut off under load.

Nothing acknowledged is lost, no id is used twice, no worker is restarted, and reads go on.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import cycle, islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest

from tests.contract.documents import column, schema, table
from tests.server import started
from tests.server_stub.endurance.process import worker_ids
from tests.server_stub.endurance.repeated_call import RepeatedCall, repeated
from tests.server_stub.endurance.store import add_users

sys.path.append(str(Path(__file__).parents[3] / "packaging"))
from cluster import NAMES_STANDBYS_AGAIN, Node, PatroniCluster, missing_programs, patroni_version

_SUBNET = "10.213.47"
# How long a node is away that is not the primary: longer than it takes to be noticed.
_AWAY_SECONDS = 25


class _Lister(RepeatedCall):
    """Reads the newest events, and keeps only when."""

    def _call_once(self) -> None:
        super()._call_once()
        self.acknowledged[-1:] = [each._replace(content=None) for each in self.acknowledged[-1:]]
        self.ends.wait(0.2)


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
            last = self.acknowledged[-1]
            self.seen += [each["event"]["_id"] for each in last.content]
            self._cursor = max(self.seen[-1:], default=self._cursor)
            self.acknowledged[-1] = last._replace(content=None)
        self.ends.wait(0.5)


class _Writer(RepeatedCall):
    """Inserts events, not as fast as possible."""

    def __init__(self, url: str) -> None:
        event = {"type": "SEARCH", "info": {"filling": "x" * 300}, "pollable": True}
        super().__init__(url, "POST", "event", event, is_expected=_is_outage)

    def _call_once(self) -> None:
        super()._call_once()
        self.ends.wait(0.2)


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


def _freeze_etcd(node: Node) -> None:
    assert node.etcd is not None
    node.etcd.send_signal(signal.SIGSTOP)


def _end_etcd(number: signal.Signals) -> Callable[[Node], None]:
    def end(node: Node) -> None:
        assert node.etcd is not None
        node.etcd.send_signal(number)
        node.etcd.wait(60)

    return end


class _Fault(NamedTuple):
    """What happens to the node that is a `primary`, `sync_standby` or `replica`."""

    role: str
    name: str
    act: Callable[[Node], None]
    mend: Callable[[Node], None]


_OF_PRIMARY = [
    _Fault("primary", "kill", _kill, _nothing),
    _Fault("primary", "freeze", _freeze, _thaw),
    _Fault("primary", "stop", Node.stop, _nothing),
    _Fault("primary", "cut off", _cut_off, _join),
]
_OF_OTHERS = [
    *(each._replace(role="sync_standby") for each in _OF_PRIMARY),
    _Fault("primary", "kill etcd", _end_etcd(signal.SIGKILL), _nothing),
    _Fault("primary", "freeze etcd", _freeze_etcd, _thaw),
    _Fault("primary", "stop etcd", _end_etcd(signal.SIGTERM), _nothing),
    _Fault("replica", "cut off", _cut_off, _join),
]
_PORTIONS = 6


def _faults(portion: int) -> list[_Fault]:
    """Five failovers, and two faults after which the primary stays where it is."""
    return [
        *islice(cycle(_OF_PRIMARY), 5 * portion, 5 * portion + 5),
        *islice(cycle(_OF_OTHERS), 2 * portion, 2 * portion + 2),
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
    if patroni_version() < NAMES_STANDBYS_AGAIN:
        pytest.skip("This version of Patroni may name no synchronous standby after a freeze.")
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
                for process in filter(None, (node.etcd, node.patroni)):
                    process.wait(60)
            shutil.rmtree(folder, ignore_errors=True)


class _Round:
    """A fault; `found` has the seconds from it until something happened, and the longest gaps of callers."""

    def __init__(
        self, cluster: PatroniCluster, callers: dict[str, list[RepeatedCall]], fault: _Fault
    ) -> None:
        self._cluster = cluster
        self._callers = callers
        self._fault = fault
        self._node = cluster.nodes[cluster.states().index(fault.role)]
        self.found: dict[str, float | str] = {}

    def run(self) -> None:
        """Lets it happen, waits until everything works, and mends it."""
        began = time.monotonic()
        self._fault.act(self._node)
        if self._fault in _OF_PRIMARY:
            others = [each for each in self._cluster.nodes if each is not self._node]
            while "primary" not in map(self._cluster.state, others):
                assert time.monotonic() < began + 90
                time.sleep(0.02)
            promoted = time.monotonic()
            self.found["promoted"] = round(promoted - began, 1)
            self.found["write"] = round(self._next("insert", promoted) - promoted, 2)
        else:
            time.sleep(_AWAY_SECONDS)
        self._fault.mend(self._node)
        self._cluster.start()
        self.found["complete"] = round(time.monotonic() - began)
        self._next("insert", time.monotonic())
        for name in ("insert", "poll", "list"):
            self.found[f"{name} gap"] = "{:.1f} from {:.1f}".format(*self._longest(name, began))

    def _next(self, name: str, after: float) -> float:
        while True:
            last = (each for caller in self._callers[name] for each in caller.acknowledged[-9:])
            ends = [each.ended for each in last if each.ended > after]
            assert not [caller.faults for caller in self._callers[name] if caller.faults]
            if ends:
                return min(ends)
            assert time.monotonic() < after + 90
            time.sleep(0.02)

    def _longest(self, name: str, began: float) -> tuple[float, float]:
        """The longest time between two answers that one of the callers has got, and when it began."""
        now = time.monotonic()
        return max(
            (after - before, before - began)
            for caller in self._callers[name]
            for ends in [[each.ended for each in caller.acknowledged if began < each.ended < now]]
            for before, after in pairwise([began, *ends, now])
        )


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("portion", range(_PORTIONS))
def test_failovers(cluster: PatroniCluster, portion: int) -> None:
    """Each fault is printed with its times and counts, after all that was acknowledged has been found."""
    add_users(cluster.url)
    with started(cluster.url, "--replica", "auto", "--workers", "2", "--log-level", "WARNING") as (
        process,
        url,
    ):
        callers: dict[str, list[RepeatedCall]] = {
            "insert": [_Writer(url).signed_in() for _ in range(4)],
            "commit": [_Committer(url, name).signed_in() for name in ("first", "second")],
            "poll": [_Poller(url) for _ in range(50)],
            "list": [_Lister(url, "GET", "event/list", is_expected=_is_outage, limit=20).signed_in()],
        }
        workers = worker_ids(process.pid)
        assert len(workers) == 2
        with repeated(each for several in callers.values() for each in several):
            for fault in _faults(portion):
                done = _Round(cluster, callers, fault)
                done.run()
                counts = _compare(cluster, callers)
                assert worker_ids(process.pid) == workers
                print(fault.role, fault.name, done.found, dict(counts), flush=True)  # noqa: T201
                assert counts["lost"] == counts["double"] == 0
    assert not [caller.faults for several in callers.values() for caller in several if caller.faults]
    for name, several in callers.items():
        print(name, sum((caller.statuses for caller in several), Counter[int]()))  # noqa: T201


def _compare(cluster: PatroniCluster, callers: dict[str, list[RepeatedCall]]) -> Counter[str]:
    """Counts what was acknowledged until now, and what of it is lost or has an id of another one."""
    inserted = [
        each.content["event"]["_id"] for caller in callers["insert"] for each in list(caller.acknowledged)
    ]
    versions = {
        each
        for caller in callers["commit"]
        if isinstance(caller, _Committer)
        for each in list(caller.versions)
    }
    pollers = [(poller, len(poller.seen)) for poller in callers["poll"] if isinstance(poller, _Poller)]
    primary = cluster.primary()
    assert primary is not None
    with psycopg.connect(
        f"host={primary.address} port={cluster.port} user=postgres dbname=cdb"
    ) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        stored = [id_ for (id_,) in connection.execute("SELECT id FROM _event ORDER BY id")]
        commits = connection.execute("SELECT info FROM _event WHERE type = 'SCHEMA_COMMIT'").fetchall()
        assert connection.execute("SELECT value FROM _counter").fetchall() == [(stored[-1],)]
    committed = [json.loads(info)["schema"] for (info,) in commits]
    found = Counter(
        inserted=len(inserted),
        committed=len(versions),
        lost=len(set(inserted) - set(stored)) + len(versions - set(committed)),
        double=sum(len(ids) - len(set(ids)) for ids in (inserted, stored, committed)),
    )
    for poller, count in pollers:
        seen = poller.seen[:count]
        found["double"] += len(seen) - len(set(seen))
        assert seen == sorted(seen)
        found["lost"] += len({each for each in inserted if seen[:1] and each <= seen[-1]} - set(seen))
    return found
