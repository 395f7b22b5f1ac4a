"""How a schema is stored in the database, as plain values (wire §5): what a plan compares.

Columns go by a key that no rename changes: `c12` for the column with the id 12, the name itself for a
system column. Tables go by their id.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import Enum, auto

import msgspec

from server_stub.schema.document.model import AutoColumn, Column, Family, Reference, Schema, Table, UniqueKey
from server_stub.schema.document.names import cut

PRIMARY_KEY = "_id"
VERSION = "_version"
PARENT = "_parent_id"
POOL = "_pool_id"
UPLINK = "_uplink_id"
TAGS = "_tags"

_RESERVED = ("sqlite_", "pg_")
_RESERVED_COLUMNS = frozenset({"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"})


class Storage(Enum):
    """The storage types of physical columns."""

    IDENTIFIER = auto()
    INTEGER = auto()
    DECIMAL = auto()
    BOOLEAN = auto()
    TEXT = auto()


@dataclass(frozen=True, slots=True)
class PhysicalColumn:
    """One column; `default` is the value of a row inserted without one."""

    key: str
    name: str
    storage: Storage
    nullable: bool = True
    default: bool | int | str | None = None


@dataclass(frozen=True, slots=True)
class PhysicalUnique:
    """Columns whose values together are unique among the rows where all columns of `where` are true."""

    name: str
    columns: tuple[str, ...]
    where: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PhysicalForeignKey:
    """A link from a column to the primary key of the table with an id.

    `title` is the name in the document. It changes with every rename, so the constraint has another name:
    renaming a table does not rebuild the tables that link to it.
    """

    column: str
    target: int
    on_delete: str
    on_update: str
    title: str = field(compare=False)

    @property
    def name(self) -> str:
        """The name of the constraint, unique in its table."""
        return f"{self.column.removeprefix('_')}_fkey"


@dataclass(frozen=True)
class PhysicalTable:
    """One table of the database."""

    id: int
    name: str
    columns: tuple[PhysicalColumn, ...]
    uniques: tuple[PhysicalUnique, ...] = ()
    foreign_keys: tuple[PhysicalForeignKey, ...] = ()

    def column(self, key: str) -> PhysicalColumn:
        """The column with a key; raises KeyError if it does not exist."""
        found = self.find(key)
        if found is None:
            raise KeyError(key)
        return found

    def find(self, key: str) -> PhysicalColumn | None:
        """The column with a key, or None."""
        return next((column for column in self.columns if column.key == key), None)

    def renamed(self, old: str, new: str) -> PhysicalTable:
        """The table with another name for one of its columns."""
        columns = (replace(column, name=new) if column.name == old else column for column in self.columns)
        return replace(self, columns=tuple(columns))


def column_key(column_id: int) -> str:
    """The key of a column that a document lists."""
    return f"c{column_id}"


def physical_table_name(name: str) -> str:
    """The name itself, prefixed if databases reserve such names."""
    return f"_{name}" if name.startswith(_RESERVED) else name


def _physical_key_name(name: str) -> str:
    """The name itself, prefixed if databases reserve such names in any case."""
    return f"_{name}" if name.lower().startswith(_RESERVED) else name


def _physical_column_name(name: str) -> str:
    """The name itself, suffixed if a database has a hidden column of that name."""
    return f"{name}_" if name in _RESERVED_COLUMNS else name


_STORAGES = {
    Family.NUMBER: Storage.INTEGER,
    Family.SERIAL: Storage.INTEGER,
    Family.LINK: Storage.INTEGER,
    Family.DECIMAL: Storage.DECIMAL,
    Family.BOOLEAN: Storage.BOOLEAN,
}
_AUTOMATIC = {
    AutoColumn.PRIMARY_KEY: PRIMARY_KEY,
    AutoColumn.UPLINK: UPLINK,
    AutoColumn.PARENT: PARENT,
}


def lay_out(schema: Schema) -> dict[int, PhysicalTable]:
    """The physical tables by table id."""
    return {table.id: _table_layout(table, schema) for table in schema.tables}


def _table_layout(table: Table, schema: Schema) -> PhysicalTable:
    return PhysicalTable(
        id=table.id,
        name=physical_table_name(table.name),
        columns=(
            *_system_columns(table),
            *(_data_column(column, schema.languages) for column in table.columns),
        ),
        uniques=tuple(_unique_key(key) for key in table.unique_keys),
        foreign_keys=(*_system_keys(table), *_links(table)),
    )


def _system_columns(table: Table) -> Iterator[PhysicalColumn]:
    yield _system_column(PRIMARY_KEY, Storage.IDENTIFIER, nullable=False)
    if table.owner_id is None:
        yield PhysicalColumn(VERSION, VERSION, Storage.INTEGER, nullable=False, default=1)
    else:
        yield _system_column(UPLINK, Storage.INTEGER, nullable=False)
    if table.is_hierarchical:
        yield _system_column(PARENT, Storage.INTEGER)
    if table.pool_link:
        yield _system_column(POOL, Storage.INTEGER)
    if table.has_tags:
        yield _system_column(TAGS, Storage.TEXT)


def _system_column(name: str, storage: Storage, *, nullable: bool = True) -> PhysicalColumn:
    return PhysicalColumn(name, name, storage, nullable)


def _data_column(column: Column, languages: tuple[str, ...]) -> PhysicalColumn:
    return PhysicalColumn(
        key=column_key(column.id),
        name=_physical_column_name(column.name),
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
            return to_json({main_language(languages): column.default})
        case str():
            return column.default
        case _:
            return to_json(column.default)


def main_language(languages: tuple[str, ...]) -> str:
    """The language of a text without one: the first language of the schema."""
    return languages[0] if languages else "en-US"


def to_json(value: object) -> str:
    """Compact JSON, as text columns store structured values."""
    return msgspec.json.encode(value).decode()


def _unique_key(key: UniqueKey) -> PhysicalUnique:
    plain = tuple(_key_of(reference) for reference in key.columns if not reference.unique_true)
    where = tuple(_key_of(reference) for reference in key.columns if reference.unique_true)
    return PhysicalUnique(cut(_physical_key_name(key.name)), plain or where, where)


def _key_of(reference: Reference) -> str:
    if isinstance(reference.column, AutoColumn):
        return _AUTOMATIC[reference.column]
    return column_key(reference.column)


def _system_keys(table: Table) -> Iterator[PhysicalForeignKey]:
    if table.owner_id is not None:
        title = f"{table.name}__uplink_fkey"
        yield PhysicalForeignKey(UPLINK, table.owner_id, "cascade", "cascade", title)
    if table.is_hierarchical:
        title = f"{table.name}__parent_fkey"
        yield PhysicalForeignKey(PARENT, table.id, "restrict", "cascade", title)


def _links(table: Table) -> Iterator[PhysicalForeignKey]:
    for key in table.foreign_keys:
        column = _key_of(key.columns[0])
        yield PhysicalForeignKey(column, key.table_id, key.on_delete, key.on_update, key.name)
