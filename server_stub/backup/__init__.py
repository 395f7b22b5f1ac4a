"""Copies of whole databases: backups, migrations between databases, snapshots of SQLite files."""

from server_stub.backup.archive import create_backup, restore_backup
from server_stub.backup.contents import BackupError, Progress, Summary
from server_stub.backup.migration import migrate
from server_stub.backup.snapshots import Snapshot, Snapshots

__all__ = [
    "BackupError",
    "Progress",
    "Snapshot",
    "Snapshots",
    "Summary",
    "create_backup",
    "migrate",
    "restore_backup",
]
