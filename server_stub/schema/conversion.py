"""Writes the values of a column as another type has them (wire §5), and refuses what would lose something."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, column, select, table, update

from server_stub.errors import UserError
from server_stub.schema.physical import PRIMARY_KEY
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
    write = update(rows).where(key == bindparam("row")).values({step.target: bindparam("value")})
    found = connection.execute(page).all()
    while found:
        connection.execute(write, [{"row": row[0], "value": _converted(step, row[1])} for row in found])
        found = connection.execute(page.where(key > found[-1][0])).all()


def _converted(step: ConvertValues, value: object) -> int | str:
    try:
        return converted(value, step.before.family, step.after.family, step.languages)
    except InconvertibleError as error:
        raise UserError(
            "invalid_value",
            attribute=f"{step.table}.{step.after.name}",
            value=value,
            expected_format=step.after.type,
        ) from error
