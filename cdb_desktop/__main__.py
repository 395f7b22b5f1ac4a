"""`cdb-desktop`: the command line."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from cdb_desktop.app.demo import early_demo_server
from cdb_desktop.app.folders import user_folders
from cdb_desktop.app.options import (
    CHECK,
    DICTIONARY,
    MERGE,
    PASSWORD,
    WATCH,
    parse_check_options,
    parse_dictionary_options,
    parse_merge_options,
    parse_options,
    parse_watch_options,
)
from cdb_desktop.app.startup import load_qt_core, process_clock
from cdb_desktop.foundation.bundle import HELPER, leave_libraries_to_others
from cdb_desktop.foundation.command_line import run_quietly
from cdb_desktop.foundation.files import keep_files_private
from cdb_desktop.foundation.lazy import lazy

if TYPE_CHECKING:
    from cdb_desktop.app import application, check, dictionary, merge, watch
    from cdb_desktop.events.export import table_helper
    from cdb_desktop.schema.diagram import graphviz_helper
else:
    # --help needs no Qt, and the server starts while Qt is being loaded.
    application = lazy("cdb_desktop.app.application")
    check = lazy("cdb_desktop.app.check")
    dictionary = lazy("cdb_desktop.app.dictionary")
    merge = lazy("cdb_desktop.app.merge")
    watch = lazy("cdb_desktop.app.watch")
    table_helper = lazy("cdb_desktop.events.export.table_helper")
    graphviz_helper = lazy("cdb_desktop.schema.diagram.graphviz_helper")

_HELPERS = {
    "cdb_desktop.events.export.table_helper": table_helper,
    "cdb_desktop.schema.diagram.graphviz_helper": graphviz_helper,
}


def main() -> int:
    """Runs the program and returns 0 after a clean end, 1 if the smoke check fails, 2 for wrong arguments.

    `run_quietly` adds its codes. In a frozen bundle it also runs the helper processes.
    """
    return run_quietly(_main)


def _main() -> int:
    clock = process_clock()
    # Discards what is printed where nothing shows it, as in programs of Windows that have no console.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    keep_files_private()  # they hold events of the service
    leave_libraries_to_others()
    if sys.argv[1:2] == [HELPER]:
        code: int = _HELPERS[sys.argv[2]].main(sys.argv[3:])
        return code
    if sys.argv[1:2] == [WATCH]:
        return watch.run(parse_watch_options(sys.argv[2:], os.environ), user_folders())
    if sys.argv[1:2] == [CHECK]:
        return check.run(parse_check_options(sys.argv[2:]))
    if sys.argv[1:2] == [DICTIONARY]:
        return dictionary.run(parse_dictionary_options(sys.argv[2:]))
    if sys.argv[1:2] == [MERGE]:
        return merge.run(parse_merge_options(sys.argv[2:]))
    # The start creates no garbage; the application collects for itself as soon as there is a window.
    gc.disable()
    options = parse_options(sys.argv[1:], os.environ)
    os.environ.pop(PASSWORD, None)  # not for the programs that this one starts
    folders = user_folders()
    server = early_demo_server(folders.demo, options.interface) if options.demo else None
    load_qt_core()
    return application.run(options, folders, clock, server)


if __name__ == "__main__":
    sys.exit(main())
