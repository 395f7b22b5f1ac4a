"""`cdb-desktop`: arguments only."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from cdb_desktop.app.age import process_clock
from cdb_desktop.app.demo import early_demo_server
from cdb_desktop.app.options import options
from cdb_desktop.app.places import places
from cdb_desktop.lazy import lazy

if TYPE_CHECKING:
    from cdb_desktop.app import imports, run
else:
    # --help needs no Qt, and the server starts while Qt is being loaded.
    imports, run = lazy("cdb_desktop.app.imports"), lazy("cdb_desktop.app.run")


def main() -> int:
    """Runs the program; 0 after a clean end, 1 when it shows nothing, 2 when the arguments are wrong."""
    clock = process_clock()
    # Nothing that a start makes is garbage; the window collects for itself as soon as there is one.
    gc.disable()
    given = options(sys.argv[1:], os.environ)
    own = places()
    server = early_demo_server(own.demo) if given.demo else None
    imports.use_plain_imports()
    return run.run(given, own, clock, server)


if __name__ == "__main__":
    sys.exit(main())
