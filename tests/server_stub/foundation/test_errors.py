"""Error objects are valid by construction (§2.3, §7)."""

from __future__ import annotations

import pytest

from server_stub.foundation.errors import ApiError, ServerError, UserError


def test_a_user_error_carries_its_parameters() -> None:
    """User errors have parameters and no description, since clients have texts for each code."""
    error = UserError("event_not_found", id=7)
    expected = {"realm": "user", "code": "error.user.event_not_found", "parameters": {"id": "7"}}
    assert error.to_object() == expected
    assert error.status == 400


def test_an_api_error_carries_a_description() -> None:
    """API errors have an English description."""
    error = ApiError("invalid_value", "limit is -1.").to_object()
    assert error == {"realm": "api", "code": "error.api.invalid_value", "description": "limit is -1."}


def test_a_server_error_carries_a_uuid() -> None:
    """Server errors have the uuid of their details."""
    error = ServerError("database", "gone")
    assert (error.status, error.to_object("u")["uuid"]) == (500, "u")


def test_unknown_codes_and_wrong_parameters_are_defects() -> None:
    """A code or parameter that is not in the catalogue raises an error."""
    with pytest.raises(KeyError):
        UserError("no_such_thing")
    with pytest.raises(KeyError):
        UserError("event_not_found", event=7)
