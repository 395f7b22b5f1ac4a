"""Inserting and deleting events (§4.4, §4.5).

Without --write no event is inserted or deleted even by a service that does not refuse what it must: bodies of
insertions have no type, and deletions have filters that select nothing. With --write events are inserted, and
deleted by their ids alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from server_stub.conformance.check import Basis, Group, ServiceCheck, refused
from server_stub.conformance.client import Request, get, post
from server_stub.conformance.context import NOBODY, NOTHING, Context, Json, nothing_selected, user_of
from server_stub.conformance.expectations import (
    EVENT_DELETE,
    EVENT_GET,
    INVALID,
    MISMATCH,
    NOT_ACCEPTED,
    NotTriedError,
    error_of,
    expect,
    member,
    shown,
    succeed,
)

_DECISION = Basis.DECISION
_OBSERVED = Basis.OBSERVED
_JSON = ("content-type", "application/json")
_CONTENT = "error.api.invalid_content"
_EXPECTED = "error.api.attribute_expected"


def _raw(content: bytes, media: str = "application/json") -> Request:
    return Request("POST", "event", content=content, headers=(("content-type", media),))


# Bodies from which no event can be made.
_NO_EVENTS: tuple[tuple[Request, tuple[str, ...]], ...] = (
    (_raw(b""), (_CONTENT,)),
    (_raw(b"{"), (_CONTENT,)),
    (_raw(b'{"type":'), (_CONTENT,)),
    (_raw(b"type"), (_CONTENT,)),
    (_raw(b"\xff\xfe"), (_CONTENT,)),
    (_raw(b"{}", "text/plain"), (_CONTENT,)),
    (_raw(b"{}", "text/xml"), (_CONTENT,)),
    (_raw(b"a=b", "application/x-www-form-urlencoded"), (_CONTENT,)),
    (post("event", []), (MISMATCH,)),
    (post("event", "SEARCH"), (MISMATCH,)),
    (post("event", 5), (MISMATCH,)),
    (_raw(b"null"), (MISMATCH,)),
    (post("event", {}), (_EXPECTED,)),
    (post("event", {"info": {}}), (_EXPECTED,)),
    (post("event", {"event": {}}), (_EXPECTED,)),
    (post("event", {"event": []}), (MISMATCH,)),
    (post("event", {"object_id": 1}), (_EXPECTED,)),
    (post("event", {"info": []}), (MISMATCH, _EXPECTED)),
    (post("event", {"type": None}), (MISMATCH, _EXPECTED)),
    (post("event", {"type": 1}), (MISMATCH,)),
    (post("event", {"type": ""}), (INVALID, _EXPECTED)),
    (post("event", {"type": []}), (MISMATCH,)),
)
# Bodies that a careless service might store.
_BAD_EVENTS: tuple[tuple[Any, str], ...] = (
    ({"type": "OBJECT_INSERT"}, INVALID),
    ({"type": "search"}, INVALID),
    ({"event": {"type": "USER_LOGIN"}}, INVALID),
    ({"type": "SEARCH", "user_type": "system"}, NOT_ACCEPTED),
    ({"type": "SEARCH", "timestamp": "2025-01-01T00:00:00+00:00"}, NOT_ACCEPTED),
    ({"type": "SEARCH", "base_type": "user"}, NOT_ACCEPTED),
    ({"type": "SEARCH", "_id": 1}, NOT_ACCEPTED),
    ({"event": {"type": "SEARCH", "user_id": 1}}, NOT_ACCEPTED),
    ({"type": "SEARCH", "info": []}, MISMATCH),
    ({"type": "SEARCH", "info": "{}"}, MISMATCH),
    ({"type": "SEARCH", "object_id": "17"}, MISMATCH),
    ({"type": "SEARCH", "object_id": 1.5}, MISMATCH),
    ({"type": "SEARCH", "object_version": True}, MISMATCH),
    ({"type": "SEARCH", "objecttype": 5}, MISMATCH),
)


def _insertion_refusals() -> Iterator[ServiceCheck]:
    for request, codes in _NO_EVENTS:
        yield refused("§4.4", request, *codes)
    for name in ("types", "limit"):
        yield refused("§4.4", post("event", {}, **{name: "1"}), NOT_ACCEPTED, basis=_DECISION)
    for body, code in _BAD_EVENTS:
        basis = Basis.INTERFACE if code is not NOT_ACCEPTED else _DECISION
        yield refused("§4.4", post("event", body), code, basis=basis, writes=True)


def _insert(context: Context, kind: str = "SEARCH", **attributes: Any) -> Json:
    """The record of a new event. Raises NotTriedError if the base configuration disables the type."""
    return _inserted(context, post("event", {"type": kind} | attributes), kind)


def _inserted(context: Context, request: Request, kind: str = "SEARCH") -> Json:
    reply = context.call(request)
    if reply.status == 400 and error_of(reply)["code"] == "error.user.event_type_disabled":
        given = error_of(reply).get("parameters")
        expect(given == {"event_type": kind}, f"event_type_disabled has the parameters {shown(given)}.")
        raise NotTriedError(f"The base configuration of the service disables {kind} events.")
    record = succeed(reply).object()
    member(record, "event", dict, str(request))
    return record


# The attributes beside the type (§4.4).
_ATTRIBUTES: tuple[Json, ...] = (
    {"info": {}},
    {"info": {"q": ["ä", None, 1.5, {"deep": True}]}},
    {"object_id": 17},
    {"object_version": 3},
    {"objecttype": "conformance_check"},
    {"objecttype": "conformance_check", "object_id": 17, "object_version": 3, "info": {"a": 1}},
)


def _insertions() -> Iterator[ServiceCheck]:
    for kind in ("SEARCH", "DETAIL_VIEW"):

        def answered(context: Context, kind: str = kind) -> None:
            event = _insert(context, kind)["event"]
            expect(event.get("type") == kind, f"The new event is {shown(event)}.")
            member(event, "_id", int, "a new event")

        yield ServiceCheck("§4.4", f"{kind} is inserted and answered", answered, writes=True)
    for attributes in _ATTRIBUTES:
        for wraps in (False, True):
            yield _keeps(attributes, wraps=wraps)
    for title, run in (
        ("info defaults to an empty object", _default_info),
        ("the new event has a greater id than those before", _greater_id),
        ("the new event is of the signed-in user", _of_user),
        ("the new event is of this session", _of_session),
        ("the content type may be missing", _without_content_type),
    ):
        yield ServiceCheck("§4.4", title, run, basis=_OBSERVED, writes=True)
    yield ServiceCheck(
        "§4.1", "an inserted event is retrieved as it was answered", _retrieved, EVENT_GET, writes=True
    )
    yield ServiceCheck("§4.3", "an inserted event is listed", _listed, EVENT_GET, writes=True)
    yield ServiceCheck("§4.2", "an inserted event is polled only if it is pollable", _polled, writes=True)


def _keeps(attributes: Json, *, wraps: bool) -> ServiceCheck:
    body = {"type": "SEARCH"} | attributes
    request = post("event", {"event": body} if wraps else body)

    def run(context: Context) -> None:
        event = _inserted(context, request)["event"]
        for name, value in attributes.items():
            expect(event.get(name) == value, f"{name} of the new event is {shown(event.get(name))}.")

    return ServiceCheck(
        "§4.4", f"{request} is stored", run, basis=_OBSERVED if wraps else Basis.INTERFACE, writes=True
    )


def _default_info(context: Context) -> None:
    found = _insert(context)["event"].get("info")
    expect(found == {}, f"The info of an event without one is {shown(found)}.")


def _greater_id(context: Context) -> None:
    ids = [_insert(context)["event"].get("_id") for _ in range(2)]
    expect(context.lowest < ids[0] < ids[1], f"New events have the ids {ids}, the bound is {context.lowest}.")


def _of_user(context: Context) -> None:
    found = user_of(_insert(context)).get("_id")
    expect(found == context.user_id, f"The new event is of the user {shown(found)}.")


def _of_session(context: Context) -> None:
    found = _insert(context)["event"].get("session_self")
    expect(found is True, f"session_self of the new event is {shown(found)}.")


def _without_content_type(context: Context) -> None:
    _inserted(context, Request("POST", "event", content=b'{"type":"SEARCH"}'))


def _retrieved(context: Context) -> None:
    record = _insert(context, info={"conformance": NOTHING})
    found = succeed(context.call(get(f"event/{record['event']['_id']}"))).object()
    expect(found == record, f"The event is retrieved as {shown(found)}, answered as {shown(record)}.")


def _listed(context: Context) -> None:
    id_ = _insert(context)["event"]["_id"]
    reply = succeed(context.call(get("event/list", type="SEARCH", limit="50", skip_count="true")))
    expect(
        f'"_id":{id_}' in reply.text.replace(" ", ""), f"The new event {id_} is not among the newest listed."
    )


def _polled(context: Context) -> None:
    event = _insert(context)["event"]
    reply = succeed(context.call(get(f"event/poll/{event['_id'] - 1}", limit="0")))
    seen = any(record["event"].get("_id") == event["_id"] for record in reply.json())
    expect(
        seen == (event.get("pollable") is True),
        f"The event {shown(event)} is {'' if seen else 'not '}polled.",
    )


INSERT = Group("Inserting events", (*_insertion_refusals(), *_insertions()))


# §4.5

_REFUSED_FILTERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("limit", ("0", "-1", "", "many", "1.5")),
    ("offset", ("-1", "", "1.5", "many")),
    ("pollable", ("", "perhaps")),
    ("type", ("", f"{NOTHING},")),
    ("base_type", ("", "user,")),
    ("user_id", ("", "support", f"{NOBODY},")),
    ("group_id", ("", "editors")),
    ("user_type", ("", f"{NOTHING},")),
    ("date_from", ("", "yesterday", "2025-06-31")),
    ("date_to", ("", "yesterday", "1970-01-32", "01.01.1970")),
)
_UNKNOWN = ("types", "sort", "format", "skip_count", "csv_delimiter", "last_max_id", "id")
_WITH_BODIES: tuple[tuple[bytes, str], ...] = (
    (b"[]", "no ids"),
    (b"[-1]", "an id"),
    (b"{}", "an object"),
    (b'{"ids":[-1]}', "an object with ids"),
    (b"[null]", "null as an id"),
    (b'["-1"]', "a text as an id"),
    (b"[-1.5]", "a fraction as an id"),
    (b"[false]", "false as an id"),
    (b"[[-1]]", "a list as an id"),
    (b"[-1,", "broken JSON"),
)


def _deletion(**wanted: str) -> Request:
    return Request("DELETE", "event", nothing_selected(**wanted))


def _delete(section: str, title: str, run: Callable[[Context], None], **options: Any) -> ServiceCheck:
    return ServiceCheck(section, title, run, EVENT_DELETE, deletes=True, **options)


def _deletion_refusals() -> Iterator[ServiceCheck]:
    for name, texts in _REFUSED_FILTERS:
        for text in texts:
            check = refused("§4.5", _deletion(**{name: text}), INVALID)
            yield _delete("§4.5", f"DELETE event refuses {name}={text}", check.run, basis=_DECISION)
    for name in _UNKNOWN:
        check = refused("§4.5", _deletion(**{name: "1"}), NOT_ACCEPTED)
        yield _delete("§4.5", f"DELETE event refuses the parameter {name}", check.run, basis=_DECISION)
    for body, what in _WITH_BODIES:
        request = Request("DELETE", "event", nothing_selected(), content=body, headers=(_JSON,))
        check = refused("§4.5", request)
        yield _delete("§4.5", f"DELETE event refuses filters together with {what}", check.run)


def _deletes_nothing(**wanted: str) -> ServiceCheck:
    def run(context: Context) -> None:
        reply = succeed(context.call(_deletion(**wanted)))
        expect(reply.object() == {"count": 0}, f"{reply.request}: the answer is {reply}.")

    more = " ".join(f"{name}={text}" for name, text in wanted.items())
    return _delete(
        "§4.5", f"a filter {more} that selects nothing deletes nothing".replace("  ", " "), run, writes=True
    )


def _deletes_by_ids(context: Context) -> None:
    ids = [_insert(context)["event"]["_id"] for _ in range(3)]
    reply = succeed(context.delete_by_ids(ids[:2]))
    expect(reply.object() == {"count": 2}, f"Deleting two events is answered with {reply}.")
    for id_, status in zip(ids, (400, 400, 200), strict=True):
        found = context.call(get(f"event/{id_}"))
        expect(found.status == status, f"After deleting {ids[:2]} GET event/{id_} is {found}.")


def _repeated_ids(context: Context) -> None:
    id_ = _insert(context)["event"]["_id"]
    reply = succeed(context.delete_by_ids([id_, id_]))
    expect(reply.object() == {"count": 1}, f"Deleting one event given twice is answered with {reply}.")


def _deleted_is_not_listed(context: Context) -> None:
    id_ = _insert(context)["event"]["_id"]
    succeed(context.delete_by_ids([id_]))
    reply = succeed(context.call(get("event/list", type="SEARCH", limit="50", skip_count="true")))
    expect(f'"_id":{id_},' not in reply.text.replace(" ", ""), f"The deleted event {id_} is listed.")


def _ids_are_not_reused(context: Context) -> None:
    id_ = _insert(context)["event"]["_id"]
    succeed(context.delete_by_ids([id_]))
    later = _insert(context)["event"]["_id"]
    expect(later > id_, f"After the event {id_} was deleted, a new one has the id {later}.")


DELETE = Group(
    "Deleting events",
    (
        *_deletion_refusals(),
        _deletes_nothing(),
        _deletes_nothing(pollable="true"),
        _deletes_nothing(limit="5000"),
        _deletes_nothing(offset="3"),
        _deletes_nothing(base_type=NOTHING),
        _deletes_nothing(user_type=NOTHING, group_id=NOBODY),
        _deletes_nothing(date_from="1970-01-01"),
        _delete("§4.5", "a list of ids deletes exactly these events", _deletes_by_ids, writes=True),
        _delete("§4.5", "an id given twice counts once", _repeated_ids, writes=True, basis=_OBSERVED),
        _delete("§4.5", "a deleted event is not listed", _deleted_is_not_listed, writes=True),
        _delete("§2.1", "ids of deleted events are not given again", _ids_are_not_reused, writes=True),
    ),
)
