"""The small calls that real clients touch (wire §6): settings, configuration."""

from __future__ import annotations

from collections.abc import Mapping

from server_stub.foundation.times import to_wire
from server_stub.http.calls import Answer, Call, json_answer
from server_stub.http.endpoint import Access, Origin, Route, json_of
from server_stub.http.instance import API_VERSION, INSTANCE, instance_object
from server_stub.http.json_schema import OBJECT, STRING, TIME, JsonSchema, array, record, ref


def settings(call: Call) -> Answer:
    """GET settings: versions and times, without a session."""
    with call.rooms.database.read() as connection:
        told = instance_object(call.rooms, connection)
    times = {"startup_time": to_wire(call.rooms.started), "server_time": to_wire(call.rooms.now())}
    versions = {"version": API_VERSION, "database_version": call.rooms.database.version}
    return json_answer(told | versions | times)


def configuration(call: Call) -> Answer:
    """GET config/list: the base configuration, among it the database's languages."""
    with call.rooms.database.read() as connection:
        values = call.rooms.configuration.values(connection)
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

ROUTES = (
    Route(
        "GET",
        "/settings",
        settings,
        "9",
        Access.ANYBODY,
        ignores_unknown=True,
        answers=json_of(ref("Settings")),
        refusals=(),
        origin=Origin.DEPLOYED,
    ),
    Route(
        "GET",
        "/config/list",
        configuration,
        "9",
        ignores_unknown=True,
        answers=json_of(ref("Configuration")),
        refusals=(),
        origin=Origin.DEPLOYED,
    ),
)
