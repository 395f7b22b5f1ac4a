"""§5 and wire §2: signing in by query and by form, and its errors."""

from server_stub.http.services import Services
from tests.contract.builders import listed
from tests.contract.caller import Caller, Clock, assert_error

SUPPORT = {"login": "support", "password": "support"}
CALL = "session/authenticate"


def test_by_query(caller: Caller) -> None:
    """Parameters are also accepted in the query; only the password of the exact login signs in."""
    for given, status in ((SUPPORT, 200), (SUPPORT | {"method": ["ldap", "easydb"]}, 200)):
        assert caller.with_session().post(CALL, **given).status_code == status
    for wrong in ({"password": "wrong"}, {"login": "nobody"}, {"login": "Support"}):
        assert_error(caller.with_session().post(CALL, **SUPPORT | wrong), "error.user.login_failed")


def test_form_with_the_token_in_the_query(caller: Caller) -> None:
    """Login and password may contain characters that a form must encode."""
    started = caller.with_session()
    headers = {"content-type": "application/x-www-form-urlencoded; charset=UTF-8"}
    answer = started("POST", CALL, content=b"login=%73upport&password=support&method=easydb", headers=headers)
    assert answer.status_code == 200, answer.text


def _fail(caller: Caller, times: int) -> None:
    started = caller.with_session()
    for _ in range(times):
        started.post(CALL, login="support", password="wrong")


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
