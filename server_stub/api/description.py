"""Describes the calls as an OpenAPI document, from the tables that route and check them; knows no handler."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from server_stub.api import account_shapes, error_shapes, event_shapes, schema_shapes
from server_stub.api.instance import SERVER_VERSION
from server_stub.api.kinds import JsonSchema, Kind
from server_stub.api.parameters import Parameter
from server_stub.api.route import Access, Origin, Route, json_of
from server_stub.api.shapes import TEXT, ref

_COMPONENTS: Mapping[str, JsonSchema] = {
    name: shape
    for module in (event_shapes, account_shapes, schema_shapes, error_shapes)
    for name, shape in module.COMPONENTS.items()
}
_PRETTY = Parameter("pretty", Kind(str, TEXT), "1", "0 or false: JSON without indentation.")
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


def describe(routes: Iterable[Route]) -> dict[str, Any]:
    """The OpenAPI document of some routes; `x-section` names the contract's section of each call."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Content Database Service, reference server", "version": SERVER_VERSION},
        "servers": [
            {"url": "/api/v1"},
            {"url": "/api", "description": "The alias that clients of deployed services use."},
        ],
        "paths": paths,
        "components": {
            "schemas": _COMPONENTS,
            "securitySchemes": _SCHEMES,
            "headers": {name: _header(meaning) for name, meaning in _HEADERS.items()},
        },
    }


def _operation(route: Route) -> dict[str, Any]:
    parts = [_parameter(part, "path") for part in route.places]
    summary = (route.handler.__doc__ or "").partition("\n")[0]
    told: dict[str, Any] = {
        "operationId": f"{route.method.lower()}{route.path.replace('/', '_')}".replace("{", "by_").replace(
            "}", ""
        ),
        "summary": summary,
        "tags": [route.path.split("/")[1]],
        "parameters": [*parts, *(_parameter(each, "query") for each in (*route.parameters, _PRETTY))],
        "security": [*([{}] if route.access is Access.ANYBODY else []), *_TOKEN],
        "responses": _responses(route),
        "x-section": route.section,
        "x-origin": route.origin,
    }
    if route.origin is Origin.OURS:
        told["description"] = "An addition of this server: deployed services do not have it."
    if route.right is not None:
        told["x-right"] = route.right
    if route.body is not None:
        told["requestBody"] = {"required": route.body.required, "content": _content(route.body.forms)}
    return told


def _parameter(parameter: Parameter, place: str) -> dict[str, Any]:
    schema = dict(parameter.kind.schema)
    default = parameter.default if parameter.told_default is None else parameter.told_default
    if default is not None and place == "query":
        schema["default"] = default
    told = {
        "name": parameter.name,
        "in": place,
        "required": parameter.required or place == "path",
        "description": parameter.meaning,
        "schema": schema,
    }
    return told | ({"style": "form", "explode": False} if schema.get("type") == "array" else {})


def _responses(route: Route) -> dict[str, Any]:
    session = ["session_not_found", "session_invalid"]
    if route.access is not Access.ANYBODY:
        session.append("not_authenticated")
    if route.right is not None:
        session.append("no_system_right")
    at_400 = [] if route.refusal != 400 else session
    refused = None if route.refusals is None else [*route.refusals, *at_400]
    answers = {
        "200": _answer("Success", route.answers),
        "400": _answer("The call is wrong, or is refused.", json_of(error_shapes.bad_request(refused))),
        "500": _answer("A fault of the server.", json_of(ref("ServerError"))),
    }
    if route.refusal == 403:
        answers["403"] = _answer(
            "Not signed in, or without the right.", json_of(error_shapes.user_error(session))
        )
        if route.method == "GET":
            answers["404"] = _answer(
                "No such version.", json_of(error_shapes.user_error(["instance_not_found"]))
            )
    return dict(sorted(answers.items()))


def _answer(meaning: str, forms: Mapping[str, JsonSchema]) -> dict[str, Any]:
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in _HEADERS}
    return {"description": meaning, "headers": headers, "content": _content(forms)}


def _content(forms: Mapping[str, JsonSchema]) -> dict[str, Any]:
    return {media: {"schema": schema} for media, schema in forms.items()}


def _header(meaning: str) -> dict[str, Any]:
    return {"description": meaning, "required": True, "schema": TEXT}
