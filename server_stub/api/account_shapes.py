"""The shapes of sessions, settings and configuration (wire §2, §6); knows no handler."""

from __future__ import annotations

from collections.abc import Mapping

from server_stub.api.kinds import JsonSchema
from server_stub.api.shapes import OBJECT, TEXT, TIME, WHOLE, array, record

_INSTANCE: dict[str, JsonSchema] = {
    "name": TEXT,
    "api": TEXT,
    "server_version": TEXT,
    "easydb_version": TEXT,
    "solution": TEXT,
    "user-schema": WHOLE,
    "db-name": TEXT,
}
_ALWAYS: dict[str, JsonSchema] = {
    "token": {"type": "string", "description": "The session token of every other call."},
    "instance": record(_INSTANCE),
    "frontend_language": TEXT,
    "frontend_locale": TEXT,
    "authentication_methods": array(record({"method": TEXT})),
    "config": record({"base": OBJECT, "defaults": OBJECT, "extensions": OBJECT}),
}
_RIGHTS: JsonSchema = {
    "type": "object",
    "additionalProperties": {"type": "object", "additionalProperties": TEXT},
    "description": "From the name of a right to its parameters; both spellings of system.datamodel.",
}
_USER = record(
    {"_id": WHOLE, "login": TEXT, "type": TEXT, "displayname": TEXT, "_generated_displayname": TEXT}
)
_GROUP = record({"_id": WHOLE, "name": TEXT, "displayname": TEXT})
_SIGNED_IN: dict[str, JsonSchema] = {
    "authenticated": record({"method": TEXT, "timestamp": TIME}),
    "pending_tasks": array({}),
    "current_max_event_id": WHOLE,
    "system_rights": _RIGHTS,
    "user": record({"_basetype": {"const": "user"}, "user": _USER}),
    "groups": array(record({"_basetype": {"const": "group"}, "group": _GROUP})),
}
_VARIABLE = record({"name": TEXT, "parameters": OBJECT})

COMPONENTS: Mapping[str, JsonSchema] = {
    "Session": {
        "anyOf": [record(_ALWAYS), record(_ALWAYS | _SIGNED_IN)],
        "description": "A session; the second shape once it is signed in.",
    },
    "Settings": record(
        _INSTANCE | {"version": TEXT, "database_version": TEXT, "startup_time": TIME, "server_time": TIME}
    ),
    "Configuration": record({"system": array(_VARIABLE)}),
}
