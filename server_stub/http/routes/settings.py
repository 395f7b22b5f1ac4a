"""The small calls that real clients touch (wire §6): settings, configuration."""

from __future__ import annotations

from collections.abc import Mapping

from server_stub.foundation.times import to_wire
from server_stub.http.calls import Call
from server_stub.http.endpoint import Access, Endpoint, Origin, json_of
from server_stub.http.instance import API_VERSION, INSTANCE, instance_object
from server_stub.http.json_schema import OBJECT, STRING, TIME, JsonSchema, array, record, ref
from server_stub.http.responses import Answer, json_answer


def settings(call: Call) -> Answer:
    """GET settings: versions and times, without a session."""
    with call.services.database.read() as connection:
        described = instance_object(call.services, connection)
    times = {"startup_time": to_wire(call.services.started), "server_time": to_wire(call.services.now())}
    versions = {"version": API_VERSION, "database_version": call.services.database.version}
    return json_answer(described | versions | times)


def configuration(call: Call) -> Answer:
    """GET config/list: the base configuration, among it the database's languages."""
    with call.services.database.read() as connection:
        values = call.services.configuration.values(connection)
    choices = str(values["languages"]).split(",")
    languages = {"name": "languages", "parameters": {"database": {"choices": choices, "value": choices}}}
    rest = [
        {"name": name, "parameters": {"value": value}}
        for name, value in values.items()
        if name != "languages"
    ]
    return json_answer({"system": [languages, *rest]})


_VARIABLE = record({"name": STRING, "parameters": OBJECT})

COMPONENTS: Mapping[str, JsonSchema] = {
    "Settings": record(
        INSTANCE | {"version": STRING, "database_version": STRING, "startup_time": TIME, "server_time": TIME}
    ),
    "Configuration": record({"system": array(_VARIABLE)}),
}

ENDPOINTS = (
    Endpoint(
        "GET",
        "/settings",
        settings,
        "9",
        Access.ANYBODY,
        allows_unknown=True,
        answers=json_of(ref("Settings")),
        user_errors=(),
        origin=Origin.DEPLOYED,
    ),
    Endpoint(
        "GET",
        "/config/list",
        configuration,
        "9",
        allows_unknown=True,
        answers=json_of(ref("Configuration")),
        user_errors=(),
        origin=Origin.DEPLOYED,
    ),
)
