"""The schema calls (§4.6 to §4.8), the localised names of a schema (wire §6) and versions of objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from server_stub.accounts.users import EVENT_GET, MODEL_DEVELOPMENT
from server_stub.http.endpoint import Call, Endpoint, Origin, Workload, json_of
from server_stub.http.parameters import FLAG, TEXT, JsonSchema, Parameter, array, at_least, one_of, ref
from server_stub.http.responses import Answer, json_answer
from server_stub.http.routes.shared import (
    COMMIT_SCHEMA,
    PICTURES,
    READ_NAMES,
    READ_SCHEMA,
    SAVE_NAMES,
    SAVE_SCHEMA,
    VERSION,
    Files,
    document_or,
    schema_version,
)
from server_stub.schema import entity_tag, to_xml
from server_stub.schema.document.grammar import SCHEMA, Element, Part, ValueType
from server_stub.schema.objects import MASK

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


COMPONENTS: Mapping[str, JsonSchema] = {"SchemaDocument": _element(SCHEMA)}


_FILES: Files = {"xml": (to_xml, "application/xml; charset=utf-8"), **PICTURES}


def retrieve(call: Call) -> Answer:
    """§4.6: a version as document or picture; XML where no format is given (wire §5)."""
    return schema_version(call, _FILES)


def update(call: Call) -> Answer:
    """§4.7: makes the body the new HEAD and answers it with its ids."""
    given = call.request
    saved = call.services.schemas.save_head(given.json_value(), if_match=given.headers.get("if-match"))
    return json_answer(saved, headers={"etag": entity_tag(saved)})


def plan(call: Call) -> Answer:
    """Our addition: the steps of a commit of HEAD, with what rows have at stake; changes nothing."""
    return json_answer(call.services.schemas.plan())


def commit(call: Call) -> Answer:
    """§4.8: makes HEAD current, alters the database, reindexes in the background."""
    done = call.services.schemas.commit(call.actor)
    generate = call.query["reindex_generate_events"]
    reindex = partial(call.services.schemas.reindex, done.reindex, generate_events=generate)
    return json_answer({"version": done.version}, after=reindex)


def read_object(call: Call) -> Answer:
    """GET db/<objecttype>/_all_fields/<id>: an object in one of its versions, in a list.

    The interface describes no call for objects; clients need this one for the history of an object.
    """
    found = call.services.objects.read(call.path["objecttype"], call.path["id"], call.query["version"])
    return json_answer([found])


_FORMAT = Parameter("format", one_of("xml", "json", "svg", "png"), "xml", "Form of the answer.")
_REINDEX = Parameter("reindex_generate_events", FLAG, False, "Reindex jobs generate OBJECT_INDEX events.")

_PLANNED = Parameter("version", one_of("HEAD"), meaning="Only HEAD can be committed.")

ENDPOINTS = (
    READ_SCHEMA(
        handler=retrieve, parameters=(_FORMAT,), path_parameters=(VERSION,), answers=document_or(_FILES)
    ),
    SAVE_SCHEMA(handler=update),
    Endpoint(
        "GET",
        "/schema/user/{version}/plan",
        plan,
        "4.8",
        right=MODEL_DEVELOPMENT,
        refusal_status=403,
        path_parameters=(_PLANNED,),
        answers=json_of(ref("CommitPlan")),
        origin=Origin.OURS,
        workload=Workload.HEAVY,
    ),
    COMMIT_SCHEMA(handler=commit, parameters=(_REINDEX,), answers=json_of(ref("Commit"))),
    READ_NAMES,
    replace(SAVE_NAMES, right=MODEL_DEVELOPMENT),
    Endpoint(
        "GET",
        f"/db/{{objecttype}}/{MASK}/{{id}}",
        read_object,
        "6",
        # There are no rights on single objects here; the log contains as much about them as this call.
        right=EVENT_GET,
        parameters=(
            Parameter("version", at_least(1), meaning="A version of the object, by default the newest one."),
        ),
        path_parameters=(
            Parameter("objecttype", TEXT, meaning="The name of a top-level table of CURRENT."),
            Parameter("id", at_least(1), meaning="The id of the object."),
        ),
        answers=json_of(array(ref("Object"))),
        user_errors=(
            "objecttype_not_found",
            "object_not_found",
            "instance_not_found",
            "old_schema_missing",
        ),
        origin=Origin.OURS,
    ),
)
