"""A PostgreSQL cluster for tests, on its own port, which can be stopped, killed and restarted."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg

# Debian keeps the programs of the server outside of PATH.
_FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
_SETTINGS = {
    "fsync": "off",  # Nothing survives a failure of the machine, which no test is about.
    "full_page_writes": "off",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "listen_addresses": "127.0.0.1",
    "wal_level": "replica",
    "hot_standby": "on",
}


def program(name: str) -> str | None:
    """The path of a program of PostgreSQL's server, or None if it is not installed."""
    return shutil.which(name, path=os.pathsep.join([*map(str, _FOLDERS), os.environ.get("PATH", "")]))


def is_installed() -> bool:
    """Whether this machine has a PostgreSQL server."""
    return program("initdb") is not None and program("pg_ctl") is not None


class Cluster:
    """A PostgreSQL server on a free port of this machine; its user is `cdb`, without a password."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.port = free_port()
        self._numbers = count()

    @classmethod
    @contextmanager
    def running(cls, **settings: str) -> Iterator[Cluster]:
        """A new cluster, which is started and removed at the end of the block."""
        folder = Path(tempfile.mkdtemp(prefix="cdb-pg-"))
        cluster = cls(folder)
        try:
            cluster.own()
            locale = ("-E", "UTF8", "--locale=C.UTF-8")
            cluster.run("initdb", "-D", str(cluster.data), "-A", "trust", "-U", "cdb", "--no-sync", *locale)
            cluster.start(**settings)
            yield cluster
        finally:
            if cluster.is_running:
                cluster.stop("immediate")
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def standby(self, **settings: str) -> Iterator[Cluster]:
        """A hot standby of this cluster, which replays what happens here until the end of the block."""
        folder = Path(tempfile.mkdtemp(prefix="cdb-pg-"))
        made = Cluster(folder)
        source = ("-h", "127.0.0.1", "-p", str(self.port), "-U", "cdb")
        try:
            made.own()
            made.run("pg_basebackup", "-D", str(made.data), *source, "-R", "-c", "fast", "--no-sync")
            made.start(**settings)
            yield made
        finally:
            if made.is_running:
                made.stop("immediate")
            shutil.rmtree(folder, ignore_errors=True)

    def own(self) -> None:
        """Gives the folder to the user that PostgreSQL runs as: it refuses to run as root."""
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")

    def run(self, name: str, *arguments: str) -> str:
        """Runs a program of PostgreSQL; returns its output."""
        found = program(name)
        assert found is not None
        as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        done = subprocess.run(
            [*as_user, found, *arguments], cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def start(self, **settings: str) -> None:
        """Starts the server and waits until it accepts connections."""
        given = _SETTINGS | {"port": str(self.port), "unix_socket_directories": str(self.folder)} | settings
        options = " ".join(f"-c {name}={value}" for name, value in given.items())
        log = str(self.folder / "log")
        # In a file of its own: a pipe would stay open as long as the server runs.
        self.run("pg_ctl", "-D", str(self.data), "-w", "-t", "60", "-l", log, "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        """Stops the server; "immediate" is like a crash."""
        self.run("pg_ctl", "-D", str(self.data), "-w", "-m", mode, "stop")

    def promote(self) -> None:
        """Makes a standby a primary."""
        self.run("pg_ctl", "-D", str(self.data), "-w", "promote")

    def kill(self) -> None:
        """Kills the server with SIGKILL, and waits until the processes of its connections have ended."""
        killed = self._pid()
        begun = Path(f"/proc/{killed}/task/{killed}/children")
        children = begun.read_text().split() if begun.exists() else []
        os.kill(killed, signal.SIGKILL)
        # It cannot start before they have released its memory.
        while _accepts(self.port) or any(Path(f"/proc/{child}").exists() for child in children):
            time.sleep(0.01)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """A block in which the server does not run, although the system still takes connections for it."""
        first = self._pid()
        processes = [first, *map(int, Path(f"/proc/{first}/task/{first}/children").read_text().split())]
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in processes:
                os.kill(process, signal.SIGCONT)

    @property
    def is_running(self) -> bool:
        """Whether the server runs."""
        return _accepts(self.port)

    def _pid(self) -> int:
        return int((self.data / "postmaster.pid").read_text().splitlines()[0])

    def url(self, database: str) -> str:
        """The address of a database for `cdb-server`."""
        return f"postgresql://cdb@127.0.0.1:{self.port}/{database}"

    def create_database(self, template: str | None = None) -> str:
        """Creates a database, as a copy of another one if there is a template; returns its name."""
        name = f"db{next(self._numbers)}_{os.getpid()}"
        copied = "" if template is None else f" TEMPLATE {template} STRATEGY file_copy"
        self.execute(f"CREATE DATABASE {name}{copied}")
        return name

    def drop_database(self, name: str) -> None:
        """Drops a database and ends its connections."""
        self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def execute(self, statement: str, database: str = "postgres") -> Sequence[tuple[object, ...]]:
        """Executes a statement outside of a transaction; returns its rows."""
        with self.connect(database) as connection:
            found = connection.execute(statement.encode())
            return found.fetchall() if found.description else []

    def connect(self, database: str = "postgres") -> psycopg.Connection[tuple[object, ...]]:
        """A connection of the driver, which commits every statement."""
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user="cdb", dbname=database, autocommit=True, connect_timeout=10
        )


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _accepts(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0
