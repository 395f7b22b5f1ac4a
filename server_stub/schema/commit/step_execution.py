"""Runs the steps of a plan in the caller's transaction, through alembic's operations (wire §5)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    ForeignKeyConstraint,
    Index,
    MetaData,
    Numeric,
    Table,
    Text,
    TextClause,
    false,
    inspect,
    text,
    true,
)
from sqlalchemy.engine.reflection import Inspector
from sqlalchemy.types import TypeEngine

from server_stub.database.ddl_support import IDENTIFIER, alters_slowly, partial_index, rebuild_table
from server_stub.schema.commit.conversion import convert_values
from server_stub.schema.commit.journal import Journal, StepState
from server_stub.schema.commit.layout import (
    PRIMARY_KEY,
    PhysicalColumn,
    PhysicalForeignKey,
    PhysicalTable,
    PhysicalUnique,
    Storage,
)
from server_stub.schema.commit.requirements import (
    require_check,
    require_nested,
    require_targets,
    require_unique,
    require_values,
)
from server_stub.schema.commit.step_types import (
    AddColumn,
    AlterTable,
    CommitPlan,
    ConvertValues,
    CreateTable,
    CreateUnique,
    DropTable,
    DropUnique,
    RenameColumn,
    RenameTable,
    RequireCheck,
    RequireNested,
    RequireTargets,
    RequireUnique,
    RequireValues,
    Step,
)

if TYPE_CHECKING:
    from alembic.operations import BatchOperations, Operations


_LOG = logging.getLogger(__name__)


def execute(connection: Connection, plan: CommitPlan, journal: Journal) -> None:
    """Runs the steps of a plan in order; skips those that an interrupted run has done.

    Raises the UserError of the first requirement that a row violates; the caller rolls back.
    """
    operations, states = _operations(connection), journal.states()
    for number, step in enumerate(plan.steps, 1):
        if states.get(number) is StepState.DONE:
            continue
        _LOG.debug("schema commit: %s", step)
        if number not in states:
            journal.begin(number, type(step).__name__)
        elif _is_applied(connection, step):
            journal.end(number)
            continue
        if not (_check_rows(connection, step) or _rebuild_table(connection, step, plan.names)):
            _change(operations, connection, step, plan.names)
        journal.end(number)


def _operations(connection: Connection) -> Operations:
    # Importing alembic takes a tenth of a second, and only commits need it.
    from alembic.migration import MigrationContext  # noqa: PLC0415
    from alembic.operations import Operations  # noqa: PLC0415

    return Operations(MigrationContext.configure(connection))


def _check_rows(connection: Connection, step: Step) -> bool:
    """Runs a step that checks rows; returns False for any other step."""
    match step:
        case RequireValues():
            require_values(connection, step)
        case RequireUnique():
            require_unique(connection, step)
        case RequireTargets():
            require_targets(connection, step)
        case RequireCheck():
            require_check(connection, step)
        case RequireNested():
            require_nested(connection, step)
        case _:
            return False
    return True


def _change(operations: Operations, connection: Connection, step: Step, names: Mapping[int, str]) -> None:
    match step:
        case RenameTable():
            operations.rename_table(step.old, step.new)
        case RenameColumn():
            operations.alter_column(step.table, step.old, new_column_name=step.new)
        case CreateTable():
            _sql_table(step.table, names).create(connection)
        case AddColumn():
            operations.add_column(step.table, _sql_column(step.column))
        case ConvertValues():
            convert_values(connection, step)
        case AlterTable():
            _alter(operations, step, names)
        case DropTable():
            operations.drop_table(step.table)
        case DropUnique():
            operations.drop_index(step.name, table_name=step.table)
        case CreateUnique():
            options = partial_index(step.where)
            operations.create_index(step.name, step.table, list(step.columns), unique=True, **options)


def _alter(operations: Operations, step: AlterTable, names: Mapping[int, str]) -> None:
    """Alters in one batch: a database that cannot alter in place rebuilds the table once."""
    before = _sql_table(step.before, names)
    with operations.batch_alter_table(step.before.name, copy_from=before) as batch:
        for key in step.before.foreign_keys:
            if key not in step.after.foreign_keys:
                batch.drop_constraint(key.name, type_="foreignkey")
        _alter_columns(batch, step.before, step.after)
        for key in step.after.foreign_keys:
            if key not in step.before.foreign_keys:
                batch.create_foreign_key(
                    key.name,
                    names[key.target],
                    [step.after.column(key.column).name],
                    [PRIMARY_KEY],
                    ondelete=key.on_delete.upper(),
                    onupdate=key.on_update.upper(),
                )


def _alter_columns(batch: BatchOperations, before: PhysicalTable, after: PhysicalTable) -> None:
    for column in before.columns:
        wanted = after.find(column.key)
        if wanted is None:
            batch.drop_column(column.name)
        elif wanted != column:
            batch.alter_column(
                column.name,
                type_=None if wanted.storage is column.storage else _sql_type(wanted),
                nullable=wanted.nullable,
                server_default=_sql_default(wanted),
                existing_type=_sql_type(column),
                existing_nullable=column.nullable,
                existing_server_default=_sql_default(column),
            )


def _rebuild_table(connection: Connection, step: Step, names: Mapping[int, str]) -> bool:
    """Runs a step by rebuilding its table if that is faster than altering it; returns whether it did so."""
    match step:
        case RenameColumn():
            before, after = step.shape, step.shape.renamed(step.old, step.new)
        case AlterTable():
            before, after = step.before, step.after
        case _:
            return False
    if not alters_slowly(connection, before.name):
        return False
    # Unique keys are left unchanged: they have steps of their own.
    wanted = _sql_table(replace(after, uniques=before.uniques), names)
    standing = {each.name: before.column(each.key) for each in after.columns}
    casts = {each.name for each in after.columns if each.storage is not standing[each.name].storage}
    rebuild_table(connection, wanted, {name: source.name for name, source in standing.items()}, casts)
    return True


def _is_applied(connection: Connection, step: Step) -> bool:
    """Whether a step begun by an interrupted run was applied; False for steps that change no table.

    That happens only in databases that commit each change of tables by itself. Changes of rows share a
    transaction with their entry in the journal.
    """
    database, found = inspect(connection), False
    match step:
        case RenameTable():
            found = not database.has_table(step.old) and database.has_table(step.new)
        case CreateTable():
            found = database.has_table(step.table.name)
        case DropTable():
            found = not database.has_table(step.table)
        case RenameColumn():
            names = _column_nullability(database, step.table)
            found = step.old not in names and step.new in names
        case AddColumn():
            found = step.column.name in _column_nullability(database, step.table)
        case DropUnique():
            found = step.name not in _index_names(database, step.table)
        case CreateUnique():
            found = step.name in _index_names(database, step.table)
        case AlterTable():
            found = _has_shape(database, step.after)
    return found


def _column_nullability(database: Inspector, table: str) -> dict[str, bool]:
    """Nullability of columns by name."""
    return {column["name"]: column["nullable"] for column in database.get_columns(table)}


def _index_names(database: Inspector, table: str) -> set[str | None]:
    return {index["name"] for index in database.get_indexes(table)}


def _has_shape(database: Inspector, table: PhysicalTable) -> bool:
    links = {key["name"] for key in database.get_foreign_keys(table.name)}
    return _column_nullability(database, table.name) == {
        column.name: column.nullable for column in table.columns
    } and (links == {key.name for key in table.foreign_keys})


_TYPES: Mapping[Storage, TypeEngine[Any]] = {
    Storage.IDENTIFIER: IDENTIFIER,
    Storage.INTEGER: BigInteger(),
    Storage.DECIMAL: Numeric(15, 2),
    Storage.BOOLEAN: Boolean(),
    Storage.TEXT: Text(),
}


def _sql_table(table: PhysicalTable, names: Mapping[int, str]) -> Table:
    """A table with its columns, foreign keys and indexes; `names` are the names of link targets by id."""
    return Table(
        table.name,
        MetaData(),
        *(_sql_column(column) for column in table.columns),
        *(_sql_foreign_key(table, key, names) for key in table.foreign_keys),
        *(_unique_index(table, unique) for unique in table.uniques),
    )


def _sql_column(column: PhysicalColumn) -> Column[object]:
    """A column without its foreign keys."""
    return Column(
        column.name,
        _sql_type(column),
        primary_key=column.storage is Storage.IDENTIFIER,
        nullable=column.nullable,
        server_default=_sql_default(column),
    )


def _sql_type(column: PhysicalColumn) -> TypeEngine[Any]:
    """The type of a column."""
    return _TYPES[column.storage]


def _sql_default(column: PhysicalColumn) -> ColumnElement[bool] | TextClause | str | None:
    """The default in the database, None for none."""
    match column.default:
        case None:
            return None
        case bool():
            return true() if column.default else false()
        case str() if column.storage is Storage.TEXT:
            return column.default
        case number:
            return text(str(number))


def _sql_foreign_key(
    table: PhysicalTable, key: PhysicalForeignKey, names: Mapping[int, str]
) -> ForeignKeyConstraint:
    itself = f"{table.name}.{PRIMARY_KEY}"
    return ForeignKeyConstraint(
        [table.column(key.column).name],
        [itself if key.target == table.id else _link_target(names[key.target])],
        name=key.name,
        ondelete=key.on_delete.upper(),
        onupdate=key.on_update.upper(),
    )


@lru_cache(maxsize=1024)
def _link_target(name: str) -> Column[object]:
    """The primary key of a link target; SQLAlchemy needs no other column of it."""
    found: Column[object] = Column(PRIMARY_KEY, IDENTIFIER, primary_key=True)
    Table(name, MetaData(), found)
    return found


def _unique_index(table: PhysicalTable, unique: PhysicalUnique) -> Index:
    names = [table.column(key).name for key in unique.columns]
    where = [table.column(key).name for key in unique.where]
    return Index(unique.name, *names, unique=True, **partial_index(where))
