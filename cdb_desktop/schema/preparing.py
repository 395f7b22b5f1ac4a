"""What is posted to save HEAD (§4.7, wire §5): ids that HEAD knows are kept, all else goes by hints."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from cdb_desktop.schema.document import Document
from cdb_desktop.schema.elements import Raw
from cdb_desktop.schema.identity import Identities, Identity
from cdb_desktop.schema.places import new_key
from cdb_desktop.schema.writing import write

_FIRST_VERSION = 1
_OF_THE_MODEL = ("version", "based_on_version", "based_on_base_version", "max_table_id", "max_column_id")


def prepared(document: Document, head: Document | None) -> dict[str, object]:
    """The document to post; ``head`` is HEAD as it was last read, None on a service without any version.

    The version is the one that HEAD was read with, and 1 without one. Tables and columns that HEAD does not
    know, of another model or taken back by undo, lose their ids, which the service would refuse.
    """
    if head is None:
        return {**write(document), "version": _FIRST_VERSION}
    columns = {key for table in head.tables for key in table.by_key}
    known = without_ids(document, but_tables=head.by_key.keys(), but_columns=columns)
    return write(replace(known, raw=_raw(document.raw, head.raw)))


def without_ids(
    document: Document, *, but_tables: Collection[int] = (), but_columns: Collection[int] = ()
) -> Document:
    """The document with ids only at these tables and columns, all others new and referred to by hints.

    Without exceptions this is how another model's document comes into a model that exists (wire §5).
    """
    identities = Identities(
        tables={
            table.key: Identity(new_key(), None, table.name)
            for table in document.tables
            if table.key not in but_tables
        },
        columns={
            column.key: Identity(new_key(), None, column.name)
            for table in document.tables
            for column in table.columns
            if column.key not in but_columns
        },
    )
    touched = (table for table in document.tables if identities.touches(table))
    changed = {table.key: identities.of(table) for table in touched}
    return replace(document, tables=tuple(changed.get(table.key, table) for table in document.tables))


def _raw(own: Raw, head: Raw) -> dict[str, object]:
    """What belongs to the model as the service keeps it is HEAD's, the rest the document's own."""
    kept = {name: value for name, value in own.items() if name not in _OF_THE_MODEL}
    return {**kept, **{name: head[name] for name in _OF_THE_MODEL if name in head}}
