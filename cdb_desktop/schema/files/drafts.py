"""Unsaved work on a schema, kept on this machine until it is saved or discarded.

Each run of the program appends every edit to a separate journal, so that a crash or a kill loses nothing
and later work never replaces earlier work. A journal has one JSON object a line: first the whole document,
then for each edit the tables that it changed. A line that a crash cut off is ignored. The journal of a
running program is locked; an unlocked journal contains abandoned work, which is offered to the user and kept
until they decide.

All functions block; those that read many files belong on a thread.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

import msgspec
from filelock import BaseFileLock, FileLock, Timeout

from cdb_desktop.foundation.files import (
    DAMAGE,
    release_lock,
    rename_file,
    replace_file,
    set_aside,
    sync_folder,
)
from cdb_desktop.schema.document.json_format import read_document, write_document, write_table
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.model import Document

_ENDING, _DISCARDED = ".journal", ".discarded"
_LARGEST = 32 * 1024 * 1024  # bytes, after which a journal is rewritten with the current document
_DISCARDED_FOR = timedelta(days=30)

Json = dict[str, object]


class _DocumentLine(msgspec.Struct, tag="document"):
    """The whole document; ``keys`` names its tables for the edits that follow."""

    head: Json | None
    document: Json
    keys: list[int]


class _EditLine(msgspec.Struct, tag="edit", omit_defaults=True):
    """What one edit changed: attributes of the document, tables by their keys, their order."""

    tables: dict[int, Json]
    attributes: Json | None = None
    keys: list[int] | None = None


class _Version01Draft(msgspec.Struct):
    """The format of version 0.1, one file without a journal."""

    head: Json | None
    document: Json


_DECODER = msgspec.json.Decoder(_DocumentLine | _EditLine)


@dataclass(frozen=True, slots=True)
class SchemaDraft:
    """Abandoned work: the HEAD on which it began (None: there was none), what it had become, and when."""

    path: Path
    head: Document | None
    document: Document
    kept_at: datetime


@dataclass(frozen=True, slots=True)
class DraftStore:
    """The journals of one user of one service, or of one model file: ``stem`` begins the names of all."""

    folder: Path
    stem: str

    def journal(self) -> Journal:
        """A journal for this run; there is no file before the first edit."""
        name = f"{self.stem}.{datetime.now().astimezone():%Y%m%d-%H%M%S}-{uuid4().hex[:6]}{_ENDING}"
        return Journal(self.folder / name)

    def abandoned(self) -> tuple[SchemaDraft, ...]:
        """All work that no running program holds, newest first. Damaged files are set aside."""
        drafts: list[SchemaDraft] = []
        for path in self._files():
            lock = _lock_of(path)
            try:
                lock.acquire(timeout=0)
            except (Timeout, OSError):
                continue
            try:
                draft = _read(path)
                if draft is not None:
                    drafts.append(draft)
            except FileNotFoundError:
                continue
            except OSError:
                # Unreadable today is not damaged.
                continue
            except (DocumentError, *DAMAGE) as error:
                set_aside(path, error)
            finally:
                release_lock(lock)
        self._forget_discarded()
        drafts.sort(key=lambda draft: draft.kept_at, reverse=True)
        return tuple(drafts)

    def discard(self, draft: SchemaDraft) -> Path:
        """Offers a draft no longer. The file that is returned stays for 30 days. Raises OSError."""
        return rename_file(draft.path, draft.path.name + _DISCARDED)

    def bring_back(self, discarded: Path) -> Path:
        """Undoes `discard`. Raises OSError."""
        return rename_file(discarded, discarded.name.removesuffix(_DISCARDED))

    def _files(self) -> tuple[Path, ...]:
        first = self.folder / f"{self.stem}.draft.json"
        journals = sorted(self.folder.glob(f"{self.stem}.*{_ENDING}"))
        return (*journals, first) if first.exists() else tuple(journals)

    def _forget_discarded(self) -> None:
        earliest = (datetime.now().astimezone() - _DISCARDED_FOR).timestamp()
        for path in self.folder.glob(f"{self.stem}.*{_DISCARDED}"):
            try:
                if path.stat().st_mtime < earliest:
                    path.unlink()
            except OSError:
                continue


class Journal:
    """Unsaved work of this run. Every method but `close` raises OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = _lock_of(path)
        self._descriptor: int | None = None
        self._size = 0
        self._head: Document | None = None
        self._last: Document | None = None

    def record(self, head: Document | None, document: Document) -> None:
        """Appends what differs from what was recorded last; the file has it when this returns."""
        if document is self._last and head is self._head:
            return
        if self._last is None or head is not self._head or self._size > _LARGEST:
            self._begin(head, document)
        else:
            self._append(_edit(self._last, document))
        self._head, self._last = head, document

    def sync(self) -> None:
        """Returns when the disk has it, not only the system; takes a while."""
        if self._descriptor is not None:
            os.fsync(self._descriptor)
            sync_folder(self.path.parent)

    def clear(self) -> None:
        """Removes the file: nothing is unsaved."""
        if self._lock.is_locked:
            self._close_file()
            self.path.unlink(missing_ok=True)
            release_lock(self._lock)

    def close(self) -> None:
        """Leaves what is unsaved as abandoned work."""
        if self._lock.is_locked:
            self._close_file()
            release_lock(self._lock)

    def _begin(self, head: Document | None, document: Document) -> None:
        keys = [table.key for table in document.tables]
        line = _DocumentLine(None if head is None else write_document(head), write_document(document), keys)
        content = msgspec.json.encode(line) + b"\n"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not self._lock.is_locked:
            self._lock.acquire(timeout=0)
        # A crash meanwhile leaves the file with what it had.
        new = self.path.with_name(self.path.name + ".new")
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
        descriptor = os.open(new, flags | getattr(os, "O_BINARY", 0), 0o600)
        try:
            _write(descriptor, content)
        except OSError:
            os.close(descriptor)
            new.unlink(missing_ok=True)
            raise
        self._close_file()
        if os.name == "nt":
            # An open file cannot be renamed there.
            os.close(descriptor)
            replace_file(new, self.path, synced=False)
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
        else:
            replace_file(new, self.path, synced=False)
        self._descriptor, self._size = descriptor, len(content)

    def _append(self, edit: _EditLine) -> None:
        content = msgspec.json.encode(edit) + b"\n"
        if self._descriptor is None:
            return
        try:
            _write(self._descriptor, content)
        except OSError:
            # An incomplete line would hide those that follow: the next edit starts a new journal.
            self._last = None
            raise
        self._size += len(content)

    def _close_file(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor, self._last = None, None


def _edit(before: Document, after: Document) -> _EditLine:
    was = before.by_key
    changed = {table.key: write_table(table) for table in after.tables if was.get(table.key) is not table}
    keys = [table.key for table in after.tables]
    return _EditLine(
        tables=changed,
        attributes=None if after.raw is before.raw else dict(after.raw),
        keys=None if keys == [table.key for table in before.tables] else keys,
    )


def _write(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _lock_of(path: Path) -> BaseFileLock:
    # Not bound to a thread: abandoned work is looked for on another one than it is recorded on.
    return FileLock(path.with_name(f"{path.name}.lock"), thread_local=False, mode=0o600)


def _read(path: Path) -> SchemaDraft | None:
    """The work in a file, None if nothing was unsaved. Raises what decoding and reading raise."""
    kept_at = datetime.fromtimestamp(path.stat().st_mtime).astimezone()
    content = path.read_bytes()
    if path.suffix == ".json":
        first = msgspec.json.decode(content, type=_Version01Draft)
        return SchemaDraft(
            path,
            None if first.head is None else read_document(first.head),
            read_document(first.document),
            kept_at,
        )
    head: Json | None = None
    attributes: Mapping[str, object] = {}
    tables: dict[int, Json] = {}
    keys: list[int] | None = None
    # What follows the last end of a line was cut off by a crash.
    for line in content.split(b"\n")[:-1]:
        entry = _DECODER.decode(line)
        if isinstance(entry, _DocumentLine):
            head, keys, attributes = entry.head, entry.keys, entry.document
            listed = entry.document.get("tables")
            raw_tables = listed if isinstance(listed, list) else []
            tables = dict(zip(keys, raw_tables, strict=True))
        else:
            tables.update(entry.tables)
            keys = entry.keys if entry.keys is not None else keys
            attributes = entry.attributes if entry.attributes is not None else attributes
    if keys is None:
        if content.strip():
            raise ValueError("a journal begins with a document")
        path.unlink()
        return None
    document = read_document({**attributes, "tables": [tables[key] for key in keys]})
    return SchemaDraft(path, None if head is None else read_document(head), document, kept_at)
