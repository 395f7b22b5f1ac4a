"""Gives new tables and columns their ids, which never change and are never used again (wire §5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from server_stub.foundation.errors import ApiError
from server_stub.schema.document.locations import at_column, at_table
from server_stub.schema.document.model import JsonObject, items

# Large enough to be never reached, small enough for every database and client.
_GREATEST = 2**31 - 1


def assign_ids(document: dict[str, Any], head: JsonObject | None) -> None:
    """Fills in missing ids and the greatest ids, in place.

    Without a HEAD the document may have any ids. Otherwise raises ApiError invalid_value for an id that HEAD
    does not have, that occurs twice, or that belongs to a column of another table.
    """
    tables = _IdSequence("max_table_id", "table_id", document, head)
    columns = _IdSequence("max_column_id", "column_id", document, head)
    tables_of_columns = {} if head is None else _tables_of_columns(head)
    for table in document["tables"]:
        tables.check(table, at_table(table["name"]))
        for column in _valued(table):
            where = at_column(table["name"], column["name"])
            columns.check(column, where)
            if tables_of_columns.get(column.get("column_id"), table.get("table_id")) != table.get("table_id"):
                raise ApiError("invalid_value", f"{where}: this column_id belongs to another table.")
    for table in document["tables"]:
        tables.fill(table)
        for column in _valued(table):
            columns.fill(column)
    document["max_table_id"] = tables.last
    document["max_column_id"] = columns.last


class _IdSequence:
    """One sequence of ids: those of HEAD, those seen in the document, the last one assigned."""

    def __init__(self, limit: str, key: str, document: JsonObject, head: JsonObject | None) -> None:
        self._key = key
        self._met: set[int] = set()
        self._known = None if head is None else set(_ids(head, key))
        source = document if head is None else head
        self.last = max([source.get(limit) or 0, *_ids(source, key)])
        if (source.get(limit) or 0) > _GREATEST:
            raise ApiError("invalid_value", f'The schema document: "{limit}" is greater than {_GREATEST}.')

    def check(self, element: JsonObject, where: str) -> None:
        """Raises ApiError if this element may not have its id."""
        id_ = element.get(self._key)
        if id_ is None:
            return
        if not 1 <= id_ <= _GREATEST:
            raise ApiError("invalid_value", f"{where}: {id_} is no {self._key}: 1 to {_GREATEST}.")
        if self._known is not None and id_ not in self._known:
            raise ApiError("invalid_value", f"{where}: HEAD does not know the {self._key} {id_}.")
        if id_ in self._met:
            raise ApiError("invalid_value", f"{where}: the {self._key} {id_} stands twice.")
        self._met.add(id_)

    def fill(self, element: dict[str, Any]) -> None:
        """Gives an element without an id the next one."""
        if element.get(self._key) is None:
            if self.last >= _GREATEST:
                raise ApiError("invalid_value", f"The schema document: there is no {self._key} left.")
            self.last += 1
            element[self._key] = self.last


def _valued(table: JsonObject) -> Iterator[dict[str, Any]]:
    return (column for column in items(table, "columns") if column["kind"] == "column")


def _ids(document: JsonObject, key: str) -> Iterator[int]:
    for table in document["tables"]:
        for element in [table] if key == "table_id" else _valued(table):
            if element.get(key) is not None:
                yield element[key]


def _tables_of_columns(head: JsonObject) -> dict[object, object]:
    return {column["column_id"]: table["table_id"] for table in head["tables"] for column in _valued(table)}
