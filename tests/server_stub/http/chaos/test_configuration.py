"""Configurations of faults are read strictly, and every error names the field and a remedy."""

import json

import pytest

from server_stub.http.chaos import FAULTS, ChaosConfiguration, ConfigurationError, Rule, parse_json
from server_stub.http.chaos.configuration import DEFAULT_RATE, calls_of, random_faults
from server_stub.http.routes import GENERATION_5, GENERATION_6


def test_an_empty_object_injects_nothing() -> None:
    """Nothing is injected by default, nor at a rate without any fault to choose from."""
    assert parse_json("{}") == ChaosConfiguration()
    assert not parse_json("{}").is_active
    assert not parse_json('{"rate": 0.5, "faults": []}').is_active


def test_all_fields() -> None:
    """Every field is read."""
    rule = {
        "fault": "slow-database",
        "call": "GET /event/list",
        "query": {"limit": "1"},
        "after": 3,
        "every": 2,
        "times": 5,
        "probability": 0.5,
        "parameters": {"seconds": 1},
    }
    found = parse_json(json.dumps({"seed": 7, "rate": 0.1, "faults": ["unavailable"], "rules": [rule]}))
    expected = Rule("slow-database", "GET /event/list", {"limit": "1"}, 3, 2, 5, 0.5, {"seconds": 1})
    assert found == ChaosConfiguration(7, 0.1, ("unavailable",), (expected,))
    assert found.is_active


def test_a_seed_gives_all_faults_at_the_default_rate() -> None:
    """One request in twenty."""
    assert random_faults(-3) == ChaosConfiguration(seed=-3, rate=DEFAULT_RATE)
    assert DEFAULT_RATE == 1 / 20


@pytest.mark.parametrize(
    ("text", "field", "remedy"),
    [
        ('{\n "rules": [}', "line 2, column 12", "must be a JSON object"),
        ("[]", "the configuration: Expected object, got array", "Fields are seed, rate, faults and rules"),
        ('{"rat": 1}', "unknown field rat", "Fields are seed, rate, faults and rules"),
        ('{"rate": 2}', "rate: Expected float <= 1.0", "Fields are"),
        ('{"rules": [{}]}', "rules[0]: Object missing required field fault", "Fields of a rule are fault"),
        ('{"rules": [{"fault": "reset-connection", "tims": 1}]}', "rules[0]: ", "Fields of a rule are fault"),
        ('{"rules": [{"fault": "reset-connection", "every": 0}]}', "rules[0].every", "Fields of a rule"),
        (
            '{"faults": ["server-eror"]}',
            "faults[0]: there is no fault 'server-eror'",
            "Is server-error meant?",
        ),
        (
            '{"rules": [{"fault": "zzz"}]}',
            "rules[0].fault: there is no fault 'zzz'",
            "Faults are server-error, ",
        ),
        (
            '{"rules": [{"fault": "unavailable", "call": "GET /evnt/list"}]}',
            "rules[0].call: no call matches 'GET /evnt/list'",
            "Write a method and a path without /api/v1",
        ),
        (
            '{"rules": [{"fault": "poll-gap", "call": "POST /event"}]}',
            "rules[0].call: poll-gap cannot be injected at 'POST /event'",
            "Leave the field out",
        ),
        (
            '{"rules": [{"fault": "slow-answer", "parameters": {"minutes": 1}}]}',
            "rules[0].parameters: slow-answer has no parameter 'minutes'",
            "Its parameters: seconds.",
        ),
        (
            '{"rules": [{"fault": "slow-answer", "parameters": {"seconds": -1}}]}',
            "rules[0].parameters.seconds: -1 is not between 0 and 120",
            "Leave it out for 3.",
        ),
    ],
)
def test_an_error_names_field_and_remedy(text: str, field: str, remedy: str) -> None:
    """The message says where the problem is and what to write instead."""
    with pytest.raises(ConfigurationError) as caught:
        parse_json(text)
    message = str(caught.value)
    assert field in message
    assert remedy in message
    assert "`" not in message


@pytest.mark.parametrize(
    ("call", "method", "path", "matches"),
    [
        ("*", "DELETE", "/event", True),
        ("GET /event/list", "GET", "/event/list", True),
        ("GET /event/list", "POST", "/event/list", False),
        ("* /schema/*", "POST", "/schema/user/HEAD", True),
        ("GET /event/poll*", "GET", "/event/poll/17", True),
        ("GET /event/poll*", "GET", "/event/list", False),
    ],
)
def test_calls_of_a_rule(call: str, method: str, path: str, matches: bool) -> None:
    """A pattern is a method and a path; * stands for any characters."""
    assert Rule("unavailable", call).matches(method, path) is matches


def test_parameters_of_a_rule() -> None:
    """The request must have all of them, and may have others."""
    rule = Rule("unavailable", query={"limit": "1", "type": "SEARCH"})
    assert rule.matches("GET", "/event/list", {"limit": "1", "type": "SEARCH", "offset": "0"})
    assert not rule.matches("GET", "/event/list", {"limit": "1"})
    assert not rule.matches("GET", "/event/list")


def test_the_catalogue() -> None:
    """There are at least 20 faults; each has a call, a sentence, and defaults within the limits."""
    assert len(FAULTS) >= 20
    for name, fault in FAULTS.items():
        assert fault.name == name
        assert calls_of(fault, (*GENERATION_5.endpoints, *GENERATION_6.endpoints)), name
        assert fault.meaning.endswith("."), name
        for parameter in fault.parameters.values():
            assert parameter.minimum <= parameter.default <= parameter.maximum, name
