"""The JSON of a document or of one of its tables after a person has edited it, as an edit.

Elements keep their identities: those with ids by their ids, new ones by their names. References to elements
that were renamed follow.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.identity import Identities, Identity, with_identities
from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.schema.document.json_values import DocumentError, Json
from cdb_desktop.schema.document.model import Column, Document, Table
from cdb_desktop.schema.document.names import table_name
from cdb_desktop.schema.edits.edit import EditError, require_table
from cdb_desktop.schema.files.json_text import line_of_path

_LARGEST = 20_000_000  # characters


class JsonTextError(Exception):
    """Text that is no table or document; ``line`` counts from 1, and ``message`` is the reason."""

    def __init__(self, line: int, reason: Message) -> None:
        super().__init__(f"{line}: {reason}")
        self.line = line
        self.message = reason


@dataclass(frozen=True, slots=True)
class ReplaceTable:
    """Replaces a table by its edited JSON."""

    table: Table

    def title(self, document: Document) -> Message:
        return message("Edit the JSON of {table}", table=table_name(document, self.table.key))

    def apply_to(self, document: Document) -> Document:
        """The document with the table. Raises EditError if it does not exist."""
        before = require_table(document, self.table.key)
        after = document.with_tables(self.table)
        return with_identities((after,), _renamed((before,), (self.table,)))[0]


@dataclass(frozen=True, slots=True)
class ReplaceDocument:
    """Replaces the document by its edited JSON."""

    document: Document

    def title(self, _document: Document) -> Message:
        return message("Edit the JSON")

    def apply_to(self, document: Document) -> Document:
        """The other document. Raises EditError if it is the same."""
        if self.document == document:
            raise EditError(message("Nothing was changed."))
        return with_identities((self.document,), _renamed(document.tables, self.document.tables))[0]


def edited_table(document: Document, key: int, text: str) -> ReplaceTable:
    """The edit that applies the JSON of a table. Raises JsonTextError, and EditError without the table."""
    require_table(document, key)
    raw = _object(text)
    at = next(number for number, table in enumerate(document.tables) if table.key == key)
    whole = write_document(document)
    tables = whole["tables"]
    if isinstance(tables, list):
        tables[at] = raw
    try:
        read = read_document(whole)
    except DocumentError as error:
        path = error.path.removeprefix(f"tables[{at}]").removeprefix(".")
        raise JsonTextError(line_of_path(text, path), _reason(path, error.message)) from error
    found = _with_keys_of(document, read).tables[at]
    if found.key != key:
        moved = Identities({found.key: Identity(key, found.id)})
        # Its id was removed or changed: the same place in the document makes it the same table.
        (found,) = with_identities((Document({}, (found,)),), moved)[0].tables
    return ReplaceTable(found)


def edited_document(document: Document, text: str) -> ReplaceDocument:
    """The edit that applies the JSON of a document. Raises JsonTextError."""
    try:
        read = read_document(_object(text))
    except DocumentError as error:
        raise JsonTextError(line_of_path(text, error.path), _reason(error.path, error.message)) from error
    return ReplaceDocument(_with_keys_of(document, read))


def _object(text: str) -> Json:
    if len(text) > _LARGEST:
        raise JsonTextError(1, message("The text is too long."))
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        raise JsonTextError(error.lineno, message("This is not JSON: {reason}.", reason=error.msg)) from error
    except RecursionError as error:
        raise JsonTextError(1, message("The text is nested too deeply.")) from error
    if not isinstance(raw, Mapping):
        raise JsonTextError(1, message("An object is expected."))
    return raw


def _reason(path: str, reason: Message) -> Message:
    return message("{path}: {reason}", path=path, reason=reason) if path else reason


def _with_keys_of(before: Document, after: Document) -> Document:
    """The document with the keys of ``before`` for new elements with the same names."""
    tables: dict[int, Identity] = {}
    columns: dict[int, Identity] = {}
    new = {table.name: table for table in before.tables if table.id is None}
    for table in after.tables:
        was = before.by_key.get(table.key)
        if table.id is None and table.name in new:
            was = new[table.name]
            tables[table.key] = Identity(was.key, None)
        if was is not None:
            columns.update(_column_identities(was.columns, table.columns))
    return with_identities((after,), Identities(tables, columns))[0]


def _column_identities(before: Sequence[Column], after: Sequence[Column]) -> Iterator[tuple[int, Identity]]:
    new = {column.name: column for column in before if column.id is None}
    for column in after:
        if column.id is None and column.name in new:
            yield column.key, Identity(new[column.name].key, None)


def _renamed(before: Sequence[Table], after: Sequence[Table]) -> Identities:
    """The names of elements that have other names than before."""
    were = {table.key: table for table in before}
    tables: dict[int, Identity] = {}
    columns: dict[int, Identity] = {}
    for table in after:
        was = were.get(table.key)
        if was is None:
            continue
        if was.name != table.name:
            tables[table.key] = Identity(table.key, table.id, table.name)
        for column in table.columns:
            old = was.by_key.get(column.key)
            if old is not None and old.name != column.name:
                columns[column.key] = Identity(column.key, column.id, column.name)
    return Identities(tables, columns)
