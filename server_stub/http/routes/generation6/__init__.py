"""Generation 6: OAuth 2.0, statuses that mean what HTTP says, filters in the query, deletion by filters.

Everything it offers is done by the services of generation 5; a server of each may run on one database.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from server_stub.http.dialect import READY, Dialect
from server_stub.http.endpoint import Endpoint
from server_stub.http.openapi import Description, shapes
from server_stub.http.requests import ApiRequest
from server_stub.http.routes.generation6 import errors, events, oauth, schema, session
from server_stub.http.services import Services

# `purge`, `startup` and `busy` come with status 503, from a server that does not answer calls.
_STATUS = "x-fylr-status"


def _read_token(request: ApiRequest) -> str | None:
    """The access token, which travels in a header only."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token:
        return token.strip()
    return request.headers.get("x-fylr-authorization", "").removeprefix("Bearer ").strip() or None


_READY = {_STATUS: "ready"}


def _headers(services: Services) -> Mapping[str, str]:
    return {_STATUS: "reindex"} if services.instance.is_reindexing() else _READY


_PARTS = (oauth, session, events, schema)
_DESCRIPTION = Description(
    "Content Database Service, reference server, generation 6",
    session.VERSION,
    ({"url": "/api/v1"},),
    {**errors.COMPONENTS, **shapes(6)},
    {
        "bearer": {"type": "http", "scheme": "bearer"},
        "bearerHeader": {"type": "apiKey", "in": "header", "name": "x-fylr-authorization"},
    },
    {"X-Fylr-Status": "The state of the service.", "Cache-Control": "Always no-cache or no-store."},
    errors.failures,
)

_CALLS = [*(endpoint for part in _PARTS for endpoint in part.ENDPOINTS), READY]


def _as_here(call: Endpoint) -> Endpoint:
    """An access token has a life of its own; a mistyped parameter matters where it could be a filter."""
    has_filter = call.path in ("/event", "/event/list")
    return replace(call, prolongs_session=False, allows_unknown=call.allows_unknown or not has_filter)


GENERATION_6 = Dialect(
    6, ("/api/v1",), _read_token, errors.error_answer, _READY, _headers, _DESCRIPTION, stream=events.STREAM
).with_calls(map(_as_here, _CALLS))
