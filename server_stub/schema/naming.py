"""Checks the names of tables and columns before anything refers to them by name (wire §5)."""

from __future__ import annotations

from server_stub.foundation.errors import ApiError, UserError
from server_stub.schema.names import is_column_name, is_table_name
from server_stub.schema.places import at_column, at_table
from server_stub.schema.reading import JsonObject, items

# Databases hold twice as many and some: while a commit runs, old and new columns stand side by side.
_MOST_COLUMNS = 750
_KINDS = ("column", "link", "reverse_link")


def check_names(document: JsonObject) -> None:
    """Every name fits the rules and stands once.

    Raises UserError invalid_table_name or invalid_column_name, ApiError attribute_expected, invalid_value or
    attribute_not_accepted.
    """
    seen: set[str] = set()
    for table in document["tables"]:
        name = table["name"]
        if not is_table_name(name):
            raise UserError("invalid_table_name", name=name)
        if name in seen:
            raise ApiError("invalid_value", f"{at_table(name)}: there are two tables of this name.")
        seen.add(name)
        _check_columns(table)


def _check_columns(table: JsonObject) -> None:
    seen: set[str] = set()
    if len(items(table, "columns")) > _MOST_COLUMNS:
        where = at_table(table["name"])
        raise ApiError("invalid_value", f"{where}: a table has room for {_MOST_COLUMNS} columns.")
    for number, column in enumerate(items(table, "columns"), 1):
        where = at_column(table["name"], column.get("name") or number)
        if column["kind"] not in _KINDS:
            raise ApiError("invalid_value", f'{where}: the kind "{column["kind"]}" is none of {_KINDS}.')
        if column["kind"] == "column":
            _check_column(column, table["name"], where)
            if column["name"] in seen:
                raise ApiError("invalid_value", f"{where}: there are two columns of this name.")
            seen.add(column["name"])
        elif column.get("column_id") is not None:
            raise ApiError(
                "attribute_not_accepted",
                f'{where}: an entry of kind "{column["kind"]}" has no column of its own, so no "column_id".',
            )


def _check_column(column: JsonObject, table: str, where: str) -> None:
    for name in ("name", "type"):
        if column.get(name) is None:
            raise ApiError("attribute_expected", f'{where}: the attribute "{name}" is missing.')
    if not is_column_name(column["name"]):
        raise UserError("invalid_column_name", name=f"{table}.{column['name']}")
