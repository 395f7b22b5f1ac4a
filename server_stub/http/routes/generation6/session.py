"""Who is signed in: the call that clients make first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from server_stub.accounts.sessions import NATIVE_METHOD
from server_stub.accounts.users import EVENT_DELETE, EVENT_GET, User, allows, rights_object
from server_stub.foundation.times import to_wire
from server_stub.http.endpoint import Call, Endpoint, json_of
from server_stub.http.parameters import INTEGER, OBJECT, STRING, TIME, JsonSchema, array, record, ref
from server_stub.http.responses import Answer, json_answer
from server_stub.http.routes.generation6.pages import NO_STORE

_FRONTEND_LANGUAGE = "en-US"


def session(call: Call) -> Answer:
    """GET user/session: the user of the access token, with groups and rights."""
    found, who = call.session, call.user
    with call.services.database.read() as connection:
        groups = call.services.users.groups_of(connection, who.id)
        languages = str(call.services.configuration.value(connection, "languages")).split(",")
    locales = [{"name": language} for language in languages]
    rights = _rights(who)
    answer = json_answer(
        {
            "access_token": call.request.token,
            "authenticated": {"method": NATIVE_METHOD, "timestamp": to_wire(found.authenticated or 0)},
            "authentication_methods": [{"method": NATIVE_METHOD}],
            "config": {"base": {}, "defaults": {}, "extensions": {}},
            "database_locales": locales,
            "frontend_language": _FRONTEND_LANGUAGE,
            "frontend_locale": {"name": _FRONTEND_LANGUAGE},
            "groups": [
                {
                    "_basetype": "group",
                    "group": {"_id": id_, "name": name, "displayname": dict.fromkeys(languages, shown)},
                }
                for id_, name, shown in groups
            ],
            "system_rights": rights,
            "user": {
                "_basetype": "user",
                "user": {
                    "_id": who.id,
                    "login": who.login,
                    "type": who.type,
                    "displayname": who.displayname,
                    "_generated_displayname": who.displayname,
                },
                "_system_rights": rights,
            },
        }
    )
    # It has the token.
    return replace(answer, headers=NO_STORE)


def _rights(who: User) -> dict[str, dict[str, Any]]:
    """The rights in both spellings: with dots, and as parameters of the right before the last dot."""
    granted = {right: name for right, name in _OF_EVENTS.items() if allows(who.rights, right)}
    of_events = {"system.api.event": dict.fromkeys(granted.values(), True)} if granted else {}
    return rights_object(who.rights) | of_events


_OF_EVENTS = {EVENT_GET: "get", EVENT_DELETE: "delete"}
_RIGHTS: JsonSchema = {"type": "object", "additionalProperties": OBJECT}
_METHOD = record({"method": STRING}, timestamp=TIME)
_LOCALE = record({"name": STRING})
_USER = record(
    {
        "_basetype": {"const": "user"},
        "user": record(
            {"_id": INTEGER, **dict.fromkeys(("login", "type", "displayname"), STRING)},
            _generated_displayname=STRING,
        ),
        "_system_rights": _RIGHTS,
    }
)
_GROUP = record(
    {
        "_basetype": {"const": "group"},
        "group": record({"_id": INTEGER, "name": STRING, "displayname": OBJECT}),
    }
)

COMPONENTS: Mapping[str, JsonSchema] = {
    "Session": record(
        {
            "access_token": STRING,
            "authenticated": _METHOD,
            "authentication_methods": array(_METHOD),
            "config": OBJECT,
            "database_locales": array(_LOCALE),
            "frontend_language": STRING,
            "frontend_locale": _LOCALE,
            "groups": array(_GROUP),
            "system_rights": _RIGHTS,
            "user": _USER,
        }
    )
}

ENDPOINTS = (
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
