"""§2.1, §4.3 `format` and wire §3: the keys of the short and the full form."""

from typing import Any

import pytest

from server_stub.events import EventDraft
from server_stub.http.services import Services
from tests.contract.builders import SUPPORT, Store, by, event
from tests.contract.caller import Caller, assert_error

TIME = "2025-06-15T15:06:40+00:00"
OBJECT = event(
    "OBJECT_UPDATE",
    by(SUPPORT, "a public reference"),
    pollable=True,
    schema="USER",
    objecttype="work",
    object_id=17,
    object_version=3,
    info='{"batch_id":4,"nested":{"list":[1,null,"ä"]}}',
)
BASE = event("OBJECT_INSERT", by(SUPPORT), schema="BASE", base_type="pool", object_id=2, object_version=1)
SYSTEM = event("SERVER_START")
USER = {"_id": SUPPORT, "_generated_displayname": "Support"}

# wire §3: `event` in the short form beside _id, type, timestamp; what the full form adds; the record's rest.
CASES = {
    "USER": (
        OBJECT,
        {"schema": "USER", "objecttype": "work", "object_id": 17, "object_version": 3},
        {"pollable": True, "info": {"batch_id": 4, "nested": {"list": [1, None, "ä"]}}},
        {"user": USER, "_session": {"token": "a public reference"}},
    ),
    "BASE": (
        BASE,
        {"schema": "BASE", "basetype": "pool", "object_id": 2, "object_version": 1},
        {"pollable": False, "info": {}},
        {"user": USER},
    ),
    "system": (SYSTEM, {}, {"pollable": False, "info": {}}, {}),
}


@pytest.mark.parametrize(("draft", "short", "added", "rest"), CASES.values(), ids=CASES)
def test_keys(
    caller: Caller,
    services: Services,
    draft: EventDraft,
    short: dict[str, Any],
    added: dict[str, Any],
    rest: dict[str, Any],
) -> None:
    """Missing values are omitted; `info` and `pollable` are always present in the full form."""
    with services.database.write() as connection:
        (id_,) = services.log.append(connection, [draft])
    expected = {"_id": id_, "type": draft.type, "timestamp": TIME} | short
    if short.get("schema") == "USER":
        expected["global_object_id"] = f"17@{services.log.instance}"
    support = caller.signed_in("support")
    for form, event_ in (("json", expected), ("json_full", expected | added)):
        records = support.get("event/list", type=draft.type, format=form).json()["objects"]
        assert records == [{"event": event_} | rest]
    assert support.get(f"event/{id_}").json() == {"event": expected | added} | rest


def test_the_session_in_full(caller: Caller, clock: Any) -> None:
    """The full form contains the times of the session, its end if it has ended, and the address."""
    viewer, support = caller.signed_in("viewer"), caller.signed_in("support")
    id_ = viewer.post("event", {"type": "SEARCH"}).json()["event"]["_id"]
    clock.second += 60
    full = support.get(f"event/{id_}").json()
    (short,) = support.get("event/list", type="SEARCH").json()["objects"]
    assert short["_session"].keys() == {"token"}
    assert full["_session"] == short["_session"] | {"created": TIME}
    assert full["event"]["ipv4_address"] == "127.0.0.1"
    viewer.post("session/deauthenticate")
    assert support.get(f"event/{id_}").json()["_session"]["expired"] == "2025-06-15T15:07:40+00:00"


def test_no_record_holds_a_token(caller: Caller) -> None:
    """`_session.token` and the CSV column are a public reference, not the session token (wire §3)."""
    support = caller.signed_in("support")
    support.post("event", {"type": "SEARCH"})
    answers = [support.get("event/list", format=form) for form in ("json", "json_full", "csv")]
    references = {record["_session"]["token"] for record in answers[0].json()["objects"]}
    assert len(references) == 1
    for answer in answers:
        assert support.token is not None
        assert support.token not in answer.text
        assert next(iter(references)) in answer.text
    assert_error(Caller(caller.client, references.pop()).get("session"), "error.user.session_not_found")


def test_polling_answers_the_short_form(caller: Caller, store: Store) -> None:
    """A poll returns the same short form as a list (§4.2)."""
    support = caller.signed_in("support")
    store(OBJECT)
    listed = support.get("event/list", type="OBJECT_UPDATE").json()["objects"]
    assert support.get("event/poll").json() == listed
