"""§4.1: one event by its id."""

from __future__ import annotations

from tests.contract.builders import SUPPORT, Store, by, event
from tests.contract.caller import Caller, assert_error


def test_answers_one_full_record(caller: Caller, store: Store) -> None:
    """The response is the record as in a full list (§4.1, wire §3)."""
    (id_,) = store(event("SEARCH", by(SUPPORT), info='{"a":1}'))
    support = caller.signed_in("support")
    answer = support.get(f"event/{id_}")
    assert answer.status_code == 200
    assert answer.json()["event"]["_id"] == id_
    assert answer.json()["event"]["info"] == {"a": 1}
    assert [answer.json()] == support.get("event/list", format="json_full", type="SEARCH").json()["objects"]


def test_is_not_bound_by_the_rules_of_polling(caller: Caller, store: Store) -> None:
    """An event that is not pollable and of another session can be retrieved (§4.1)."""
    (id_,) = store(event("OBJECT_INSERT", by(SUPPORT, "another session")))
    assert caller.signed_in("support").get(f"event/{id_}").status_code == 200


def test_refuses_an_event_that_is_not_there(caller: Caller, store: Store) -> None:
    """An unknown or deleted id is error.user.event_not_found with the id and status 400."""
    (id_,) = store(event())
    steward = caller.signed_in("steward")
    assert_error(steward.get("event/999999"), "error.user.event_not_found", id="999999")
    assert steward.delete("event", [id_]).json() == {"count": 1}
    assert_error(steward.get(f"event/{id_}"), "error.user.event_not_found", id=str(id_))


def test_refuses_what_is_no_id(caller: Caller) -> None:
    """A malformed id is a 400 API error."""
    support = caller.signed_in("support")
    for id_ in ("abc", "1.5", "0x1", "1a"):
        answer = support.get(f"event/{id_}")
        assert (answer.status_code, answer.json()["realm"]) == (400, "api")
