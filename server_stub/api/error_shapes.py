"""The shapes of error objects by realm (§2.3, §7), from the error catalogue; knows no call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from server_stub.api.kinds import JsonSchema
from server_stub.api.shapes import TEXT, either, record, ref
from server_stub.errors import catalogue

_UUID: JsonSchema = {"type": "string", "format": "uuid"}
_PARAMETERS: JsonSchema = {"type": "object", "additionalProperties": TEXT}


def _codes(realm: str) -> dict[str, list[str]]:
    """The codes of a realm with the names of their parameters."""
    return {code: entry["parameters"] for code, entry in catalogue().items() if entry["realm"] == realm}


def _head(realm: str) -> dict[str, JsonSchema]:
    return {"realm": {"const": realm}, "code": {"enum": list(_codes(realm))}}


def user_error(names: Iterable[str] | None) -> JsonSchema:
    """A user error of some names, of any where these are None."""
    if names is None:
        return ref("UserError")
    codes = {"properties": {"code": {"enum": [f"error.user.{name}" for name in names]}}}
    return {"allOf": [ref("UserError"), codes]}


def bad_request(names: Iterable[str] | None) -> JsonSchema:
    """What answers with 400: an API error, or a user error of some names (§7.1)."""
    return either(ref("ApiError"), user_error(names))


COMPONENTS: Mapping[str, JsonSchema] = {
    "ApiError": record(_head("api") | {"description": TEXT}),
    "UserError": dict(record(_head("user"), parameters=_PARAMETERS)) | {"x-parameters": _codes("user")},
    # The uuid is missing where even the details could not be kept.
    "ServerError": record(_head("server") | {"description": TEXT}, uuid=_UUID),
    "ErrorDetails": record(
        {
            "code": TEXT,
            "description": TEXT,
            "timestamp": TEXT,
            "request": record({"method": TEXT, "url": TEXT}),
            "session": {"type": ["string", "null"]},
            "log": TEXT,
        }
    ),
}
