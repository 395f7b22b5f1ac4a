"""Writes the values of a column as another type has them (wire §5), and refuses what would lose something."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, column, select, table

from server_stub.database.ddl_support import write_column
from server_stub.schema.physical import PRIMARY_KEY
from server_stub.schema.refusals import inconvertible
from server_stub.schema.steps import ConvertValues
from server_stub.schema.values import InconvertibleError, converted

_PAGE = 1000


def convert_values(connection: Connection, step: ConvertValues) -> None:
    """Converts row by row, in pages.

    Raises UserError invalid_value, naming the column and the value, when one has no counterpart.
    """
    rows = table(step.table, column(PRIMARY_KEY), column(step.source), column(step.target))
    key, source = rows.c[PRIMARY_KEY], rows.c[step.source]
    page = select(key, source).where(source.is_not(None)).order_by(key).limit(_PAGE)
    convert = _converter(step)
    found = connection.execute(page).all()
    while found:
        written = [(convert(value), row) for row, value in found]
        write_column(connection, step.table, PRIMARY_KEY, step.target, written)
        found = connection.execute(page.where(key > found[-1][0])).all()


def _converter(step: ConvertValues) -> Callable[[object], int | str]:
    before, after, languages = step.before.family, step.after.family, step.languages

    def convert(value: object) -> int | str:
        try:
            return converted(value, before, after, languages)
        except InconvertibleError as error:
            raise inconvertible(step, value) from error

    return convert
