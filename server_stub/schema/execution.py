"""Runs the steps of a plan in the caller's transaction, through alembic's operations (wire §5)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from server_stub.database.ddl_support import partial_index
from server_stub.schema.conversion import convert_values
from server_stub.schema.journal import Journal, State
from server_stub.schema.physical import PRIMARY_KEY, PhysicalTable
from server_stub.schema.rebuilding import rebuilt
from server_stub.schema.requirements import (
    require_check,
    require_nested,
    require_targets,
    require_unique,
    require_values,
)
from server_stub.schema.resuming import stands
from server_stub.schema.steps import (
    AddColumn,
    AlterTable,
    ConvertValues,
    CreateTable,
    CreateUnique,
    DropTable,
    DropUnique,
    Plan,
    RenameColumn,
    RenameTable,
    RequireCheck,
    RequireNested,
    RequireTargets,
    RequireUnique,
    RequireValues,
    Step,
)
from server_stub.schema.tables import sql_column, sql_default, sql_table, sql_type

if TYPE_CHECKING:
    from alembic.operations import BatchOperations, Operations

_LOG = logging.getLogger(__name__)


def execute(connection: Connection, plan: Plan, journal: Journal) -> None:
    """Runs a plan from its first to its last step; goes on where an earlier run of it was cut off.

    Raises the UserError of the first requirement that a row does not fulfil; the caller rolls back.
    """
    operations, states = _operations(connection), journal.states()
    for number, step in enumerate(plan.steps, 1):
        if states.get(number) is State.DONE:
            continue
        _LOG.debug("schema commit: %s", step)
        if number not in states:
            journal.begin(number, type(step).__name__)
        elif stands(connection, step):
            journal.end(number)
            continue
        if not (_ask_rows(connection, step) or rebuilt(connection, step, plan.names)):
            _change(operations, connection, step, plan.names)
        journal.end(number)


def _operations(connection: Connection) -> Operations:
    # A tenth of a second that only a commit needs.
    from alembic.migration import MigrationContext  # noqa: PLC0415
    from alembic.operations import Operations  # noqa: PLC0415

    return Operations(MigrationContext.configure(connection))


def _ask_rows(connection: Connection, step: Step) -> bool:
    """Runs a step that only reads; False when the step is none of them."""
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
            sql_table(step.table, names).create(connection)
        case AddColumn():
            operations.add_column(step.table, sql_column(step.column))
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
    """One batch: where a database cannot alter in place, the table is rebuilt once."""
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
