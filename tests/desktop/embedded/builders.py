"""Command lines of a server that replaces the reference server in tests."""

import sys
from pathlib import Path

from cdb_desktop.embedded.server import Command

_STAND_IN = Path(__file__).with_name("stand_in.py")


def stand_in(how: str = "") -> Command:
    """The command line of a stand-in with the given behavior."""

    def command(database: Path, port: int) -> list[str]:
        return [sys.executable, str(_STAND_IN), str(database), str(port), how]

    return command
