"""Starts, monitors and stops the reference server as a child process."""

from cdb_desktop.embedded.folder import DemoFolder, open_demo_folder
from cdb_desktop.embedded.server import EmbeddedServer, Login, Phase, ServerLostError
from cdb_desktop.embedded.snapshots import Snapshot, SnapshotError, SnapshotStore

__all__ = [
    "DemoFolder",
    "EmbeddedServer",
    "Login",
    "Phase",
    "ServerLostError",
    "Snapshot",
    "SnapshotError",
    "SnapshotStore",
    "open_demo_folder",
]
