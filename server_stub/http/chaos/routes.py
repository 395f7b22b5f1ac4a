"""The calls that show and change the injected faults (our addition)."""

from __future__ import annotations

from dataclasses import asdict, replace

import msgspec

from server_stub.accounts import ROOT
from server_stub.foundation.errors import ApiError
from server_stub.http.calls import Call
from server_stub.http.chaos.catalogue import FAULTS
from server_stub.http.chaos.configuration import ConfigurationError, calls_of, read_configuration
from server_stub.http.chaos.injector import FaultSelector
from server_stub.http.endpoint import Body, Endpoint, Origin, json_of
from server_stub.http.json_schema import BOOLEAN, INTEGER, OBJECT, STRING, JsonSchema, array, record
from server_stub.http.responses import Answer, json_answer
from server_stub.http.routes import ENDPOINTS

_NUMBER: JsonSchema = {"type": "number"}
_RULE: JsonSchema = {
    "type": "object",
    "required": ["fault"],
    "additionalProperties": False,
    "properties": {
        "fault": {"enum": list(FAULTS)},
        "call": {"type": "string", "description": "Method and path without prefix, * for any text."},
        "query": {"type": "object", "additionalProperties": STRING},
        "after": INTEGER,
        "every": INTEGER,
        "times": {"type": ["integer", "null"]},
        "probability": _NUMBER,
        "parameters": {"type": "object", "additionalProperties": _NUMBER},
    },
}
_CONFIGURATION: JsonSchema = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "seed": INTEGER,
        "rate": _NUMBER,
        "faults": {"anyOf": [array({"enum": list(FAULTS)}), {"type": "null"}]},
        "rules": array(_RULE),
    },
}
_FAULT = record(
    {"name": STRING, "meaning": STRING, "calls": array(STRING), "parameters": OBJECT, "injected": INTEGER}
)
_STATE = record(
    {
        "active": BOOLEAN,
        "configuration": _CONFIGURATION,
        "requests": INTEGER,
        "injected": INTEGER,
        "injected_by_rule": array(INTEGER),
        "faults": array(_FAULT),
    }
)


def _state(selector: FaultSelector) -> Answer:
    configuration = selector.configuration
    faults = [
        {
            "name": fault.name,
            "meaning": fault.meaning,
            "calls": calls_of(fault, ENDPOINTS),
            "parameters": {name: asdict(known) for name, known in fault.parameters.items()},
            "injected": selector.injected(fault.name),
        }
        for fault in FAULTS.values()
    ]
    return json_answer(
        {
            "active": configuration.is_active,
            "configuration": msgspec.to_builtins(configuration),
            "requests": selector.requests,
            "injected": sum(selector.injected(name) for name in FAULTS),
            "injected_by_rule": [
                selector.injected_by_rule(place) for place in range(len(configuration.rules))
            ],
            "faults": faults,
        }
    )


def chaos_endpoints(selector: FaultSelector) -> tuple[Endpoint, ...]:
    """The calls for the faults of one server; they require the right of the system administrator."""

    def show(_: Call) -> Answer:
        """GET chaos: the faults, the rules in force, and how often each fault has been injected."""
        return _state(selector)

    def change(call: Call) -> Answer:
        """PUT chaos: replaces the rules; an empty object injects no more faults."""
        try:
            configuration = read_configuration(call.request.json_object())
        except ConfigurationError as error:
            raise ApiError("invalid_value", str(error)) from error
        selector.configure(configuration)
        return _state(selector)

    shown = Endpoint(
        "GET",
        "/chaos",
        show,
        "1",
        right=ROOT,
        answers=json_of(_STATE),
        user_errors=(),
        origin=Origin.OURS,
    )
    return shown, replace(shown, method="PUT", handler=change, body=Body(json_of(_CONFIGURATION)))
