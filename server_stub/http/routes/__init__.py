"""All calls of the interface, one module per part of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import msgspec

from server_stub.http.endpoint import Access, Call, Endpoint, Origin, json_of
from server_stub.http.json_schema import OBJECT, JsonSchema
from server_stub.http.openapi import describe
from server_stub.http.responses import Answer
from server_stub.http.routes import errors, events, objects, schema, session, settings


def description(_: Call) -> Answer:
    """GET openapi.json: describes every call of this server, this one included."""
    return Answer(_described())


@cache
def _described() -> bytes:
    return msgspec.json.encode(describe(ENDPOINTS, COMPONENTS))


ENDPOINTS = (
    *session.ENDPOINTS,
    *events.ENDPOINTS,
    *schema.ENDPOINTS,
    *objects.ENDPOINTS,
    *errors.ENDPOINTS,
    *settings.ENDPOINTS,
    Endpoint(
        "GET",
        "/openapi.json",
        description,
        "1",
        Access.ANYBODY,
        allows_unknown=True,
        answers=json_of(OBJECT),
        user_errors=(),
        origin=Origin.OURS,
    ),
)

COMPONENTS: Mapping[str, JsonSchema] = {
    **events.COMPONENTS,
    **session.COMPONENTS,
    **settings.COMPONENTS,
    **schema.COMPONENTS,
    **objects.COMPONENTS,
}

_CALLS = {(endpoint.method, endpoint.path) for endpoint in ENDPOINTS}
# The paths of calls without their last part, where it must not be left out.
_INCOMPLETE = {
    endpoint.path.rpartition("/{")[0]: endpoint.path
    for endpoint in ENDPOINTS
    if endpoint.path.endswith("}") and (endpoint.method, endpoint.path.rpartition("/{")[0]) not in _CALLS
}


def endpoints_with(additions: tuple[Endpoint, ...]) -> tuple[Endpoint, ...]:
    """All calls of a server that has some more than others; its description contains them."""
    if not additions:
        return ENDPOINTS

    def description_of_all(_: Call) -> Answer:
        """GET openapi.json: describes every call of this server, this one included."""
        return Answer(msgspec.json.encode(describe(every, COMPONENTS)))

    every = (
        *(
            replace(endpoint, handler=description_of_all) if endpoint.handler is description else endpoint
            for endpoint in ENDPOINTS
        ),
        *additions,
    )
    return every


def path_to_complete(path: str) -> str | None:
    """Returns the whole path of a call whose last part is missing in `path` (§7.2), else None."""
    bare = path.removeprefix("/api").removeprefix("/v1")
    return _INCOMPLETE.get(bare.rstrip("/"))
