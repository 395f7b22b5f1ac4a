"""Versions of objects: the call of deployed services that clients need for the history of an object.

The interface describes no call for objects. This server answers the one with all fields, for reading only.
"""

from __future__ import annotations

from server_stub.accounts.users import EVENT_GET
from server_stub.http.endpoint import Call, Endpoint, Origin, json_of
from server_stub.http.parameters import (
    TEXT,
    Parameter,
    array,
    at_least,
    ref,
)
from server_stub.http.responses import Answer, json_answer
from server_stub.schema.objects import MASK


def retrieve(call: Call) -> Answer:
    """GET db/<objecttype>/_all_fields/<id>: an object in one of its versions, in a list."""
    found = call.services.objects.read(call.path["objecttype"], call.path["id"], call.query["version"])
    return json_answer([found])


ENDPOINTS = (
    Endpoint(
        "GET",
        f"/db/{{objecttype}}/{MASK}/{{id}}",
        retrieve,
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
