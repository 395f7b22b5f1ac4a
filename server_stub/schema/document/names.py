"""Names of tables, columns and keys: the rules, their check, and generated names (wire §5)."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha1
from typing import Any

from server_stub.foundation.errors import ApiError, UserError
from server_stub.schema.document.model import AutoColumn, JsonObject, at_column, at_table, items

_LONGEST = 63
_SEPARATOR = "__"

_TABLE_NAME = re.compile(r"[a-z][a-z0-9_]{0,61}[a-z0-9]")
_COLUMN_NAME = re.compile(r"[a-z]([a-z0-9_]{0,61}[a-z0-9])?")
_RESERVED_TABLES = frozenset({"pool", "collection", "user", "group", "message"})
_RESERVED_PREFIX = "ez_"


def is_table_name(name: str) -> bool:
    """Whether an objecttype or a nested table may have this whole name."""
    return (
        _TABLE_NAME.fullmatch(name) is not None
        and name not in _RESERVED_TABLES
        and not name.startswith(_RESERVED_PREFIX)
    )


def is_nested_name(name: str, owner: str) -> bool:
    """Whether a nested table of this owner may have this whole name: `owner__name`, 63 characters in all."""
    prefix = owner + _SEPARATOR
    return name.startswith(prefix) and is_table_name(name) and is_column_name(name.removeprefix(prefix))


def is_column_name(name: str) -> bool:
    """Whether a column may have this name."""
    return _COLUMN_NAME.fullmatch(name) is not None


def foreign_key_name(table: str, columns: Sequence[str], referenced: str) -> str:
    """`table__column__referenced_fkey`, cut to the length that databases accept."""
    return cut(_SEPARATOR.join((table, *columns, referenced)), "_fkey")


def unique_key_name(table: str, columns: Sequence[str]) -> str:
    """`table__column_unique`, cut to the length that databases accept."""
    return cut(_SEPARATOR.join((table, *columns)), "_unique")


def cut(stem: str, ending: str = "") -> str:
    """A name of at most 63 characters: a longer one is cut, with `:` and 16 hex digits before the ending.

    The digits are the SHA-1 of the whole name, as in exports of the real service.
    """
    whole = stem + ending
    if len(whole) <= _LONGEST:
        return whole
    digest = ":" + sha1(whole.encode(), usedforsecurity=False).hexdigest()[:16]
    return stem[: _LONGEST - len(digest) - len(ending)] + digest + ending


# Databases allow more than twice as many: during a commit, old and new columns exist side by side.
_MOST_COLUMNS = 750
_COLUMN_KINDS = ("column", "link", "reverse_link")


def check_names(document: JsonObject) -> None:
    """Checks that every name follows the rules and is unique.

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
        if column["kind"] not in _COLUMN_KINDS:
            raise ApiError(
                "invalid_value", f'{where}: the kind "{column["kind"]}" is none of {_COLUMN_KINDS}.'
            )
        if column["kind"] == "column":
            _check_column_entry(column, table["name"], where)
            if column["name"] in seen:
                raise ApiError("invalid_value", f"{where}: there are two columns of this name.")
            seen.add(column["name"])
        elif column.get("column_id") is not None:
            raise ApiError(
                "attribute_not_accepted",
                f'{where}: an entry of kind "{column["kind"]}" has no column of its own, so no "column_id".',
            )


def _check_column_entry(column: JsonObject, table: str, where: str) -> None:
    for name in ("name", "type"):
        if column.get(name) is None:
            raise ApiError("attribute_expected", f'{where}: the attribute "{name}" is missing.')
    if not is_column_name(column["name"]):
        raise UserError("invalid_column_name", name=f"{table}.{column['name']}")


_Pair = tuple[dict[str, Any], dict[str, Any]]
_AUTOMATIC = {AutoColumn.PRIMARY_KEY: "id", AutoColumn.UPLINK: "uplink", AutoColumn.PARENT: "parent"}


class _NameIndex:
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
        automatic = next((auto for auto in AutoColumn if reference.get(auto) is True), None)
        return self.columns[reference["column_id"]] if automatic is None else _AUTOMATIC[automatic]


def rename_nested(document: JsonObject, head: JsonObject | None) -> None:
    """Renames nested tables, unless the client renamed them, after a renamed owner, to any depth, in place.

    Raises ApiError invalid_value if tables own one another in a circle.
    """
    before = _NameIndex(head).tables
    by_id = {table["table_id"]: table for table in document["tables"]}
    for table in document["tables"]:
        for owner, owned in reversed(_owner_chain(table, by_id)):
            old_owner, old = before.get(owner["table_id"]), before.get(owned["table_id"])
            if old_owner and old and old == owned["name"] and is_nested_name(old, old_owner):
                owned["name"] = owner["name"] + old[len(old_owner) :]


def _owner_chain(table: JsonObject, by_id: dict[int, dict[str, Any]]) -> list[_Pair]:
    """The pairs of owner and owned table, from a table upwards."""
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
    """Names keys without a name, and updates generated names after a rename of table or column, in place."""
    now, before = _NameIndex(document), _NameIndex(head)
    for table in document["tables"]:
        for key in items(table, "foreign_keys"):
            _name_key(key, partial(_NameIndex.foreign_key, table=table, key=key), now, before)
        for key in items(table, "unique_keys"):
            _name_key(key, partial(_NameIndex.unique_key, table=table, key=key), now, before)


def _name_key(
    key: dict[str, Any], generate: Callable[[_NameIndex], str], now: _NameIndex, before: _NameIndex
) -> None:
    try:
        generated_before: str | None = generate(before)
    except KeyError:
        generated_before = None
    if key.get("name") is None or key["name"] == generated_before:
        key["name"] = generate(now)
