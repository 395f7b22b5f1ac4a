"""`cdb-server backup`, `restore`, `migrate`, `snapshot`, `import-events`, `retain`: copies of databases."""

from __future__ import annotations

import argparse
import getpass
import json
import os
import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from server_stub.accounts import instance_id
from server_stub.backup import (
    BackupError,
    ImportProgress,
    ImportReport,
    NoEventsError,
    Retention,
    Snapshot,
    Snapshots,
    Summary,
    create_backup,
    import_events,
    migrate,
    old_events,
    restore_backup,
)
from server_stub.database import Database, check_address, database_file, has_password, open_database
from server_stub.events import EventLog
from server_stub.foundation.command_line import CommandParser, whole_number
from server_stub.foundation.times import to_wire
from server_stub.process.composition import when_input_closes

NAMES = frozenset({"backup", "restore", "snapshot"})

_PLAIN_COPIES = (
    "Do not copy the file of an SQLite database instead: without its -wal file such a copy lacks the newest "
    "events."
)
_DAY = 86_400
_MOST_DAYS = 36_500
_PROGRESS_SECONDS = 1.0
_IMPORT_PROGRESS_SECONDS = 0.1

_Commands = argparse._SubParsersAction  # noqa: SLF001 - the type has no public name


def add_commands(commands: _Commands[CommandParser]) -> None:
    """Adds the commands; their `command` is the name."""
    backup = commands.add_parser(
        "backup",
        help="write the database into one file, also while a server runs",
        description="Write the database as of one moment into one file, also while a server runs on it. The "
        f"file is verified, and restore reads it into SQLite and PostgreSQL. {_PLAIN_COPIES}",
        examples=("backup cdb.backup --database /srv/cdb.sqlite",),
    )
    backup.add_argument("--force", action="store_true", help="replace an existing file")
    restore = commands.add_parser(
        "restore",
        help="fill an empty database from a backup",
        description="Fill an empty database from a backup, completely or not at all.",
        examples=("restore cdb.backup --database postgresql://cdb@localhost/cdb",),
    )
    for each, meaning in ((backup, "the file to write"), (restore, "the file of a backup")):
        each.add_argument("file", type=Path, metavar="FILE", help=meaning)
        _take_database(each)
    _add_migration(commands)
    _add_snapshots(commands)
    _add_import(commands)
    _add_retention(commands)


def _add_retention(commands: _Commands[CommandParser]) -> None:
    retention = commands.add_parser(
        "retain",
        help="remove old events, also while a server runs",
        description="Remove the events that are older than some days, also while a server runs: in small "
        "batches, or in PostgreSQL whole partitions. The log says who removed what. With --archive they are "
        "written to Parquet files before, which the desktop opens by their manifest. After an interruption "
        "the same command continues.",
        examples=("retain --keep 400d --archive /srv/old-events --database /srv/cdb.sqlite",),
    )
    retention.add_argument(
        "--keep", type=_days, required=True, metavar="DAYS", help="the age of the oldest events, such as 400d"
    )
    retention.add_argument(
        "--archive",
        dest="archive_folder",
        type=Path,
        metavar="FOLDER",
        help="write the events to this folder, with a manifest, before they are removed",
    )
    retention.add_argument("--dry-run", action="store_true", help="only print what would be removed")
    _take_database(retention)


def _days(text: str) -> int:
    return whole_number(1, _MOST_DAYS)(text.removesuffix("d"))


def _add_import(commands: _Commands[CommandParser]) -> None:
    importing = commands.add_parser(
        "import-events",
        help="make a new SQLite database of a file of events, to serve it with --archive",
        description="Make a new SQLite database of a file of events as JSON lines, such as exports, backups "
        "and recordings of the desktop. Serve it with --archive. Prints progress and a report as JSON lines.",
        examples=("import-events events.jsonl events.sqlite",),
    )
    importing.add_argument("file", type=Path, metavar="FILE", help="records of events, one a line")
    importing.add_argument("target", type=Path, metavar="DATABASE", help="the SQLite file to create")


def _add_migration(commands: _Commands[CommandParser]) -> None:
    migration = commands.add_parser(
        "migrate",
        help="copy a database into an empty one, also between SQLite and PostgreSQL",
        description="Copy a database into an empty one, also between SQLite and PostgreSQL, and verify every "
        "table. Users stay signed in. While it runs, the source cannot be changed: servers on it answer "
        "reads, and changes wait or fail. After an interruption the same command continues.",
        examples=("migrate --from /srv/cdb.sqlite --to postgresql://cdb@localhost/cdb",),
    )
    for name, meaning in (("from", "the database to copy"), ("to", "the empty database")):
        migration.add_argument(
            f"--{name}",
            dest=f"migrate_{name}",
            metavar="URL",
            required=True,
            help=f"{meaning}, as --database",
        )


def _add_snapshots(commands: _Commands[CommandParser]) -> None:
    snapshot = commands.add_parser(
        "snapshot",
        help="save an SQLite database under a name and go back to it",
        description="Save an SQLite database under a name, in seconds, and go back to it. Snapshots lie in a "
        "folder beside the database: they are no backups.",
        examples=("snapshot save before-import", "snapshot list"),
    )
    _take_database(snapshot)
    actions = snapshot.add_subparsers(dest="action", metavar="ACTION", required=True)
    save = actions.add_parser(
        "save", help="save the database, also while a server runs", examples=("snapshot save before-import",)
    )
    save.add_argument("--force", action="store_true", help="replace a snapshot of the same name")
    restore = actions.add_parser(
        "restore",
        help="replace the database by a snapshot, while no server runs on it",
        description="Replace the database by a snapshot: everything that happened since is lost. A server "
        "that runs on the database must be stopped before.",
        examples=("snapshot restore before-import",),
    )
    remove = actions.add_parser(
        "remove", help="remove a snapshot", examples=("snapshot remove before-import",)
    )
    for each in (save, restore, remove):
        each.add_argument("name", metavar="NAME")
        _take_database(each)
    show = actions.add_parser(
        "list", help="list the snapshots, the newest first", examples=("snapshot list --json",)
    )
    show.add_argument("--json", action="store_true", help="for programs")
    _take_database(show)


def _take_database(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--database", metavar="URL", default=argparse.SUPPRESS, help="as for the server")


def run(given: argparse.Namespace, database: str) -> None:
    """Runs backup, restore or snapshot. Raises BackupError or DatabaseUnusableError."""
    if given.command == "snapshot":
        _run_snapshot(given, database)
    elif given.command == "backup":
        opened = _existing(database)
        try:
            made = create_backup(
                opened, given.file, int(time.time()), _Printed("saved"), replaces=given.force
            )
        finally:
            opened.close()
        print(f"Saved and verified {given.file}: {_totals(made.tables)}.")
    else:
        check_address(database)
        read = restore_backup(given.file, database, _Printed("restored"))
        print(f"Restored and verified the backup of {to_wire(read.created)}: {_totals(read.tables)}.")


def run_import(given: argparse.Namespace) -> None:
    """Runs import-events. Raises BackupError or DatabaseUnusableError.

    With --exit-with-stdin the process ends as soon as its standard input closes.
    """
    if given.exit_with_stdin:
        when_input_closes(lambda: os._exit(1))
    due = time.monotonic()

    def on_progress(progress: ImportProgress) -> None:
        nonlocal due
        if (now := time.monotonic()) >= due:
            due = now + _IMPORT_PROGRESS_SECONDS
            _print_json(progress)

    try:
        _print_json(import_events(given.file, given.target, on_progress))
    except NoEventsError:
        _print_json(ImportReport(0, 0, 0, ()))
        raise


def _print_json(value: ImportProgress | ImportReport) -> None:
    print(msgspec.json.encode(value).decode(), flush=True)


def run_retention(given: argparse.Namespace, database: str) -> None:
    """Runs retain. Raises BackupError or DatabaseUnusableError."""
    opened = _existing(database)
    try:
        old = old_events(opened, int(time.time()) - given.keep * _DAY)
        found = f"{old.count:,} events before {to_wire(old.before)}"
        if old.count:
            found += f", with ids from {old.first_id} to {old.last_id}"
        if given.dry_run:
            partitions = (
                f" {len(old.partitions)} whole partitions would be dropped." if old.partitions else ""
            )
            print(f"Would remove {found}.{partitions}")
            return
        with opened.write() as connection:
            log = EventLog(opened, instance_id(connection))
        by = f"{getpass.getuser()}@{socket.gethostname()}"
        removed = Retention(log, opened, old, by, _Printed("removed")).run(given.archive_folder)
        print(f"Removed {removed:,} of {found}.")
    finally:
        opened.close()


def run_migration(given: argparse.Namespace, warning: str) -> None:
    """Runs migrate; prints a warning if an address has a password. Raises as `run` does."""
    addresses = (given.migrate_from, given.migrate_to)
    for address in addresses:
        check_address(address)
    if any(map(has_password, addresses)):
        print(warning, file=sys.stderr)
    files = [database_file(address) for address in addresses]
    if addresses[0] == addresses[1] or (files[0] and files[1] and files[0].absolute() == files[1].absolute()):
        raise BackupError("--from and --to name the same database.")
    source = _existing(given.migrate_from)
    try:
        target = open_database(given.migrate_to, migrating=True)
        try:
            print("The source is locked against changes until the end.", file=sys.stderr, flush=True)
            done = migrate(source, target, _Printed("copied"))
        finally:
            target.close()
    finally:
        source.close()
    if done.resumed:
        print(f"Continued after {done.resumed:,} rows.", file=sys.stderr)
    for name, summary in done.tables.items():
        print(f"{name}\t{summary.rows}\t{summary.checksum}")
    print(f"Migrated and verified: {_totals(done.tables)}.")


def _existing(url: str) -> Database:
    """Opens a database. A mistyped path would create an empty one."""
    file = database_file(url)
    if file and not file.exists():
        raise BackupError(f"There is no database {file}.")
    return open_database(url)


def _run_snapshot(given: argparse.Namespace, database: str) -> None:
    file = database_file(database)
    if file is None:
        raise BackupError(
            "Snapshots are copies of SQLite files. On PostgreSQL use backup, or createdb --template."
        )
    snapshots = Snapshots(file)
    match given.action:
        case "save":
            print(f"Saved {_line(snapshots.save(given.name, replaces=given.force))}")
        case "restore":
            print(f"Went back to {_line(snapshots.restore(given.name))}")
        case "remove":
            snapshots.remove(given.name)
            print(f"Removed {given.name}")
        case _ if given.json:
            print(json.dumps([_members(each) for each in snapshots.all()]))
        case _:
            print("\n".join(map(_line, snapshots.all())) or "There are no snapshots.")


def _line(snapshot: Snapshot) -> str:
    megabytes = snapshot.size / 1e6
    return f"{snapshot.name}\t{to_wire(snapshot.saved)}\t{megabytes:.1f} MB\tlast event {snapshot.last_event}"


def _members(snapshot: Snapshot) -> dict[str, object]:
    return {
        "name": snapshot.name,
        "saved": to_wire(snapshot.saved),
        "size": snapshot.size,
        "last_event": snapshot.last_event,
    }


def _totals(tables: Mapping[str, Summary]) -> str:
    events = tables["_event"].rows if "_event" in tables else 0
    return f"{sum(each.rows for each in tables.values()):,} rows in {len(tables)} tables, {events:,} events"


class _Printed:
    """Progress on standard error, at most one line a second."""

    def __init__(self, done: str) -> None:
        self._done = done
        self._due = time.monotonic() + _PROGRESS_SECONDS

    def __call__(self, table: str, rows: int, total: int) -> None:
        if (now := time.monotonic()) < self._due:
            return
        self._due = now + _PROGRESS_SECONDS
        print(f"{self._done} {rows:,} of {total:,} rows of {table}", file=sys.stderr, flush=True)
