"""The steps that a commit can consist of, as plain values (wire §5).

Names in a step are those at the time when it is executed.
"""

from __future__ import annotations

import msgspec

from server_stub.schema.commit.storage_layout import PhysicalColumn, PhysicalTable
from server_stub.schema.document.model import Column


class RenameTable(msgspec.Struct, frozen=True):
    """Renames a table."""

    table_id: int
    old: str
    new: str


class RenameColumn(msgspec.Struct, frozen=True):
    """Renames a column; `shape` is the table before."""

    table: str
    old: str
    new: str
    shape: PhysicalTable


class CreateTable(msgspec.Struct, frozen=True):
    """Creates a table with its columns and foreign keys; unique keys are steps of their own."""

    table: PhysicalTable


class AddColumn(msgspec.Struct, frozen=True):
    """Adds a column to a table of the given shape; existing rows get its default, or null."""

    table: str
    column: PhysicalColumn
    shape: PhysicalTable


class ConvertValues(msgspec.Struct, frozen=True):
    """Writes each value of column `source`, converted, to column `target`, which may be the same."""

    table: str
    source: str
    target: str
    before: Column
    after: Column
    languages: tuple[str, ...]


class RequireValues(msgspec.Struct, frozen=True):
    """Requires a value in every row; `column` is the name for the error."""

    table: str
    name: str
    column: str


class RequireUnique(msgspec.Struct, frozen=True):
    """Requires that no two rows share the values of a unique key."""

    table: str
    name: str
    columns: tuple[str, ...]
    where: tuple[str, ...]


class RequireTargets(msgspec.Struct, frozen=True):
    """Requires that every link points to an existing row."""

    table: str
    column: str
    target: str
    name: str


class RequireCheck(msgspec.Struct, frozen=True):
    """Requires that every value fulfils its column's check; `table_name` is the name for the error."""

    table: str
    name: str
    table_name: str
    column: Column


class RequireNested(msgspec.Struct, frozen=True):
    """Requires that every row of an owner has a row in the nested table."""

    owner: str
    nested: str


class AlterTable(msgspec.Struct, frozen=True):
    """Changes foreign keys, nullability and defaults, and drops columns."""

    before: PhysicalTable
    after: PhysicalTable


class DropTable(msgspec.Struct, frozen=True):
    """Drops a table with all rows."""

    table: str


class DropUnique(msgspec.Struct, frozen=True):
    """Drops a unique key."""

    table: str
    name: str


class CreateUnique(msgspec.Struct, frozen=True):
    """Adds a unique key; `columns` and `where` are names."""

    table: str
    name: str
    columns: tuple[str, ...]
    where: tuple[str, ...]


Step = (
    RenameTable
    | RenameColumn
    | CreateTable
    | AddColumn
    | ConvertValues
    | RequireValues
    | RequireUnique
    | RequireTargets
    | RequireCheck
    | RequireNested
    | AlterTable
    | DropTable
    | DropUnique
    | CreateUnique
)


class CommitPlan(msgspec.Struct, frozen=True):
    """The steps of a commit in order.

    `names` are the names, by id, of the tables that foreign keys reference; `renamed_from` are the tables of
    CURRENT, by id, as they are when the first table is renamed.
    """

    steps: tuple[Step, ...]
    names: dict[int, str]
    renamed_from: dict[int, PhysicalTable]
