"""§4.4, §6.2 and wire §3: inserting events."""

from __future__ import annotations

from typing import Any

import pytest

from server_stub.http.calls import Services
from tests.contract.builders import VIEWER, Store, event
from tests.contract.caller import Caller, assert_error

USER = {"_id": VIEWER, "_generated_displayname": "Viewer"}
TIME = "2025-06-15T15:06:40+00:00"

# Attributes beside the type → what the record's `event` has beside _id, type, timestamp and the transport.
ACCEPTED: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    ({}, {"info": {}}),
    ({"info": {}}, {"info": {}}),
    ({"info": {"q": ["ä", None, 1.5, {"deep": True}]}}, {"info": {"q": ["ä", None, 1.5, {"deep": True}]}}),
    ({"object_id": 17}, {"object_id": 17}),
    ({"object_version": 3}, {"object_version": 3}),
    ({"objecttype": "work"}, {"objecttype": "work"}),
    (
        {"objecttype": "work", "object_id": 17, "object_version": 3, "info": {"a": 1}},
        {"objecttype": "work", "object_id": 17, "object_version": 3, "info": {"a": 1}, "schema": "USER"},
    ),
)


@pytest.mark.parametrize("kind", ["SEARCH", "DETAIL_VIEW"])
def test_answers_the_new_event(caller: Caller, store: Store, kind: str) -> None:
    """The response is the full new event, equal to a later retrieval; no right is required."""
    (before,) = store(event())
    viewer, support = caller.signed_in("viewer"), caller.signed_in("support")
    answer = viewer.post("event", {"type": kind})
    record = answer.json()
    assert answer.status_code == 200
    assert record["event"]["_id"] > before
    assert record["user"] == USER
    assert (record["event"]["type"], record["event"]["timestamp"]) == (kind, TIME)
    assert record["event"]["session_self"] is True
    assert record["event"]["pollable"] is False  # wire §3 marks what is pollable; these two are not
    kept = support.get(f"event/{record['event']['_id']}").json()
    del record["event"]["session_self"]
    assert kept == record


def test_a_pollable_event_is_polled(caller: Caller) -> None:
    """Our addition: an inserted event with pollable true is returned by polling (§4.2 rule 3)."""
    viewer = caller.signed_in("viewer")
    shown, hidden = (
        viewer.post("event", {"type": "SEARCH", "pollable": pollable}).json()["event"]
        for pollable in (True, False)
    )
    assert (shown["pollable"], hidden["pollable"]) == (True, False)
    polled = [record["event"]["_id"] for record in viewer.get("event/poll?limit=0").json()]
    assert shown["_id"] in polled
    assert hidden["_id"] not in polled


def test_attributes(caller: Caller) -> None:
    """info defaults to {}, the object attributes are optional, and `event` may wrap them (wire §3)."""
    viewer = caller.signed_in("viewer")
    for given, expected in ACCEPTED:
        body = {"type": "SEARCH"} | given
        for sent in (body, {"event": body}):
            answer = viewer.post("event", sent)
            assert answer.status_code == 200, answer.text
            assert expected.items() <= answer.json()["event"].items(), given
    assert "objecttype" not in viewer.post("event", {"type": "SEARCH"}).json()["event"]


REFUSED: tuple[tuple[Any, str], ...] = (
    ({}, "attribute_expected"),
    ({"info": {}}, "attribute_expected"),
    ({"event": {}}, "attribute_expected"),
    ({"type": "OBJECT_INSERT"}, "invalid_value"),
    ({"type": "search"}, "invalid_value"),
    ({"type": ""}, "invalid_value"),
    ({"event": {"type": "USER_LOGIN"}}, "invalid_value"),
    ({"type": "SEARCH", "pollable": 1}, "type_mismatch"),
    ({"type": "SEARCH", "timestamp": TIME}, "attribute_not_accepted"),
    ({"type": "SEARCH", "base_type": "user"}, "attribute_not_accepted"),
    ({"type": "SEARCH", "_id": 1}, "attribute_not_accepted"),
    ({"event": {"type": "SEARCH", "user_id": 1}}, "attribute_not_accepted"),
    ({"type": "SEARCH", "objecttype": "a\0b"}, "invalid_value"),
    ({"type": 1}, "type_mismatch"),
    ({"type": None}, "type_mismatch"),
    ({"type": "SEARCH", "info": []}, "type_mismatch"),
    ({"type": "SEARCH", "info": "{}"}, "type_mismatch"),
    ({"type": "SEARCH", "object_id": "17"}, "type_mismatch"),
    ({"type": "SEARCH", "object_id": 1.5}, "type_mismatch"),
    ({"type": "SEARCH", "object_version": True}, "type_mismatch"),
    ({"type": "SEARCH", "objecttype": 5}, "type_mismatch"),
    ([{"type": "SEARCH"}], "type_mismatch"),
    ("SEARCH", "type_mismatch"),
)


def test_refuses(caller: Caller) -> None:
    """An invalid event is refused with a 400 API error, and nothing is stored (§7.2, wire §3)."""
    support = caller.signed_in("support")
    for body, name in REFUSED:
        assert_error(support.post("event", body), f"error.api.{name}")
    assert support.get("event/list").json()["count"] == 1  # the USER_LOGIN


def test_bodies(caller: Caller) -> None:
    """An empty, broken or non-JSON body is invalid_content; the content type may be missing (wire §1)."""
    viewer = caller.signed_in("viewer")
    good = b'{"type":"SEARCH"}'
    for content, media in (
        (b"", "application/json"),
        (b'{"type":', "application/json"),
        (b"type=SEARCH", "application/json"),
        (b"\xff\xfe", "application/json"),
        (good, "text/plain"),
        (good, "application/x-www-form-urlencoded"),
    ):
        answer = viewer("POST", "event", content=content, headers={"content-type": media})
        assert_error(answer, "error.api.invalid_content")
    for headers in ({}, {"content-type": "application/json; charset=utf-8"}):
        assert viewer("POST", "event", content=good, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("kind", "variable", "other"),
    [
        ("SEARCH", "system.log.search", "DETAIL_VIEW"),
        ("DETAIL_VIEW", "system.log.detail_view", "SEARCH"),
    ],
)
def test_base_configuration(caller: Caller, services: Services, kind: str, variable: str, other: str) -> None:
    """Each type is accepted only while its own base configuration is enabled."""
    viewer = caller.signed_in("viewer")
    for enabled in (False, True):
        with services.database.write() as connection:
            services.configuration.change(connection, {variable: enabled})
        answer = viewer.post("event", {"type": kind})
        if enabled:
            assert answer.status_code == 200
        else:
            assert_error(answer, "error.user.event_type_disabled", event_type=kind)
        assert viewer.post("event", {"type": other}).status_code == 200


def test_not_authenticated(caller: Caller) -> None:
    """Without a token or signed-in session the error is error.user.not_authenticated with 400."""
    for asker in (caller, caller.with_session()):
        assert_error(asker.post("event", {"type": "SEARCH"}), "error.user.not_authenticated")
