"""Archives of events that are removed from a database: a folder of Parquet files with a manifest.

A file has the rows of the event table as they are, so that `import-events` makes a database of an archive.
The manifest names a file only when it is complete and on the disk.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from filelock import FileLock, Timeout
from sqlalchemy import Text

from server_stub.backup.contents import BackupError, Row
from server_stub.database.sqlite import private_file, private_folder, rename_durably
from server_stub.database.tables import event

ARCHIVE_SUFFIX = ".cdbarchive"
_MANIFEST = f"events{ARCHIVE_SUFFIX}"
_UNFINISHED = ".unfinished"
_FORMAT = 1
# Rows that are compressed together, at most, and characters of their JSON after which they are.
_GROUP = 10_000
_GROUP_CHARACTERS = 16 << 20
_BATCH = 1000
_ID, _TIME, _POLLABLE = (event.columns.keys().index(name) for name in ("id", "timestamp", "pollable"))
_JSON = [event.columns.keys().index(name) for name in ("head", "tail", "info")]
_MILLISECONDS = 1000  # Parquet has no whole seconds.


class ArchivedFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file of an archive, with the `partition` that it has all rows of, and whether these are removed."""

    name: str
    rows: int
    first_id: int
    last_id: int
    sha256: str
    partition: str | None = None
    removed: bool = False


class _Manifest(msgspec.Struct, frozen=True):
    """`instance` is the id of the service in global object ids."""

    format: int
    instance: str
    files: tuple[ArchivedFile, ...] = ()


class _Libraries(NamedTuple):
    arrow: Any
    parquet: Any


def _libraries() -> _Libraries:
    try:
        return _Libraries(import_module("pyarrow"), import_module("pyarrow.parquet"))
    except ImportError as error:
        raise BackupError(
            "Archives need the library pyarrow, which is not installed: install cdb-desktop[tables]."
        ) from error


class EventArchive:
    """An archive that events are written to."""

    def __init__(self, folder: Path, manifest: _Manifest) -> None:
        self._folder = folder
        self._manifest = manifest
        self._libraries = _libraries()

    @classmethod
    @contextmanager
    def opened(cls, folder: Path, instance: str) -> Iterator[EventArchive]:
        """Opens an archive of a service, or begins one; nobody else may write to it until the end.

        Raises BackupError.
        """
        try:
            private_folder(folder)
            with FileLock(folder / "in-use", timeout=0, mode=0o600):
                file = folder / _MANIFEST
                manifest = _read_manifest(file) if file.exists() else _Manifest(_FORMAT, instance)
                if manifest.instance != instance:
                    raise BackupError(f"The archive {folder} has events of another service.")
                yield cls(folder, manifest)
        except Timeout as error:
            raise BackupError(f"Another program writes to the archive {folder}.") from error
        except OSError as error:
            raise BackupError(f"The archive {folder} cannot be written: {error}.") from error

    @property
    def unremoved(self) -> list[ArchivedFile]:
        """The files whose events an interrupted run may have left in the database."""
        return [file for file in self._manifest.files if not file.removed]

    def write(self, pages: Iterator[list[Row]], partition: str | None = None) -> ArchivedFile | None:
        """Writes a file with rows by ascending id; returns None if there are none. Raises OSError."""
        temporary = self._folder / f"{_MANIFEST}{_UNFINISHED}"
        temporary.unlink(missing_ok=True)
        private_file(temporary)
        try:
            ids = self._write_rows(temporary, pages)
            if not ids.rows:
                return None
            with temporary.open("r+b") as written:
                os.fsync(written.fileno())
                checksum = hashlib.file_digest(written, "sha256").hexdigest()
            name = f"events-{ids.first:012}-{ids.last:012}.parquet"
            rename_durably(temporary, self._folder / name)
        finally:
            temporary.unlink(missing_ok=True)
        made = ArchivedFile(name, ids.rows, ids.first, ids.last, checksum, partition)
        if sum(map(len, self.ids(made))) != made.rows:
            raise BackupError(f"{name} was not written to the archive {self._folder}; check the disk.")
        self._store((*self._manifest.files, made))
        return made

    def ids(self, file: ArchivedFile) -> Iterator[list[int]]:
        """The ids in a file, as it is on the disk."""
        found = self._libraries.parquet.ParquetFile(self._folder / file.name)
        with found:
            for batch in found.iter_batches(batch_size=_BATCH, columns=["id"]):
                yield batch.column(0).to_pylist()

    def set_removed(self, file: ArchivedFile) -> None:
        """Says that the events in a file are in the database no longer. Raises OSError."""
        removed = msgspec.structs.replace(file, removed=True)
        self._store(tuple(removed if each == file else each for each in self._manifest.files))

    def _write_rows(self, file: Path, pages: Iterator[list[Row]]) -> _Ids:
        arrow, parquet = self._libraries
        schema = arrow.schema(
            [arrow.field(*each, nullable=column.nullable)
             for each, column in zip(_types(arrow), event.columns, strict=True)]
        )  # fmt: skip
        ids = _Ids(0, 0, 0)
        with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            for rows in _groups(pages):
                ids = _Ids(ids.first if ids.rows else rows[0][_ID], rows[-1][_ID], ids.rows + len(rows))
                columns = [list(values) for values in zip(*rows, strict=True)]
                columns[_TIME] = [second * _MILLISECONDS for second in columns[_TIME]]
                columns[_POLLABLE] = list(map(bool, columns[_POLLABLE]))
                arrays = [arrow.array(*each) for each in zip(columns, schema.types, strict=True)]
                writer.write_batch(arrow.RecordBatch.from_arrays(arrays, schema=schema))
        return ids

    def _store(self, files: tuple[ArchivedFile, ...]) -> None:
        self._manifest = msgspec.structs.replace(self._manifest, files=files)
        temporary = self._folder / f"{_MANIFEST}{_UNFINISHED}"
        private_file(temporary)
        with temporary.open("r+b") as written:
            written.truncate()
            written.write(msgspec.json.format(msgspec.json.encode(self._manifest)) + b"\n")
            written.flush()
            os.fsync(written.fileno())
        rename_durably(temporary, self._folder / _MANIFEST)


class _Ids(NamedTuple):
    first: int
    last: int
    rows: int


def _types(arrow: Any) -> list[tuple[str, Any]]:
    """The names of the columns with their types."""
    found = {name: arrow.string() if isinstance(column.type, Text) else arrow.int64()
             for name, column in event.columns.items()}  # fmt: skip
    return list((found | {"timestamp": arrow.timestamp("ms", "UTC"), "pollable": arrow.bool_()}).items())


def _groups(pages: Iterator[list[Row]]) -> Iterator[list[Row]]:
    rows: list[Row] = []
    characters = 0
    for page in pages:
        rows += page
        characters += sum(len(row[position]) for row in page for position in _JSON)
        if len(rows) >= _GROUP or characters >= _GROUP_CHARACTERS:
            yield rows
            rows, characters = [], 0
    if rows:
        yield rows


def _read_manifest(file: Path) -> _Manifest:
    try:
        manifest = msgspec.json.decode(file.read_bytes(), type=_Manifest)
    except msgspec.DecodeError as error:
        raise BackupError(f"The manifest {file} cannot be read: {error}.") from error
    if manifest.format != _FORMAT:
        raise BackupError(f"The archive {file} has the format {manifest.format}, which is not known.")
    return manifest


class ArchiveReader:
    """The rows of an archive. Raises OSError, and BackupError if the archive is not as it was written."""

    damaged: Sequence[int] = ()

    def __init__(self, manifest: Path) -> None:
        self.events = 0
        self._libraries = _libraries()
        found = _read_manifest(manifest)
        self.instance = found.instance
        # A manifest of somebody else names no files elsewhere.
        self._files = [(manifest.parent / Path(file.name).name, file) for file in found.files]
        self.size = 0
        for path, file in self._files:
            with suppress(FileNotFoundError), path.open("rb") as content:
                self.size += os.fstat(content.fileno()).st_size
                if hashlib.file_digest(content, "sha256").hexdigest() == file.sha256:
                    continue
            raise BackupError(f"{file.name} is missing in the archive, or differs from what was written.")

    def batches(self) -> Iterator[tuple[int, list[Row]]]:
        """Rows, each with how many bytes have been read before."""
        done = 0
        for path, file in self._files:
            found = self._libraries.parquet.ParquetFile(path)
            size = path.stat().st_size
            with found:
                for number, batch in enumerate(found.iter_batches(batch_size=_BATCH), 1):
                    yield done + min(size, size * number * _BATCH // file.rows), self._rows(batch)
            done += size

    def _rows(self, batch: Any) -> list[Row]:
        self.events += batch.num_rows
        times = batch.column(_TIME).cast(self._libraries.arrow.int64())
        columns = [column.to_pylist() for column in batch.set_column(_TIME, "timestamp", times).columns]
        columns[_TIME] = [time // _MILLISECONDS for time in columns[_TIME]]
        columns[_POLLABLE] = list(map(int, columns[_POLLABLE]))
        return list(zip(*columns, strict=True))
