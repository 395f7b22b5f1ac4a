"""What a plan requires of existing rows, and the errors with which rows refuse a commit (§7.5, wire §5)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from time import thread_time

from sqlalchemy import Connection, column, exists, select, table

from server_stub.foundation.errors import UserError
from server_stub.schema.commit.step_types import (
    ConvertValues,
    RequireCheck,
    RequireNested,
    RequireTargets,
    RequireUnique,
    RequireValues,
)
from server_stub.schema.commit.storage_layout import PRIMARY_KEY, UPLINK
from server_stub.schema.validation.patterns import UndecidedError
from server_stub.schema.validation.value_checks import broken_check

_LOG = logging.getLogger(__name__)

_PAGE = 1000
# Seconds of processor time for one check: other writers wait for the commit.
_LONGEST = 8.0


def require_values(connection: Connection, step: RequireValues) -> None:
    """Raises UserError not_null_violation if a row has no value."""
    quote = connection.dialect.identifier_preparer.quote
    if _finds_row(connection, f"{quote(step.table)} WHERE {quote(step.name)} IS NULL"):
        raise missing_value_error(step)


def require_unique(connection: Connection, step: RequireUnique) -> None:
    """Raises UserError integrity_constraint_violation if two rows share the values of a unique key."""
    quote = connection.dialect.identifier_preparer.quote
    columns = [quote(name) for name in step.columns]
    conditions = [f"{name} IS NOT NULL" for name in columns]
    conditions += [f"{quote(name)} IS TRUE" for name in step.where]
    rows = f"{quote(step.table)} WHERE {' AND '.join(conditions)} GROUP BY {', '.join(columns)}"
    if _finds_row(connection, f"{rows} HAVING count(*) > 1"):
        raise duplicate_error(step)


def _finds_row(connection: Connection, rows: str) -> bool:
    """Whether there is a row; in plain SQL, since SQLAlchemy would compile a statement for every table."""
    return connection.exec_driver_sql(f"SELECT 1 FROM {rows} LIMIT 1").first() is not None  # noqa: S608


def require_targets(connection: Connection, step: RequireTargets) -> None:
    """Raises UserError foreign_key_constraint_violation if a link points to no row."""
    links = table(step.table, column(step.column)).alias("links")
    targets = table(step.target, column(PRIMARY_KEY)).alias("targets")
    link = links.c[step.column]
    found = exists().where(targets.c[PRIMARY_KEY] == link)
    lost = select(1).select_from(links).where(link.is_not(None), ~found).limit(1)
    if connection.execute(lost).first() is not None:
        raise missing_target_error(step)


def require_check(connection: Connection, step: RequireCheck) -> None:
    """Raises UserError check_constraint_violation if a value violates its column's check."""
    check = TimedCheck(step)
    for value in _stored_values(connection, step.table, step.name):
        refusal = check.refusal(value)
        if refusal is not None:
            raise refusal


def require_nested(connection: Connection, step: RequireNested) -> None:
    """Raises UserError check_constraint_violation if a row of the owner has none in the nested table."""
    owners = table(step.owner, column(PRIMARY_KEY)).alias("owners")
    nested = table(step.nested, column(UPLINK)).alias("nested")
    found = exists().where(nested.c[UPLINK] == owners.c[PRIMARY_KEY])
    if connection.execute(select(1).select_from(owners).where(~found).limit(1)).first() is not None:
        raise missing_nested_row_error(step)


def _stored_values(connection: Connection, table_name: str, name: str) -> Iterator[object]:
    source = table(table_name, column(PRIMARY_KEY), column(name))
    key, value = source.c[PRIMARY_KEY], source.c[name]
    page = select(key, value).where(value.is_not(None)).order_by(key).limit(_PAGE)
    rows = connection.execute(page).all()
    while rows:
        yield from (row[1] for row in rows)
        rows = connection.execute(page.where(key > rows[-1][0])).all()


class TimedCheck:
    """A column's check with a limit on the time for all its values."""

    def __init__(self, step: RequireCheck) -> None:
        self._step = step
        self._end = thread_time() + _LONGEST

    def refusal(self, value: object) -> UserError | None:
        """The error if a value violates the check or cannot be decided in time, else None."""
        if thread_time() > self._end:
            return _undecided_check_error(self._step)
        try:
            broken = broken_check(self._step.column, value)
        except UndecidedError:
            return _undecided_check_error(self._step)
        return None if broken is None else _broken_check_error(self._step, broken)


def missing_value_error(step: RequireValues) -> UserError:
    """A row has no value in a required column."""
    return UserError("not_null_violation", column=step.column)


def duplicate_error(step: RequireUnique) -> UserError:
    """Two rows share the values of a unique key."""
    return UserError("integrity_constraint_violation", constraint=step.name)


def missing_target_error(step: RequireTargets) -> UserError:
    """A link points to no row."""
    return UserError("foreign_key_constraint_violation", constraint=step.name)


def _broken_check_error(step: RequireCheck, broken: str) -> UserError:
    """A value violates a check of its column; `broken` names the check."""
    name = f"{step.table_name}__{step.column.name}_{broken}"
    return UserError("check_constraint_violation", constraint=name)


def _undecided_check_error(step: RequireCheck) -> UserError:
    """The values are too long or too many to check in time, which counts as a violation."""
    refusal = _broken_check_error(step, step.column.check.kind or "length")
    _LOG.warning("%s takes too long to decide", refusal.parameters["constraint"])
    return refusal


def missing_nested_row_error(step: RequireNested) -> UserError:
    """A row of the owner has none in the nested table."""
    return UserError("check_constraint_violation", constraint=f"{step.nested}_not_empty")


def inconvertible_value_error(step: ConvertValues, value: object) -> UserError:
    """A value has no counterpart in the new type."""
    return UserError(
        "invalid_value",
        attribute=f"{step.table}.{step.after.name}",
        value=value,
        expected_format=step.after.type,
    )
