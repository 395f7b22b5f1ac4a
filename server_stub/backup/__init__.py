"""Copies of whole databases (backups, migrations, snapshots), and databases made of files of events."""

from server_stub.backup.archive import create_backup, restore_backup
from server_stub.backup.contents import BackupError, Progress, Summary
from server_stub.backup.event_import import ImportProgress, ImportReport, NoEventsError, import_events
from server_stub.backup.migration import migrate
from server_stub.backup.retention import OldEvents, Retention, old_events
from server_stub.backup.snapshots import Snapshot, Snapshots

__all__ = [
    "BackupError",
    "ImportProgress",
    "ImportReport",
    "NoEventsError",
    "OldEvents",
    "Progress",
    "Retention",
    "Snapshot",
    "Snapshots",
    "Summary",
    "create_backup",
    "import_events",
    "migrate",
    "old_events",
    "restore_backup",
]
