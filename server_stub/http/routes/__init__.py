"""All calls in one table, from which the application routes and the interface is described."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import msgspec

from server_stub.http.calls import Answer, Call
from server_stub.http.endpoint import Access, Origin, Route, json_of
from server_stub.http.json_schema import OBJECT, JsonSchema
from server_stub.http.openapi import describe
from server_stub.http.routes import errors, events, schema, session, settings


def description(_: Call) -> Answer:
    """GET openapi.json: describes every call of this server, this one included."""
    return Answer(_described())


@cache
def _described() -> bytes:
    return msgspec.json.encode(describe(ROUTES, COMPONENTS))


ROUTES = (
    *session.ROUTES,
    *events.ROUTES,
    *schema.ROUTES,
    *errors.ROUTES,
    *settings.ROUTES,
    Route(
        "GET",
        "/openapi.json",
        description,
        "1",
        Access.ANYBODY,
        ignores_unknown=True,
        answers=json_of(OBJECT),
        refusals=(),
        origin=Origin.OURS,
    ),
)

COMPONENTS: Mapping[str, JsonSchema] = {
    **events.COMPONENTS,
    **session.COMPONENTS,
    **settings.COMPONENTS,
    **schema.COMPONENTS,
}

_CALLS = {(route.method, route.path) for route in ROUTES}
# The paths of calls without their last part, where it must not be left out.
_INCOMPLETE = {
    route.path.rpartition("/{")[0]: route.path
    for route in ROUTES
    if route.path.endswith("}") and (route.method, route.path.rpartition("/{")[0]) not in _CALLS
}


def completed(path: str) -> str | None:
    """The path of the call that lacks its positional parameter (§7.2), None when it is none of these."""
    bare = path.removeprefix("/api").removeprefix("/v1")
    return _INCOMPLETE.get(bare.rstrip("/"))
