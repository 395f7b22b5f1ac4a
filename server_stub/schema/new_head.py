"""From a posted document to the new HEAD: shape, names, ids, references, rules (wire §5)."""

from __future__ import annotations

from typing import Any

from server_stub.foundation.errors import ApiError, UserError
from server_stub.schema.document.grammar import check_shape
from server_stub.schema.document.ids import assign_ids
from server_stub.schema.document.model import JsonObject, read_schema
from server_stub.schema.document.names import check_names, name_keys, rename_nested
from server_stub.schema.document.references import fill_hints, resolve_references
from server_stub.schema.validation.schema import check_changes, validate

_TYPE = "user"


def new_head(document: object, head: JsonObject | None, current: JsonObject | None) -> dict[str, Any]:
    """The document to store as HEAD: as posted, with ids, name hints and generated names filled in.

    Raises UserError version_mismatch, invalid_table_name or invalid_column_name, or an ApiError of §7.2.
    """
    posted = check_shape(document)
    expected = 1 if head is None else head["version"]
    if posted["version"] != expected:
        raise UserError("version_mismatch", provided=posted["version"], expected=expected)
    if posted.get("type") not in (None, _TYPE):
        raise ApiError("invalid_value", f'The schema document: "type" must be "{_TYPE}".')
    _complete(posted, head)
    schema = read_schema(posted)
    validate(schema)
    if current is not None:
        check_changes(read_schema(current), schema)
    return based_on(posted, current)


def based_on(document: dict[str, Any], current: JsonObject | None) -> dict[str, Any]:
    """A HEAD document with the version numbers that the service sets."""
    stamped = {"type": _TYPE, **document}
    stamped.pop("based_on_version", None)
    if current is None:
        return stamped
    return stamped | {"version": current["version"] + 1, "based_on_version": current["version"]}


def _complete(document: dict[str, Any], head: JsonObject | None) -> None:
    check_names(document)
    assign_ids(document, head)
    resolve_references(document)
    rename_nested(document, head)
    # Nested tables of renamed owners have new names.
    check_names(document)
    fill_hints(document)
    name_keys(document, head)
