"""§4.5 and wire §3: deleting by filter and by a list of ids."""

from typing import Any

from server_stub.http.services import Services
from tests.contract.builders import Store, event, listed
from tests.contract.caller import Caller, assert_error
from tests.contract.events.seeds import EVENTS, FILTERS, add_seed_users, only_seeds, seed


def _left(asker: Caller, **params: Any) -> list[int]:
    return listed(asker.get("event/list", sort="_id", **params))


def test_filter(caller: Caller, services: Services) -> None:
    """Exactly the events in the table of seeds are listed, counted and deleted."""
    add_seed_users(services)
    steward = caller.signed_in("steward")
    for params, expected in FILTERS:
        letters = seed(services)
        page = steward.get("event/list", sort="_id", **only_seeds(params))
        assert "".join(letters[id_] for id_ in listed(page)) == expected, params
        assert page.json()["count"] == len(expected), params
        answer = steward.delete("event", **only_seeds(params))
        assert (answer.status_code, answer.json()) == (200, {"count": len(expected)}), params
        left = _left(steward)
        found = "".join(letters[id_] for id_ in left if id_ in letters)
        assert found == "".join(letter for letter in EVENTS if letter not in expected), params
        steward.delete("event", left)


def test_no_filter_takes_everything(caller: Caller, services: Services) -> None:
    """Without a filter or with an empty body all events are deleted."""
    seed(services)
    steward = caller.signed_in("steward")
    count = steward.get("event/list").json()["count"]
    assert steward.delete("event").json() == {"count": count}
    assert _left(steward) == []


# §8: limit as given → events deleted, where 2010 are left to be deleted.
LIMITS = {"3": 3, "5000": 1000, None: 1000}


def test_limit_and_offset(caller: Caller, store: Store) -> None:
    """Events are deleted by ascending id (wire §3), at most 1000, after skipping `offset` events."""
    stored = store(*[event("SEARCH")] * 2010)
    steward = caller.signed_in("steward")
    gone = 0
    for limit, deleted in LIMITS.items():
        params = {} if limit is None else {"limit": limit}
        assert steward.delete("event", type="SEARCH", **params).json() == {"count": deleted}
        gone += deleted
        assert _left(steward, type="SEARCH") == stored[gone:][:1000]
    assert steward.delete("event", type="SEARCH").json() == {"count": 7}
    stored = store(*[event("SEARCH")] * 5)
    assert steward.delete("event", type="SEARCH", offset=1, limit=2).json() == {"count": 2}
    assert _left(steward, type="SEARCH") == [stored[0], *stored[3:]]
    assert steward.delete("event", type="SEARCH", offset=3).json() == {"count": 0}


def test_ids(caller: Caller, store: Store) -> None:
    """A list of ids deletes exactly these events; missing ids are not counted, and `[]` deletes none."""
    stored = store(*[event("SEARCH")] * 4)
    steward = caller.signed_in("steward")
    assert steward.delete("event", []).json() == {"count": 0}
    assert _left(steward, type="SEARCH") == stored
    answer = steward.delete("event", [stored[0], stored[2], stored[2], 999_999])
    assert (answer.status_code, answer.json()) == (200, {"count": 2})
    assert steward.delete("event", [stored[0]]).json() == {"count": 0}
    assert _left(steward, type="SEARCH") == [stored[1], stored[3]]


def test_many_ids(caller: Caller, store: Store) -> None:
    """A list of more than 1000 ids is deleted completely: the limit of §8 applies to filter mode only."""
    stored = store(*[event("SEARCH")] * 2500)
    steward = caller.signed_in("steward")
    assert steward.delete("event", stored).json() == {"count": 2500}
    assert _left(steward, type="SEARCH") == []


REFUSED_BODIES: tuple[tuple[bytes, str], ...] = (
    (b"{}", "type_mismatch"),
    (b'{"ids":[1]}', "type_mismatch"),
    (b"1", "type_mismatch"),
    (b"null", "type_mismatch"),
    (b'"1"', "type_mismatch"),
    (b'[1,"2"]', "type_mismatch"),
    (b"[1,2.5]", "type_mismatch"),
    (b"[true]", "type_mismatch"),
    (b"[null]", "type_mismatch"),
    (b"[[1]]", "type_mismatch"),
    (b"[1,", "invalid_content"),
    (b"1,2", "invalid_content"),
)


def test_refuses_bodies(caller: Caller, store: Store) -> None:
    """A body that is not a list of integers is refused, and nothing is deleted."""
    store(*[event("SEARCH")] * 3)
    steward = caller.signed_in("steward")
    before = _left(steward)
    for body, name in REFUSED_BODIES:
        answer = steward("DELETE", "event", content=body, headers={"content-type": "application/json"})
        assert_error(answer, f"error.api.{name}")
    assert _left(steward) == before
