"""The steps that a commit can consist of, as plain values with all they need (wire §5); knows no SQL.

Each step stands for the names that hold when its turn comes.
"""

from __future__ import annotations

import msgspec

from server_stub.schema.commit.layout import PhysicalColumn, PhysicalTable
from server_stub.schema.document.model import Column


class RenameTable(msgspec.Struct, frozen=True):
    """Keeps all rows."""

    old: str
    new: str


class RenameColumn(msgspec.Struct, frozen=True):
    """Keeps all values; `shape` is the table before."""

    table: str
    old: str
    new: str
    shape: PhysicalTable


class CreateTable(msgspec.Struct, frozen=True):
    """With its columns and foreign keys; unique keys follow on their own."""

    table: PhysicalTable


class AddColumn(msgspec.Struct, frozen=True):
    """Existing rows get the default, or nothing."""

    table: str
    column: PhysicalColumn


class ConvertValues(msgspec.Struct, frozen=True):
    """Writes every value of one column as the other column's type has it; both may be the same column."""

    table: str
    source: str
    target: str
    before: Column
    after: Column
    languages: tuple[str, ...]


class RequireValues(msgspec.Struct, frozen=True):
    """No row may lack a value; `column` is what a refusal names."""

    table: str
    name: str
    column: str


class RequireUnique(msgspec.Struct, frozen=True):
    """No two rows may share the values of a unique key."""

    table: str
    name: str
    columns: tuple[str, ...]
    where: tuple[str, ...]


class RequireTargets(msgspec.Struct, frozen=True):
    """Every link must point to a row that exists."""

    table: str
    column: str
    target: str
    name: str


class RequireCheck(msgspec.Struct, frozen=True):
    """Every value must fulfil its column's check; `table_name` is what a refusal names."""

    table: str
    name: str
    table_name: str
    column: Column


class RequireNested(msgspec.Struct, frozen=True):
    """Every row of an owner must have a row in the nested table."""

    owner: str
    nested: str


class AlterTable(msgspec.Struct, frozen=True):
    """From one shape to another: foreign keys, columns that go, what may be missing, defaults."""

    before: PhysicalTable
    after: PhysicalTable


class DropTable(msgspec.Struct, frozen=True):
    """With all rows."""

    table: str


class DropUnique(msgspec.Struct, frozen=True):
    """Takes a unique key away."""

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


class Plan(msgspec.Struct, frozen=True):
    """The steps of a commit in order, and the names of the tables that foreign keys mean while they run."""

    steps: tuple[Step, ...]
    names: dict[int, str]
