"""The calls about the service itself: settings, by which clients tell the generations apart."""

from __future__ import annotations

from collections.abc import Mapping

from server_stub.foundation.times import to_wire
from server_stub.http.endpoint import Access, Call, Endpoint, json_of
from server_stub.http.parameters import BOOLEAN, STRING, TIME, JsonSchema, record, ref
from server_stub.http.responses import Answer, json_answer
from server_stub.http.services import SOLUTION

VERSION = "6.35.0"

# What a service may offer beside the calls; of these this server has only accounts.
_CAPABILITIES = (
    "auth",
    "ci_hub",
    "linkrui",
    "mobile_app",
    "read_only",
    "geo_support",
    "kubernetes",
    "two_factor",
)


def settings(call: Call) -> Answer:
    """GET settings: version, name and state, without an access token."""
    instance = call.services.instance.to_object()
    is_read_only = call.services.database.obstacle is not None
    return json_answer(
        {
            "config_name": instance["name"],
            "name": instance["name"],
            "instance": instance["db-name"],
            "version": VERSION,
            "version_full": f"{VERSION} (reference)",
            "solution": SOLUTION,
            "startup_time": to_wire(call.services.started),
            "external_url": str(call.request.base_url).rstrip("/"),
            "capabilities": dict.fromkeys(_CAPABILITIES, False) | {"auth": True, "read_only": is_read_only},
        }
    )


COMPONENTS: Mapping[str, JsonSchema] = {
    "Settings": record(
        {
            **dict.fromkeys(("config_name", "name", "instance", "version", "version_full"), STRING),
            "solution": STRING,
            "startup_time": TIME,
            "external_url": STRING,
            "capabilities": record(dict.fromkeys(_CAPABILITIES, BOOLEAN)),
        }
    )
}

ENDPOINTS = (
    Endpoint(
        "GET",
        "/settings",
        settings,
        "9",
        Access.PUBLIC,
        allows_unknown=True,
        answers=json_of(ref("Settings")),
        user_errors=(),
    ),
)
