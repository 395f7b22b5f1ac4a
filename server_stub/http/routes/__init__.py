"""All calls of the interface, one module per part of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import msgspec

from server_stub.http.endpoint import Access, Call, Endpoint, Origin, json_of
from server_stub.http.openapi import describe
from server_stub.http.parameters import OBJECT, JsonSchema
from server_stub.http.responses import Answer
from server_stub.http.routes import errors, events, objects, schema, session, settings

COMPONENTS: Mapping[str, JsonSchema] = {
    **events.COMPONENTS,
    **session.COMPONENTS,
    **settings.COMPONENTS,
    **schema.COMPONENTS,
    **objects.COMPONENTS,
}
_PARTS = (session, events, schema, objects, errors, settings)


def endpoints_with(additions: tuple[Endpoint, ...] = ()) -> tuple[Endpoint, ...]:
    """All calls of a server that may have some more than others; its description contains them."""

    @cache
    def described() -> bytes:
        return msgspec.json.encode(describe(every, COMPONENTS))

    def description(_: Call) -> Answer:
        """GET openapi.json: describes every call of this server, this one included."""
        return Answer(described())

    described_by = Endpoint(
        "GET",
        "/openapi.json",
        description,
        "1",
        Access.ANYBODY,
        allows_unknown=True,
        answers=json_of(OBJECT),
        user_errors=(),
        origin=Origin.OURS,
    )
    every = (*(endpoint for part in _PARTS for endpoint in part.ENDPOINTS), described_by, *additions)
    return every


ENDPOINTS = endpoints_with()
