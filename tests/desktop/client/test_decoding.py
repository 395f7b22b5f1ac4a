"""Tests of decoding events, both usual and unusual ones, and versions of objects."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import (
    AnswerError,
    Client,
    ClientError,
    Event,
    EventPage,
    MissingRightError,
    NotFoundError,
    ServiceError,
    decoding,
)
from cdb_desktop.client.decoding import event, object_version, polled, unusual_record
from cdb_desktop.client.records import ObjectVersion
from cdb_desktop.client.request import Response
from tests.desktop.client.canned_service import Canned, CannedService
from tests.durations import shortest

RECORDED = Path(__file__).parents[2] / "data" / "poll.json"
SHORT: dict[str, object] = {
    "event": {
        "_id": 46,
        "type": "OBJECT_INSERT",
        "timestamp": "2019-03-13T10:41:05+01:00",
        "schema": "USER",
        "objecttype": "main",
        "global_object_id": "1@ebe5e467",
        "object_id": 1,
        "object_version": 2,
        "session_self": True,
    },
    "user": {"_id": 7, "_generated_displayname": "Root"},
    "_session": {"token": "ac554a02"},
}


def answer_of(body: object) -> Response:
    encoded = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Response(200, {"content-type": "application/json; charset=utf-8"}, encoded)


def page(answer: Response, limit: int, offset: int) -> EventPage:
    """All parts of a page, in order."""
    parts = decoding.page(answer, limit, offset)
    while True:
        try:
            next(parts)
        except StopIteration as end:
            found: EventPage = end.value
            return found


def test_short_record() -> None:
    """A short record is decoded to Python's types (wire §3)."""
    (found,) = polled(answer_of([SHORT])).events
    assert found == Event(
        id=46,
        type="OBJECT_INSERT",
        timestamp=datetime(2019, 3, 13, 9, 41, 5, tzinfo=UTC),
        schema="USER",
        objecttype="main",
        global_object_id="1@ebe5e467",
        object_id=1,
        object_version=2,
        session_self=True,
        user_id=7,
        user_displayname="Root",
        user={"_id": 7, "_generated_displayname": "Root"},
        session_token="ac554a02",
    )


def test_full_record() -> None:
    """A full record also has info, pollable, the address and the session's duration (wire §3)."""
    body = {"_id": 1, "type": "SEARCH", "basetype": "user", "pollable": False, "info": {"q": [1]}}
    span = {"token": "t", "created": "2024-01-01T00:00:00Z", "expired": "2024-01-02T00:00:00Z"}
    found = event(answer_of({"event": body | {"ipv4_address": "10.0.0.1"}, "_session": span}))
    assert (found.basetype, found.pollable, found.info_value) == ("user", False, {"q": [1]})
    assert (found.ipv4_address, found.unknown) == ("10.0.0.1", {})
    assert found.session_created == datetime(2024, 1, 1, tzinfo=UTC)
    assert found.session_expired == datetime(2024, 1, 2, tzinfo=UTC)


PERSON = {"_id": 7, "_generated_displayname": "Root"}
NAMED: dict[str, object] = {
    "remote_addr": "::1",
    "system_object_id": 90,
    "user_generated_displayname": "Root",
}


@pytest.mark.parametrize("more", [{}, {"object_version": "3"}], ids=["usual", "unusual"])
@pytest.mark.parametrize(
    ("who", "numbers"),
    [
        ({"_basetype": "user", "user": PERSON}, (7, None)),
        ({"_basetype": "group", "group": PERSON}, (None, 7)),
        (None, (None, None)),
    ],
    ids=["user", "group", "missing"],
)
def test_record_of_the_present_generation(
    who: object, numbers: tuple[int | None, int | None], more: dict[str, object]
) -> None:
    """The user may be a group, or be missing but for the name; a user has the same form as elsewhere."""
    record = {"_basetype": "event", "event": {"_id": 46, "type": "LDAP_DEBUG"} | NAMED | more}
    found = event(answer_of(record | ({} if who is None else {"user": who})))
    assert (found.user_id, found.group_id) == numbers
    assert (found.user_displayname, found.address, found.system_object_id) == ("Root", "::1", 90)
    assert found.unknown == {}
    assert found.user.get("_id") == numbers[0]
    assert "_basetype" not in found.user or numbers[1] == 7


def test_documented_user_key() -> None:
    """The documentation's ``_user`` is the same as ``user`` (wire §3)."""
    found = event(answer_of({"event": {"_id": 1}, "_user": {"_id": 3, "_generated_displayname": "Ann"}}))
    assert (found.user_id, found.user_displayname, found.unknown) == (3, "Ann", {})


@pytest.mark.parametrize(
    ("read", "records", "place"),
    [
        (polled, {"objects": []}, ""),
        (event, [], "event"),
        (event, {}, "event"),
    ],
)
def test_invalid_answers(read: Callable[[Response], object], records: object, place: str) -> None:
    """An answer that is neither a record nor a list of records is refused, and the error names its place."""
    with pytest.raises(AnswerError) as caught:
        read(answer_of(records))
    assert caught.value.place == place


def test_a_poll_returns_the_readable_records() -> None:
    """A record that is not an object or has no id is returned unchanged, beside the events."""
    nameless = {"event": {"type": "SEARCH"}}
    found = polled(answer_of([SHORT, 5, nameless, SHORT | {"event": {"_id": 47}}, None]))
    assert [one.id for one in found.events] == [46, 47]
    unreadable = [(one.reason, one.value) for one in found.unreadable]
    assert unreadable == [("not_object", 5), ("no_id", nameless), ("not_object", None)]


def test_a_page_returns_the_readable_records() -> None:
    """An unreadable record keeps its place among the others, byte by byte."""
    body = b'{"objects": [{"_id":3}, null, {"_id": "x"}, {"_id":2}, {"_id": 1e30 }, {"_id":1}, {}]}'
    found = page(answer_of(body), 9, 0)
    assert [one.id for one in found.events] == [3, 2, 1]
    assert [(one.place, one.reason, one.raw) for one in found.unreadable] == [
        (1, "not_object", b"null"),
        (2, "id_not_integer", b'{"_id": "x"}'),
        (4, "id_not_integer", b'{"_id": 1e30 }'),
        (6, "no_id", b"{}"),
    ]
    ids = [one.id if isinstance(one, Event) else one.place for one in found.records]
    assert ids == [3, 1, 2, 2, 4, 1, 6]


@pytest.mark.parametrize(
    ("number", "is_readable"),
    [(2**63 - 1, True), (-(2**63), True), (2**63, False), (-(2**63) - 1, False), (10**30, False)],
)
def test_ids_have_64_bits(number: int, is_readable: bool) -> None:
    """A record with a larger id is unreadable, in any form."""
    for record in ({"event": {"_id": number}}, {"event": {"_id": number}, "new": 1}, {"_id": str(number)}):
        found = polled(answer_of([record]))
        assert [one.id for one in found.events] == ([number] if is_readable else [])
        assert [one.reason for one in found.unreadable] == ([] if is_readable else ["id_too_large"])


def test_surplus_records_are_left_to_the_next_page() -> None:
    """A service may not know the limit."""
    found = page(answer_of({"objects": [{"_id": one} for one in range(9)]}), 4, 0)
    assert [one.id for one in found.events] == [0, 1, 2, 3]


def test_records_of_another_offset_are_refused() -> None:
    """They would be shown in the wrong rows; an empty page is accepted."""
    with pytest.raises(AnswerError, match="other_records 5"):
        page(answer_of({"objects": [SHORT], "offset": 0}), 4, 5)
    assert page(answer_of({"objects": [], "offset": 0}), 4, 5).events == ()


@pytest.mark.parametrize("count", [-1, True, "many", 1e30, 10**30, 2.5, None, [1], {}])
def test_a_count_that_is_not_a_number_is_none(count: object) -> None:
    """The rows are shown nevertheless."""
    assert page(answer_of({"objects": [SHORT], "count": count}), 4, 0).count is None


def test_page() -> None:
    """A list has its count and slice (wire §3)."""
    found = page(answer_of({"count": 12, "limit": 1, "offset": 3, "objects": [SHORT]}), 5, 3)
    assert (found.count, found.limit, found.offset, len(found.events)) == (12, 1, 3, 1)
    assert page(answer_of({"count": "12", "objects": []}), 5, 3).count == 12


def test_page_without_count() -> None:
    """A missing count is None, and a missing slice is the requested one."""
    found = page(answer_of({"objects": []}), 5, 10)
    assert (found.events, found.count, found.limit, found.offset) == ((), None, 5, 10)


@pytest.mark.parametrize("body", [{"count": 1}, {"objects": {}}, [], b"", b"[{]", 1])
def test_invalid_page(body: object) -> None:
    """An answer without an array of records is refused."""
    with pytest.raises(AnswerError):
        page(answer_of(body), 5, 0)


def test_recorded_traffic() -> None:
    """Every record of a recorded poll is decoded."""
    body = json.loads(RECORDED.read_text(encoding="utf-8"))
    found = polled(answer_of(body)).events
    assert [one["event"]["_id"] for one in body] == [one.id for one in found]
    assert {one.type for one in found} == {"OBJECT_INSERT", "OBJECT_INDEX"}
    assert not any(one.unknown for one in found)
    assert all(one.pollable and one.timestamp and one.timestamp.tzinfo for one in found)


def test_repeated_values_are_shared() -> None:
    """Long logs name few users, sessions and types; a user who was renamed has the new name."""
    one = SHORT | {"_session": {"token": "ac554a02", "created": "2019-03-13T10:41:05+01:00"}}
    renamed = one | {"user": {"_id": 7, "_generated_displayname": "Another Name"}}
    answer = answer_of({"objects": [one, one, renamed]})
    first, second, third = page(answer, 3, 0).events
    assert first.user is second.user
    assert first.type is second.type
    assert first.session_created is second.session_created
    assert (third.user_id, third.user_displayname) == (7, "Another Name")
    assert third.user["_generated_displayname"] == "Another Name"


def test_page_of_1000_is_read_quickly() -> None:
    """A full page of short records takes little longer than its bare JSON; decoding by key takes 15 times."""
    answer = answer_of({"count": 1000, "limit": 1000, "offset": 0, "objects": [SHORT] * 1000})
    decoding = shortest(lambda: page(answer, 1000, 0), 15)
    floor = shortest(lambda: json.loads(answer.body), 15)
    assert decoding < 6 * floor


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
keys = st.sampled_from([*Event.__struct_fields__, "_id", "_user", "_session", "base_type", "strange", "*"])


@given(st.dictionaries(keys, json_values), json_values, json_values)
def test_any_body_with_an_id_is_decoded(body: dict[str, object], user: object, session: object) -> None:
    """An object with an id is an event, whatever else it contains."""
    found = event(answer_of({"event": body | {"_id": 5}, "user": user, "_session": session}))
    assert found.id == 5
    assert repr(found).startswith("Event(id=5")


@pytest.mark.parametrize("last", [{"_id": 9}, {"event": {"_id": 9}}])
def test_a_long_page_is_decoded_in_parts(last: dict[str, object]) -> None:
    """The event loop runs between the parts, also if a record has an unusual form."""
    records = [{"event": {"_id": number}} for number in range(999)]
    parts = decoding.page(answer_of({"objects": [*records, last]}), 1000, 0)
    assert sum(1 for _part in parts) == 3
    assert [one.id for one in page(answer_of({"objects": [*records, last]}), 1000, 0).events][-1] == 9


def read(record: object) -> Event:
    found = unusual_record(msgspec.Raw(json.dumps(record).encode()))
    assert isinstance(found, Event)
    return found


def test_unknown_keys_are_kept() -> None:
    """New keys of the record, its event and its session are in the result beside the known ones."""
    record = {
        "event": {"_id": 1, "type": "PLUGIN_THING", "weight": [1], "unknown": 2},
        "user": {"_id": 3, "email": "a@b"},
        "_session": {"token": "t", "device": "x"},
        "note": {"a": 1},
    }
    found = read(record)
    assert (found.id, found.type, found.session_token, found.user_id) == (1, "PLUGIN_THING", "t", 3)
    assert found.user == {"_id": 3, "email": "a@b"}
    assert found.unknown == {"weight": [1], "unknown": 2, "_session.device": "x", "note": {"a": 1}}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("timestamp", "yesterday"),
        ("object_id", "one"),
        ("pollable", "perhaps"),
        ("schema", ["USER"]),
    ],
)
def test_values_of_another_type_are_kept(key: str, value: object) -> None:
    """A value of the wrong type is kept, and the record is still an event."""
    found = read({"event": {"_id": 1, key: value}})
    assert getattr(found, key) is None
    assert found.unknown == {key: value}


def test_convertible_values_are_converted() -> None:
    """Numbers as strings, strings as numbers and times without offset are accepted; null is missing."""
    found = read(
        {
            "event": {
                "_id": "12",
                "type": 7,
                "object_id": "3",
                "schema": None,
                "timestamp": "2024-05-01T12:00:00",
            }
        }
    )
    assert found == Event(id=12, type="7", object_id=3, timestamp=datetime(2024, 5, 1, 12, tzinfo=UTC))


def test_flat_record() -> None:
    """A record without wrapper, in the spelling of the contract's table (§2.1), is the same."""
    found = read(
        {
            "_id": 4,
            "type": "SEARCH",
            "base_type": "user",
            "user_generated_displayname": "Ann",
            "info": {"a": 1},
        }
    )
    assert (found.id, found.basetype, found.user_displayname) == (4, "user", "Ann")
    assert found.info_value == {"a": 1}
    assert found.unknown == {}


@pytest.mark.parametrize(("key", "value"), [("user", "root"), ("_session", [1])])
def test_parts_that_are_not_objects(key: str, value: object) -> None:
    """A user or session of another shape is kept unchanged."""
    assert read({"event": {"_id": 1}, key: value}).unknown == {key: value}


CALL = "GET /api/v1/db/artist/_all_fields/7"
WHOLE = {
    "_objecttype": "artist",
    "_mask": "_all_fields",
    "_last_modified": "2026-11-20T10:00:00+01:00",
    "_tags": [{"_id": 2}],
    "artist": {"_id": 7, "_version": 3, "title": {"de-DE": "Kuß"}, "_nested:artist__alias": []},
}


def decoded(body: object, *, version: int | None = 3, status: int = 200) -> ObjectVersion | None:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return object_version(Response(status, {"content-type": "application/json"}, raw), "artist", 7, version)


@pytest.mark.parametrize("body", [WHOLE, [WHOLE]])
def test_the_documented_form(body: object) -> None:
    """A list of one object and the object itself are the same; metadata is not among the values."""
    found = decoded(body)
    assert found == ObjectVersion(
        objecttype="artist",
        object_id=7,
        version=3,
        modified=datetime(2026, 11, 20, 9, tzinfo=UTC),
        values={
            "_id": 7,
            "title": {"de-DE": "Kuß"},
            "_nested:artist__alias": [],
            "_tags": [{"_id": 2}],
        },
    )


def test_a_flat_record() -> None:
    """A record without a member for the fields has them itself."""
    found = decoded({"_id": "7", "_version": "3", "_mask": "x", "title": "Kiss"})
    assert found is not None
    assert (found.version, found.values) == (3, {"_id": "7", "title": "Kiss"})


def test_a_record_without_a_version() -> None:
    """A missing version is the requested one."""
    found = decoded({"artist": {"title": None}})
    assert found is not None
    assert (found.version, found.values, found.modified) == (3, {"title": None}, None)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, b"not here"),
        (404, {"realm": "api", "code": "error.api.invalid_api", "description": "no"}),
        (400, {"realm": "api", "code": "error.api.invalid_api", "description": "no"}),
        (400, {"realm": "api", "code": "error.api.invalid_request_method", "description": "no"}),
        (405, b""),
        (501, b""),
        (501, {"realm": "api", "code": "error.api.generic", "description": "no"}),
        (200, {"artist": {"_id": 7, "_version": 9}}),
    ],
)
def test_a_service_without_old_versions(status: int, body: object) -> None:
    """An unknown call, and the newest version in place of the requested one, mean that there are none."""
    assert decoded(body, status=status) is None


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (404, "error.user.object_not_found", NotFoundError),
        (400, "error.user.objecttype_not_found", NotFoundError),
        (400, "error.user.insufficient_rights", MissingRightError),
        (403, "error.user.no_system_right", MissingRightError),
        (400, "error.user.old_schema_missing", ServiceError),
        (400, "error.api.invalid_value", ServiceError),
    ],
)
def test_refusals(status: int, code: str, kind: type[ServiceError]) -> None:
    """Errors about the object, the right or the version are raised."""
    with pytest.raises(kind):
        decoded({"realm": code.split(".")[1], "code": code}, status=status)


def test_a_list_without_the_object() -> None:
    """Where objects come in lists, an empty one means that there is no such object, or no such version."""
    assert decoded(b"[]") is None
    with pytest.raises(NotFoundError) as raised:
        decoded(b"[]", version=None)
    assert raised.value.name == "object_not_found"


@pytest.mark.parametrize("body", [b"{", b"7", b'"x"', b"[[]]", b"<html>", {"artist": {"_id": 8}}])
def test_odd_answers(body: object) -> None:
    """What is no object, or another one, is an invalid answer."""
    with pytest.raises(AnswerError):
        decoded(body)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["_id", "_version", "artist", "a"]), inner)
    ),
)


@given(JSON, st.sampled_from([200, 400, 404, 500]))
def test_any_answer(body: object, status: int) -> None:
    """Any JSON is an object, no answer to this call, or a ClientError."""
    try:
        found = decoded(body, status=status)
    except ClientError:
        return
    assert found is None or (found.objecttype and found.object_id == 7)


async def test_the_call(service: CannedService, client: Client) -> None:
    """The version is a parameter, left out for the newest one; names are parts of the path."""
    service.prepare(CALL, Canned([WHOLE]))
    newest = await client.object_version("artist", 7)
    third = await client.object_version("artist", 7, 3)
    assert newest == third
    assert [request.parameters for request in service.requests] == [{}, {"version": "3"}]
    assert await client.object_version("a/b c", 1) is None
    assert service.requests[-1].path == "/api/v1/db/a/b c/_all_fields/1"


async def test_a_missing_right_has_its_name(service: CannedService, client: Client) -> None:
    """The error names the right, whichever kind of right it is."""
    error = {
        "realm": "user",
        "code": "error.user.insufficient_rights",
        "parameters": {"operation": "read", "type": "object", "ids": "7", "right": "read"},
    }
    service.prepare(CALL, Canned(error, status=400))
    with pytest.raises(MissingRightError) as caught:
        await client.object_version("artist", 7, 1)
    assert caught.value.right == "read"
