"""Runs the steps of a plan in the caller's transaction, through alembic's operations (wire §5)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect
from sqlalchemy.engine.reflection import Inspector

from server_stub.database.ddl_support import changes_tables_in_transactions, partial_index
from server_stub.schema.commit.conversion import convert_values
from server_stub.schema.commit.journal import Journal, StepState
from server_stub.schema.commit.rebuilds import Rebuilds
from server_stub.schema.commit.requirements import (
    require_check,
    require_nested,
    require_targets,
    require_unique,
    require_values,
)
from server_stub.schema.commit.sql_tables import sql_column, sql_default, sql_table, sql_type
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
from server_stub.schema.commit.storage_layout import PRIMARY_KEY, PhysicalTable

if TYPE_CHECKING:
    from alembic.operations import BatchOperations, Operations


_LOG = logging.getLogger(__name__)


def execute(connection: Connection, plan: CommitPlan, journal: Journal) -> None:
    """Runs the steps of a plan in order; skips those that an interrupted run has done.

    Raises the UserError of the first requirement that a row violates; the caller rolls back.
    """
    states = journal.states()
    remaining: list[tuple[int, Step]] = []
    for number, step in enumerate(plan.steps, 1):
        if number not in states:
            remaining.append((number, step))
        elif states[number] is StepState.BEGUN:
            if _is_applied(connection, step):
                journal.end(number)
            else:
                remaining.append((number, step))
    runner = _StepRunner(connection, plan)
    # Only without transactions around DDL it matters which of several renames have been made.
    can_join = changes_tables_in_transactions(connection)
    for batch in _batches(remaining) if can_join else ([each] for each in remaining):
        for number, step in batch:
            _LOG.debug("schema commit: step %d, %s of %s", number, type(step).__name__, _table_name(step))
            if number not in states:
                journal.begin(number, type(step).__name__)
        runner.run([step for _, step in batch])
        for number, _ in batch:
            journal.end(number)
    runner.finish()
    journal.write()


def _batches(steps: Iterable[tuple[int, Step]]) -> Iterator[list[tuple[int, Step]]]:
    """Numbered steps one by one, but renames of tables together."""
    for are_renames, group in groupby(steps, key=lambda numbered: isinstance(numbered[1], RenameTable)):
        each = list(group)
        yield from [each] if are_renames else ([one] for one in each)


def _operations(connection: Connection) -> Operations:
    # Importing alembic takes a tenth of a second, and only commits need it.
    from alembic.migration import MigrationContext  # noqa: PLC0415
    from alembic.operations import Operations  # noqa: PLC0415

    return Operations(MigrationContext.configure(connection))


class _StepRunner:
    """Runs the steps of one plan; `finish` must be called after the last."""

    def __init__(self, connection: Connection, plan: CommitPlan) -> None:
        self._connection = connection
        self._names = plan.names
        self._operations = _operations(connection)
        self._rebuilds = Rebuilds(connection, plan)

    def run(self, steps: Sequence[Step]) -> None:
        """Runs one step, or several renames of tables."""
        renames = [step for step in steps if isinstance(step, RenameTable)]
        if renames:
            self._rebuilds.rename_tables(renames, self._rename_table)
            return
        for step in steps:
            if not self._check_rows(step):
                self._change(step)

    def finish(self) -> None:
        """Makes the changes that wait for others of the same table."""
        self._rebuilds.finish()

    def _rename_table(self, step: RenameTable) -> None:
        self._operations.rename_table(step.old, step.new)

    def _check_rows(self, step: Step) -> bool:
        """Runs a step that checks rows; returns False for any other step."""
        connection, rebuilds = self._connection, self._rebuilds
        match step:
            case RequireValues():
                if not rebuilds.has_default(step):
                    require_values(connection, rebuilds.with_existing_names(step))
            case RequireUnique():
                require_unique(connection, rebuilds.with_existing_names(step))
            case RequireTargets():
                require_targets(connection, rebuilds.with_existing_names(step))
            case RequireCheck():
                require_check(connection, rebuilds.with_existing_names(step))
            case RequireNested():
                rebuilds.flush(step.nested)
                require_nested(connection, step)
            case _:
                return False
        return True

    def _change(self, step: Step) -> None:
        operations = self._operations
        match step:
            case RenameColumn() | AddColumn() | AlterTable():
                if not self._rebuilds.take(step):
                    self._change_in_place(step)
            case CreateTable():
                sql_table(step.table, self._names).create(self._connection)
            case ConvertValues():
                self._rebuilds.flush(step.table)
                convert_values(self._connection, step)
            case DropTable():
                operations.drop_table(step.table)
            case DropUnique():
                operations.drop_index(step.name, table_name=step.table)
            case CreateUnique():
                self._rebuilds.flush(step.table)
                options = partial_index(step.where)
                operations.create_index(step.name, step.table, list(step.columns), unique=True, **options)

    def _change_in_place(self, step: RenameColumn | AddColumn | AlterTable) -> None:
        match step:
            case RenameColumn():
                self._operations.alter_column(step.table, step.old, new_column_name=step.new)
            case AddColumn():
                self._operations.add_column(step.table, sql_column(step.column))
            case AlterTable():
                _alter(self._operations, step, self._names)


def _alter(operations: Operations, step: AlterTable, names: Mapping[int, str]) -> None:
    """Alters in one batch: a database that cannot alter in place rebuilds the table once."""
    before = sql_table(step.before, names)
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
                type_=None if wanted.storage is column.storage else sql_type(wanted),
                nullable=wanted.nullable,
                server_default=sql_default(wanted),
                existing_type=sql_type(column),
                existing_nullable=column.nullable,
                existing_server_default=sql_default(column),
            )


def _table_name(step: Step) -> str:
    match step:
        case AlterTable():
            return step.after.name
        case CreateTable():
            return step.table.name
        case RenameTable():
            return step.new
        case RequireNested():
            return step.nested
    return step.table


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
