"""Starts, monitors and stops the reference server as a child process."""

from cdb_desktop.embedded.folder import (
    LogFileError,
    LogProgress,
    LogReport,
    ServerFolder,
    fill_log,
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
    log_server_command,
    rehearsal_command,
)
from cdb_desktop.embedded.stored_rows import count_stored_rows, read_stored_rows, write_stored_rows
