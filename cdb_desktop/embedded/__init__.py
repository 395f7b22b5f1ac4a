"""Starts, monitors and stops the reference server as a child process."""

from cdb_desktop.embedded.folder import (
    DemoFolder,
    LogFileError,
    LogFolder,
    LogProgress,
    LogReport,
    fill_log,
    log_server_command,
    open_demo_folder,
    open_log_folder,
    open_rehearsal_folder,
    remove_unused_folders,
)
from cdb_desktop.embedded.server import (
    EmbeddedServer,
    Login,
    Phase,
    ServerLostError,
    Snapshot,
    SnapshotError,
    SnapshotStore,
    rehearsal_command,
)
from cdb_desktop.embedded.stored_rows import count_stored_rows, read_stored_rows, write_stored_rows

__all__ = [
    "DemoFolder",
    "EmbeddedServer",
    "LogFileError",
    "LogFolder",
    "LogProgress",
    "LogReport",
    "Login",
    "Phase",
    "ServerLostError",
    "Snapshot",
    "SnapshotError",
    "SnapshotStore",
    "count_stored_rows",
    "fill_log",
    "log_server_command",
    "open_demo_folder",
    "open_log_folder",
    "open_rehearsal_folder",
    "read_stored_rows",
    "rehearsal_command",
    "remove_unused_folders",
    "write_stored_rows",
]
