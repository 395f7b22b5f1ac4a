"""Resolves references by id or by name hint and fills in both (wire §5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from server_stub.foundation.errors import ApiError
from server_stub.schema.document.locations import at_column, at_key, at_table
from server_stub.schema.document.model import AutoColumn, JsonObject, items

_OTHER_TABLE = ("table_id", "other_table_id", "other_table_name_hint")
_OTHER_COLUMN = ("column_id", "other_column_id", "other_column_name_hint")
_REFERENCED = ("table_id", "table_id", "name_hint")
_COLUMN = ("column_id", "column_id", "column_name_hint")


class _ReferenceFields(msgspec.Struct, frozen=True):
    """A reference: the object that holds it, three keys (id of the element, id, name hint), its location."""

    holder: dict[str, Any]
    keys: tuple[str, str, str]
    where: str


def resolve_references(document: JsonObject) -> None:
    """Fills in the id of every reference, in place; an id takes precedence over a hint.

    Raises ApiError attribute_expected if both are missing, invalid_value if there is no such element.
    """
    tables = _ElementIndex(document["tables"], "table_id")
    for fields in _table_references(document):
        tables.resolve(fields)
    for fields, columns in _column_references(document):
        columns.resolve(fields)


def fill_hints(document: JsonObject) -> None:
    """Writes the current name as hint of every reference, in place; `table_name_hint` becomes `name_hint`."""
    tables = _ElementIndex(document["tables"], "table_id")
    for fields in _table_references(document):
        tables.fill(fields)
    for fields, columns in _column_references(document):
        columns.fill(fields)


class _ElementIndex:
    """Tables of a document or columns of a table, by id and by name."""

    def __init__(self, elements: Iterable[JsonObject], id_key: str) -> None:
        named = [element for element in elements if element.get(id_key) is not None]
        self._by_id: Mapping[int, JsonObject] = {element[id_key]: element for element in named}
        self._by_name: Mapping[str, JsonObject] = {element["name"]: element for element in named}

    def resolve(self, fields: _ReferenceFields) -> None:
        element_key, id_key, hint_key = fields.keys
        id_, hint = fields.holder.get(id_key), fields.holder.get(hint_key)
        if id_ is None and hint is None:
            raise ApiError("attribute_expected", f'{fields.where}: "{id_key}" or "{hint_key}" must stand.')
        found = self._by_id.get(id_) if id_ is not None else self._by_name.get(str(hint))
        if found is None:
            shown = f'"{hint}"' if id_ is None else id_
            raise ApiError("invalid_value", f"{fields.where}: there is no {element_key[:-3]} {shown}.")
        fields.holder[id_key] = found[element_key]

    def fill(self, fields: _ReferenceFields) -> None:
        _, id_key, hint_key = fields.keys
        fields.holder[hint_key] = self._by_id[fields.holder[id_key]]["name"]


def _table_references(document: JsonObject) -> Iterator[_ReferenceFields]:
    for table in document["tables"]:
        if table.get("owned_by") is not None:
            yield _ReferenceFields(table["owned_by"], _OTHER_TABLE, f"{at_table(table['name'])}, owned_by")
        for number, column in enumerate(items(table, "columns"), 1):
            if column["kind"] != "column":
                yield _ReferenceFields(column, _OTHER_TABLE, at_column(table["name"], number))
        for number, key in enumerate(items(table, "foreign_keys"), 1):
            target = key["referenced_table"]
            spelled_out = target.pop("table_name_hint", None)
            if target.get("name_hint") is None and spelled_out is not None:
                target["name_hint"] = spelled_out
            yield _ReferenceFields(target, _REFERENCED, at_key(table["name"], key.get("name") or number))


def _column_references(document: JsonObject) -> Iterator[tuple[_ReferenceFields, _ElementIndex]]:
    tables = document["tables"]
    columns = {table["table_id"]: _ElementIndex(items(table, "columns"), "column_id") for table in tables}
    for table in document["tables"]:
        for number, column in enumerate(items(table, "columns"), 1):
            if column["kind"] == "reverse_link":
                where = at_column(table["name"], number)
                yield _ReferenceFields(column, _OTHER_COLUMN, where), columns[column["other_table_id"]]
        own = columns[table["table_id"]]
        for number, key in enumerate(items(table, "foreign_keys"), 1):
            where, target = at_key(table["name"], key.get("name") or number), key["referenced_table"]
            yield from _references(key, where, own)
            yield from _references(target, where, columns[target["table_id"]])
        for number, key in enumerate(items(table, "unique_keys"), 1):
            yield from _references(key, at_key(table["name"], key.get("name") or number), own)


def _references(
    holder: JsonObject, where: str, columns: _ElementIndex
) -> Iterator[tuple[_ReferenceFields, _ElementIndex]]:
    for reference in holder["columns"]:
        automatic = [auto for auto in AutoColumn if reference.get(auto) is True]
        named = any(reference.get(key) is not None for key in _COLUMN[1:])
        if len(automatic) + named > 1:
            raise ApiError("invalid_value", f"{where}: a reference names exactly one column.")
        if not automatic:
            yield _ReferenceFields(reference, _COLUMN, where), columns
