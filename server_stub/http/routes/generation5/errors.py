"""Details of server errors (§7.1, wire §4), at the contract's address and at the vendor's."""

from __future__ import annotations

from dataclasses import replace

from server_stub.accounts import ROOT
from server_stub.foundation.errors import ApiError, ServerError, UserError
from server_stub.http.endpoint import Call, Endpoint, Origin, json_of
from server_stub.http.parameters import TEXT, Parameter, one_of, ref
from server_stub.http.responses import Answer, json_answer


def by_parameter(call: Call) -> Answer:
    """GET server/error?uuid="""
    return _details(call, call.query["uuid"])


def by_path(call: Call) -> Answer:
    """GET plugin/base/server/error/<uuid>"""
    return _details(call, call.path["uuid"])


def _details(call: Call, uuid: str) -> Answer:
    found = call.services.error_reports.details(uuid, call.session)
    if found is None:
        raise UserError("error_not_found", id=uuid)
    return json_answer(found)


def provoke(call: Call) -> Answer:
    """POST plugin/base/server/error/<realm>: raises one of each realm on purpose, to try a client out."""
    match call.path["uuid"]:
        case "user":
            raise UserError("error_not_found", id="on purpose")
        case "server":
            raise ServerError("generic", "This error was asked for.")
        case _:
            raise ApiError("generic", "This error was asked for.")


_UUID = Parameter("uuid", TEXT, meaning="The uuid in the error object.", required=True)
_REALM = Parameter("uuid", one_of("user", "server", "api"), meaning="The realm of the error that is wanted.")
_BY_PARAMETER = Endpoint(
    "GET",
    "/server/error",
    by_parameter,
    "7.1",
    parameters=(_UUID,),
    answers=json_of(ref("ErrorDetails")),
    user_errors=("error_not_found",),
)
_BY_PATH = replace(
    _BY_PARAMETER,
    path="/plugin/base/server/error/{uuid}",
    handler=by_path,
    parameters=(),
    path_parameters=(_UUID,),
    origin=Origin.DEPLOYED,
)

ENDPOINTS = (
    _BY_PARAMETER,
    _BY_PATH,
    replace(
        _BY_PATH, method="POST", handler=provoke, right=ROOT, path_parameters=(_REALM,), origin=Origin.OURS
    ),
)
