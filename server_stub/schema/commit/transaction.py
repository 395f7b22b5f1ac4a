"""Makes HEAD current inside one transaction (§4.8): plan, steps, version, event, in this order.

The steps run through alembic's operations (wire §5). The journal, which says when each step of each commit
began and ended, is written in the same transaction. SQLite and PostgreSQL undo changes of tables too, so
that an interrupted commit has no effect.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from sqlalchemy import Connection, bindparam, func, insert, select
from sqlalchemy import table as rows_of
from sqlalchemy.exc import IntegrityError

from server_stub.database.bulk import (
    SlowTables,
    dangling_links,
    may_link_ahead,
    partial_index,
    rebuild_table,
    run_prepared,
)
from server_stub.database.tables import journal
from server_stub.events import Actor, EventDraft, EventLog
from server_stub.foundation.errors import UserError
from server_stub.schema.commit.plan import (
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
    make_plan,
)
from server_stub.schema.commit.requirements import (
    convert_values,
    require_check,
    require_nested,
    require_targets,
    require_unique,
    require_values,
)
from server_stub.schema.commit.sql_tables import sql_column, sql_default, sql_table, sql_type
from server_stub.schema.commit.storage_layout import PRIMARY_KEY, PhysicalTable, physical_table_name, to_json
from server_stub.schema.document.model import Schema, items, read_schema
from server_stub.schema.versions import Versions

if TYPE_CHECKING:
    from alembic.operations import BatchOperations, Operations


_LOG = logging.getLogger(__name__)


class CommitResult(msgspec.Struct, frozen=True):
    """The number of CURRENT, and the top-level tables whose objects need reindexing."""

    version: int
    reindex: tuple[str, ...] = ()


class PendingCommit(msgspec.Struct, frozen=True):
    """What a commit of HEAD is about to do: tables by name, removed ones with their numbers of objects.

    `restricted` are those whose rows have to satisfy new constraints.
    """

    removed: Mapping[str, int]
    reindex: tuple[str, ...]
    restricted: tuple[str, ...]


# Raises what ends a commit that is not to take place.
Approve = Callable[[PendingCommit], None]


def removed_objects(connection: Connection, current: Schema | None, head: Schema) -> dict[str, int]:
    """The numbers of objects in those top-level tables that HEAD lacks, without empty ones."""
    tables = () if current is None else current.tables
    gone = (each.name for each in tables if each.owner_id is None and each.id not in head.tables_by_id)
    counts = {name: count_objects(connection, name) for name in gone}
    return {name: count for name, count in counts.items() if count}


def count_objects(connection: Connection, table_name: str) -> int:
    """The number of objects in a top-level table of CURRENT."""
    rows = select(func.count()).select_from(rows_of(physical_table_name(table_name)))
    return int(connection.execute(rows).scalar_one())


def commit_head(
    connection: Connection,
    log: EventLog,
    actor: Actor,
    now: Callable[[], int],
    approve: Approve | None = None,
) -> CommitResult:
    """Commits the saved HEAD, if `approve` lets it; does nothing if nothing was saved since the last commit.

    Needs a transaction that does not enforce foreign keys, which the caller rolls back after an error. Raises
    the UserError of the constraint that existing rows violate, or instance_not_found without any version.
    """
    versions = Versions(connection)
    current, head = versions.current(), versions.saved_head()
    if head is None:
        if current is None:
            raise UserError("instance_not_found", id="HEAD")
        return CommitResult(current["version"])
    before = None if current is None else read_schema(current)
    version, timestamp = head["version"], now()
    after = read_schema(head)
    reindex = _changed_tables(current, head, after)
    plan = make_plan(before, after, link_ahead=may_link_ahead(connection))
    if approve is not None:
        restricted = dict.fromkeys(_table_name(each) for each in plan.steps if isinstance(each, _RESTRICTING))
        removed = removed_objects(connection, before, after)
        approve(PendingCommit(removed, reindex if before is not None else (), tuple(restricted)))
    try:
        execute(connection, plan, version, now)
    except IntegrityError as error:
        raise UserError("integrity_constraint_violation", constraint=str(error.orig)) from error
    for table, column in dangling_links(connection):
        raise UserError("foreign_key_constraint_violation", constraint=f"{table}.{column}")
    versions.commit_head(timestamp, actor.user_id)
    info = to_json({"schema": version})
    log.append(connection, [EventDraft("SCHEMA_COMMIT", timestamp, actor, pollable=True, info=info)])
    _LOG.info("schema version %d committed", version)
    return CommitResult(version, reindex)


def _changed_tables(
    current: Mapping[str, Any] | None, head: Mapping[str, Any], schema: Schema
) -> tuple[str, ...]:
    """The names of the top-level tables of `head`, read as `schema`, that differ or whose nested tables do.

    A table that only links to a renamed table does not differ: objects hold ids.
    """
    old = {table["table_id"]: _content(table) for table in (current or {"tables": ()})["tables"]}
    new = {table["table_id"]: _content(table) for table in head["tables"]}
    changed = (table for table in schema.tables if old.get(table.id) != new[table.id])
    roots = {schema.root_of(table).name for table in changed}
    return tuple(table.name for table in schema.tables if table.name in roots)


def _content(table: Mapping[str, Any]) -> Any:
    """A table without the names of other tables in hints and in generated names of foreign keys."""
    keys = [{**_without_hints(key), "name": None} for key in items(table, "foreign_keys")]
    return _without_hints({**table, "foreign_keys": keys})


def _without_hints(value: Any) -> Any:
    match value:
        case dict():
            return {
                name: _without_hints(part) for name, part in value.items() if not name.endswith("name_hint")
            }
        case list():
            return [_without_hints(part) for part in value]
    return value


_RECORD = insert(journal).values({column.name: bindparam(column.name) for column in journal.columns})


def execute(connection: Connection, plan: CommitPlan, version: int, now: Callable[[], int]) -> None:
    """Runs the steps of the plan of a version in order; `now` returns whole epoch seconds.

    Raises the UserError of the first requirement that a row violates; the caller rolls back.
    """
    runner = _StepRunner(connection, plan)
    rows: list[dict[str, object]] = []
    # Renames of tables run together.
    for are_renames, group in groupby(plan.steps, key=lambda step: isinstance(step, RenameTable)):
        steps = list(group)
        for batch in [steps] if are_renames else ([step] for step in steps):
            begun = now()
            for step in batch:
                _LOG.debug("schema commit: %s of %s", type(step).__name__, _table_name(step))
            runner.run(batch)
            times = {"state": "done", "begun": begun, "ended": now()}
            rows += ({"version": version, "action": type(step).__name__, **times} for step in batch)
    runner.finish()
    if rows:
        run_prepared(connection, _RECORD, [{**row, "step": number} for number, row in enumerate(rows, 1)])


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


_RESTRICTING = (RequireValues, RequireUnique, RequireCheck, RequireNested)
_RowCheck = TypeVar("_RowCheck", RequireValues, RequireUnique, RequireTargets, RequireCheck)


class _PendingRebuild(msgspec.Struct, frozen=True):
    """A table as it is in the database, and as it is after the collected steps."""

    existing: PhysicalTable
    wanted: PhysicalTable


class Rebuilds:
    """The rebuilds of one commit; `finish` must be called at its end."""

    def __init__(self, connection: Connection, plan: CommitPlan) -> None:
        self._connection = connection
        self._names: Mapping[int, str] = plan.names
        self._renamed_from: Mapping[int, PhysicalTable] = plan.renamed_from
        self._slow_tables = SlowTables(connection)
        self._is_slow: dict[str, bool] = {}
        self._pending: dict[str, _PendingRebuild] = {}

    def take(self, step: RenameColumn | AddColumn | AlterTable) -> bool:
        """Collects or makes a change; returns False if the database itself makes it faster."""
        shape = step.before if isinstance(step, AlterTable) else step.shape
        if not self._rebuilds(shape.name):
            return False
        pending = self._pending.pop(shape.name, None)
        existing = shape if pending is None else pending.existing
        match step:
            case RenameColumn():
                self._pending[shape.name] = _PendingRebuild(existing, shape.renamed(step.old, step.new))
            case AddColumn():
                columns = (*shape.columns, step.column)
                self._pending[shape.name] = _PendingRebuild(existing, replace(shape, columns=columns))
            case AlterTable():
                self._rebuild(existing, step.after)
        return True

    def rename_tables(self, steps: Sequence[RenameTable], alter: Callable[[RenameTable], None]) -> None:
        """Renames tables by copying them, or by `alter` where the database itself is faster.

        Must come before any other change of these tables. The tables that link to a copied table are rebuilt
        too, since their foreign keys contain its name.
        """
        before = {step.table_id: step.old for step in reversed(steps)}
        linking = self._linking_tables(before)
        copied = {
            key
            for key, name in before.items()
            if self._rebuilds(name) and all(self._rebuilds(self._name(each, before)) for each in linking[key])
        }
        if len(copied) < len(before) and not {step.new for step in steps}.isdisjoint(before.values()):
            # SQLite changes foreign keys by their text, so they must not contain a name that is still to
            # be given away.
            copied.clear()
        for step in steps:
            if step.table_id not in copied:
                alter(step)
        for step in steps:
            if step.table_id in copied:
                self._rebuild(replace(self._renamed_from[step.table_id], name=step.old), name=step.new)
        for key in {each for target in copied for each in linking[target]} - copied:
            self._rebuild(replace(self._renamed_from[key], name=self._names[key]))
        self._is_slow.clear()

    def _linking_tables(self, targets: Container[int]) -> Mapping[int, set[int]]:
        """The ids of other tables with foreign keys to each of these tables."""
        linking: dict[int, set[int]] = defaultdict(set)
        for table in self._renamed_from.values():
            for key in table.foreign_keys:
                if key.target in targets and key.target != table.id:
                    linking[key.target].add(table.id)
        return linking

    def _name(self, table_id: int, before: Mapping[int, str]) -> str:
        return before.get(table_id, self._names[table_id])

    def with_existing_names(self, check: _RowCheck) -> _RowCheck:
        """A check of rows under the names in the database; makes the changes that it needs."""
        pending = self._pending.get(check.table)
        if pending is None:
            return check
        keys = {column.name: column.key for column in pending.wanted.columns}
        names = {column.key: column.name for column in pending.existing.columns}
        if all(keys[name] in names for name in _columns(check)):
            return _renamed(check, {name: names[keys[name]] for name in _columns(check)})
        self.flush(check.table)
        return check

    def has_default(self, check: RequireValues) -> bool:
        """Whether all rows get a value because the column is only added now."""
        pending = self._pending.get(check.table)
        if pending is None:
            return False
        column = next(column for column in pending.wanted.columns if column.name == check.name)
        return pending.existing.find(column.key) is None and column.default is not None

    def flush(self, table_name: str) -> None:
        """Makes the pending changes of a table."""
        pending = self._pending.pop(table_name, None)
        if pending is not None:
            self._rebuild(pending.existing, pending.wanted)

    def finish(self) -> None:
        """Makes all changes that still wait."""
        for name in tuple(self._pending):
            self.flush(name)

    def _rebuilds(self, table_name: str) -> bool:
        if table_name not in self._is_slow:
            self._is_slow[table_name] = table_name in self._slow_tables
        return self._is_slow[table_name]

    def _rebuild(
        self, before: PhysicalTable, after: PhysicalTable | None = None, *, name: str | None = None
    ) -> None:
        """Rebuilds a table with other columns and foreign keys, or under another name."""
        after = after or before
        # Unique keys are left unchanged: they have steps of their own.
        wanted = replace(after, name=name or before.name, uniques=before.uniques)
        existing = {column.key: column for column in before.columns}
        pairs = [(column, existing[column.key]) for column in after.columns if column.key in existing]
        sources = {column.name: source.name for column, source in pairs}
        casts = {column.name for column, source in pairs if column.storage is not source.storage}
        rebuild_table(self._connection, before.name, sql_table(wanted, self._names), sources, casts)


def _columns(check: _RowCheck) -> tuple[str, ...]:
    match check:
        case RequireUnique():
            return (*check.columns, *check.where)
        case RequireTargets():
            return (check.column,)
        case _:
            return (check.name,)


def _renamed(check: _RowCheck, names: Mapping[str, str]) -> _RowCheck:
    match check:
        case RequireUnique():
            columns = tuple(names[name] for name in check.columns)
            where = tuple(names[name] for name in check.where)
            return msgspec.structs.replace(check, columns=columns, where=where)
        case RequireTargets():
            return msgspec.structs.replace(check, column=names[check.column])
        case _:
            return msgspec.structs.replace(check, name=names[check.name])
