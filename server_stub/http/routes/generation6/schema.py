"""The calls about the schema: versions, commit with questions, localized names, masks, counts of objects."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from msgspec import structs

from server_stub.accounts.users import EVENT_GET, MODEL_DEVELOPMENT
from server_stub.foundation.errors import ApiError, UserError
from server_stub.foundation.times import to_wire
from server_stub.http.endpoint import Body, Call, Endpoint, Origin, json_of
from server_stub.http.parameters import (
    FLAG,
    INTEGER,
    OBJECT,
    TEXT,
    JsonSchema,
    Parameter,
    ParameterType,
    array,
    at_least,
    one_of,
    record,
    ref,
)
from server_stub.http.responses import Answer, json_answer
from server_stub.http.routes.generation6.errors import RefusalError
from server_stub.http.routes.shared import (
    COMMIT_SCHEMA,
    MAX_SCHEMA_BYTES,
    PICTURES,
    READ_NAMES,
    READ_SCHEMA,
    SAVE_NAMES,
    SAVE_SCHEMA,
    VERSION,
    document_or,
    schema_version,
)
from server_stub.schema import entity_tag
from server_stub.schema.commit.transaction import PendingCommit
from server_stub.schema.validation.schema import TypeChangeError


def retrieve(call: Call) -> Answer:
    """GET schema/user/<version>: a version as document or picture."""
    return schema_version(call, PICTURES, partial(_stamped, call))


def update(call: Call) -> Answer:
    """POST schema/user/HEAD: the body becomes HEAD, unless objects or values would be lost."""
    posted = call.request.json_object()

    def approve(head: Mapping[str, Any], removed: Mapping[str, int]) -> None:
        provided, expected = posted.get("based_on_version"), head.get("based_on_version")
        if expected is not None and provided not in (None, expected):
            raise UserError("version_mismatch", provided=provided, expected=expected)
        _keep_objects(removed)
        columns = (column for table in head["tables"] for column in table.get("columns") or ())
        for column in columns:
            settings = column.get("custom_settings", {})
            if settings is None:
                del column["custom_settings"]
            elif not isinstance(settings, dict):
                raise ApiError("type_mismatch", "custom_settings must be a JSON object.")

    if_match = call.request.headers.get("if-match")
    saved = _with_types_kept(lambda: call.services.schemas.save_head(posted, approve, if_match))
    return json_answer(_stamped(call, saved), headers={"etag": entity_tag(saved)})


def commit(call: Call) -> Answer:
    """POST schema/commit: makes HEAD current, after the decisions that this needs (202)."""
    reindex, confirmed = call.query["reindex"], call.query["confirm"] is not None
    try:
        done = call.services.schemas.commit(call.actor, partial(_approve, reindex, confirmed))
    except _QuestionError as question:
        return json_answer({"tasks": [question.task]}, status=202)
    work = partial(call.services.schemas.reindex, done.reindex, generate_events=reindex != "skip")
    if reindex == "reindex_block":
        work()
    return json_answer({"status": "ok"}, after=None if reindex == "reindex_block" else work)


class _QuestionError(Exception):
    """The commit needs a decision first."""

    def __init__(self, task: Mapping[str, object]) -> None:
        super().__init__()
        self.task = task


def _approve(reindex: str | None, confirmed: bool, pending: PendingCommit) -> None:
    """Raises RefusalError ObjecttypeNotEmpty, or _QuestionError for a decision that the call lacks."""
    _keep_objects(pending.removed)
    cancel = {"text": "Cancel", "name": "cancel", "value": "yes", "hidden": False}
    accept = {"text": "Commit", "name": "confirm", "value": "yes", "hidden": False}
    if pending.restricted and not confirmed:
        text = f"Existing rows have to satisfy new constraints in: {', '.join(pending.restricted)}."
        task = {"title": "Changed constraints", "message": text, "buttons": [cancel, accept]}
        raise _QuestionError({**task, "form": [_REINDEX_FIELD]} if _is_open(reindex, pending) else task)
    if _is_open(reindex, pending):
        text = f"Objects of these tables have to be indexed again: {', '.join(pending.reindex)}."
        task = {"title": "Reindex", "message": text, "form": [_REINDEX_FIELD], "buttons": [cancel, accept]}
        raise _QuestionError(task)


def _is_open(reindex: str | None, pending: PendingCommit) -> bool:
    return reindex is None and bool(pending.reindex)


_CHOICES = {
    "reindex": "Reindex now",
    "skip": "Reindex later",
    "reindex_block": "Reindex now, frontend locked meanwhile",
}
_REINDEX_FIELD = {
    "label": "Reindex",
    "type": "select",
    "name": "reindex",
    "options": [{"text": text, "value": value, "disabled": False} for value, text in _CHOICES.items()],
    "horizontal": False,
}


def _keep_objects(removed: Mapping[str, int]) -> None:
    if removed:
        named = ", ".join(f"{name} ({count})" for name, count in removed.items())
        raise RefusalError("ObjecttypeNotEmpty", f"There are objects in: {named}.", stats=dict(removed))


def _with_types_kept(save: Callable[[], dict[str, object]]) -> dict[str, object]:
    try:
        return save()
    except TypeChangeError as error:
        found = {"column": error.column, "current": error.before, "head": error.after}
        raise RefusalError("TypeChangeUnsupported", str(error.description), **found) from error


def _stamped(call: Call, document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with the time of its commit, null for HEAD."""
    committed = call.services.schemas.committed_at(document["version"])
    return {**document, "committed_at": None if committed is None else to_wire(committed)}


def masks(call: Call) -> Answer:
    """GET mask/<version>: this server stores no masks; each table has a standard one with all columns."""
    document: Mapping[str, Any] = call.services.schemas.read(call.path["version"])
    tables = document["tables"]
    return json_answer(
        {
            "type": "user",
            "version": document["version"],
            "based_on_schema_version": document["version"],
            "max_mask_id": max((each["table_id"] for each in tables), default=0),
            "masks": [_standard_mask(each) for each in tables],
        }
    )


def _standard_mask(table: Mapping[str, Any]) -> dict[str, Any]:
    columns = (each for each in table["columns"] if each["kind"] == "column")
    return {
        "name": f"{table['name']}__standard",
        "mask_id": table["table_id"],
        "table_id": table["table_id"],
        "table_name_hint": table["name"],
        "is_preferred": True,
        "fields": [
            {
                "kind": "link" if each["type"] == "link" else "field",
                "column_id": each["column_id"],
                "column_name_hint": each["name"],
            }
            for each in columns
        ],
    }


def table_stats(call: Call) -> Answer:
    """GET objecttype/<id>/stats: how many objects and files a table has; files are not counted here."""
    found = call.services.schemas.counts().get(call.path["id"])
    if found is None:
        raise UserError("objecttype_not_found", id=call.path["id"])
    return json_answer({"total_count": found[1], "files": _NO_FILES})


def status(call: Call) -> Answer:
    """GET system/status: how many objects all tables have; this server has no index and no files."""
    counts = call.services.schemas.counts().values()
    none = dict.fromkeys(("total_not_indexed", "pending_files", "queued_files"), 0)
    lists: dict[str, object] = dict.fromkeys(("basetypes", "file_stats", "indices_stats"), ())
    of_types = [{"type_name": name, "total_count": count} for name, count in counts]
    return json_answer({"objecttypes": of_types, "indices_objects": {}, **none, **lists})


def read_object(call: Call) -> Answer:
    """GET db/<objecttype>/<mask>/<id>: an object in one or all of its versions; an empty list for none."""
    read = partial(call.services.objects.read, call.path["objecttype"], call.path["objectId"])
    try:
        newest = read(call.query["version"])
        found = [newest]
        if call.query["all_versions"]:
            last = newest[call.path["objecttype"]]["_version"]
            found = [read(version) for version in range(1, last)] + found
    except UserError as error:
        if error.code.endswith("objecttype_not_found"):
            raise
        found = []
    return json_answer([{**each, "_mask": call.path["mask"]} for each in found])


_NOTHING = {"size": 0, "count": 0}
_NO_FILES = {
    **_NOTHING,
    **{each: dict.fromkeys(("latest", "history", "deleted"), _NOTHING) for each in ("originals", "versions")},
}
_POINTERS = re.compile("HEAD|CURRENT|[1-9][0-9]{0,17}")


def _pointer(text: str) -> str:
    if not _POINTERS.fullmatch(text):
        raise RefusalError("DatamodelVersionNotFound", f"There is no version {text!r}.", version=text)
    return text


def _objecttype(text: str) -> str:
    if "\0" in text:
        raise UserError("objecttype_not_found", id=text)
    return text


_OBJECT_ID: JsonSchema = {"type": "integer", "minimum": 1}


def _object_id(text: str) -> int:
    """No object has the id 0."""
    return int(text) if re.fullmatch("[0-9]{1,18}", text) else 0


# There is no version of so great a number: the answer is an empty list.
_OBJECT_VERSION = ParameterType(lambda text: _object_id(text) or 10**18, _OBJECT_ID)
_VERSION = structs.replace(VERSION, type=ParameterType(_pointer, VERSION.type.schema))
_NO_VERSION, _REFUSED = ("DatamodelVersionNotFound",), ("TypeChangeUnsupported", "ObjecttypeNotEmpty")
# These calls refuse no parameter.
_tolerant = partial(Parameter, tolerant=True)

_read = partial(Endpoint, "GET", section="6")

ENDPOINTS = (
    READ_SCHEMA(
        handler=retrieve,
        parameters=(_tolerant("format", one_of(*PICTURES), meaning="A picture in place of the document."),),
        path_parameters=(_VERSION,),
        answers=document_or(PICTURES),
        user_errors=_NO_VERSION,
    ),
    SAVE_SCHEMA(
        handler=update,
        body=Body(json_of(ref("PostedSchema")), max_bytes=MAX_SCHEMA_BYTES),
        user_errors=(*_REFUSED, "VersionMismatch"),
    ),
    COMMIT_SCHEMA(
        handler=commit,
        parameters=(
            _tolerant("reindex", one_of(*_CHOICES), meaning="Whether objects are indexed again."),
            _tolerant("confirm", one_of("yes", "true"), meaning="Changed constraints are accepted."),
        ),
        answers=json_of(record({"status": {"const": "ok"}})),
        other_answers={202: json_of(ref("Tasks"))},
        user_errors=(*_REFUSED, *_NO_VERSION),
    ),
    replace(READ_NAMES, path_parameters=(_VERSION,), user_errors=_NO_VERSION, origin=Origin.CONTRACT),
    replace(SAVE_NAMES, user_errors=_NO_VERSION, origin=Origin.CONTRACT),
    _read(
        "/mask/{version}",
        masks,
        parameters=(_tolerant("format", one_of("standard", "long")),),
        path_parameters=(_VERSION,),
        answers=json_of(OBJECT),
        user_errors=_NO_VERSION,
    ),
    _read(
        "/objecttype/{id}/stats",
        table_stats,
        right=MODEL_DEVELOPMENT,
        path_parameters=(Parameter("id", at_least(1)),),
        answers=json_of(record({"files": OBJECT}, total_count=INTEGER)),
        user_errors=("UnknownObjecttype",),
    ),
    _read(
        "/system/status",
        status,
        right=MODEL_DEVELOPMENT,
        answers=json_of(OBJECT),
        user_errors=(),
    ),
    _read(
        "/db/{objecttype}/{mask}/{objectId}",
        read_object,
        right=EVENT_GET,
        allows_unknown=True,
        parameters=(
            _tolerant(
                "version", _OBJECT_VERSION, meaning="A version of the object, by default the newest one."
            ),
            _tolerant("all_versions", FLAG, False, "All versions, oldest first."),
        ),
        path_parameters=(
            Parameter("objecttype", ParameterType(_objecttype, TEXT.schema)),
            _tolerant("mask", TEXT, meaning="Any mask: all fields are answered."),
            _tolerant("objectId", ParameterType(_object_id, _OBJECT_ID)),
        ),
        answers=json_of(array(ref("Object"))),
        user_errors=("UnknownObjecttype",),
    ),
)
