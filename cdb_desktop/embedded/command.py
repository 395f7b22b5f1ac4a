"""The command line that starts the reference server, from source and from a frozen bundle."""

from __future__ import annotations

from pathlib import Path

from cdb_desktop.foundation.bundle import neighbour_command

_ACTIVITY = 20  # simulated events a minute


def server_command(database: Path, port: int) -> list[str]:
    """The server with demo data in ``database`` on a loopback ``port``; 0 takes a free one."""
    return [
        *neighbour_command("cdb-server", "server_stub"),
        "--port",
        str(port),
        "--database",
        str(database),
        "--demo",
        "--activity",
        str(_ACTIVITY),
        "--exit-with-stdin",
        "--login-from-stdin",
    ]
