"""The small calls: settings, configuration, masks and plugins (wire §6), details of server errors (§7.1)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from server_stub.accounts import ROOT
from server_stub.foundation.errors import ApiError, ServerError, UserError
from server_stub.foundation.times import to_wire
from server_stub.http.endpoint import Access, Call, Endpoint, Origin, json_of
from server_stub.http.parameters import TEXT, Parameter, one_of, ref
from server_stub.http.responses import Answer, json_answer
from server_stub.http.routes.shared import SETTINGS
from server_stub.http.services import API_VERSION


def settings(call: Call) -> Answer:
    """GET settings: versions and times, without a session."""
    times = {"startup_time": to_wire(call.services.started), "server_time": to_wire(call.services.now())}
    versions = {"version": API_VERSION, "database_version": call.services.database.version}
    return json_answer(call.services.instance.state() | versions | times)


def configuration(call: Call) -> Answer:
    """GET config/list: the base configuration, among it the database's languages."""
    with call.services.database.read() as connection:
        values = call.services.configuration.values(connection)
    choices = str(values["languages"]).split(",")
    languages = {"name": "languages", "parameters": {"database": {"choices": choices, "value": choices}}}
    rest = [
        {"name": name, "parameters": {"value": value}}
        for name, value in values.items()
        if name != "languages"
    ]
    return json_answer({"system": [languages, *rest]})


def masks(call: Call) -> Answer:
    """GET mask/<version>: the maskset, always empty, since this server has no masks."""
    based_on = call.services.schemas.current_version() or 0
    return json_answer(
        {"type": "user", "version": 1, "based_on_schema_version": based_on, "max_mask_id": 0, "masks": []}
    )


def plugins(_: Call) -> Answer:
    """GET plugin: the plugins, always none."""
    return json_answer([])


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

_MASK_VERSION = Parameter("version", one_of("HEAD", "CURRENT"), meaning="Both are the same empty maskset.")
_at_start = partial(Endpoint, "GET", section="9", allows_unknown=True, user_errors=(), origin=Origin.DEPLOYED)

ENDPOINTS = (
    SETTINGS(handler=settings, origin=Origin.DEPLOYED),
    _at_start("/config/list", configuration, answers=json_of(ref("Configuration"))),
    # The format, for one, is not known: only JSON is answered.
    _at_start(
        "/mask/{version}",
        masks,
        refusal_status=403,
        path_parameters=(_MASK_VERSION,),
        answers=json_of(ref("Maskset")),
    ),
    _at_start("/plugin", plugins, access=Access.ANYBODY, answers=json_of({"type": "array", "maxItems": 0})),
    _BY_PARAMETER,
    _BY_PATH,
    replace(
        _BY_PATH, method="POST", handler=provoke, right=ROOT, path_parameters=(_REALM,), origin=Origin.OURS
    ),
)
