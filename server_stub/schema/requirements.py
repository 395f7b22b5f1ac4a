"""Asks the rows what a plan requires of them; a refusal is the error of the constraint (§7.5)."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import ColumnClause, Connection, column, exists, func, select, table

from server_stub.database.ddl_support import all_true
from server_stub.schema.physical import PRIMARY_KEY, UPLINK
from server_stub.schema.refusals import dangling, no_value, not_unique, nothing_nested
from server_stub.schema.row_check import RowCheck
from server_stub.schema.steps import RequireCheck, RequireNested, RequireTargets, RequireUnique, RequireValues

_PAGE = 1000


def require_values(connection: Connection, step: RequireValues) -> None:
    """UserError not_null_violation when a row has no value."""
    missing = select(1).select_from(table(step.table)).where(column(step.name).is_(None)).limit(1)
    if connection.execute(missing).first() is not None:
        raise no_value(step)


def require_unique(connection: Connection, step: RequireUnique) -> None:
    """UserError integrity_constraint_violation when two rows share the values of a unique key."""
    columns: list[ColumnClause[object]] = [column(name) for name in step.columns]
    repeated = (
        select(1)
        .select_from(table(step.table))
        .where(all_true(step.where), *(value.is_not(None) for value in columns))
        .group_by(*columns)
        .having(func.count() > 1)
        .limit(1)
    )
    if connection.execute(repeated).first() is not None:
        raise not_unique(step)


def require_targets(connection: Connection, step: RequireTargets) -> None:
    """UserError foreign_key_constraint_violation when a link points to no row."""
    links = table(step.table, column(step.column)).alias("links")
    targets = table(step.target, column(PRIMARY_KEY)).alias("targets")
    link = links.c[step.column]
    found = exists().where(targets.c[PRIMARY_KEY] == link)
    lost = select(1).select_from(links).where(link.is_not(None), ~found).limit(1)
    if connection.execute(lost).first() is not None:
        raise dangling(step)


def require_check(connection: Connection, step: RequireCheck) -> None:
    """UserError check_constraint_violation when a value does not fulfil its column's check."""
    check = RowCheck(step)
    for value in _values(connection, step.table, step.name):
        refusal = check.refusal(value)
        if refusal is not None:
            raise refusal


def require_nested(connection: Connection, step: RequireNested) -> None:
    """UserError check_constraint_violation when a row of the owner has none in the nested table."""
    owners = table(step.owner, column(PRIMARY_KEY)).alias("owners")
    nested = table(step.nested, column(UPLINK)).alias("nested")
    found = exists().where(nested.c[UPLINK] == owners.c[PRIMARY_KEY])
    if connection.execute(select(1).select_from(owners).where(~found).limit(1)).first() is not None:
        raise nothing_nested(step)


def _values(connection: Connection, table_name: str, name: str) -> Iterator[object]:
    source = table(table_name, column(PRIMARY_KEY), column(name))
    key, value = source.c[PRIMARY_KEY], source.c[name]
    page = select(key, value).where(value.is_not(None)).order_by(key).limit(_PAGE)
    rows = connection.execute(page).all()
    while rows:
        yield from (row[1] for row in rows)
        rows = connection.execute(page.where(key > rows[-1][0])).all()
