"""`cdb-desktop`: arguments only."""

from __future__ import annotations

import importlib
import os
import sys

from cdb_desktop.app.age import process_clock
from cdb_desktop.app.demo import early_demo_server
from cdb_desktop.app.options import options
from cdb_desktop.app.places import places


def main() -> int:
    """Runs the program; 0 after a clean end, 1 when it shows nothing, 2 when the arguments are wrong."""
    clock = process_clock()
    given = options(sys.argv[1:], os.environ)
    own = places()
    server = early_demo_server(own.demo) if given.demo else None
    # Loaded only now: --help needs no Qt, and the server starts while Qt is being loaded.
    program = importlib.import_module("cdb_desktop.app.run")
    return int(program.run(given, own, clock, server))


if __name__ == "__main__":
    sys.exit(main())
