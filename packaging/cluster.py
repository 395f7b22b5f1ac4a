"""Three nodes of PostgreSQL with Patroni and etcd on one machine, to try out failovers and for the tests.

`packaging/cluster` starts them. Each node has an address of its own, so that all of them use the same ports,
as on machines of their own.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ADDRESSES = ("127.0.0.11", "127.0.0.12", "127.0.0.13")
PORT = 15432
_USER = "postgres"
# Seconds. The first one is how long a primary may be silent until a standby takes its place: the smallest one
# that Patroni recommends. A node must have given up before, hence the others.
_TIMES = {"ttl": 20, "loop_wait": 2, "retry_timeout": 8}
_START_SECONDS = 120
# A standby that is silent does not hold up the primary for the minute that is usual.
_PARAMETERS = {"wal_sender_timeout": "5s"}
# Earlier versions of Patroni may name no synchronous standby any more after a node was frozen.
NAMES_STANDBYS_AGAIN = 3, 1
# Debian keeps the programs of the server outside of PATH.
_PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)

_ADVICE = """
Only for trying out: everybody on this machine may do everything without a password, and a failure of the
machine takes all nodes with it. In production:
- three machines, in different racks or places, with synchronized clocks;
  apt install postgresql patroni etcd-server
- Patroni 3.1 or later, as in Debian 13: earlier ones may name no synchronous standby any more after a node
  was frozen, and then promote none
- passwords (SCRAM) and TLS for PostgreSQL, etcd and Patroni's REST interface; ports that only the nodes and
  servers reach
- synchronous_mode: true, as here: otherwise the last seconds of a failed primary are lost. With
  synchronous_mode_strict: true nothing is stored while no standby is there
- a watchdog (/dev/watchdog), which restarts a machine on which Patroni is frozen
- fast disks for etcd, of their own
- wal_sender_timeout: 5s, as here: otherwise a standby that is silent holds up changes for up to a minute
- backups all the same (cdb-server backup): a standby repeats every mistake
"""


class ClusterError(Exception):
    """The nodes cannot be started; the message contains the reason."""


def missing_programs() -> list[str]:
    """What has to be installed to start nodes, as packages of Debian."""
    needed = {"etcd-server": "etcd", "patroni": "patroni", "postgresql": "initdb"}
    return [package for package, name in needed.items() if _program(name) is None]


def patroni_version() -> tuple[int, ...]:
    """The version of Patroni that is installed."""
    shown = subprocess.run(
        [str(_program("patroni")), "--version"], capture_output=True, text=True, check=True
    ).stdout
    return tuple(int(part) for part in shown.split()[-1].split(".")[:2])


def _program(name: str) -> str | None:
    return shutil.which(name, path=os.pathsep.join([*map(str, _PROGRAMS), os.environ.get("PATH", "")]))


class Node:
    """A machine of the cluster: etcd, and Patroni, which runs PostgreSQL.

    ``within`` is what its programs are started with, such as `ip netns exec NAME`.
    """

    def __init__(self, name: str, address: str, folder: Path, within: Sequence[str] = ()) -> None:
        self.name = name
        self.address = address
        self.folder = folder
        self.data = folder / "postgresql"
        self._within = within
        self.etcd: subprocess.Popen[bytes] | None = None
        self.patroni: subprocess.Popen[bytes] | None = None

    def start_etcd(self, port: int, members: Sequence[Node]) -> None:
        """Starts etcd, unless it runs."""
        if self.etcd is not None and self.etcd.poll() is None:
            return
        client, peer = f"http://{self.address}:{port + 2}", f"http://{self.address}:{port + 3}"
        self.etcd = self._run(
            "etcd",
            *("--name", self.name, "--data-dir", str(self.folder / "etcd"), "--log-level", "warn"),
            *("--listen-client-urls", client, "--advertise-client-urls", client),
            *("--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer),
            "--initial-cluster",
            ",".join(f"{each.name}=http://{each.address}:{port + 3}" for each in members),
        )

    def start_patroni(self, port: int, members: Sequence[Node], parameters: Mapping[str, object]) -> None:
        """Starts Patroni, unless it runs, and with it PostgreSQL."""
        if self.patroni is not None and self.patroni.poll() is None:
            return
        etcd = [f"{each.address}:{port + 2}" for each in members]
        file = self.folder / "patroni.json"
        file.write_text(json.dumps(self._configuration(port, etcd, parameters), indent=2), encoding="utf-8")
        self.patroni = self._run("patroni", str(file))

    def stop(self) -> None:
        """Ends Patroni with PostgreSQL, then etcd."""
        for process in (self.patroni, self.etcd):
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
                process.wait(60)

    def _run(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        as_user = (
            ["setpriv", "--reuid", _USER, "--regid", _USER, "--init-groups"] if os.geteuid() == 0 else []
        )
        with (self.folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                [*self._within, *as_user, str(_program(name)), *arguments],
                cwd=self.folder,
                env={**os.environ, "HOME": str(self.folder)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl+C ends them in their order.
            )

    def _configuration(
        self, port: int, etcd: Sequence[str], parameters: Mapping[str, object]
    ) -> dict[str, Any]:
        create = ["CREATE ROLE cdb LOGIN", "CREATE DATABASE cdb OWNER cdb"]
        commands = " ".join(f"--command '{each}'" for each in create)
        return {
            "scope": "cdb",
            "name": self.name,
            "restapi": {
                "listen": f"{self.address}:{port + 1}",
                "connect_address": f"{self.address}:{port + 1}",
            },
            "etcd3": {"hosts": etcd},
            "bootstrap": {
                "dcs": {
                    **_TIMES,
                    "synchronous_mode": True,
                    "failsafe_mode": True,  # Goes on without etcd while all nodes see each other.
                    "primary_start_timeout": 0,  # A standby is ready sooner than a crashed primary.
                    "postgresql": {"use_pg_rewind": True, "parameters": dict(parameters)},
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "data-checksums"],
                "pg_hba": [f"host {what} all 0.0.0.0/0 trust" for what in ("all", "replication")],
                "post_bootstrap": f"{_program('psql')} {commands} --dbname",
            },
            "postgresql": {
                "listen": f"{self.address}:{port}",
                "connect_address": f"{self.address}:{port}",
                "data_dir": str(self.data),
                "bin_dir": str(Path(str(_program("initdb"))).parent),
                "basebackup": [{"checkpoint": "fast"}],
                "parameters": {"unix_socket_directories": str(self.folder)},
                "authentication": {each: {"username": "postgres"} for each in ("superuser", "replication")},
            },
        }


class PatroniCluster:
    """The nodes, with their data in a folder. ``parameters`` are those of PostgreSQL in a new cluster."""

    def __init__(
        self,
        folder: Path,
        addresses: Sequence[str] = ADDRESSES,
        port: int = PORT,
        *,
        within: Sequence[Sequence[str]] = ((), (), ()),
        parameters: Mapping[str, object] | None = None,
    ) -> None:
        self.port = port
        self._parameters = _PARAMETERS | dict(parameters or {})
        self.nodes = [
            Node(f"node{number}", address, folder / f"node{number}", command)
            for number, (address, command) in enumerate(zip(addresses, within, strict=True), 1)
        ]

    @property
    def url(self) -> str:
        """The address of the database for `cdb-server`."""
        hosts = "&".join(f"host={node.address}:{self.port}" for node in self.nodes)
        return f"postgresql://cdb@/cdb?{hosts}"

    def start(self) -> None:
        """Starts whatever does not run, and waits until there are a primary and a synchronous standby."""
        if missing := missing_programs():
            raise ClusterError(f"Missing: apt install {' '.join(missing)}")
        for node in self.nodes:
            node.folder.mkdir(parents=True, exist_ok=True)
            if os.geteuid() == 0:
                shutil.chown(node.folder, _USER, _USER)
        for node in self.nodes:
            node.start_etcd(self.port, self.nodes)
        for node in self.nodes:
            node.start_patroni(self.port, self.nodes, self._parameters)
        until = time.monotonic() + _START_SECONDS
        while not self.is_complete():
            for process in (each for node in self.nodes for each in (node.etcd, node.patroni)):
                if process is not None and process.poll() is not None:
                    raise ClusterError(f"{process.args} has ended; the files *.log in its folder say why")
            if time.monotonic() > until:
                raise ClusterError(
                    f"Not ready after {_START_SECONDS} s: {self.states()}; see the files *.log"
                )
            time.sleep(0.2)

    def stop(self) -> None:
        """Ends all nodes, the primary last, so that none takes its place."""
        states = {node.name: state for node, state in zip(self.nodes, self.states(), strict=True)}
        for node in sorted(self.nodes, key=lambda each: states[each.name] == "primary"):
            node.stop()

    def states(self) -> list[str]:
        """What each node is: `primary`, `sync_standby` or `replica`; empty if it does not say."""
        return [self.state(node) for node in self.nodes]

    def state(self, node: Node) -> str:
        """What one node is."""
        return _state(f"http://{node.address}:{self.port + 1}/patroni")

    def is_complete(self) -> bool:
        """Whether there are a primary, a synchronous standby and another one."""
        return sorted(self.states()) == ["primary", "replica", "sync_standby"]

    def primary(self) -> Node | None:
        """The node that can be written."""
        for node, state in zip(self.nodes, self.states(), strict=True):
            if state == "primary":
                return node
        return None


def _state(url: str) -> str:
    try:
        with urllib.request.urlopen(url, timeout=3) as answer:  # noqa: S310
            found = json.loads(answer.read())
    except (OSError, ValueError):
        return ""
    if found.get("state") not in {"running", "streaming"}:
        return ""
    role = str(found.get("role")).replace("master", "primary")
    return "sync_standby" if found.get("sync_standby") else role


def main() -> int:
    """Starts the nodes and waits for Ctrl+C."""
    parser = argparse.ArgumentParser(prog="packaging/cluster", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the data is kept")
    parser.add_argument("--port", type=int, default=PORT, help="of PostgreSQL; the next three are taken, too")
    given = parser.parse_args()
    cluster = PatroniCluster(given.folder.resolve(), port=given.port)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        cluster.start()
        print(_ADVICE)
        print(f"cdb-server --database '{cluster.url}' --replica auto", flush=True)
        signal.pause()
    except KeyboardInterrupt:
        return 0
    except ClusterError as error:
        print(f"cluster: {error}", file=sys.stderr)
    finally:
        cluster.stop()
    return 1


if __name__ == "__main__":
    sys.exit(main())
