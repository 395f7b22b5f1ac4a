"""The steps that a commit can consist of, as plain values with all they need (wire §5); knows no SQL.

Each step stands for the names that hold when its turn comes.
"""

from __future__ import annotations

from dataclasses import dataclass

from server_stub.schema.model import Column
from server_stub.schema.physical import PhysicalColumn, PhysicalTable


@dataclass(frozen=True, slots=True)
class RenameTable:
    """Keeps all rows."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """Keeps all values; `shape` is the table before."""

    table: str
    old: str
    new: str
    shape: PhysicalTable


@dataclass(frozen=True, slots=True)
class CreateTable:
    """With its columns and foreign keys; unique keys follow on their own."""

    table: PhysicalTable


@dataclass(frozen=True, slots=True)
class AddColumn:
    """Existing rows get the default, or nothing."""

    table: str
    column: PhysicalColumn


@dataclass(frozen=True, slots=True)
class ConvertValues:
    """Writes every value of one column as the other column's type has it; both may be the same column."""

    table: str
    source: str
    target: str
    before: Column
    after: Column
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RequireValues:
    """No row may lack a value; `column` is what a refusal names."""

    table: str
    name: str
    column: str


@dataclass(frozen=True, slots=True)
class RequireUnique:
    """No two rows may share the values of a unique key."""

    table: str
    name: str
    columns: tuple[str, ...]
    where: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RequireTargets:
    """Every link must point to a row that exists."""

    table: str
    column: str
    target: str
    name: str


@dataclass(frozen=True, slots=True)
class RequireCheck:
    """Every value must fulfil its column's check; `table_name` is what a refusal names."""

    table: str
    name: str
    table_name: str
    column: Column


@dataclass(frozen=True, slots=True)
class RequireNested:
    """Every row of an owner must have a row in the nested table."""

    owner: str
    nested: str


@dataclass(frozen=True, slots=True)
class AlterTable:
    """From one shape to another: foreign keys, columns that go, what may be missing, defaults."""

    before: PhysicalTable
    after: PhysicalTable


@dataclass(frozen=True, slots=True)
class DropTable:
    """With all rows."""

    table: str


@dataclass(frozen=True, slots=True)
class DropUnique:
    """Takes a unique key away."""

    table: str
    name: str


@dataclass(frozen=True, slots=True)
class CreateUnique:
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


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of a commit in order, and the names of the tables that foreign keys mean while they run."""

    steps: tuple[Step, ...]
    names: dict[int, str]
