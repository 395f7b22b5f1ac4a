"""The command line that starts the reference server, from source and from a frozen bundle."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_ACTIVITY = 20  # simulated events a minute


def server_command(database: Path, port: int) -> list[str]:
    """The server with demo data in ``database`` on a loopback ``port``; 0 takes a free one."""
    return [
        *_program(),
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


def _program() -> list[str]:
    if getattr(sys, "frozen", False):
        neighbour = "cdb-server.exe" if os.name == "nt" else "cdb-server"
        return [str(Path(sys.executable).with_name(neighbour))]
    # No path of the user's may hide one of the server's modules.
    return [sys.executable, "-P", "-m", "server_stub"]
