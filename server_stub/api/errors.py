"""Details of server errors (§7.1, wire §4), at the contract's address and at the vendor's."""

from __future__ import annotations

from server_stub.api.call import Answer, Call, Route
from server_stub.api.parameters import Parameter
from server_stub.errors import ApiError, UserError


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


ROUTES = (
    Route("GET", "/server/error", by_parameter, "7.1", parameters=(Parameter("uuid", str),)),
    Route("GET", "/plugin/base/server/error/{uuid}", by_path, "7.1"),
)
