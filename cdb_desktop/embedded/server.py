"""The embedded reference server: starts, restarts and stops it; snapshots of its database."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Literal, Self
from urllib.parse import urlsplit

import msgspec

from cdb_desktop.embedded.child import Child, environment, failure_text, server_program
from cdb_desktop.embedded.folder import ServerFolder
from cdb_desktop.foundation.bundle import NO_CONSOLE
from cdb_desktop.foundation.errors import FaultError

_ACTIVITY = 20  # simulated events a minute
Phase = Literal["running", "restarting"]
Command = Callable[[Path, int], list[str]]
# Seconds before each restart within a minute; then the server counts as lost.
_DELAYS = (0.1, 0.5, 1.0, 2.0, 4.0)
_MINUTE = 60.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Login:
    """The login of this program at the server; it is not stored."""

    name: str
    password: str = field(repr=False)

    def line(self) -> bytes:
        """The first line of the server's standard input."""
        return json.dumps({"login": self.name, "password": self.password}).encode() + b"\n"


def random_login() -> Login:
    """A login with a random name and password."""
    return Login(f"desktop-{secrets.token_hex(4)}", secrets.token_urlsafe(24))


def server_command(database: Path, port: int) -> list[str]:
    """The command line of the server with demo data in ``database``; ``port`` 0 takes a free one."""
    # Faults can be simulated from the menu; none is until then.
    return _command(database, port, "--demo", "--activity", str(_ACTIVITY), "--chaos", "off")


def rehearsal_command(database: Path, port: int) -> list[str]:
    """The command line of a server without demo data."""
    return _command(database, port, "--chaos", "off")


def log_server_command(database: Path, port: int) -> list[str]:
    """The command line of the server of a log, which nobody can change."""
    return _command(database, port, "--archive")


def _command(database: Path, port: int, *options: str) -> list[str]:
    place = ("--port", str(port), "--database", str(database))
    return [*server_program(), *place, *options, "--exit-with-stdin", "--login-from-stdin"]


class ServerLostError(FaultError):
    """The server does not start, or crashes repeatedly; ``log`` is its log file."""

    def __init__(self, log: Path) -> None:
        super().__init__("demo", log=str(log))
        self.log = log


class EmbeddedServer:
    """A server on a loopback port for the life of an ``async with`` block.

    ``login`` has every right, or those that the ``command`` gives it.
    """

    def __init__(
        self, folder: ServerFolder, command: Command = server_command, options: tuple[str, ...] = ()
    ) -> None:
        """Starts the process, with further ``options``, without waiting for it.

        Closes ``folder`` at the end. Raises OSError if the process cannot be started.
        """
        self.folder = folder
        self.login = random_login()
        self.options = options
        self._command = command
        self._deaths: list[float] = []
        self._turn = asyncio.Lock()
        self._is_replaced = False
        self._child = self._started(0)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.stop)

    def stop(self) -> None:
        """Stops the server and closes its folder; blocks for up to some seconds.

        Does nothing after `replaced_after`.
        """
        if self._is_replaced:
            return
        self._child.stop()
        self.folder.close()

    @property
    def pid(self) -> int:
        """The id of the current process."""
        return self._child.pid

    async def url(self) -> str:
        """Waits until the server listens and returns its address. Raises ServerLostError."""
        found = await asyncio.wrap_future(self._child.url)
        if found is None and await asyncio.to_thread(self.folder.set_damaged_database_aside):
            # The server creates new demo data.
            await asyncio.to_thread(self._child.stop)
            self._child = self._started(0)
            found = await asyncio.wrap_future(self._child.url)
        if found is None:
            raise ServerLostError(self.folder.log)
        return found

    async def watch(self, on_change: Callable[[Phase], None]) -> None:
        """Restarts the server on the same port whenever it ends; never returns. Raises ServerLostError."""
        port = urlsplit(await self.url()).port or 0
        while True:
            child = self._child
            code = await asyncio.wrap_future(child.ended)
            async with self._turn:
                if self._is_replaced:
                    break
                if child is not self._child:
                    continue
                _log.warning("the embedded server ended with code %s", code)
                on_change("restarting")
                if await self._restart(port):
                    on_change("running")
        await asyncio.get_running_loop().create_future()

    async def replaced_after(self, work: Callable[[], None]) -> EmbeddedServer:
        """Stops the server, runs ``work`` on a thread, and returns a new server on the same folder.

        The new server has another address and login. It closes the folder; this object no longer does. If
        ``work`` raises an exception, this server is started again and the exception is raised.
        """
        port = urlsplit(await self.url()).port or 0
        async with self._turn:
            await asyncio.to_thread(self._child.stop)
            try:
                await asyncio.to_thread(work)
            except asyncio.CancelledError:
                # If the work still runs, the server waits for it at the lock of its database.
                self._child = self._started(port)
                raise
            except Exception:
                self._child = self._started(port)
                await asyncio.wrap_future(self._child.url)
                raise
            self._is_replaced = True
            return EmbeddedServer(self.folder, self._command, self.options)

    async def _restart(self, port: int) -> bool:
        now = time.monotonic()
        self._deaths = [death for death in self._deaths if now - death < _MINUTE]
        if len(self._deaths) == len(_DELAYS):
            raise ServerLostError(self.folder.log)
        await asyncio.sleep(_DELAYS[len(self._deaths)])
        self._deaths.append(now)
        await asyncio.to_thread(self._child.stop)
        self._child = self._started(port)
        return await asyncio.wrap_future(self._child.url) is not None

    def _started(self, port: int) -> Child:
        return Child(
            [*self._command(self.folder.database, port), *self.options], self.folder.log, self.login.line()
        )


class Snapshot(msgspec.Struct, frozen=True):
    """A snapshot of the database; ``size`` is in bytes."""

    name: str
    saved: datetime
    size: int


class SnapshotError(FaultError):
    """A snapshot cannot be saved, restored or removed."""

    def __init__(self, reason: str) -> None:
        super().__init__("snapshot", reason=reason)


class SnapshotStore:
    """The snapshots of one database. All methods block for seconds and raise SnapshotError."""

    def __init__(self, database: Path) -> None:
        self._database = database

    def all(self) -> list[Snapshot]:
        """All snapshots, the newest first."""
        return msgspec.json.decode(self._run("list", "--json"), type=list[Snapshot])

    def save(self, name: str) -> None:
        """Saves the database under a new name, while its server runs."""
        self._run("save", name)

    def restore(self, name: str) -> None:
        """Replaces the database by a snapshot; its server must not run."""
        self._run("restore", name)

    def remove(self, name: str) -> None:
        """Removes a snapshot."""
        self._run("remove", name)

    def _run(self, action: str, argument: str) -> bytes:
        command = [*server_program(), "snapshot", action, argument, "--database", str(self._database)]
        try:
            done = subprocess.run(
                command, capture_output=True, check=False, env=environment(), creationflags=NO_CONSOLE
            )
        except OSError as error:
            raise SnapshotError(str(error)) from error
        if done.returncode != 0:
            raise SnapshotError(failure_text(done.stderr, done.returncode))
        return done.stdout
