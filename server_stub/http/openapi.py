"""The OpenAPI document, from the declarations by which calls are routed and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from server_stub.foundation.resources import resource
from server_stub.http.endpoint import Access, Endpoint, Origin
from server_stub.http.parameters import STRING, JsonSchema, Parameter


@dataclass(frozen=True)
class Description:
    """What the document of a dialect says beside its calls.

    `components` are the shapes that answers may refer to, `headers` those of every answer with their
    meanings, `parameters` those of every call. `failures` returns the answers that are errors, by status,
    each with its meaning and shape.
    """

    title: str
    version: str
    servers: tuple[Mapping[str, str], ...]
    components: Mapping[str, JsonSchema]
    security_schemes: Mapping[str, Mapping[str, str]]
    headers: Mapping[str, str]
    failures: Callable[[Endpoint], Mapping[str, tuple[str, Mapping[str, JsonSchema]]]]
    parameters: tuple[Parameter, ...] = ()


def shapes(generation: int) -> Mapping[str, JsonSchema]:
    """The shapes of a generation that nothing in the program decides."""
    file = resource(f"generation{generation}_shapes.json")
    return msgspec.json.decode(file.read_bytes(), type=dict[str, dict[str, Any]])


def describe(endpoints: Iterable[Endpoint], description: Description) -> dict[str, Any]:
    """Returns the OpenAPI document of some calls.

    `x-section` names the section of the contract for each call.
    """
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        operations = paths.setdefault(endpoint.path, {})
        operations[endpoint.method.lower()] = _operation(endpoint, description)
        if endpoint.prefixes is not None:
            operations["servers"] = [{"url": prefix or "/"} for prefix in endpoint.prefixes]
    return {
        "openapi": "3.1.0",
        "info": {"title": description.title, "version": description.version},
        "servers": list(description.servers),
        "paths": paths,
        "components": {
            "schemas": description.components,
            "securitySchemes": description.security_schemes,
            "headers": {name: _header(meaning) for name, meaning in description.headers.items()},
        },
    }


def _operation(endpoint: Endpoint, description: Description) -> dict[str, Any]:
    parts = [_parameter(part, "path") for part in endpoint.path_parameters]
    summary = (endpoint.handler.__doc__ or "").partition("\n")[0]
    described: dict[str, Any] = {
        "operationId": f"{endpoint.method.lower()}{endpoint.path.replace('/', '_')}".replace(
            "{", "by_"
        ).replace("}", ""),
        "summary": summary,
        "tags": [endpoint.path.split("/")[1]],
        "parameters": [
            *parts,
            *(_parameter(each, "query") for each in (*endpoint.parameters, *description.parameters)),
            *(
                {"name": name, "in": "header", "description": meaning, "schema": STRING}
                for name, meaning in endpoint.headers.items()
            ),
        ],
        "security": _security(endpoint.access, description),
        "responses": _responses(endpoint, description),
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


def _security(access: Access, description: Description) -> list[dict[str, Any]]:
    if access is Access.PUBLIC:
        return [{}]
    token: list[dict[str, Any]] = [{name: []} for name in description.security_schemes]
    return [{}, *token] if access is Access.ANYBODY else token


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


def _responses(endpoint: Endpoint, description: Description) -> dict[str, Any]:
    failures = description.failures(endpoint)
    answers = {
        "200": ("Success", endpoint.answers),
        **{str(status): ("Success", forms) for status, forms in endpoint.other_answers.items()},
        **failures,
        "503": ("The database is busy or away: nothing was changed.", failures["500"][1]),
    }
    found = {
        status: _answer(meaning, forms, description) for status, (meaning, forms) in sorted(answers.items())
    }
    for name, meaning in endpoint.answer_headers.items():
        found["200"]["headers"][name] = _header(meaning)
    return found


def _answer(meaning: str, forms: Mapping[str, JsonSchema], description: Description) -> dict[str, Any]:
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in description.headers}
    return {"description": meaning, "headers": headers, "content": _content(forms)}


def _content(forms: Mapping[str, JsonSchema]) -> dict[str, Any]:
    return {media: {"schema": schema} for media, schema in forms.items()}


def _header(meaning: str) -> dict[str, Any]:
    return {"description": meaning, "required": True, "schema": STRING}
