"""Retrieving, polling and listing events (§4.1 to §4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta, timezone
from itertools import chain, pairwise
from typing import Any

from server_stub.conformance.check import Basis, Group, ServiceCheck, refused
from server_stub.conformance.client import Request, get
from server_stub.conformance.context import (
    NOBODY,
    NOTHING,
    SAMPLE,
    Context,
    Json,
    Page,
    parse_time,
    read_page,
    read_records,
    user_of,
)
from server_stub.conformance.expectations import (
    EVENT_GET,
    INVALID,
    NOT_ACCEPTED,
    NotTriedError,
    expect,
    member,
    refuse,
    shown,
    succeed,
)

_OBSERVED = Basis.OBSERVED
_DECISION = Basis.DECISION
_FAR = 10**17


def _check(
    section: str, title: str, run: Callable[[Context], None], basis: Basis = Basis.INTERFACE
) -> ServiceCheck:
    return ServiceCheck(section, title, run, right=EVENT_GET, basis=basis)


# §4.1


def _retrieved(context: Context, position: int) -> tuple[Json, Json]:
    """A sampled record and the answer to its retrieval."""
    listed = context.sample[position]
    reply = succeed(context.call(get(f"event/{listed['event']['_id']}")))
    return listed, reply.object()


def _retrieves(position: int) -> Callable[[Context], None]:
    def run(context: Context) -> None:
        at = position if position < 0 else min(position, len(context.sample) - 1)
        listed, found = _retrieved(context, at)
        expect(found.get("event") == listed["event"], f"The event is {shown(found)}, listed {shown(listed)}.")
        expect(user_of(found) == user_of(listed), f"The user is {shown(user_of(found))}.")

    return run


def _full_members(context: Context) -> None:
    _, found = _retrieved(context, 0)
    event = member(found, "event", dict, "a retrieved record")
    member(event, "info", dict, "a retrieved event")
    member(event, "pollable", bool, "a retrieved event")


def _retrieves_what_is_not_pollable(context: Context) -> None:
    found = [record for record in context.sample if record["event"].get("pollable") is False]
    if not found:
        raise NotTriedError("All sampled events are pollable.")
    succeed(context.call(get(f"event/{found[0]['event']['_id']}")))


_NO_IDS = ("abc", "1.5", "0x1", "1a", "-", "1,2", "%00", str(2**70))


RETRIEVE = Group(
    "Retrieving an event",
    (
        _check("§4.1", "the newest event is retrieved as listed", _retrieves(0), _OBSERVED),
        _check("§4.1", "an older event is retrieved as listed", _retrieves(20), _OBSERVED),
        _check("§4.1", "the oldest sampled event is retrieved as listed", _retrieves(-1), _OBSERVED),
        _check("§4.1", "the record has info and pollable", _full_members, _OBSERVED),
        _check("§4.1", "an event that is not pollable is retrieved", _retrieves_what_is_not_pollable),
        refused(
            "§4.1",
            get(f"event/{_FAR}"),
            "error.user.event_not_found",
            parameters={"id": str(_FAR)},
            right=EVENT_GET,
        ),
        refused("§4.1", get(f"event/{_FAR - 1}"), "error.user.event_not_found", right=EVENT_GET),
        *(refused("§4.1", get(f"event/{text}"), right=EVENT_GET) for text in _NO_IDS),
        *(
            refused(
                "§4.1", get(f"event/{_FAR}", **{name: "1"}), NOT_ACCEPTED, right=EVENT_GET, basis=_DECISION
            )
            for name in ("types", "limit", "format")
        ),
    ),
)


# §4.2


def _poll(context: Context, cursor: object = "", **params: str) -> list[Json]:
    path = f"event/poll/{cursor}" if cursor != "" else "event/poll"
    request = get(path, **params)
    return read_records(succeed(context.call(request)).json(), str(request))


def _poll_ids(context: Context, cursor: object = "", **params: str) -> list[int]:
    return [record["event"]["_id"] for record in _poll(context, cursor, **params)]


def _ascending(context: Context) -> None:
    found = _poll_ids(context, limit="0")
    expect(found == sorted(set(found)), f"The ids of a poll do not ascend: {shown(found[:20])}.")


def _above_the_bound(context: Context) -> None:
    found = [id_ for id_ in _poll_ids(context, limit="0") if id_ <= context.lowest]
    expect(not found, f"A poll answers {found[:5]}, which are not above {context.lowest}.")


def _default_cursor(context: Context) -> None:
    default, given = _poll_ids(context), _poll_ids(context, context.lowest)
    expect(given[: len(default)] == default, f"The default cursor answers {default[:5]}, not {given[:5]}.")


def _moves_with_cursor(context: Context) -> None:
    found = _poll_ids(context, limit="0")
    if len(found) < 2:
        raise NotTriedError("There are fewer than two new events.")
    later = _poll_ids(context, found[0], limit="0")
    expect(later[: len(found) - 1] == found[1:], f"After {found[0]} a poll answers {shown(later[:10])}.")


def _nothing_new(context: Context) -> None:
    found = _poll_ids(context, _FAR)
    expect(found == [], f"A poll after {_FAR} answers {shown(found[:5])}.")


def _below_the_bound(context: Context) -> None:
    if context.lowest < 1:
        raise NotTriedError("The lower bound is 0.")
    refuse(context.call(get(f"event/poll/{context.lowest - 1}")), INVALID)


def _at_most(limit: str, most: int) -> ServiceCheck:
    def run(context: Context) -> None:
        found = _poll(context, **({"limit": limit} if limit else {}))
        expect(len(found) <= most, f"A poll with limit={limit} answers {len(found)} events.")

    return ServiceCheck(
        "§4.2" if limit else "§8", f"a poll with limit={limit or 'default'} has at most {most} events", run
    )


def _short_form(context: Context) -> None:
    for record in _new(context):
        # Deployed services send a reduced info of some events.
        if record["event"]["type"] != "API_PROGRESS":
            expect("info" not in record["event"], f"A polled event has an info: {shown(record)}.")


def _new(context: Context) -> list[Json]:
    found = _poll(context, limit="0")
    if not found:
        raise NotTriedError("There are no new events.")
    return found


def _rule_of_inserts(context: Context) -> None:
    for record in _new(context):
        if record["event"]["type"] == "OBJECT_INSERT":
            own = record["event"].get("session_self")
            expect(own is True, f"A poll answers the OBJECT_INSERT of another session: {shown(record)}.")


def _rule_of_updates(context: Context) -> None:
    for record in _new(context):
        event = record["event"]
        if event["type"] == "OBJECT_UPDATE" and event.get("basetype") == "user":
            own = user_of(record).get("_id") == context.user_id
            expect(own, f"A poll answers the OBJECT_UPDATE of a user by another user: {shown(record)}.")


def _only_pollable(context: Context) -> None:
    seen = {record["event"]["_id"] for record in _new(context)}
    listed = read_page(context.call(get("event/list", pollable="false", limit="1000", skip_count="true")))
    found = sorted(seen & set(listed.ids))
    expect(not found, f"A poll answers {found[:5]}, which are not pollable.")


def _logins_are_polled(context: Context) -> None:
    expect(
        any(record["event"]["type"] == "USER_LOGIN" for record in _poll(context, limit="0")),
        "A poll does not answer the USER_LOGIN of later sessions.",
    )


def _poll_has_no_nulls(context: Context) -> None:
    _without_nulls(_new(context))


POLL = Group(
    "Polling",
    (
        ServiceCheck("§4.2", "a poll answers a list of records", lambda context: (_poll(context), None)[1]),
        ServiceCheck("§4.2", "ids ascend", _ascending, basis=_OBSERVED),
        ServiceCheck("§4.2", "all ids are above current_max_event_id", _above_the_bound),
        ServiceCheck("§8", "the default cursor is current_max_event_id", _default_cursor),
        ServiceCheck("§4.2", "only events after the cursor are answered", _moves_with_cursor),
        ServiceCheck("§4.2", "nothing new is answered at once with []", _nothing_new, basis=_OBSERVED),
        ServiceCheck("§8", "a cursor below current_max_event_id is refused", _below_the_bound),
        *(
            _at_most(limit, most)
            for limit, most in (("", 25), ("1", 1), ("2", 2), ("25", 25), ("1000", 1000))
        ),
        *(_at_most(limit, 1000) for limit in ("0", "1001", "50000")),
        ServiceCheck("§4.2", "records have the short form", _short_form),
        ServiceCheck("§4.2 rule 1", "OBJECT_INSERT is polled by its own session only", _rule_of_inserts),
        ServiceCheck("§4.2 rule 2", "OBJECT_UPDATE of a user is polled by that user only", _rule_of_updates),
        ServiceCheck("§4.2 rule 3", "only pollable events are polled", _only_pollable, right=EVENT_GET),
        ServiceCheck("§4.2", "USER_LOGIN of a later session is polled", _logins_are_polled, basis=_OBSERVED),
        ServiceCheck("§2.1", "polled records have no null", _poll_has_no_nulls, basis=_OBSERVED),
        *(refused("§4.2", get("event/poll", limit=text), INVALID) for text in ("-1", "", "many", "1.5")),
        *(refused("§4.2", get(f"event/poll/{text}")) for text in ("latest", "1.5", "-1", "%00", str(2**70))),
        *(
            refused("§4.2", get("event/poll", **{name: "1"}), NOT_ACCEPTED, basis=_DECISION)
            for name in ("types", "Limit", "offset", "type")
        ),
    ),
)


# §4.3: the page


def _limit(given: str, most: int) -> ServiceCheck:
    def run(context: Context) -> None:
        page = context.list_events(skip_count="true", **({"limit": given} if given else {}))
        expect(len(page.ids) <= most, f"limit={given}: {len(page.ids)} events.")
        found = member(page.members, "limit", int, "a list")
        expect(found == most, f"limit={given}: the answer has the limit {found}, expected {most}.")

    section = "§4.3" if given in ("1", "2", "25") else "§8"
    return _check(section, f"limit={given or 'default'} means {most}", run, _OBSERVED)


def _newest_first(context: Context) -> None:
    found = list(context.newest)
    expect(found == sorted(set(found), reverse=True), f"The default order is {shown(found[:10])}.")


def _count_is_total(context: Context) -> None:
    page = context.list_events(limit="2")
    expect(page.count >= len(context.newest), f"The count is {page.count} for {len(page.ids)} events.")
    whole = context.list_events(limit="1000")
    expect(page.count == whole.count, f"The count is {page.count} and then {whole.count}.")
    if whole.count < 1000:
        expect(len(whole.ids) == whole.count, f"The count is {whole.count} for {len(whole.ids)} events.")


def _count_skipped(value: str, *, skipped: bool) -> ServiceCheck:
    def run(context: Context) -> None:
        page = context.list_events(limit="1", skip_count=value)
        expect(("count" in page.members) is not skipped, f"skip_count={value}: {shown(page.members)}.")

    return _check("§4.3", f"skip_count={value} {'omits' if skipped else 'has'} the count", run, _OBSERVED)


def _pages_join(context: Context) -> None:
    whole = context.list_events(limit="9", skip_count="true").ids
    parts = [context.list_events(limit="3", offset=str(at), skip_count="true").ids for at in (0, 3, 6)]
    newest = context.newest[:9]
    expect(whole == newest, f"The newest nine are {shown(whole)}, and {shown(newest)} of all.")
    expect(
        list(chain.from_iterable(parts)) == whole,
        f"Pages of three are {shown(parts)}, the whole is {shown(whole)}.",
    )


def _offset_is_answered(context: Context) -> None:
    found = context.list_events(limit="1", offset="3", skip_count="true").members.get("offset")
    expect(found == 3, f"offset=3 is answered with offset {shown(found)}.")


def _default_offset(context: Context) -> None:
    default = context.list_events(limit="3", skip_count="true")
    expect(
        default.members.get("offset") == 0, f"The default offset is {shown(default.members.get('offset'))}."
    )
    given = context.list_events(limit="3", offset="0", skip_count="true").ids
    expect(default.ids == given, "offset=0 answers other events than no offset.")


def _offset_beyond(context: Context) -> None:
    page = context.list_events(limit="5", offset=str(10**15))
    expect(page.ids == [], f"An offset beyond the end answers {shown(page.ids)}.")


# §4.3: forms


def _without_nulls(records: list[Json] | tuple[Json, ...]) -> None:
    for record in records:
        event = {name: value for name, value in record["event"].items() if name != "info"}
        found = [name for name, value in (*event.items(), *record.items()) if value is None]
        expect(not found, f"{found[0] if found else ''} is null in {shown(record)}.")


def _short_records(context: Context) -> None:
    page = context.list_events(limit="100", format="json")
    expect(page.ids == context.newest[:100], f"format=json has the events {shown(page.ids[:5])}.")
    for record in page.records:
        expect("info" not in record["event"], f"A short record has an info: {shown(record)}.")


def _default_format(context: Context) -> None:
    default = context.list_events(limit="20").records
    expect(len(default) == len(context.newest[:20]), f"A list of 20 events has {len(default)}.")
    expect(
        default == context.list_events(limit="20", format="json").records, "The default is not format=json."
    )


def _full_records(context: Context) -> None:
    for record in context.sample:
        member(record["event"], "info", dict, "a full record")


def _full_records_have_pollable(context: Context) -> None:
    for record in context.sample:
        member(record["event"], "pollable", bool, "a full record")


def _full_includes_short(context: Context) -> None:
    short = context.list_events(limit="50", skip_count="true").records
    for one, other in zip(short, context.sample, strict=False):
        missing = [name for name, value in one["event"].items() if other["event"].get(name) != value]
        expect(not missing, f"{missing} differ between {shown(one)} and {shown(other)}.")


def _no_nulls(context: Context) -> None:
    _without_nulls(list(context.sample))


def _member_is(name: str, kind: type) -> ServiceCheck:
    def run(context: Context) -> None:
        found = [record["event"] for record in context.sample if name in record["event"]]
        if not found:
            raise NotTriedError(f"No sampled event has {name}.")
        for event in found:
            member(event, name, kind, f"event {event['_id']}")

    return _check("§2.1", f"{name} of a record is {'a text' if kind is str else 'a whole number'}", run)


_MEMBERS: tuple[tuple[str, type], ...] = (
    ("schema", str),
    ("objecttype", str),
    ("object_id", int),
    ("object_version", int),
)


def _schema_is_named(context: Context) -> None:
    for record in context.sample:
        found = record["event"].get("schema", "USER")
        expect(found in ("USER", "BASE"), f"schema is {shown(found)}.")


def _base_types(context: Context) -> None:
    for record in context.sample:
        event = record["event"]
        expect(
            event.get("schema") == "BASE" or "basetype" not in event,
            f"basetype without BASE: {shown(event)}.",
        )
        expect("base_type" not in event, f"A record spells basetype base_type: {shown(event)}.")


def _object_types(context: Context) -> None:
    for record in context.sample:
        event = record["event"]
        expect(
            event.get("schema") == "USER" or "objecttype" not in event,
            f"objecttype without USER: {shown(event)}.",
        )


def _global_ids(context: Context) -> None:
    for record in context.sample:
        event = record["event"]
        found = event.get("global_object_id")
        if found is not None:
            expect(
                str(found).startswith(f"{event.get('object_id')}@"), f"global_object_id is {shown(found)}."
            )


def _users_are_named(context: Context) -> None:
    for record in context.sample:
        if user := user_of(record):
            member(user, "_generated_displayname", str, "the user of a record")


def _times_are_whole_seconds(context: Context) -> None:
    for record in context.sample:
        text = record["event"]["timestamp"]
        expect("." not in text and len(text) >= 20, f"A time is {text!r}, expected seconds and an offset.")


def _own_session_only(context: Context) -> None:
    for record in context.sample:
        own = record["event"].get("session_self", True)
        expect(own is True, f"session_self is {shown(own)}; it is there only if it is true.")


def _no_token(context: Context) -> None:
    expect(context.newest, "The log has no events.")
    for form in ("json", "json_full", "csv"):
        params = {"format": form, "limit": "50", "date_to": context.until}
        text = succeed(context.call(get("event/list", **params))).text
        expect(context.token not in text, f"A record in format={form} contains the token of this session.")


# §4.3: filters

_Params = Mapping[str, str]
_Fits = Callable[[Json], bool]


def _selects(context: Context, params: _Params, fits: _Fits) -> None:
    """The list must have the fitting sampled events, and no event that does not fit."""
    page = context.list_events(format="json_full", limit="200", skip_count="true", **params)
    for record in page.records:
        expect(fits(record), f"{page.reply.request} answers {shown(record)}.")
    sample = list(context.sample)
    lowest = sample[-1]["event"]["_id"]
    expected = [record["event"]["_id"] for record in sample if fits(record)]
    found = [id_ for id_ in page.ids if id_ >= lowest]
    missing = sorted(set(expected) - set(found), reverse=True)
    expect(not missing, f"{page.reply.request} lacks the events {missing[:5]}.")


def _present(context: Context, name: str) -> list[str]:
    """The values of a member in the sample. Raises NotTriedError if there are none."""
    found = {str(record["event"][name]) for record in context.sample if record["event"].get(name)}
    values = sorted(value for value in found if "," not in value and value.strip() == value)
    if not values:
        raise NotTriedError(f"No sampled event has {name}.")
    return values


def _by_pollable(value: str, wanted: bool) -> ServiceCheck:
    def run(context: Context) -> None:
        _selects(context, {"pollable": value}, lambda record: record["event"].get("pollable") is wanted)

    return _check("§4.3", f"pollable={value} selects {'' if wanted else 'not '}pollable events", run)


def _pollable_halves(context: Context) -> None:
    counts = [context.list_events(limit="1", pollable=value).count for value in ("true", "false")]
    total = context.list_events(limit="1").count
    expect(total >= len(context.newest), f"The count of all events is {total}.")
    expect(sum(counts) == total, f"Pollable and other events are {counts}, all are {total}.")


def _by_member(parameter: str, name: str, most: int) -> Callable[[Context], None]:
    def run(context: Context) -> None:
        values = _present(context, name)[:most]
        if len(values) < most:
            raise NotTriedError(f"The sampled events have only one {name}.")
        _selects(context, {parameter: ",".join(values)}, lambda record: record["event"].get(name) in values)

    return run


def _counts_of_types_add_up(context: Context) -> None:
    values = _present(context, "type")[:6]
    counts = [context.list_events(limit="1", type=value).count for value in values]
    total = context.list_events(limit="1", type=",".join(values)).count
    expect(sum(counts) == total, f"The counts of {values} are {counts}, together {total}.")


def _by_user(context: Context) -> None:
    me = context.user_id
    _selects(context, {"user_id": str(me)}, lambda record: user_of(record).get("_id") == me)


def _by_two_users(context: Context) -> None:
    ids = sorted({user_of(record)["_id"] for record in context.sample if user_of(record)})[:2]
    if len(ids) < 2:
        raise NotTriedError("The sampled events have fewer than two users.")
    _selects(
        context,
        {"user_id": ",".join(map(str, ids))},
        lambda record: user_of(record).get("_id") in ids,
    )


def _by_group(context: Context) -> None:
    group = _own_group(context)
    page = context.list_events(group_id=group, limit="200")
    own = context.list_events(user_id=str(context.user_id), limit="1")
    _has_events(own)
    expect(page.count >= own.count, f"The group has {page.count} events, one of its members {own.count}.")


def _own_group(context: Context) -> str:
    for each in context.session.get("groups") or []:
        group = each.get("group") if isinstance(each, dict) else None
        if isinstance(group, dict) and type(group.get("_id")) is int:
            return str(group["_id"])
    raise NotTriedError("The user is in no group.")


def _by_user_type(context: Context) -> None:
    page = context.list_events(user_type=context.user_type, limit="200")
    own = context.list_events(user_id=str(context.user_id), limit="1")
    _has_events(own)
    expect(page.count >= own.count, f"The type has {page.count} events, one of its users {own.count}.")
    without = [record for record in page.records if not user_of(record)]
    expect(not without, f"user_type selects events without a user: {shown(without[:1])}.")


def _has_events(page: Page) -> None:
    if not page.ids:
        raise NotTriedError(f"{page.reply.request} selects no events.")


def _union(**others: str) -> Callable[[Context], None]:
    """Adding users that select nothing changes nothing (§4.3 rule 1)."""

    def run(context: Context) -> None:
        own = {"user_id": str(context.user_id)}
        alone = context.list_events(limit="50", **own)
        _has_events(alone)
        given = {name: f"{own[name]},{text}" if name in own else text for name, text in others.items()}
        both = context.list_events(limit="50", **(own | given))
        expect(
            (alone.count, alone.ids) == (both.count, both.ids),
            f"user_id alone selects {alone.count} events, with {given} {both.count}.",
        )

    return run


def _union_with_type(context: Context) -> None:
    kind = context.user_type
    alone = context.list_events(limit="50", user_type=kind)
    _has_events(alone)
    both = context.list_events(limit="50", user_type=kind, user_id=str(context.user_id))
    expect(
        (alone.count, alone.ids) == (both.count, both.ids),
        f"user_type selects {alone.count} events, with one of its users {both.count}.",
    )


def _filters_narrow(context: Context) -> None:
    me, kind = context.user_id, "USER_LOGIN"
    _selects(
        context,
        {"user_id": str(me), "type": kind, "pollable": "true"},
        lambda record: (
            user_of(record).get("_id") == me
            and record["event"]["type"] == kind
            and record["event"].get("pollable") is True
        ),
    )


def _nothing(parameter: str, value: str, basis: Basis = Basis.INTERFACE) -> ServiceCheck:
    def run(context: Context) -> None:
        page = context.list_events(limit="5", **{parameter: value})
        expect((page.count, page.ids) == (0, []), f"{page.reply.request} selects {page.count} events.")

    return _check("§4.3", f"{parameter}={value} selects nothing", run, basis)


# §4.3: times


def _moment(context: Context) -> str:
    """The time of a sampled event as the service writes it."""
    records = context.sample
    return str(records[len(records) // 2]["event"]["timestamp"])


def _bounds_are_inclusive(context: Context) -> None:
    text = _moment(context)
    moment = parse_time(text, "timestamp")
    page = context.list_events(date_from=text, date_to=text, limit="1000", skip_count="true")
    expect(page.ids, f"date_from=date_to={text} selects no event, not even that of this time.")
    for record in page.records:
        found = parse_time(record["event"]["timestamp"], "timestamp")
        expect(found == moment, f"date_from=date_to={text} selects {shown(record)}.")


def _bound(name: str) -> Callable[[Context], None]:
    def run(context: Context) -> None:
        text = _moment(context)
        moment = parse_time(text, "timestamp")

        def fits(record: Json) -> bool:
            found = parse_time(record["event"]["timestamp"], "timestamp")
            return found >= moment if name == "date_from" else found <= moment

        order = {"sort": "timestamp.ASC"} if name == "date_from" else {"sort": "timestamp.DESC"}
        page = context.list_events(limit="100", skip_count="true", **{name: text}, **order)
        expect(page.ids, f"{name}={text} selects no event.")
        for record in page.records:
            expect(fits(record), f"{name}={text} selects {shown(record)}.")

    return run


def _written(how: str) -> Callable[[Context], str]:
    """The time of a sampled event, written in another way."""

    def text(context: Context) -> str:
        moment = parse_time(_moment(context), "timestamp")
        utc = moment.astimezone(timezone.utc)  # noqa: UP017 - beside the other zones
        east = moment.astimezone(timezone(timedelta(hours=5, minutes=30)))
        west = moment.astimezone(timezone(-timedelta(hours=8)))
        return {
            "Z": f"{utc:%Y-%m-%dT%H:%M:%S}Z",
            "an offset to the east": east.isoformat(),
            "an offset to the west": west.isoformat(),
            "a blank": _moment(context).replace("T", " "),
            "no offset": f"{moment:%Y-%m-%dT%H:%M:%S}",
            "a fraction of zero": f"{utc:%Y-%m-%dT%H:%M:%S}.000Z",
        }[how]

    return text


_FORMS = ("Z", "an offset to the east", "an offset to the west", "a blank", "no offset", "a fraction of zero")


def _same_moment(how: str) -> ServiceCheck:
    def run(context: Context) -> None:
        text, moment = _written(how)(context), _moment(context)
        expected = context.list_events(date_from=moment, date_to=moment, limit="50", skip_count="true").ids
        found = context.list_events(date_from=text, date_to=text, limit="50", skip_count="true").ids
        expect(found == expected, f"The time {text!r} selects {found[:5]}, {moment!r} {expected[:5]}.")

    return _check("§4.3 rule 3", f"times may be written with {how}", run, _DECISION)


def _bare_day(context: Context) -> None:
    moment = parse_time(_moment(context), "timestamp")
    day = f"{moment:%Y-%m-%d}"
    page = context.list_events(date_from=day, date_to=day, limit="1000", skip_count="true")
    expect(page.ids, f"date_from=date_to={day} selects no event.")
    for record in page.records:
        found = parse_time(record["event"]["timestamp"], "timestamp")
        expect(f"{found:%Y-%m-%d}" == day, f"date_from=date_to={day} selects {shown(record)}.")


def _swapped_bounds(context: Context) -> None:
    page = context.list_events(date_from="2100-01-01", date_to="1970-01-01", limit="5")
    expect(page.count == 0, f"date_from after date_to selects {page.count} events.")


# §4.3: order

_SORT: Mapping[str, Callable[[Json], Any]] = {
    "_id": lambda record: record["event"]["_id"],
    "type": lambda record: record["event"]["type"],
    "object_version": lambda record: record["event"].get("object_version"),
    "schema": lambda record: record["event"].get("schema"),
    "object_id": lambda record: record["event"].get("object_id"),
    "timestamp": lambda record: parse_time(record["event"]["timestamp"], "timestamp"),
    "user_generated_displayname": lambda record: user_of(record).get("_generated_displayname"),
    "base_type": lambda record: record["event"].get("basetype"),
}


def _is_ordered(sort: str) -> Callable[[Context], None]:
    fields = [(text.partition(".")[0], text.endswith(".DESC")) for text in sort.split(",")]
    if all(name != "_id" for name, _ in fields):
        fields.append(("_id", fields[-1][1]))

    def run(context: Context) -> None:
        page = context.list_events(sort=sort, limit=str(SAMPLE), format="json_full", skip_count="true")
        found, most = len(set(page.ids)), len(context.newest)
        expect(found == len(page.ids) == most, f"sort={sort}: {found} events, {most} without it.")
        for one, other in pairwise(page.records):
            expect(
                _in_order(one, other, fields),
                f"sort={sort}: {shown(one)} stands before {shown(other)}.",
            )
        values = [_SORT[fields[0][0]](record) is not None for record in page.records]
        changes = sum(one != other for one, other in pairwise(values))
        expect(changes <= 1, f"sort={sort}: missing values are not together at one end.")

    return run


def _in_order(one: Json, other: Json, fields: list[tuple[str, bool]]) -> bool:
    for name, descending in fields:
        first, second = _SORT[name](one), _SORT[name](other)
        if first is None or second is None:
            if first is second:
                continue
            return True  # at which end missing values stand is not shown
        if first != second:
            return bool(first > second) if descending else bool(first < second)
    return True


_FIELDS = tuple(name for name in _SORT if name != "base_type")
_SEVERAL = (
    "type,_id",
    "type.DESC,_id.ASC",
    "timestamp.DESC,_id.DESC",
    "schema.DESC,object_id.ASC,object_version.DESC",
    "user_generated_displayname.DESC,_id.ASC",
    "object_id.ASC,timestamp.DESC",
)
_BAD_SORTS = ("", "user_id", "info", "type.UP", "type.", "_id,", ".DESC", "_id.ASC.DESC", "_ID")


def _default_direction(name: str) -> ServiceCheck:
    def run(context: Context) -> None:
        default = context.list_events(sort=name, limit="50", skip_count="true").ids
        expect(len(default) == len(context.newest[:50]), f"sort={name}: {len(default)} events.")
        given = context.list_events(sort=f"{name}.ASC", limit="50", skip_count="true").ids
        expect(default == given, f"sort={name} is not sort={name}.ASC.")

    return _check("§4.3", f"sort={name} ascends", run)


def _default_sort(context: Context) -> None:
    default = list(context.newest[:50])
    given = context.list_events(sort="_id.DESC", limit="50", skip_count="true").ids
    expect(default == given, "A list without sort is not one with sort=_id.DESC.")


# §4.3: refusals

_REFUSED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("limit", ("0", "-1", "", "many", "1.5")),
    ("offset", ("-1", "", "many", "1.5")),
    ("pollable", ("", "perhaps", "2")),
    ("type", ("", "SEARCH,", ",")),
    ("base_type", ("", "user,")),
    ("user_id", ("", "support", "2,", "1.5")),
    ("group_id", ("", "editors", "1,")),
    ("user_type", ("", "easydb,")),
    ("date_from", ("", "yesterday", "2025-06-31", "15.06.2025")),
    ("date_to", ("", "tomorrow", "2025-02-30", "2025-06-15T25:00")),
    ("format", ("", "xml", "JSON", "json_short")),
    ("skip_count", ("", "perhaps")),
    ("sort", _BAD_SORTS),
)
_UNKNOWN = ("types", "Limit", "csv", "lang", "last_max_id")


def _refusals() -> Iterator[ServiceCheck]:
    for name, texts in _REFUSED:
        for text in texts:
            basis = _DECISION if text == "" and name != "format" else Basis.INTERFACE
            # A second limit would be a repeated parameter.
            more = {} if name == "limit" else {"limit": "1"}
            request = get("event/list", **{name: text}, **more)
            yield refused("§4.3", request, INVALID, right=EVENT_GET, basis=basis)
    for name in _UNKNOWN:
        request = get("event/list", limit="1", **{name: "1"})
        yield refused("§4.3", request, NOT_ACCEPTED, right=EVENT_GET, basis=_DECISION)
    for query, wrong in (("type=a%00b", "a zero"), ("type=%ff%fe", "no UTF-8"), ("limit=1&limit=2", "twice")):
        found = refused("§4.3", Request("GET", "event/list", query=query), right=EVENT_GET, basis=_DECISION)
        yield ServiceCheck(
            "§4.3", f"GET event/list refuses a parameter with {wrong}", found.run, EVENT_GET, _DECISION
        )


LIST = Group(
    "Listing events: pages and forms",
    (
        *(
            _limit(given, most)
            for given, most in (("", 1000), ("1", 1), ("2", 2), ("25", 25), ("1000", 1000))
        ),
        *(_limit(given, 1000) for given in ("1001", "50000")),
        _check("§4.3", "the default order is the newest first", _newest_first),
        _check("§4.3 rule 4", "the count is that of all selected events", _count_is_total, _OBSERVED),
        *(_count_skipped(value, skipped=True) for value in ("true", "1")),
        *(_count_skipped(value, skipped=False) for value in ("false", "0")),
        _check("§4.3", "pages join without gap or repetition", _pages_join),
        _check("§4.3", "the offset is answered", _offset_is_answered, _OBSERVED),
        _check("§8", "the default offset is 0", _default_offset),
        _check("§4.3", "an offset beyond the end answers no events", _offset_beyond),
        _check("§4.3", "the default format is json", _default_format),
        _check("§2.1", "short records have no info", _short_records),
        _check("§2.1", "full records have an info", _full_records),
        _check("§2.1", "full records have pollable", _full_records_have_pollable),
        _check("§4.3 rule 2", "full records include the short ones", _full_includes_short),
        _check("§2.1", "records have no null", _no_nulls, _OBSERVED),
        *(_member_is(name, kind) for name, kind in _MEMBERS),
        _check("§2.1", "schema is USER or BASE", _schema_is_named, _OBSERVED),
        _check("§2.1", "basetype stands with schema BASE only", _base_types, _OBSERVED),
        _check("§2.1", "objecttype stands with schema USER only", _object_types, _OBSERVED),
        _check("§2.1", "global_object_id begins with the object's id", _global_ids, _OBSERVED),
        _check("§2.1", "users of records are named", _users_are_named, _OBSERVED),
        _check("§2.1", "times are whole seconds with an offset", _times_are_whole_seconds, _OBSERVED),
        _check("§2.1", "session_self is there only if true", _own_session_only, _OBSERVED),
        _check("§2.1", "no record contains the token of the session", _no_token, _DECISION),
        *_refusals(),
    ),
)

FILTERS = Group(
    "Listing events: filters and order",
    (
        *(_by_pollable(value, wanted) for value, wanted in (("true", True), ("1", True))),
        *(_by_pollable(value, wanted) for value, wanted in (("false", False), ("0", False))),
        _check("§4.3", "pollable and other events are all events", _pollable_halves),
        _check("§4.3", "type selects one type", _by_member("type", "type", 1)),
        _check("§4.3", "type selects several types", _by_member("type", "type", 2)),
        _check("§4.3", "counts of single types add up", _counts_of_types_add_up),
        _check("§4.3", "base_type selects one base type", _by_member("base_type", "basetype", 1)),
        _check("§4.3", "base_type selects several base types", _by_member("base_type", "basetype", 2)),
        _check("§4.3", "user_id selects the events of a user", _by_user),
        _check("§4.3", "user_id selects the events of several users", _by_two_users),
        _check("§4.3", "group_id selects the events of its members", _by_group),
        _check("§4.3", "user_type selects the events of its users", _by_user_type),
        _check("§4.3 rule 1", "user_id and an unknown user_id are a union", _union(user_id=NOBODY)),
        _check("§4.3 rule 1", "user_id and an unknown user_type are a union", _union(user_type=NOTHING)),
        _check("§4.3 rule 1", "user_id and an unknown group_id are a union", _union(group_id=NOBODY)),
        _check(
            "§4.3 rule 1",
            "all three with unknown values are a union",
            _union(user_type=NOTHING, group_id=NOBODY),
        ),
        _check("§4.3 rule 1", "user_type and one of its users are a union", _union_with_type),
        _check("§4.3", "different filters narrow", _filters_narrow),
        *(_nothing(name, NOTHING) for name in ("type", "base_type", "user_type")),
        *(_nothing(name, NOBODY, _DECISION) for name in ("user_id", "group_id")),
        _nothing("date_from", "2999-12-31"),
        _nothing("date_to", "1970-01-01"),
        _check("§4.3", "date_from and date_to are inclusive", _bounds_are_inclusive, _DECISION),
        _check("§4.3", "date_from is the earliest time", _bound("date_from")),
        _check("§4.3", "date_to is the latest time", _bound("date_to")),
        *(_same_moment(how) for how in _FORMS),
        _check("§4.3 rule 3", "a bare day means all of it", _bare_day, _DECISION),
        _check("§4.3", "date_from after date_to selects nothing", _swapped_bounds),
        *(
            _check("§4.3", f"sort={name}.{direction}", _is_ordered(f"{name}.{direction}"))
            for name in _FIELDS
            for direction in ("ASC", "DESC")
        ),
        *(_default_direction(name) for name in _FIELDS),
        _check("§4.3", "the default sort is _id.DESC", _default_sort),
        *(_check("§4.3", f"sort={sort}", _is_ordered(sort), _OBSERVED) for sort in _SEVERAL),
        _check("§4.3", "sort=base_type.ASC", _is_ordered("base_type.ASC"), _OBSERVED),
    ),
)
