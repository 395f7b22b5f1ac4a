"""Lays a schema out as physical tables (wire §5): one column each, system columns and keys; knows no SQL."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import msgspec

from server_stub.schema import physical
from server_stub.schema.column_types import Family
from server_stub.schema.model import Auto, Column, Reference, Schema, Table, UniqueKey
from server_stub.schema.names import cut
from server_stub.schema.physical import (
    PhysicalColumn,
    PhysicalForeignKey,
    PhysicalTable,
    PhysicalUnique,
    Storage,
    column_key,
)

_STORAGES = {
    Family.NUMBER: Storage.INTEGER,
    Family.SERIAL: Storage.INTEGER,
    Family.LINK: Storage.INTEGER,
    Family.DECIMAL: Storage.DECIMAL,
    Family.BOOLEAN: Storage.BOOLEAN,
}
_AUTOMATIC = {
    Auto.PRIMARY_KEY: physical.PRIMARY_KEY,
    Auto.UPLINK: physical.UPLINK,
    Auto.PARENT: physical.PARENT,
}


def lay_out(schema: Schema) -> dict[int, PhysicalTable]:
    """The physical tables by table id."""
    return {table.id: _table(table, schema) for table in schema.tables}


def _table(table: Table, schema: Schema) -> PhysicalTable:
    return PhysicalTable(
        id=table.id,
        name=physical.physical_table_name(table.name),
        columns=(
            *_system_columns(table),
            *(_column(column, schema.languages) for column in table.columns),
        ),
        uniques=tuple(_unique(key) for key in table.unique_keys),
        foreign_keys=(*_system_keys(table), *_links(table)),
    )


def _system_columns(table: Table) -> Iterator[PhysicalColumn]:
    yield _system(physical.PRIMARY_KEY, Storage.IDENTIFIER, nullable=False)
    if table.owner_id is None:
        yield PhysicalColumn(physical.VERSION, physical.VERSION, Storage.INTEGER, nullable=False, default=1)
    else:
        yield _system(physical.UPLINK, Storage.INTEGER, nullable=False)
    if table.is_hierarchical:
        yield _system(physical.PARENT, Storage.INTEGER)
    if table.pool_link:
        yield _system(physical.POOL, Storage.INTEGER)
    if table.has_tags:
        yield _system(physical.TAGS, Storage.TEXT)


def _system(name: str, storage: Storage, *, nullable: bool = True) -> PhysicalColumn:
    return PhysicalColumn(name, name, storage, nullable)


def _column(column: Column, languages: tuple[str, ...]) -> PhysicalColumn:
    return PhysicalColumn(
        key=column_key(column.id),
        name=physical.physical_column_name(column.name),
        storage=_STORAGES.get(column.family, Storage.TEXT),
        nullable=not column.not_null,
        default=_default(column, languages),
    )


def _default(column: Column, languages: tuple[str, ...]) -> bool | int | str | None:
    match column.default:
        case None | bool() | int():
            return column.default
        case float():
            return str(Decimal(str(column.default)))
        case str() if column.family is Family.LOCALIZED:
            return as_json({main_language(languages): column.default})
        case str():
            return column.default
        case _:
            return as_json(column.default)


def main_language(languages: tuple[str, ...]) -> str:
    """The language of a text that does not say its own: the first of the schema's."""
    return languages[0] if languages else "en-US"


def as_json(value: object) -> str:
    """Compact JSON, as text columns keep what has parts."""
    return msgspec.json.encode(value).decode()


def _unique(key: UniqueKey) -> PhysicalUnique:
    plain = tuple(_key_of(reference) for reference in key.columns if not reference.unique_true)
    where = tuple(_key_of(reference) for reference in key.columns if reference.unique_true)
    return PhysicalUnique(cut(physical.physical_key_name(key.name)), plain or where, where)


def _key_of(reference: Reference) -> str:
    if isinstance(reference.column, Auto):
        return _AUTOMATIC[reference.column]
    return column_key(reference.column)


def _system_keys(table: Table) -> Iterator[PhysicalForeignKey]:
    if table.owner_id is not None:
        title = f"{table.name}__uplink_fkey"
        yield PhysicalForeignKey(physical.UPLINK, table.owner_id, "cascade", "cascade", title)
    if table.is_hierarchical:
        title = f"{table.name}__parent_fkey"
        yield PhysicalForeignKey(physical.PARENT, table.id, "restrict", "cascade", title)


def _links(table: Table) -> Iterator[PhysicalForeignKey]:
    for key in table.foreign_keys:
        column = _key_of(key.columns[0])
        yield PhysicalForeignKey(column, key.table_id, key.on_delete, key.on_update, key.name)
