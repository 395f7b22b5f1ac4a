"""The shape of schema documents (wire §5), from the table by which they are checked; knows no rule."""

from __future__ import annotations

from collections.abc import Mapping

from server_stub.api.kinds import JsonSchema
from server_stub.api.shapes import NAMES, TEXT, WHOLE, array, record, ref
from server_stub.schema.document.grammar import SCHEMA, Element, Part, ValueType

_WORD: JsonSchema = {"type": "string", "pattern": r"^[^\s\u001c-\u001f\u0085]+$"}
_KINDS: Mapping[ValueType, JsonSchema] = {
    ValueType.BOOLEAN: {"type": ["boolean", "null"]},
    ValueType.INTEGER: {"type": ["integer", "null"]},
    ValueType.TEXT: {"type": ["string", "null"]},
    ValueType.TEXTS: {"type": ["array", "null"], "items": _WORD},
    ValueType.BOUND: {"type": ["number", "string", "null"]},
    ValueType.ANY: {},
}


def _required(shape: JsonSchema) -> JsonSchema:
    kinds = shape.get("type")
    return shape | {"type": kinds[0]} if isinstance(kinds, list) else shape  # type: ignore[operator]


def _part(part: Part) -> JsonSchema:
    one = _element(part.element)
    shape = array(one) if part.many else one
    return shape if part.required else {"anyOf": [shape, {"type": "null"}]}


def _element(element: Element) -> JsonSchema:
    """Unknown attributes survive a round trip, so the objects are open."""
    attributes = {each.name: _KINDS[each.type] for each in element.attributes if not each.required}
    needed = {each.name: _required(_KINDS[each.type]) for each in element.attributes if each.required}
    parts = {part.name: _part(part) for part in element.parts}
    required = [*needed, *(part.name for part in element.parts if part.required)]
    return {"type": "object", "required": required, "properties": attributes | needed | parts}


_STAKE = record({"rows": WHOLE, "values": WHOLE}, blocking=WHOLE, lossy=WHOLE)
_NAMED: Mapping[str, JsonSchema] = dict.fromkeys(
    ("column", "from", "to", "type", "key", "check", "nested"), TEXT
)
_STEP = record(
    {"action": TEXT, "table_id": WHOLE, "table": TEXT},
    column_id=WHOLE,
    stake=_STAKE,
    refusal=ref("UserError"),
    **_NAMED,
)
_PLAN = record(
    {
        "current_version": {"type": ["integer", "null"]},
        "head_version": WHOLE,
        "head_digest": TEXT,
        "steps": array(_STEP),
    }
)

COMPONENTS: Mapping[str, JsonSchema] = {
    "SchemaDocument": _element(SCHEMA),
    "Commit": record({"version": WHOLE}),
    "CommitPlan": _PLAN,
    "Names": NAMES,
}
