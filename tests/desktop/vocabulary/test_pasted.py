"""Tests of reading an error object that somebody pasted."""

from __future__ import annotations

import json

import pytest

from cdb_desktop.vocabulary.pasted import pasted_error

RIGHT = {"realm": "user", "code": "error.user.no_system_right", "parameters": {"right": "system.root"}}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(RIGHT),
        f"403 Forbidden\n{json.dumps(RIGHT, indent=2)}\n",
        json.dumps({"statuscode": 403, "error": RIGHT}),
        json.dumps({"error": RIGHT["code"], "parameters": RIGHT["parameters"]}),
    ],
)
def test_an_error_object_is_read_as_services_send_it(text: str) -> None:
    """Bare, with something around it, or nested (§2.3, wire §4)."""
    error = pasted_error(text)
    assert error is not None
    assert (error.realm, error.code) == ("user", RIGHT["code"])
    assert error.parameters == {"right": "system.root"}


def test_an_unknown_code_is_an_error_all_the_same() -> None:
    """It is shown as it is."""
    error = pasted_error('{"realm": "user", "code": "error.user.brand_new", "parameters": {"n": 3}}')
    assert error is not None
    assert error.parameters == {"n": "3"}


@pytest.mark.parametrize(
    "text", ["", "right", "{", '{"code": 3}', '{"count": 3}', "[1]", '{"a": ' * 100_000 + "}" * 9]
)
def test_anything_else_is_no_error(text: str) -> None:
    """Then it is words to search for."""
    assert pasted_error(text) is None


def test_secrets_are_masked() -> None:
    """Somebody may paste what a service should not have sent."""
    text = {"code": "error.server.generic", "description": "GET /x?token=hush"}
    error = pasted_error(json.dumps(text))
    assert error is not None
    assert "hush" not in error.description
