"""Details of server errors (§7.1, wire §4), at the contract's address and at the vendor's."""

from __future__ import annotations

from server_stub.accounts import ROOT
from server_stub.api.call import Answer, Call, Route
from server_stub.api.parameters import Parameter
from server_stub.errors import ApiError, ServerError, UserError


def by_parameter(call: Call) -> Answer:
    """GET server/error?uuid="""
    if call.query["uuid"] is None:
        raise ApiError("attribute_expected", "The query parameter 'uuid' is missing.")
    return _details(call, call.query["uuid"])


def by_path(call: Call) -> Answer:
    """GET plugin/base/server/error/<uuid>"""
    return _details(call, call.path["uuid"])


def _details(call: Call, uuid: str) -> Answer:
    found = call.rooms.faults.details(uuid)
    if found is None:
        raise UserError("error_not_found", id=uuid)
    return Answer(found.encode())


def provoke(call: Call) -> Answer:
    """POST plugin/base/server/error/<realm>: raises one of each realm on purpose, to try a client out."""
    match call.path["uuid"]:
        case "user":
            raise UserError("error_not_found", id="on purpose")
        case "server":
            raise ServerError("generic", "This error was asked for.")
        case "api":
            raise ApiError("generic", "This error was asked for.")
        case other:
            raise ApiError("invalid_value", f"The realm is one of user, server and api, not {other!r}.")


ROUTES = (
    Route("GET", "/server/error", by_parameter, "7.1", parameters=(Parameter("uuid", str),)),
    Route("GET", "/plugin/base/server/error/{uuid}", by_path, "7.1"),
    Route("POST", "/plugin/base/server/error/{uuid}", provoke, "7.1", right=ROOT),
)
