"""Fills a new SQLite database with the events of a file of JSON lines, to serve them with ``--archive``.

The manifest of an archive of removed events (`event_archive`) stands for the rows of its files.
A line is a record of wire §3, whole or short, as the desktop writes them in exports, backups and recordings.
The file is read line by line. Rows keep the members of their record, also those that are not documented, so
that lists return the records of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import msgspec
from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.exc import DatabaseError

from server_stub.accounts import instance_id
from server_stub.accounts.configuration import DEFAULTS
from server_stub.backup.contents import BackupError
from server_stub.backup.event_archive import ARCHIVE_SUFFIX, ArchiveReader
from server_stub.database import Database, DatabaseUnusableError, WriteLock, new_file, open_database
from server_stub.database.bulk import drop_indexes, missing_indexes
from server_stub.database.tables import configuration, counter, event
from server_stub.foundation.times import to_wire

_BATCH = 1000
_MAX_LINE_BYTES = 64 << 20
# A file of another kind is refused after so many lines instead of being read to its end.
_LINES_WITHOUT_EVENT = 1000
_DAMAGED_NAMED = 20
_IDS = range(-(2**63), 2**63)
_OUTSIDE_EVENT = ("user", "_user", "_session")
# Members that rows keep in columns of their own; `_id` and `timestamp` begin the record.
_IN_COLUMNS = frozenset({"_id", "timestamp", "pollable", "info", "ipv4_address"})
# Members that have two names in the records of services.
_RENAMED = {"base_type": "basetype", "remote_addr": "ipv4_address"}

_Members = dict[str, msgspec.Raw]
_members = msgspec.json.Decoder(_Members)


class ImportProgress(msgspec.Struct, frozen=True):
    """How much of the file has been read, and the indexes that have been made."""

    bytes_read: int
    bytes_total: int
    events: int
    indexes: int = 0
    indexes_total: int = 0


class ImportReport(msgspec.Struct, frozen=True):
    """What was imported.

    ``repeated`` lines had an id that occurred before: of these records the one with most content was kept.
    ``damaged`` lines contain no event that could be read; ``damaged_lines`` are the numbers of the first.
    """

    events: int
    repeated: int
    damaged: int
    damaged_lines: tuple[int, ...]


class NoEventsError(BackupError):
    """The file contains no event that can be read."""


OnProgress = Callable[[ImportProgress], None]


def import_events(file: Path, database_file: Path, on_progress: OnProgress) -> ImportReport:
    """Creates ``database_file`` with the events of ``file``.

    Raises NoEventsError, BackupError if the file cannot be read or the database exists already, and
    DatabaseUnusableError. The database has its name only when it is complete.
    """
    with new_file(f"sqlite:///{database_file.absolute()}") as temporary:
        if temporary is None:
            raise BackupError(f"There is a file {database_file} already.")
        database = open_database(temporary)
        try:
            with database.filling():
                return _fill(database, file, on_progress)
        except DatabaseError as error:
            raise DatabaseUnusableError(f"The database cannot be filled: {error.orig}.") from error
        except OSError as error:
            raise BackupError(f"{file} cannot be read: {error.strerror}.") from error
        finally:
            database.close()


def _fill(database: Database, file: Path, on_progress: OnProgress) -> ImportReport:
    reader = ArchiveReader(file) if file.suffix == ARCHIVE_SUFFIX else _LineReader(file)
    total = reader.size
    with database.set_up(), database.write(WriteLock.SCHEMA, pauses=True) as connection:
        drop_indexes(connection, event)
        for read, rows in reader.batches():
            connection.exec_driver_sql(_UPSERT, rows)
            on_progress(ImportProgress(read, total, reader.events))
        if not reader.events:
            raise NoEventsError(f"{file} contains no events.")
        indexes = missing_indexes(connection, event)
        for number, index in enumerate(indexes):
            on_progress(ImportProgress(total, total, reader.events, number, len(indexes)))
            index.create(connection)
        kept, last = connection.execute(select(func.count(), func.max(event.c.id)).select_from(event)).one()
        connection.execute(update(counter).where(counter.c.name == "event").values(value=max(0, last)))
        _configure(connection, file.name, reader.instance)
    damaged = reader.damaged
    return ImportReport(kept, reader.events - kept, len(damaged), tuple(damaged[:_DAMAGED_NAMED]))


def _configure(connection: Connection, name: str, instance: str) -> None:
    """The name of the file, the id in its global object ids, and no events that clients could insert."""
    values: dict[str, object] = {key: False for key, default in DEFAULTS.items() if default is True}
    rows = [
        {"name": key, "value": msgspec.json.encode(value).decode()}
        for key, value in (values | {"name": name}).items()
    ]
    connection.execute(insert(configuration), rows)
    instance_id(connection, instance or None)


def _upsert() -> str:
    names = [column.name for column in event.columns]
    changed = ", ".join(f'"{name}" = excluded."{name}"' for name in names if name != "id")
    lengths = [f'length({source}"head") + length({source}"info")' for source in ("excluded.", "_event.")]
    columns = ", ".join(f'"{name}"' for name in names)
    return (
        f"INSERT INTO _event ({columns}) VALUES ({', '.join('?' for _ in names)}) "  # noqa: S608 - own names
        f"ON CONFLICT (id) DO UPDATE SET {changed} WHERE {lengths[0]} > {lengths[1]}"
    )


_UPSERT = _upsert()


def _lines(lines: IO[bytes]) -> Iterator[bytes]:
    """The lines; of one that is too long only the beginning, which is no JSON."""
    while line := lines.readline(_MAX_LINE_BYTES):
        yield line
        while not line.endswith(b"\n") and len(line) == _MAX_LINE_BYTES:
            line = lines.readline(_MAX_LINE_BYTES)


class _LineReader:
    """Makes rows of lines.

    ``damaged`` are the numbers of lines that cannot be read, ``instance`` is the id after the ``@`` of the
    first global object id.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.size = file.stat().st_size
        self.events = 0
        self.damaged: list[int] = []
        self.instance = ""

    def batches(self) -> Iterator[tuple[int, list[tuple[Any, ...]]]]:
        """Rows, each with how many bytes have been read before."""
        rows: list[tuple[Any, ...]] = []
        with self._file.open("rb") as lines:
            for number, line in enumerate(_lines(lines), 1):
                if (row := self.row(number, line)) is not None:
                    rows.append(row)
                if len(rows) == _BATCH:
                    yield lines.tell(), rows
                    rows = []
                if number == _LINES_WITHOUT_EVENT and not self.events:
                    return
            if rows:
                yield lines.tell(), rows

    def row(self, number: int, line: bytes) -> tuple[Any, ...] | None:
        """The row of the event in a line; None for empty lines, marks of a recording, and damaged lines."""
        line = line.strip() if number > 1 else line.removeprefix(b"\xef\xbb\xbf").strip()
        if not line:
            return None
        try:
            record = _members.decode(line)
            if "mark" in record and record.keys() <= {"mark", "name"}:
                return None
            found = self._row(record)
        except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError, KeyError):
            self.damaged.append(number)
            return None
        self.events += 1
        return found

    def _row(self, record: _Members) -> tuple[Any, ...]:
        """Raises MsgspecError, ValueError, OverflowError or KeyError if the record is none of wire §3."""
        inner = (
            _members.decode(record["event"])
            if "event" in record
            else {name: value for name, value in record.items() if name not in _OUTSIDE_EVENT}
        )
        for other, name in _RENAMED.items():
            if other in inner:
                inner.setdefault(name, inner.pop(other))
        values = _values(inner)
        time = datetime.fromisoformat(_text(inner["timestamp"]))
        second = int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() // 1)
        user = record.get("user") or record.get("_user")
        person, session = _person(bytes(user or b"null")), _session(bytes(record.get("_session", b"null")))
        if not self.instance and values.global_object_id:
            self.instance = values.global_object_id.partition("@")[2]
        # In generation 6 the event has the name of its user, too.
        own = _IN_COLUMNS if person.id is None else _IN_COLUMNS | {"user_generated_displayname"}
        others = [(name, value) for name, value in inner.items() if name not in own]
        head = f'"timestamp":"{to_wire(second)}"'
        head += "".join([f",{_key(name)}:{bytes(value).decode()}" for name, value in others])
        tail = "}"
        if user:
            tail += f',"user":{bytes(user).decode()}'
        if "_session" in record:
            tail += f',"_session":{bytes(record["_session"]).decode()}'
        return (
            values.id,
            second,
            values.type,
            values.schema,
            values.basetype,
            values.objecttype,
            values.object_id,
            values.object_version,
            # Polls return pollable events only, and short records do not contain the value.
            int(values.pollable is not False),
            person.id,
            person.displayname or values.user_generated_displayname,
            person.type,
            session.token,
            values.ipv4_address,
            head,
            tail + "}",
            bytes(inner.get("info", b"{}")).decode(),
        )


class _Values(msgspec.Struct, frozen=True, gc=False):
    id: int = msgspec.field(name="_id")
    type: str
    schema: str | None = None
    basetype: str | None = None
    objecttype: str | None = None
    object_id: int | None = None
    object_version: int | None = None
    global_object_id: str | None = None
    pollable: bool | None = None
    ipv4_address: str | None = None
    user_generated_displayname: str | None = None

    def __post_init__(self) -> None:
        """Raises ValueError if a number is too large for the database."""
        for number in (self.id, self.object_id, self.object_version):
            if number is not None and number not in _IDS:
                raise ValueError(number)


class _Person(msgspec.Struct, frozen=True, gc=False):
    id: int | None = msgspec.field(name="_id", default=None)
    displayname: str | None = msgspec.field(name="_generated_displayname", default=None)
    type: str | None = None
    # In generation 6 the user or group is wrapped.
    user: _Person | None = None
    group: _Person | None = None


class _Session(msgspec.Struct, frozen=True, gc=False):
    token: str | None = None


_values_of = msgspec.json.Decoder(_Values)
_NO_PERSON, _NO_SESSION = _Person(), _Session()


def _values(inner: _Members) -> _Values:
    return _values_of.decode(msgspec.json.encode(inner))


@lru_cache(maxsize=4096)
def _person(raw: bytes) -> _Person:
    found = msgspec.json.decode(raw, type=_Person | None) or _NO_PERSON
    # The id of a group is none of a user.
    return _Person(displayname=found.group.displayname) if found.group else found.user or found


@lru_cache(maxsize=4096)
def _session(raw: bytes) -> _Session:
    return msgspec.json.decode(raw, type=_Session | None) or _NO_SESSION


@lru_cache(maxsize=1024)
def _key(name: str) -> str:
    return msgspec.json.encode(name).decode()


def _text(raw: msgspec.Raw) -> str:
    return msgspec.json.decode(raw, type=str)
