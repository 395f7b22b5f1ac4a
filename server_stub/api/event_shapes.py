"""The shapes of event records, pages and bodies (wire §3); knows no handler."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from server_stub.api.kinds import JsonSchema
from server_stub.api.shapes import OBJECT, TEXT, TIME, TRUTH, WHOLE, array, either, record, ref

_ID: JsonSchema = {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}

# §4.4: what a client may insert; the types are those that the JSON must have.
ATTRIBUTES: Mapping[str, type] = MappingProxyType(
    {"type": str, "info": dict, "object_version": int, "object_id": int, "objecttype": str}
)
# §4.4: the types a client may insert, and the base configuration that each needs.
INSERTABLE: Mapping[str, str] = MappingProxyType(
    {"SEARCH": "system.log.search", "DETAIL_VIEW": "system.log.detail_view"}
)
# What an inserted event may hold: its info as JSON, the levels of objects and lists in it, any other text.
MOST_INFO_BYTES = 32 << 10
MOST_LEVELS = 64
MOST_CHARACTERS = 255
# Databases end a text at such a character, or take none.
_WHOLE_TEXT: JsonSchema = {"type": "string", "pattern": r"^[^\u0000]*$", "maxLength": MOST_CHARACTERS}
_OF_TYPE: Mapping[type, JsonSchema] = {str: _WHOLE_TEXT, dict: OBJECT, int: _ID}

_EVENT: dict[str, JsonSchema] = {"_id": WHOLE, "type": TEXT, "timestamp": TIME}
_MORE: dict[str, JsonSchema] = {
    "schema": {"enum": ["USER", "BASE"]},
    "objecttype": TEXT,
    "global_object_id": TEXT,
    "basetype": TEXT,
    "object_id": WHOLE,
    "object_version": WHOLE,
    "session_self": {"const": True},
}
_USER = record({"_id": WHOLE, "_generated_displayname": TEXT})


def _attribute(name: str) -> JsonSchema:
    return {"enum": list(INSERTABLE)} if name == "type" else _OF_TYPE[ATTRIBUTES[name]]


_FLAT = record({"type": _attribute("type")}, **{n: _attribute(n) for n in ATTRIBUTES if n != "type"})
_PAGE = record(
    {"limit": WHOLE, "offset": WHOLE, "objects": array(either(ref("EventShort"), ref("EventFull")))}
)

COMPONENTS: Mapping[str, JsonSchema] = {
    "EventShort": record({"event": record(_EVENT, **_MORE)}, user=_USER, _session=record({"token": TEXT})),
    "EventFull": record(
        {"event": record(_EVENT | {"pollable": TRUTH, "info": OBJECT}, **_MORE, ipv4_address=TEXT)},
        user=_USER,
        _session=record({"token": TEXT}, created=TIME, expired=TIME),
    ),
    "EventPage": {**_PAGE, "properties": {"count": WHOLE, **_PAGE["properties"]}},  # type: ignore[dict-item]
    "EventInsert": either(_FLAT, record({"event": _FLAT})),
    "EventIds": array(_ID),
}
