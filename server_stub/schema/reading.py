"""Reads a complete JSON document into the typed view; knows no rule: shape and ids are checked before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server_stub.schema.model import (
    Auto,
    Bound,
    Check,
    Column,
    ForeignKey,
    NestedLink,
    Reference,
    ReverseLink,
    Schema,
    Table,
    UniqueKey,
)

JsonObject = Mapping[str, Any]


def read_schema(document: JsonObject) -> Schema:
    """The typed view of a document whose ids and names are all filled in."""
    return Schema(
        version=document["version"],
        tables=tuple(_table(table) for table in document["tables"]),
        languages=tuple(document.get("l10n_languages") or ()),
    )


def _table(table: JsonObject) -> Table:
    owner = table.get("owned_by")
    return Table(
        id=table["table_id"],
        name=table["name"],
        members=tuple(_member(column) for column in items(table, "columns")),
        foreign_keys=tuple(_foreign_key(key) for key in items(table, "foreign_keys")),
        unique_keys=tuple(UniqueKey(key["name"], _references(key)) for key in items(table, "unique_keys")),
        owner_id=owner and owner["other_table_id"],
        is_hierarchical=table.get("is_hierarchical") is True,
        pool_link=table.get("pool_link") is True,
        has_tags=table.get("has_tags") is True,
        flags=frozenset(name for name, value in table.items() if value is True),
    )


def items(holder: JsonObject, name: str) -> list[dict[str, Any]]:
    """The parts under a key; none when the key is missing or null."""
    found: list[dict[str, Any]] | None = holder.get(name)
    return found or []


def _member(column: JsonObject) -> Column | NestedLink | ReverseLink:
    match column["kind"]:
        case "link":
            return NestedLink(column["other_table_id"], column.get("check"))
        case "reverse_link":
            return ReverseLink(column["other_table_id"], column["other_column_id"])
        case _:
            return _column(column)


def _column(column: JsonObject) -> Column:
    return Column(
        id=column["column_id"],
        name=column["name"],
        type=column["type"],
        not_null=column.get("not_null") is True,
        default=column.get("default"),
        reverse_edit=column.get("reverse_edit") is True,
        check=_check(column),
    )


def _check(column: JsonObject) -> Check:
    return Check(
        kind=column.get("check"),
        regexp=column.get("check_regexp"),
        flags=column.get("check_regexp_flags") or "",
        lower=_bound(column, "check_range_lower"),
        upper=_bound(column, "check_range_upper"),
        length_min=column.get("length_min"),
        length_max=column.get("length_max"),
    )


def _bound(column: JsonObject, name: str) -> Bound | None:
    value = column.get(name)
    return None if value is None else Bound(value, column.get(f"{name}_open") is True)


def _foreign_key(key: JsonObject) -> ForeignKey:
    target = key["referenced_table"]
    return ForeignKey(
        name=key["name"],
        columns=_references(key),
        table_id=target["table_id"],
        referenced=_references(target),
        on_delete=key.get("on_delete") or "restrict",
        on_update=key.get("on_update") or "cascade",
    )


def _references(holder: JsonObject) -> tuple[Reference, ...]:
    return tuple(_reference(reference) for reference in holder["columns"])


def _reference(reference: JsonObject) -> Reference:
    column = next((auto for auto in Auto if reference.get(auto) is True), None)
    return Reference(column or reference["column_id"], reference.get("unique_true") is True)
