"""The OpenAPI document, from the declarations by which calls are routed and checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from server_stub.foundation.errors import catalogue
from server_stub.http.endpoint import Access, Endpoint, Origin, json_of
from server_stub.http.parameters import STRING, JsonSchema, Parameter, ParameterType, either, record, ref
from server_stub.http.services import SERVER_VERSION

_UUID: JsonSchema = {"type": "string", "format": "uuid"}
_PARAMETERS: JsonSchema = {"type": "object", "additionalProperties": STRING}


def _codes(realm: str) -> dict[str, list[str]]:
    """The codes of a realm with the names of their parameters."""
    return {code: entry["parameters"] for code, entry in catalogue().items() if entry["realm"] == realm}


def _head(realm: str) -> dict[str, JsonSchema]:
    return {"realm": {"const": realm}, "code": {"enum": list(_codes(realm))}}


def user_error(names: Iterable[str] | None) -> JsonSchema:
    """Returns the schema of user errors with some names, or with any if these are None."""
    if names is None:
        return ref("UserError")
    codes = {"properties": {"code": {"enum": [f"error.user.{name}" for name in names]}}}
    return {"allOf": [ref("UserError"), codes]}


def bad_request(names: Iterable[str] | None) -> JsonSchema:
    """Returns the schema of answers with status 400: API errors, and some user errors (§7.1)."""
    return either(ref("ApiError"), user_error(names))


_ERRORS: Mapping[str, JsonSchema] = {
    "ApiError": record(_head("api") | {"description": STRING}),
    "UserError": dict(record(_head("user"), parameters=_PARAMETERS)) | {"x-parameters": _codes("user")},
    "ServerError": record(_head("server") | {"description": STRING, "uuid": _UUID}),
    "ErrorDetails": record(
        {
            "code": STRING,
            "description": STRING,
            "timestamp": STRING,
            "request": record({"method": STRING, "url": STRING}),
            "session": {"type": ["string", "null"]},
            "log": STRING,
        }
    ),
}


_PRETTY = Parameter("pretty", ParameterType(str, STRING), "1", "0 or false: JSON without indentation.")
_TOKEN: tuple[dict[str, list[str]], ...] = ({"tokenInQuery": []}, {"tokenInHeader": []})
_SCHEMES = {
    "tokenInQuery": {"type": "apiKey", "in": "query", "name": "token"},
    "tokenInHeader": {"type": "apiKey", "in": "header", "name": "x-easydb-token"},
}
_HEADERS = {
    "X-Easydb-Api-Version": "Version of the interface.",
    "X-Easydb-User-Schema-Version": "Number of CURRENT, 0 before the first commit.",
    "Cache-Control": "Always no-cache.",
}


def describe(endpoints: Iterable[Endpoint], components: Mapping[str, JsonSchema]) -> dict[str, Any]:
    """Returns the OpenAPI document of some calls, whose answers may refer to `components`.

    `x-section` names the section of the contract for each call.
    """
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Content Database Service, reference server", "version": SERVER_VERSION},
        "servers": [
            {"url": "/api/v1"},
            {"url": "/api", "description": "The alias that clients of deployed services use."},
        ],
        "paths": paths,
        "components": {
            "schemas": {**components, **_ERRORS},
            "securitySchemes": _SCHEMES,
            "headers": {name: _header(meaning) for name, meaning in _HEADERS.items()},
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    parts = [_parameter(part, "path") for part in endpoint.path_parameters]
    summary = (endpoint.handler.__doc__ or "").partition("\n")[0]
    described: dict[str, Any] = {
        "operationId": f"{endpoint.method.lower()}{endpoint.path.replace('/', '_')}".replace(
            "{", "by_"
        ).replace("}", ""),
        "summary": summary,
        "tags": [endpoint.path.split("/")[1]],
        "parameters": [*parts, *(_parameter(each, "query") for each in (*endpoint.parameters, _PRETTY))],
        "security": _security(endpoint.access),
        "responses": _responses(endpoint),
        "x-section": endpoint.section,
        "x-origin": endpoint.origin,
    }
    if endpoint.origin is Origin.OURS:
        described["description"] = "An addition of this server, which the interface does not describe."
    if endpoint.right is not None:
        described["x-right"] = endpoint.right
    if endpoint.body is not None:
        described["requestBody"] = {
            "required": endpoint.body.required,
            "content": _content(endpoint.body.forms),
        }
    return described


def _security(access: Access) -> list[dict[str, Any]]:
    if access is Access.PUBLIC:
        return [{}]
    return [{}, *_TOKEN] if access is Access.ANYBODY else [*_TOKEN]


def _parameter(parameter: Parameter, place: str) -> dict[str, Any]:
    schema = dict(parameter.type.schema)
    default = parameter.default if parameter.documented_default is None else parameter.documented_default
    if default is not None and place == "query":
        schema["default"] = default
    described = {
        "name": parameter.name,
        "in": place,
        "required": parameter.required or place == "path",
        "description": parameter.meaning,
        "schema": schema,
    }
    return described | ({"style": "form", "explode": False} if schema.get("type") == "array" else {})


def _responses(endpoint: Endpoint) -> dict[str, Any]:
    session = [] if endpoint.access is Access.PUBLIC else ["session_not_found", "session_invalid"]
    if endpoint.access in {Access.SESSION, Access.SIGNED_IN}:
        session.append("not_authenticated")
    if endpoint.right is not None:
        session.append("no_system_right")
    at_400 = [] if endpoint.refusal_status != 400 else session
    refused = None if endpoint.user_errors is None else [*endpoint.user_errors, *at_400]
    answers = {
        "200": _answer("Success", endpoint.answers),
        "400": _answer("The call is wrong, or is refused.", json_of(bad_request(refused))),
        "500": _answer("A fault of the server.", json_of(ref("ServerError"))),
    }
    if endpoint.refusal_status == 403:
        answers["403"] = _answer("Not signed in, or without the right.", json_of(user_error(session)))
        if endpoint.method == "GET":
            answers["404"] = _answer("No such version.", json_of(user_error(["instance_not_found"])))
    return dict(sorted(answers.items()))


def _answer(meaning: str, forms: Mapping[str, JsonSchema]) -> dict[str, Any]:
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in _HEADERS}
    return {"description": meaning, "headers": headers, "content": _content(forms)}


def _content(forms: Mapping[str, JsonSchema]) -> dict[str, Any]:
    return {media: {"schema": schema} for media, schema in forms.items()}


def _header(meaning: str) -> dict[str, Any]:
    return {"description": meaning, "required": True, "schema": STRING}
