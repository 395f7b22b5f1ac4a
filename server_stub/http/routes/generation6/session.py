"""The calls that clients make first: settings, which tell the generation, and who is signed in."""

from __future__ import annotations

from typing import Any

from server_stub.accounts.sessions import NATIVE_METHOD
from server_stub.accounts.users import EVENT_DELETE, EVENT_GET, User, allows, rights_object
from server_stub.foundation.times import to_wire
from server_stub.http.endpoint import Call, Endpoint, json_of
from server_stub.http.parameters import ref
from server_stub.http.responses import Answer, json_answer
from server_stub.http.routes.generation6.pages import NO_STORE
from server_stub.http.routes.shared import OF_ANY_SESSION, SETTINGS, group_objects, user_object
from server_stub.http.services import SOLUTION

VERSION = "6.35.0"

# What a service may offer beside the calls and accounts, and this server does not.
_MISSING = ("ci_hub", "linkrui", "mobile_app", "geo_support", "kubernetes", "two_factor")


def settings(call: Call) -> Answer:
    """GET settings: version, name and state, without an access token."""
    instance = call.services.instance.state()
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
            "capabilities": dict.fromkeys(_MISSING, False) | {"auth": True, "read_only": is_read_only},
        }
    )


def session(call: Call) -> Answer:
    """GET user/session: the user of the access token, with groups and rights."""
    found, who = call.session, call.user
    with call.services.database.read() as connection:
        languages = str(call.services.configuration.value(connection, "languages")).split(",")
        groups = group_objects(call, connection, who, lambda name: dict.fromkeys(languages, name))
    rights = _rights(who)
    return json_answer(
        {
            **OF_ANY_SESSION,
            "access_token": call.request.token,
            "authenticated": {"method": NATIVE_METHOD, "timestamp": to_wire(found.authenticated or 0)},
            "database_locales": [{"name": language} for language in languages],
            "frontend_locale": {"name": OF_ANY_SESSION["frontend_language"]},
            "groups": groups,
            "system_rights": rights,
            "user": {**user_object(who), "_system_rights": rights},
        },
        headers=NO_STORE,  # It has the token.
    )


def _rights(who: User) -> dict[str, dict[str, Any]]:
    """The rights in both spellings: with dots, and as parameters of the right before the last dot."""
    granted = {right: name for right, name in _OF_EVENTS.items() if allows(who.rights, right)}
    of_events = {"system.api.event": dict.fromkeys(granted.values(), True)} if granted else {}
    return rights_object(who.rights) | of_events


_OF_EVENTS = {EVENT_GET: "get", EVENT_DELETE: "delete"}

ENDPOINTS = (
    SETTINGS(handler=settings),
    Endpoint(
        "GET",
        "/user/session",
        session,
        "5",
        allows_unknown=True,
        answers=json_of(ref("Session")),
        user_errors=(),
    ),
)
