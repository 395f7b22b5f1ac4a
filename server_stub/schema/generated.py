"""Generated names: missing names of keys, and names that follow a renamed table or column (wire §5)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from server_stub.foundation.errors import ApiError
from server_stub.schema.model import Auto
from server_stub.schema.names import foreign_key_name, is_nested_name, unique_key_name
from server_stub.schema.places import at_table
from server_stub.schema.reading import JsonObject, items

_Pair = tuple[dict[str, Any], dict[str, Any]]
_AUTOMATIC = {Auto.PRIMARY_KEY: "id", Auto.UPLINK: "uplink", Auto.PARENT: "parent"}


class _Names:
    """The names of one document's tables and columns by id."""

    def __init__(self, document: JsonObject | None) -> None:
        tables = [] if document is None else document["tables"]
        self.tables: dict[int, str] = {table["table_id"]: table["name"] for table in tables}
        self.columns: dict[int, str] = {
            column["column_id"]: column["name"]
            for table in tables
            for column in items(table, "columns")
            if column["kind"] == "column"
        }

    def foreign_key(self, table: JsonObject, key: JsonObject) -> str:
        referenced = self.tables[key["referenced_table"]["table_id"]]
        return foreign_key_name(self.tables[table["table_id"]], self._columns(key), referenced)

    def unique_key(self, table: JsonObject, key: JsonObject) -> str:
        return unique_key_name(self.tables[table["table_id"]], self._columns(key))

    def _columns(self, key: JsonObject) -> list[str]:
        return [self._column(reference) for reference in key["columns"]]

    def _column(self, reference: JsonObject) -> str:
        automatic = next((auto for auto in Auto if reference.get(auto) is True), None)
        return self.columns[reference["column_id"]] if automatic is None else _AUTOMATIC[automatic]


def rename_nested(document: JsonObject, head: JsonObject | None) -> None:
    """Nested tables that kept their name take the new one of a renamed owner, to any depth, in place.

    Raises ApiError invalid_value where tables own one another in a circle.
    """
    before = _Names(head).tables
    by_id = {table["table_id"]: table for table in document["tables"]}
    for table in document["tables"]:
        for owner, owned in reversed(_chain(table, by_id)):
            old_owner, old = before.get(owner["table_id"]), before.get(owned["table_id"])
            if old_owner and old and old == owned["name"] and is_nested_name(old, old_owner):
                owned["name"] = owner["name"] + old[len(old_owner) :]


def _chain(table: JsonObject, by_id: dict[int, dict[str, Any]]) -> list[_Pair]:
    """The pairs of owner and owned from a table upwards."""
    chain = []
    owned = by_id[table["table_id"]]
    while owned.get("owned_by") is not None:
        owner = by_id[owned["owned_by"]["other_table_id"]]
        chain.append((owner, owned))
        if len(chain) > len(by_id):
            raise ApiError("invalid_value", f"{at_table(table['name'])}: its owners own one another.")
        owned = owner
    return chain


def name_keys(document: JsonObject, head: JsonObject | None) -> None:
    """Names keys that have none, and renews names that were generated from names now changed, in place."""
    now, before = _Names(document), _Names(head)
    for table in document["tables"]:
        for key in items(table, "foreign_keys"):
            _name(key, partial(_Names.foreign_key, table=table, key=key), now, before)
        for key in items(table, "unique_keys"):
            _name(key, partial(_Names.unique_key, table=table, key=key), now, before)


def _name(key: dict[str, Any], generate: Callable[[_Names], str], now: _Names, before: _Names) -> None:
    try:
        generated_before: str | None = generate(before)
    except KeyError:
        generated_before = None
    if key.get("name") is None or key["name"] == generated_before:
        key["name"] = generate(now)
