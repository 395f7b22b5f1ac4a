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
from cdb_desktop.bundle import HELPER, leave_libraries_to_others
from cdb_desktop.lazy import lazy

if TYPE_CHECKING:
    from cdb_desktop.app import imports, run
    from cdb_desktop.events import table_helper
    from cdb_desktop.schema import diagram_helper
else:
    # --help needs no Qt, and the server starts while Qt is being loaded.
    imports, run = lazy("cdb_desktop.app.imports"), lazy("cdb_desktop.app.run")
    table_helper = lazy("cdb_desktop.events.table_helper")
    diagram_helper = lazy("cdb_desktop.schema.diagram_helper")

_HELPERS = {
    "cdb_desktop.events.table_helper": table_helper,
    "cdb_desktop.schema.diagram_helper": diagram_helper,
}


def main() -> int:
    """Runs the program; 0 after a clean end, 1 when it shows nothing, 2 when the arguments are wrong.

    In a frozen bundle it is its own helpers too.
    """
    clock = process_clock()
    os.umask(0o077)  # what is written holds events of the service: it is for nobody else on this computer
    leave_libraries_to_others()
    if sys.argv[1:2] == [HELPER]:
        code: int = _HELPERS[sys.argv[2]].main(sys.argv[3:])
        return code
    # Nothing that a start makes is garbage; the window collects for itself as soon as there is one.
    gc.disable()
    given = options(sys.argv[1:], os.environ)
    own = places()
    server = early_demo_server(own.demo) if given.demo else None
    imports.use_plain_imports()
    return run.run(given, own, clock, server)


if __name__ == "__main__":
    sys.exit(main())
