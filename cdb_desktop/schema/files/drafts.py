"""Unsaved work on a schema, kept on this machine until it is saved or discarded.

Each run of the program appends every edit to a separate journal, so that a crash or a kill loses nothing
and later work never replaces earlier work. A journal has one JSON object a line: first the whole document,
then for each edit the tables that it changed. A line that a crash cut off is ignored. The journal of a
running program is locked; an unlocked journal contains abandoned work, which is offered to the user and kept
until they decide.

All functions block; those that read many files belong on a thread.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
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
    write_whole,
)
from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.identity import Identities, Identity, with_identities
from cdb_desktop.schema.document.json_format import read_document, write_document, write_table
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.model import Document, LocalNames, Table

_ENDING, _DISCARDED = ".journal", ".discarded"
_LARGEST = 32 * 1024 * 1024  # bytes, after which a journal is rewritten with the current document
_DISCARDED_FOR = timedelta(days=30)
_STEPS = ".steps"
_MOST_STEPS = 500
_MOST_TABLES = 20_000  # of all steps together, which are read at the start

Json = dict[str, object]


# Edited localized names: keys of table and column (None: the table itself), texts by language.
_Names = list[tuple[int, int | None, dict[str, str]]]


class _DocumentLine(msgspec.Struct, tag="document"):
    """The whole document; ``keys`` names its tables for the edits that follow.

    ``column_keys`` are the keys of all columns of tables with new columns, by the keys of the tables.
    ``title`` is that of the step that led here, ``names`` are the edited localized names.
    """

    head: Json | None
    document: Json
    keys: list[int]
    column_keys: dict[int, list[int]] = msgspec.field(default_factory=dict)
    title: Json | None = None
    names: _Names | None = None


class _EditLine(msgspec.Struct, tag="edit", omit_defaults=True):
    """What one edit changed: attributes of the document, tables by their keys, their order.

    ``position`` is that of an earlier line, counted from the document, if undo or redo led back to its state.
    """

    tables: dict[int, Json]
    attributes: Json | None = None
    keys: list[int] | None = None
    column_keys: dict[int, list[int]] = msgspec.field(default_factory=dict)
    title: Json | None = None
    position: int | None = None
    names: _Names | None = None


class _Version01Draft(msgspec.Struct):
    """The format of version 0.1, one file without a journal."""

    head: Json | None
    document: Json


_DECODER = msgspec.json.Decoder(_DocumentLine | _EditLine)


@dataclass(frozen=True, slots=True)
class DraftStep:
    """A state of a document and the title of the step that led to it."""

    title: Message
    document: Document


@dataclass(frozen=True, slots=True)
class DraftSteps:
    """States that undo and redo lead to; ``position`` is that of the current one."""

    steps: tuple[DraftStep, ...]
    position: int


@dataclass(frozen=True, slots=True)
class SchemaDraft:
    """Abandoned work: the HEAD on which it began (None: there was none), what it had become, and when.

    ``steps`` led to it, as far as they are known.
    """

    path: Path
    head: Document | None
    document: Document
    kept_at: datetime
    steps: DraftSteps | None = None


@dataclass(frozen=True, slots=True)
class DraftStore:
    """The journals of one user of one service, or of one model file: ``stem`` begins the names of all.

    ``resumed`` is that of `LocalStore`.
    """

    folder: Path
    stem: str
    resumed: float = math.inf

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

    def keep_steps(self, steps: DraftSteps) -> None:
        """Stores the last steps of a saved document, so that they can be undone later. Raises OSError."""
        first = max(0, min(len(steps.steps) - _MOST_STEPS, steps.position))
        kept = steps.steps[first : first + _MOST_STEPS]
        position = min(steps.position - first, len(kept) - 1)
        before = kept[0].document
        lines: list[_DocumentLine | _EditLine] = [_document_line(None, before, kept[0].title)]
        for step in kept[1:]:
            lines.append(_edit(before, step.document, step.title))
            before = step.document
        back = _edit(before, kept[position].document)
        back.position = position
        write_whole(self._steps_file, b"".join(msgspec.json.encode(line) + b"\n" for line in (*lines, back)))

    def kept_steps(self) -> DraftSteps | None:
        """The stored steps, None if there are none. A damaged file is set aside."""
        try:
            return _read_lines(self._steps_file.read_bytes())[1]
        except OSError:
            return None
        except (DocumentError, *DAMAGE) as error:
            set_aside(self._steps_file, error)
            return None

    @property
    def _steps_file(self) -> Path:
        return self.folder / f"{self.stem}{_STEPS}"

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
        self._states: list[Document] = []  # the states that were recorded, and the position of the last one
        self._position = 0

    def record(self, head: Document | None, document: Document, title: Message | None = None) -> None:
        """Appends what differs from what was recorded last; the file has it when this returns.

        ``title`` is that of the step that led to the document.
        """
        if document is self._last and head is self._head:
            return
        if self._last is None or head is not self._head or self._size > _LARGEST:
            self._begin(head, document, title)
            self._states, self._position = [document], 0
        else:
            edit = _edit(self._last, document, title)
            known = (at for at, state in enumerate(self._states) if state is document)
            edit.position = next(known, None)
            self._append(edit)
            if edit.position is None:
                self._states[self._position + 1 :] = [document]
                self._position += 1
            else:
                self._position = edit.position
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

    def _begin(self, head: Document | None, document: Document, title: Message | None) -> None:
        content = msgspec.json.encode(_document_line(head, document, title)) + b"\n"
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


def _document_line(head: Document | None, document: Document, title: Message | None) -> _DocumentLine:
    return _DocumentLine(
        None if head is None else write_document(head),
        write_document(document),
        [table.key for table in document.tables],
        _column_keys(document.tables),
        _written_title(title),
        _written_names(document.local_names) or None,
    )


def _column_keys(tables: Iterable[Table]) -> dict[int, list[int]]:
    """The keys of the columns of each table in which the service has not named all of them by ids yet."""
    return {
        table.key: [column.key for column in table.columns]
        for table in tables
        if any(column.id != column.key for column in table.columns)
    }


def _written_title(title: Message | None) -> Json | None:
    if title is None:
        return None
    values = {
        name: _written_title(value)
        if isinstance(value, Message)
        else value
        if isinstance(value, str | int | float | bool | None)
        else str(value)
        for name, value in title.values.items()
    }
    return {"text": title.text, "values": values, "context": title.context}


def _read_title(written: object) -> Message:
    """The title of a step. Raises DocumentError if it is none."""
    if not isinstance(written, Mapping):
        return message("Restore unsaved work")
    text, values, context = (written.get(name) for name in ("text", "values", "context"))
    if not isinstance(text, str) or not isinstance(values, Mapping) or not isinstance(context, str):
        raise DocumentError("title", message("A text is expected, not {found}.", found=str(text)))
    read = {
        name: _read_title(value) if isinstance(value, Mapping) else value for name, value in values.items()
    }
    title = Message(text, read, context)
    try:
        str(title)
    except (KeyError, ValueError) as error:
        raise DocumentError("title", message("A text is expected, not {found}.", found=text)) from error
    return title


def _edit(before: Document, after: Document, title: Message | None = None) -> _EditLine:
    was = before.by_key
    changed = {table.key: write_table(table) for table in after.tables if was.get(table.key) is not table}
    keys = [table.key for table in after.tables]
    return _EditLine(
        tables=changed,
        attributes=None if after.raw is before.raw else dict(after.raw),
        keys=None if keys == [table.key for table in before.tables] else keys,
        column_keys=_column_keys(after.by_key[key] for key in changed),
        title=_written_title(title),
        names=None if after.local_names == before.local_names else _written_names(after.local_names),
    )


def _written_names(names: LocalNames) -> _Names:
    return [
        (ref.table, ref.column if isinstance(ref, ColumnRef) else None, dict(texts))
        for ref, texts in names.items()
    ]


def _read_names(names: _Names) -> LocalNames:
    return {
        TableRef(table) if column is None else ColumnRef(table, column): texts
        for table, column, texts in names
    }


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
    head, steps = _read_lines(content)
    if steps is None:
        if content.strip():
            raise ValueError("a journal begins with a document")
        path.unlink()
        return None
    document = steps.steps[steps.position].document
    return SchemaDraft(path, None if head is None else read_document(head), document, kept_at, steps)


@dataclass(frozen=True, slots=True)
class _State:
    """A state while lines are read; ``tables`` and ``column_keys`` are by the tables' keys."""

    title: Json | None
    attributes: Mapping[str, object]
    keys: list[int]
    tables: Mapping[int, Json]
    column_keys: Mapping[int, list[int]]
    names: _Names

    def after(self, line: _EditLine) -> _State:
        """The state after an edit."""
        others = {key: value for key, value in self.column_keys.items() if key not in line.tables}
        return _State(
            line.title,
            self.attributes if line.attributes is None else line.attributes,
            self.keys if line.keys is None else line.keys,
            {**self.tables, **line.tables},
            {**others, **line.column_keys},
            self.names if line.names is None else line.names,
        )

    def step(self) -> DraftStep:
        """The state as a step. Raises DocumentError, and KeyError or ValueError for damaged lines."""
        document = read_document({**self.attributes, "tables": [self.tables[key] for key in self.keys]})
        tables: dict[int, Identity] = {}
        columns: dict[int, Identity] = {}
        for key, table in zip(self.keys, document.tables, strict=True):
            if table.key != key:
                tables[table.key] = Identity(key, table.id)
            for column, column_key in zip(table.columns, self.column_keys.get(key, ()), strict=False):
                if column.key != column_key:
                    columns[column.key] = Identity(column_key, column.id)
        (named,) = with_identities((document,), Identities(tables, columns))
        if self.names:
            named = replace(named, local_names=_read_names(self.names))
        return DraftStep(_read_title(self.title), named)


def _read_lines(content: bytes) -> tuple[Json | None, DraftSteps | None]:
    """HEAD and the steps in a journal, None without a document. Raises what decoding and reading raise."""
    head: Json | None = None
    states: list[_State] = []
    position = 0
    # What follows the last end of a line was cut off by a crash.
    for line in content.split(b"\n")[:-1]:
        entry = _DECODER.decode(line)
        if isinstance(entry, _DocumentLine):
            listed = entry.document.get("tables")
            tables = dict(zip(entry.keys, listed if isinstance(listed, list) else [], strict=True))
            head, position = entry.head, 0
            states = [
                _State(entry.title, entry.document, entry.keys, tables, entry.column_keys, entry.names or [])
            ]
        elif not states:
            raise ValueError("a journal begins with a document")
        elif entry.position is not None and 0 <= entry.position < len(states):
            position = entry.position
        else:
            states[position + 1 :] = [states[position].after(entry)]
            position += 1
    if not states:
        return head, None
    if all(state.title is None for state in states):
        # Earlier versions kept no titles: steps without names would be no help.
        states, position = [states[position]], 0
    most = max(1, min(_MOST_STEPS, _MOST_TABLES // max(1, len(states[position].keys))))
    first = max(0, position + 1 - most)
    steps = tuple(state.step() for state in states[first : first + most])
    return head, DraftSteps(steps, position - first)
