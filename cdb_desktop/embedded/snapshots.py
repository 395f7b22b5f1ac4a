"""Snapshots of the demo's database, which the server's program saves and restores."""

from __future__ import annotations

import os
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from cdb_desktop.embedded.child import NO_CONSOLE, WITHHELD
from cdb_desktop.foundation.bundle import neighbour_command
from cdb_desktop.foundation.errors import FaultError


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
        program = neighbour_command("cdb-server", "server_stub")
        command = [*program, "snapshot", action, argument, "--database", str(self._database)]
        environment: dict[str, Any] = {
            name: value for name, value in os.environ.items() if name not in WITHHELD
        }
        try:
            done = subprocess.run(
                command, capture_output=True, check=False, env=environment, creationflags=NO_CONSOLE
            )
        except OSError as error:
            raise SnapshotError(str(error)) from error
        if done.returncode != 0:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or [str(done.returncode)]
            raise SnapshotError(lines[-1].removeprefix("cdb-server: "))
        return done.stdout
