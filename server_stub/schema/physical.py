"""How a schema lies in the database, as plain values (wire §5): what a plan compares; knows no SQL.

Columns go by a key that no rename changes: `c12` for the column with the id 12, the name itself for a
system column. Tables go by their id.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum, auto

PRIMARY_KEY = "_id"
VERSION = "_version"
PARENT = "_parent_id"
POOL = "_pool_id"
UPLINK = "_uplink_id"
TAGS = "_tags"

_RESERVED = ("sqlite_", "pg_")
_RESERVED_COLUMNS = frozenset({"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"})


class Storage(Enum):
    """The kinds of physical columns."""

    IDENTIFIER = auto()
    INTEGER = auto()
    DECIMAL = auto()
    BOOLEAN = auto()
    TEXT = auto()


@dataclass(frozen=True, slots=True)
class PhysicalColumn:
    """One column; `default` is what a row gets that says nothing."""

    key: str
    name: str
    storage: Storage
    nullable: bool = True
    default: bool | int | str | None = None


@dataclass(frozen=True, slots=True)
class PhysicalUnique:
    """Columns whose values together occur once, among the rows where all of `where` are true."""

    name: str
    columns: tuple[str, ...]
    where: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PhysicalForeignKey:
    """A link from a column to the primary key of the table with an id.

    `title` is the name in the document. It follows every rename, so the constraint has a name of its own:
    no table is rebuilt because another one that it links to is called otherwise.
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
        """The column with a key; KeyError when there is none."""
        found = self.find(key)
        if found is None:
            raise KeyError(key)
        return found

    def find(self, key: str) -> PhysicalColumn | None:
        """The column with a key, None when there is none."""
        return next((column for column in self.columns if column.key == key), None)

    def renamed(self, old: str, new: str) -> PhysicalTable:
        """The table with another name for one of its columns."""
        columns = (replace(column, name=new) if column.name == old else column for column in self.columns)
        return replace(self, columns=tuple(columns))


def column_key(column_id: int) -> str:
    """The key of a column that a document lists."""
    return f"c{column_id}"


def physical_table_name(name: str) -> str:
    """The name itself, but where a database keeps such names for itself."""
    return f"_{name}" if name.startswith(_RESERVED) else name


def physical_key_name(name: str) -> str:
    """The name itself, but where a database keeps such names, in capitals too, for itself."""
    return f"_{name}" if name.lower().startswith(_RESERVED) else name


def physical_column_name(name: str) -> str:
    """The name itself, but where a database has a hidden column of that name."""
    return f"{name}_" if name in _RESERVED_COLUMNS else name
