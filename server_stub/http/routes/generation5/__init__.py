"""Generation 5: all calls of the contract, one module per part of it, and its error objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from server_stub.foundation.errors import ContractError, catalogue
from server_stub.http.dialect import READY, Dialect
from server_stub.http.endpoint import Access, Endpoint, json_of
from server_stub.http.openapi import Description, shapes
from server_stub.http.parameters import STRING, JsonSchema, Parameter, ParameterType, either, record, ref
from server_stub.http.requests import token_of_session
from server_stub.http.responses import Answer
from server_stub.http.routes.generation5 import events, schema, session, settings
from server_stub.http.services import API_VERSION, SERVER_VERSION, Services

_UUID: JsonSchema = {"type": "string", "format": "uuid"}
_PARAMETERS: JsonSchema = {"type": "object", "additionalProperties": STRING}


def _codes(realm: str) -> dict[str, list[str]]:
    """The codes of a realm with the names of their parameters."""
    return {code: entry["parameters"] for code, entry in catalogue().items() if entry["realm"] == realm}


def _head(realm: str) -> dict[str, JsonSchema]:
    return {"realm": {"const": realm}, "code": {"enum": list(_codes(realm))}}


def _user_error(names: Iterable[str] | None) -> JsonSchema:
    """The schema of user errors with some names, or with any if these are None."""
    if names is None:
        return ref("UserError")
    codes = {"properties": {"code": {"enum": [f"error.user.{name}" for name in names]}}}
    return {"allOf": [ref("UserError"), codes]}


_ERRORS: Mapping[str, JsonSchema] = {
    "ApiError": record(_head("api") | {"description": STRING}),
    "UserError": dict(record(_head("user"), parameters=_PARAMETERS)) | {"x-parameters": _codes("user")},
    "ServerError": record(_head("server") | {"description": STRING, "uuid": _UUID}),
}
COMPONENTS: Mapping[str, JsonSchema] = {
    **shapes(5),
    **events.COMPONENTS,
    **schema.COMPONENTS,
    **_ERRORS,
}


def _failures(endpoint: Endpoint) -> dict[str, tuple[str, Mapping[str, JsonSchema]]]:
    """The error answers of a call: API errors and some user errors with 400, refusals, server errors."""
    of_session = [] if endpoint.access is Access.PUBLIC else ["session_not_found", "session_invalid"]
    if endpoint.access in {Access.SESSION, Access.SIGNED_IN}:
        of_session.append("not_authenticated")
    if endpoint.right is not None:
        of_session.append("no_system_right")
    at_400 = [] if endpoint.refusal_status != 400 else of_session
    refused = None if endpoint.user_errors is None else [*endpoint.user_errors, *at_400]
    bad_request = either(ref("ApiError"), _user_error(refused))
    answers = {
        "400": ("The call is wrong, or is refused.", json_of(bad_request)),
        "500": ("A fault of the server.", json_of(ref("ServerError"))),
    }
    if "If-Match" in endpoint.headers:
        answers["412"] = ("HEAD is another one.", json_of(_user_error(["version_mismatch"])))
    if endpoint.refusal_status == 403:
        answers["403"] = ("Not signed in, or without the right.", json_of(_user_error(of_session)))
        if endpoint.method == "GET":
            answers["404"] = ("No such version.", json_of(_user_error(["instance_not_found"])))
    return answers


def _error_answer(error: ContractError, uuid: str | None, _: Endpoint | None, __: bool) -> Answer:
    return Answer(msgspec.json.encode(error.to_object(uuid)), status=error.status)


_FIXED = {"x-easydb-api-version": API_VERSION}


def _headers(services: Services) -> Mapping[str, str]:
    return _FIXED | {"x-easydb-user-schema-version": str(services.instance.schema_version())}


_DESCRIPTION = Description(
    "Content Database Service, reference server",
    SERVER_VERSION,
    (
        {"url": "/api/v1"},
        {"url": "/api", "description": "The alias that clients of deployed services use."},
    ),
    COMPONENTS,
    {
        "tokenInQuery": {"type": "apiKey", "in": "query", "name": "token"},
        "tokenInHeader": {"type": "apiKey", "in": "header", "name": "x-easydb-token"},
    },
    {
        "X-Easydb-Api-Version": "Version of the interface.",
        "X-Easydb-User-Schema-Version": "Number of CURRENT, 0 before the first commit.",
        "Cache-Control": "Always no-cache.",
    },
    _failures,
    (Parameter("pretty", ParameterType(str, STRING), "1", "0 or false: JSON without indentation."),),
)
_PARTS = (session, events, schema, settings)

# The contract's prefix and the alias that real clients use (wire §1).
GENERATION_5 = Dialect(
    5,
    ("/api/v1", "/api"),
    token_of_session,
    _error_answer,
    _FIXED,
    _headers,
    _DESCRIPTION,
    indents=True,
).with_calls([*(endpoint for part in _PARTS for endpoint in part.ENDPOINTS), READY])
ENDPOINTS = GENERATION_5.endpoints
