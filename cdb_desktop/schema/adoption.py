"""Brings another model's document into the model of a service, as what HEAD is to become."""

from __future__ import annotations

from dataclasses import replace

from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.identity import Identities, Identity
from cdb_desktop.schema.places import new_key


def adopted(document: Document, head: Document) -> Document:
    """The document with the ids of HEAD where tables and columns have the same names, else without ids.

    Ids of another service name other tables there, so that they say nothing here (wire §5). The model's own
    attributes, such as its version, are HEAD's.
    """
    by_name = {table.name: table for table in head.tables}
    tables: dict[int, Identity] = {}
    columns: dict[int, Identity] = {}
    for table in document.tables:
        same = by_name.get(table.name)
        tables[table.key] = _identity(same, table.name)
        known = {} if same is None else {column.name: column for column in same.columns}
        for column in table.columns:
            found = known.get(column.name)
            key, number = (new_key(), None) if found is None else (found.key, found.id)
            columns[column.key] = Identity(key, number, column.name)
    identities = Identities(tables, columns)
    changed = tuple(identities.of(table) for table in document.tables)
    return replace(document, raw={**document.raw, **head.raw}, tables=changed)


def _identity(same: Table | None, name: str) -> Identity:
    return Identity(new_key(), None, name) if same is None else Identity(same.key, same.id, name)
