"""§5 and wire §2: signing in by query and by form, and its errors."""

from __future__ import annotations

from typing import Any

import pytest

from server_stub.http.calls import Services
from tests.contract.builders import listed
from tests.contract.caller import Caller, Clock, assert_error

SUPPORT = {"login": "support", "password": "support"}
CALL = "session/authenticate"


@pytest.mark.parametrize("method", [None, "easydb", "ldap,easydb", "easydb,saml"])
def test_by_query_and_by_form(caller: Caller, method: str | None) -> None:
    """Parameters are accepted in the query and in a form; the method list must have the native one."""
    given = SUPPORT if method is None else SUPPORT | {"method": method}
    for sent in ({"params": given}, {"data": given}):
        started = caller.with_session()
        answer = started("POST", CALL, **sent)
        assert answer.status_code == 200, answer.text
        assert answer.json()["authenticated"]["method"] == "easydb"


def test_repeated_method(caller: Caller) -> None:
    """The method may be repeated in the query and in a form (wire §2)."""
    for sent in (
        {"params": SUPPORT | {"method": ["ldap", "easydb"]}},
        {"data": SUPPORT | {"method": ["x", "easydb"]}},
    ):
        assert caller.with_session()("POST", CALL, **sent).status_code == 200


def test_form_with_the_token_in_the_query(caller: Caller) -> None:
    """Login and password may contain characters that a form must encode."""
    started = caller.with_session()
    headers = {"content-type": "application/x-www-form-urlencoded; charset=UTF-8"}
    answer = started("POST", CALL, content=b"login=%73upport&password=support&method=easydb", headers=headers)
    assert answer.status_code == 200, answer.text


FORM = {"content-type": "Application/X-WWW-Form-URLencoded; charset=UTF-8"}


def test_form_with_the_token(caller: Caller) -> None:
    """All parameters including the token may be in the form (wire §1); other calls need it elsewhere."""
    token = caller.with_session().token
    form = f"token={token}&login=support&password=support&method=easydb".encode()
    answer = caller("POST", CALL, content=form, headers=FORM)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["token"], answer.json()["authenticated"]["method"]) == (token, "easydb")
    left = caller("POST", "session/deauthenticate", content=f"token={token}".encode(), headers=FORM)
    assert left.status_code == 200, left.text
    stranger = caller("POST", CALL, content=b"token=nobodys&login=support&password=support", headers=FORM)
    assert_error(stranger, "error.user.session_not_found", id="nobo…")


def test_a_form_that_cannot_be_read(caller: Caller) -> None:
    """A form that is not UTF-8 is refused without repeating the password."""
    started = caller.with_session()
    raw = started("POST", CALL, content=b"login=support&password=\xff", headers=FORM)
    assert_error(raw, "error.api.invalid_content")
    for name, other in (("login", "password"), ("password", "login")):
        answer = started("POST", CALL, content=f"{other}=support&{name}=%ffsecret".encode(), headers=FORM)
        assert_error(answer, "error.api.invalid_value")
        assert name in answer.json()["description"]
        assert "secret" not in answer.text
    assert_error(caller("POST", CALL, content=b"token=\xff", headers=FORM), "error.user.not_authenticated")


FAILURES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"login": "support", "password": "wrong"}, "login_failed"),
    ({"login": "nobody", "password": "support"}, "login_failed"),
    ({"login": "Support", "password": "support"}, "login_failed"),
    ({"login": "", "password": "support"}, "username_or_password_empty"),
    ({"login": "support", "password": ""}, "username_or_password_empty"),
    ({"login": "support"}, "username_or_password_empty"),
    ({}, "username_or_password_empty"),
    (SUPPORT | {"method": "ldap"}, "authentication_method_not_allowed"),
    (SUPPORT | {"method": "ldap,saml"}, "authentication_method_not_allowed"),
)


@pytest.mark.parametrize(("given", "name"), FAILURES, ids=str)
def test_failure(caller: Caller, given: dict[str, str], name: str) -> None:
    """A failure is answered with 400 and the code of §7.4 or §7.9, and the session is unchanged."""
    for sent in ({"params": given}, {"data": given}):
        started = caller.with_session()
        answer = started("POST", CALL, **sent)
        assert_error(answer, f"error.user.{name}")
        if name == "authentication_method_not_allowed":
            assert answer.json()["parameters"].keys() == {"method"}
        assert "authenticated" not in started.get("session").json()


def test_needs_a_session(caller: Caller) -> None:
    """Signing in requires a token."""
    assert_error(caller.post(CALL, **SUPPORT), "error.user.not_authenticated")


def _fail(caller: Caller, times: int) -> None:
    started = caller.with_session()
    for _ in range(times):
        started.post(CALL, login="support", password="wrong")


def test_blocking(caller: Caller, clock: Clock) -> None:
    """Several consecutive failures block the login for a while, even with the right password (wire §2)."""
    _fail(caller, 20)
    blocked = caller.with_session().post(CALL, **SUPPORT)
    assert blocked.status_code == 400
    assert blocked.json()["code"].startswith("error.user.login_disabled")
    caller.signed_in("viewer")  # only this login is blocked
    clock.second += 86_400
    caller.signed_in("support")


def test_when_the_block_begins_and_ends(caller: Caller, clock: Clock) -> None:
    """Five failures are free, each further one doubles the delay; a refusal names its end, unextended."""
    _fail(caller, 4)
    started = caller.with_session()
    for seconds, until in ((2, "06:42"), (4, "06:46"), (8, "06:54")):
        assert_error(started.post(CALL, login="support", password="wrong"), "error.user.login_failed")
        for _ in range(2):
            blocked = started.post(CALL, **SUPPORT)
            assert_error(blocked, "error.user.login_disabled_to", to=f"2025-06-15T15:{until}+00:00")
        clock.second += seconds
    assert started.post(CALL, **SUPPORT).status_code == 200
    _fail(caller, 4)
    assert started.post(CALL, **SUPPORT).status_code == 200


def test_only_failures_in_a_row_block(caller: Caller) -> None:
    """A success resets the count of failures."""
    for _ in range(12):
        _fail(caller, 1)
        caller.signed_in("support")


def test_what_is_logged(caller: Caller) -> None:
    """USER_LOGIN, USER_LOGOUT and LOGIN_FAILED are logged without passwords (wire §3)."""
    support = caller.signed_in("support")
    support.post("session/deauthenticate")
    caller.with_session().post(CALL, login="support", password="a-wrong-secret")
    reader = caller.signed_in("support")
    answer = reader.get("event/list", format="json_full", sort="_id")
    events = [record["event"] for record in answer.json()["objects"]]
    assert [event["type"] for event in events] == ["USER_LOGIN", "USER_LOGOUT", "LOGIN_FAILED", "USER_LOGIN"]
    assert [event["pollable"] for event in events] == [True, True, False, True]
    assert events[2]["info"].keys() == {"method", "login", "reason"}
    assert "a-wrong-secret" not in answer.text


def test_reads_are_not_logged(caller: Caller, services: Services) -> None:
    """Reading, listing and polling are not logged (wire §3)."""
    root = caller.signed_in("root")
    before = listed(root.get("event/list"))
    for path in ("event/list", f"event/{before[0]}", "event/poll", "session", "schema/user/HEAD", "settings"):
        root.get(path)
    assert listed(root.get("event/list")) == before
