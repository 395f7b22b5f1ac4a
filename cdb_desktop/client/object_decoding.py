"""Decodes versions of objects, whose form the interface does not describe; most of it may be missing."""

from __future__ import annotations

from datetime import datetime

from cdb_desktop.client import lenient_json
from cdb_desktop.client.error_responses import answer_error, failure
from cdb_desktop.client.errors import ServiceError
from cdb_desktop.client.records import ObjectVersion
from cdb_desktop.client.request import Response
from cdb_desktop.client.responses import json_raw

# Statuses with which services answer calls that they do not know.
_UNKNOWN_CALL = frozenset({404, 405, 501})
_UNKNOWN_CODES = frozenset({"invalid_api", "invalid_request_method"})
_BESIDE = ("_tags", "_pool", "_owner")  # values of an object that may be outside of its fields
# Not values of the object.
_METADATA = frozenset({"_version", "_objecttype", "_mask", "_global_object_id", "_last_modified", "_created"})


def object_version(
    answer: Response, objecttype: str, object_id: int, version: int | None
) -> ObjectVersion | None:
    """The object in a response, alone or in a list of one; None if the service does not offer the version.

    That is so if it does not know the call, or answers with another version. Raises AnswerError,
    ServiceError.
    """
    if answer.status >= 300 and _is_unknown(answer):
        return None
    raw = json_raw(answer)
    found = lenient_json.items(raw)
    members = lenient_json.members(raw if found is None else next(iter(found), None))
    if members is None:
        raise answer_error(answer, "not_object", "object")
    inner = _fields(members, objecttype)
    read = lenient_json.amount(inner.get("_version", members.get("_version")))
    if version is not None and read not in (None, version):
        return None
    number = lenient_json.amount(inner.get("_id"))
    if number not in (None, object_id):
        raise answer_error(answer, "other_object", "_id", value=str(object_id))
    outer = {key: members[key] for key in _BESIDE if key in members} if inner is not members else {}
    values = {key: lenient_json.value(one) for key, one in {**inner, **outer}.items() if key not in _METADATA}
    return ObjectVersion(
        objecttype=lenient_json.text(members.get("_objecttype")) or objecttype,
        object_id=object_id,
        version=version if read is None else read,
        modified=_moment(members, inner),
        values=values,
    )


def _is_unknown(answer: Response) -> bool:
    """Whether the service does not know the call, rather than the object or the version."""
    error = failure(answer)
    if isinstance(error, ServiceError) and error.code:
        if error.realm == "api":
            return error.name in _UNKNOWN_CODES or answer.status in _UNKNOWN_CALL
        return False
    return answer.status in _UNKNOWN_CALL


def _fields(members: lenient_json.Members, objecttype: str) -> lenient_json.Members:
    """The fields of the object: under the name of its type, else in the record itself."""
    for name in (objecttype, lenient_json.text(members.get("_objecttype"))):
        inner = lenient_json.members(members.get(name)) if name else None
        if inner is not None:
            return inner
    return members


def _moment(*holders: lenient_json.Members) -> datetime | None:
    found = (lenient_json.moment(one.get("_last_modified")) for one in holders)
    return next((moment for moment in found if moment is not None), None)
