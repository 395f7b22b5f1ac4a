"""Polling and listing events (§4.2, §4.3): checks that compare answers with samples of the log."""

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, timedelta, timezone
from itertools import chain, pairwise
from typing import Any
from urllib.parse import urlencode

import msgspec

from server_stub.conformance.client import (
    EVENT_GET,
    DeviationError,
    NotTriedError,
    expect,
    get,
    member,
    parse_time,
    refuse,
    shown,
    succeed,
)
from server_stub.conformance.context import SAMPLE, Context, Json, read_page, read_records, user_of
from server_stub.conformance.table import Basis, group_of

_OBSERVED = Basis.OBSERVED
_DECISION = Basis.DECISION

RETRIEVE = group_of("Retrieving an event", EVENT_GET)
POLL = group_of("Polling")
LIST = group_of("Listing events: pages and forms", EVENT_GET)
FILTERS = group_of("Listing events: filters and order", EVENT_GET)


# §4.1


@RETRIEVE.check(
    "§4.1", "an event that is {0} is retrieved as it is listed", _OBSERVED, [("old",), ("not pollable",)]
)
def _is_retrieved(context: Context, which: str) -> None:
    found = [record for record in context.sample if which == "old" or record["event"]["pollable"] is False]
    if not found:
        raise NotTriedError(f"No sampled event is {which}.")
    reply = succeed(context.call(get(f"event/{found[-1]['event']['_id']}")))
    expect(_without_key_of_user(reply.object()) == _without_key_of_user(found[-1]), f"The record is {reply}.")


def _without_key_of_user(record: Json) -> Any:
    return record["event"], user_of(record)


# §4.2


def _poll(context: Context, cursor: object = "", **params: str) -> list[Json]:
    request = get(f"event/poll/{cursor}" if cursor != "" else "event/poll", **params)
    return read_records(succeed(context.call(request)).json(), str(request))


def _new(context: Context) -> list[Json]:
    found = _poll(context, limit="0")
    if not found:
        raise NotTriedError("There are no new events.")
    return found


@POLL.check("§4.2", "a poll answers a list of records whose ids ascend", _OBSERVED)
def _ascending(context: Context) -> None:
    found = [record["event"]["_id"] for record in _poll(context, limit="0")]
    expect(found == sorted(set(found)), f"The ids of a poll do not ascend: {shown(found[:20])}.")


@POLL.check("§4.2", "all ids are above current_max_event_id")
def _above_the_bound(context: Context) -> None:
    found = [record["event"]["_id"] for record in _poll(context, limit="0")]
    expect(
        all(id_ > context.lowest for id_ in found), f"A poll answers {found[:5]}, not above {context.lowest}."
    )


@POLL.check("§4.2", "only events after the cursor are answered")
def _moves_with_cursor(context: Context) -> None:
    found = [record["event"]["_id"] for record in _new(context)]
    later = [record["event"]["_id"] for record in _poll(context, found[0], limit="0")]
    expect(later[: len(found) - 1] == found[1:], f"After {found[0]} a poll answers {shown(later[:10])}.")


@POLL.check("§8", "a cursor below current_max_event_id is refused")
def _below_the_bound(context: Context) -> None:
    if context.lowest < 1:
        raise NotTriedError("The lower bound is 0.")
    refuse(context.call(get(f"event/poll/{context.lowest - 1}")), "error.api.invalid_value")


_LIMITS = [("", 25), *((str(most), most) for most in (1, 2, 25, 999, 1000))]


@POLL.check(
    "§8",
    "a poll with limit={0} has the {1} oldest new events",
    cases=[*_LIMITS, *((text, 1000) for text in ("0", "1001", "50000"))],
)
def _limit_of_poll(context: Context, limit: str, most: int) -> None:
    visible = {"type": "USER_LOGIN", "pollable": "true", "limit": "1", "skip_count": "true"}
    newest = read_page(context.call(get("event/list", **visible))).ids if context.may(EVENT_GET) else []
    found = [record["event"]["_id"] for record in _poll(context, **({"limit": limit} if limit else {}))]
    expected = [record["event"]["_id"] for record in _new(context)][:most]
    # Others may have been stored between the two polls.
    fits = found == expected[: len(found)] and len(found) <= most
    whole = len(found) == most or all(id_ in found or id_ <= context.lowest for id_ in newest)
    expect(fits and whole, f"limit={limit}: {len(found)} events from {found[:1]}, not from {expected[:1]}.")


@POLL.check("§4.2", "records have the short form")
def _short_form(context: Context) -> None:
    for record in _new(context):
        # Deployed services send a reduced info of some events.
        if record["event"]["type"] != "API_PROGRESS":
            expect("info" not in record["event"], f"A polled event has an info: {shown(record)}.")


@POLL.check("§4.2 rule 1", "OBJECT_INSERT is polled by its own session only")
def _rule_of_inserts(context: Context) -> None:
    for record in _new(context):
        own = record["event"].get("session_self") is True or record["event"]["type"] != "OBJECT_INSERT"
        expect(own, f"A poll answers the OBJECT_INSERT of another session: {shown(record)}.")


@POLL.check("§4.2 rule 2", "OBJECT_UPDATE of a user is polled by that user only")
def _rule_of_updates(context: Context) -> None:
    for record in _new(context):
        event = record["event"]
        if event["type"] == "OBJECT_UPDATE" and event.get("basetype") == "user":
            own = user_of(record).get("_id") == context.user_id
            expect(own, f"A poll answers the OBJECT_UPDATE of a user by another user: {shown(record)}.")


@POLL.check("§4.2 rule 3", "exactly the pollable events are polled")
def _only_pollable(context: Context) -> None:
    if not context.may(EVENT_GET):
        raise NotTriedError(f"The log-in lacks the right {EVENT_GET}.")
    seen = {record["event"]["_id"] for record in _new(context)}
    for pollable, hidden in (("true", ("OBJECT_INSERT", "OBJECT_UPDATE")), ("false", ())):
        page = read_page(context.call(get("event/list", pollable=pollable, limit="1000", skip_count="true")))
        listed = [record["event"] for record in page.records if record["event"]["type"] not in hidden]
        new = {event["_id"] for event in listed if context.lowest < event["_id"] <= max(seen)}
        wrong = sorted(new - seen if pollable == "true" else new & seen)
        expect(not wrong, f"pollable={pollable} selects {wrong[:5]}, of which the poll says the opposite.")


# §4.3: pages and forms


@LIST.check(
    "§8",
    "limit={0} means {1}",
    _OBSERVED,
    [("", 1000), *((str(most), most) for most in (1, 2, 25, 1000)), ("1001", 1000), ("50000", 1000)],
)
def _limit(context: Context, given: str, most: int) -> None:
    page = context.list_events(**({"limit": given} if given else {}))
    expect(len(page.ids) == min(most, page.count), f"limit={given}: {len(page.ids)} of {page.count} events.")
    found = member(page.members, "limit", int, "a list")
    expect(found == most, f"limit={given}: the answer has the limit {found}, expected {most}.")


@LIST.check("§4.3", "the default order is the newest first")
def _newest_first(context: Context) -> None:
    found = list(context.newest)
    expect(found == sorted(set(found), reverse=True), f"The default order is {shown(found[:10])}.")


@LIST.check("§4.3 rule 4", "the count is that of all selected events", _OBSERVED)
def _count_is_total(context: Context) -> None:
    page = context.list_events(limit="2")
    whole = context.list_events(limit="1000")
    expect(page.count == whole.count, f"The count is {page.count} and then {whole.count}.")
    enough = len(whole.ids) if whole.count < 1000 else whole.count
    expect(
        whole.count == max(enough, len(context.newest)), f"The count is {whole.count} for {enough} events."
    )


@LIST.check("§4.3", "pages join without gap or repetition")
def _pages_join(context: Context) -> None:
    pages = [context.list_events(limit="3", offset=str(at), skip_count="true") for at in (0, 3, 6)]
    expect([page.members.get("offset") for page in pages] == [0, 3, 6], "The answers have other offsets.")
    found = list(chain.from_iterable(page.ids for page in pages))
    newest = list(context.newest[:9])
    expect(found == newest, f"Three pages of three are {shown(found)}, the newest nine {shown(newest)}.")


@LIST.check("§4.3 rule 2", "full records include the short ones")
def _full_includes_short(context: Context) -> None:
    short = context.list_events(limit="50", skip_count="true").records
    for one, other in zip(short, context.sample, strict=False):
        missing = [name for name, value in one["event"].items() if other["event"].get(name) != value]
        expect(not missing, f"{missing} differ between {shown(one)} and {shown(other)}.")


@LIST.check("§2.1", "global_object_id begins with the object's id", _OBSERVED)
def _global_ids(context: Context) -> None:
    for event in (record["event"] for record in context.sample):
        found = event.get("global_object_id")
        fits = found is None or str(found).startswith(f"{event.get('object_id')}@")
        expect(fits, f"global_object_id is {shown(found)}.")


# §4.3: filters


def _selects(context: Context, params: Mapping[str, str], fits: Callable[[Json], bool]) -> None:
    """The list must have the fitting sampled events, and no event that does not fit."""
    page = context.list_events(format="json_full", limit="200", skip_count="true", **params)
    for record in page.records:
        expect(fits(record), f"{page.reply.request} answers {shown(record)}.")
    lowest = context.sample[-1]["event"]["_id"]
    expected = [record["event"]["_id"] for record in context.sample if fits(record)]
    found = [id_ for id_ in page.ids if id_ >= lowest]
    expect(found == expected, f"{page.reply.request} has {len(found)} events, expected {len(expected)}.")


def _present(context: Context, name: str) -> list[str]:
    """The values of a member in the sample. Raises NotTriedError if there are none."""
    found = {str(record["event"][name]) for record in context.sample if record["event"].get(name)}
    values = sorted(value for value in found if "," not in value and value.strip() == value)
    if not values:
        raise NotTriedError(f"No sampled event has {name}.")
    return values


_POLLABLE = [("true", True), ("1", True), ("false", False), ("0", False)]


@FILTERS.check("§4.3", "pollable={0} selects the events of which this is true", cases=_POLLABLE)
def _by_pollable(context: Context, value: str, wanted: bool) -> None:
    _selects(context, {"pollable": value}, lambda record: record["event"].get("pollable") is wanted)


@FILTERS.check(
    "§4.3",
    "{0} selects the events of {2} of its values",
    cases=[
        (name, member, most)
        for name, member in (("type", "type"), ("base_type", "basetype"))
        for most in (1, 2)
    ],
)
def _by_member(context: Context, parameter: str, name: str, most: int) -> None:
    values = _present(context, name)[:most]
    if len(values) < most:
        raise NotTriedError(f"The sampled events have only one {name}.")
    _selects(context, {parameter: ",".join(values)}, lambda record: record["event"].get(name) in values)


@FILTERS.check(
    "§4.3", "counts of single types and of pollable events add up", cases=[("type",), ("pollable",)]
)
def _counts_add_up(context: Context, parameter: str) -> None:
    values = _present(context, "type")[:6] if parameter == "type" else ["true", "false"]
    counts = [context.list_events(limit="1", **{parameter: value}).count for value in values]
    together = {"type": ",".join(values)} if parameter == "type" else {}
    total = context.list_events(limit="1", **together).count
    expect(sum(counts) == total >= 1, f"The counts of {values} are {counts}, together {total}.")


@FILTERS.check("§4.3", "user_id selects the events of {0} of its values", cases=[(1,), (2,)])
def _by_users(context: Context, most: int) -> None:
    others = {user_of(record)["_id"] for record in context.sample if user_of(record)} - {context.user_id}
    ids = [context.user_id, *sorted(others)][:most]
    if len(ids) < most:
        raise NotTriedError("The sampled events have fewer than two users.")
    given = {"user_id": ",".join(map(str, ids))}
    _selects(context, given, lambda record: user_of(record).get("_id") in ids)


@FILTERS.check("§4.3", "{0} selects the events of its users", cases=[("group_id",), ("user_type",)])
def _by_users_of(context: Context, parameter: str) -> None:
    page = context.list_events(limit="200", **{parameter: _own(context, parameter)})
    own = context.list_events(user_id=str(context.user_id), limit="200")
    if not own.ids:
        raise NotTriedError("The user has no events.")
    missing = {id_ for id_ in own.ids if id_ >= page.ids[-1]} - set(page.ids) if page.ids else set(own.ids)
    expect(page.count >= own.count and not missing, f"{page.reply.request} lacks {sorted(missing)[:5]}.")
    without = [record for record in page.records if not user_of(record)]
    expect(not without, f"{page.reply.request} selects events without a user: {shown(without[:1])}.")


def _own(context: Context, parameter: str) -> str:
    """The type of the signed-in user, or one of its groups. Raises NotTriedError."""
    if parameter == "user_type":
        return str(context.session["user"]["user"]["type"])
    groups = context.session.get("groups") or []
    if not groups:
        raise NotTriedError("The user is in no group.")
    return str(groups[0]["group"]["_id"])


@FILTERS.check("§4.3", "different filters narrow")
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


# §4.3: times


def _time(record: Json) -> Any:
    return parse_time(record["event"]["timestamp"], "timestamp")


def _moment(context: Context) -> Any:
    """The time of a sampled event."""
    return _time(context.sample[len(context.sample) // 2])


@FILTERS.check("§4.3", "{0} is a bound, and inclusive", cases=[("date_from",), ("date_to",)])
def _bound(context: Context, name: str) -> None:
    moment, is_first = _moment(context), name == "date_from"
    sort = f"timestamp.{'ASC' if is_first else 'DESC'}"
    page = context.list_events(limit="100", skip_count="true", sort=sort, **{name: moment.isoformat()})
    times = [_time(record) for record in page.records]
    expect(moment in times, f"{name}={moment.isoformat()} does not select the event of this time.")
    wrong = [time for time in times if (time < moment if is_first else time > moment)]
    expect(not wrong, f"{name}={moment.isoformat()} selects {wrong[:1]}.")


_FORMS: Mapping[str, Callable[[Any], str]] = {
    "Z": lambda moment: f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}Z",
    "an offset to the east": lambda moment: moment.astimezone(
        timezone(timedelta(hours=5, minutes=30))
    ).isoformat(),
    "an offset to the west": lambda moment: moment.astimezone(timezone(-timedelta(hours=8))).isoformat(),
    "a blank": lambda moment: moment.isoformat().replace("T", " "),
    "no offset": lambda moment: f"{moment:%Y-%m-%dT%H:%M:%S}",
    "a fraction of zero": lambda moment: f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.000Z",
}


@FILTERS.check("§4.3 rule 3", "times may be written with {0}", _DECISION, [(how,) for how in _FORMS])
def _same_moment(context: Context, how: str) -> None:
    moment = _moment(context)
    expected, found = (
        context.list_events(date_from=text, date_to=text, limit="50", skip_count="true").ids
        for text in (moment.isoformat(), _FORMS[how](moment))
    )
    expect(found == expected != [], f"With {how} the time selects {found[:5]}, expected {expected[:5]}.")


@FILTERS.check("§4.3 rule 3", "a bare day means all of it", _DECISION)
def _bare_day(context: Context) -> None:
    day = f"{_moment(context):%Y-%m-%d}"
    page = context.list_events(date_from=day, date_to=day, limit="1000", skip_count="true")
    expect(page.ids, f"date_from=date_to={day} selects no event.")
    for record in page.records:
        expect(f"{_time(record):%Y-%m-%d}" == day, f"date_from=date_to={day} selects {shown(record)}.")
    sampled = {record["event"]["_id"] for record in context.sample if f"{_time(record):%Y-%m-%d}" == day}
    missing = sampled - set(page.ids) if len(page.ids) < 1000 else set()
    expect(not missing, f"date_from=date_to={day} lacks {sorted(missing)[:5]}.")


# §4.3: order

_SORT: Mapping[str, Callable[[Json], Any]] = {
    "_id": lambda record: record["event"]["_id"],
    "type": lambda record: record["event"]["type"],
    "object_version": lambda record: record["event"].get("object_version"),
    "schema": lambda record: record["event"].get("schema"),
    "object_id": lambda record: record["event"].get("object_id"),
    "timestamp": _time,
    "user_generated_displayname": lambda record: user_of(record).get("_generated_displayname"),
    "base_type": lambda record: record["event"].get("basetype"),
}
_SEVERAL = (
    "type,_id",
    "type.DESC,_id.ASC",
    "timestamp.DESC,_id.DESC",
    "schema.DESC,object_id.ASC,object_version.DESC",
    "user_generated_displayname.DESC,_id.ASC",
    "object_id.ASC,timestamp.DESC",
    "base_type.ASC",
)


@FILTERS.check("§4.3", "sort={0}", cases=[(f"{name}.{way}",) for name in _SORT for way in ("ASC", "DESC")])
@FILTERS.check("§4.3", "sort={0}", _OBSERVED, [(sort,) for sort in _SEVERAL])
def _is_ordered(context: Context, sort: str) -> None:
    fields = [(text.partition(".")[0], text.endswith(".DESC")) for text in sort.split(",")]
    if all(name != "_id" for name, _ in fields):
        fields.append(("_id", fields[-1][1]))
    page = context.list_events(sort=sort, limit=str(SAMPLE), format="json_full", skip_count="true")
    found, most = len(set(page.ids)), len(context.newest)
    expect(found == len(page.ids) == most, f"sort={sort}: {found} events, {most} without it.")
    for one, other in pairwise(page.records):
        expect(_in_order(one, other, fields), f"sort={sort}: {shown(one)} stands before {shown(other)}.")
    values = [_SORT[fields[0][0]](record) is not None for record in page.records]
    changes = sum(one != other for one, other in pairwise(values))
    expect(changes <= 1, f"sort={sort}: missing values are not together at one end.")


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


_ROWS = 50
csv.field_size_limit(2**31 - 1)  # cells may have as many characters as the whole answer
# wire §3, in this order.
_COLUMNS = [
    *("_id", "timestamp", "type", "schema", "basetype", "objecttype", "object_id", "object_version"),
    *("global_object_id", "pollable", "user_id", "user_generated_displayname", "user_type", "session"),
    *("ipv4_address", "info"),
]

CSV = group_of("Listing events: CSV", EVENT_GET)


@dataclass(frozen=True)
class _CsvPage:
    """A parsed CSV answer."""

    header: list[str]
    rows: list[Mapping[str, str]]


def _csv_page(context: Context, dialect: Mapping[str, Any] | None = None, /, **params: str) -> _CsvPage:
    given = {"limit": str(_ROWS), "date_to": context.until} | params
    reply = succeed(context.call(get("event/list", format="csv", **given)))
    expect(reply.media_type == "text/csv", f"{reply.request}: the type is {reply.media_type!r}.")
    text = reply.text.removeprefix("\ufeff")
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True, **(dialect or {})))
    except csv.Error as error:
        raise DeviationError(f"{reply.request}: the answer is not CSV: {error}.") from None
    expect(lines and lines[0], f"{reply.request}: the answer has no header.")
    header, *rows = lines
    widths = {len(row) for row in rows} - {len(header)}
    expect(not widths, f"{reply.request}: there are lines of {widths} cells, {len(header)} columns.")
    return _CsvPage(header, [dict(zip(header, row, strict=True)) for row in rows])


@CSV.check("§4.3", "the columns", _DECISION)
def _columns(context: Context) -> None:
    found = _csv_page(context).header
    expect(found == _COLUMNS, f"The columns are {shown(found)}.")


_PAGES: tuple[dict[str, str], ...] = (
    {},
    {"limit": "3", "offset": "2"},
    {"sort": "_id.ASC", "limit": "20"},
    {"type": "USER_LOGIN", "pollable": "true"},
)


@CSV.check(
    "§4.3", "CSV has the events of JSON: {0}", cases=[(urlencode(params), params) for params in _PAGES]
)
def _same_as_json(context: Context, _: str, params: dict[str, str]) -> None:
    found = [row.get("_id") for row in _csv_page(context, **params).rows]
    listed = context.list_events(skip_count="true", **({"limit": str(_ROWS)} | params)).ids
    expect(found == list(map(str, listed)), f"CSV has the events {found[:5]}, JSON {listed[:5]}.")


def _cell(record: Json, name: str) -> str:
    """The cell of a full record."""
    event, user = record["event"], user_of(record)
    names = {"user_id": "_id", "user_generated_displayname": "_generated_displayname"}
    value = user.get(names[name]) if name in names else event.get(name)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


@CSV.check("§4.3", "the column {0} has the values of the records", cases=[(name,) for name in _COLUMNS[:12]])
def _cells(context: Context, name: str) -> None:
    for row, record in zip(_csv_page(context, csv_max_length="0").rows, context.sample, strict=False):
        found, expected = row.get(name), _cell(record, name)
        expect(found == expected, f"{name} is {shown(found)}, the record has {shown(expected)}.")


@CSV.check("§4.3", "info is JSON with the values of the record", _DECISION)
def _info_is_json(context: Context) -> None:
    for row, record in zip(_csv_page(context, csv_max_length="0").rows, context.sample, strict=False):
        try:
            found = msgspec.json.decode(row.get("info", ""))
        except (msgspec.DecodeError, RecursionError):
            raise DeviationError(f"info is {shown(row.get('info'))}, expected JSON.") from None
        expect(
            found == record["event"].get("info"), f"info is {shown(found)}, the record is {shown(record)}."
        )


_DIALECTS: tuple[dict[str, str], ...] = (
    {"csv_delimiter": ";"},
    {"csv_delimiter": "\t"},
    {"csv_delimiter": "|"},
    {"csv_quote": "'"},
    {"csv_quote": "'", "csv_escape": "'"},
    {"csv_escape": "\\"},
    {"csv_delimiter": "|", "csv_quote": "'", "csv_escape": "'"},
    {"csv_delimiter": ";", "csv_quote": "'", "csv_escape": "\\"},
)


@CSV.check(
    "§4.3", "cells are unchanged with {0}", cases=[(urlencode(params), params) for params in _DIALECTS]
)
def _dialect(context: Context, options: str, params: dict[str, str]) -> None:
    plain = _csv_page(context, csv_max_length="0")
    mark, escape = params.get("csv_quote", '"'), params.get("csv_escape", '"')
    dialect: dict[str, Any] = {"delimiter": params.get("csv_delimiter", ","), "quotechar": mark}
    if escape != mark:
        dialect |= {"escapechar": escape, "doublequote": False}
    found = _csv_page(context, dialect, csv_max_length="0", **params)
    expect(found == plain, f"{options}: the rows begin with {shown(found.rows[:1])}.")


@CSV.check("§4.3", "csv_explode has one column for each key, named info., sorted")
def _exploded_columns(context: Context) -> None:
    header = _csv_page(context, csv_explode="true").header
    added = header[len(_COLUMNS) - 1 :]
    expect(header[: len(_COLUMNS) - 1] == _COLUMNS[:-1], f"The columns are {shown(header)}.")
    expect(all(name.startswith("info.") for name in added), f"The added columns are {shown(added)}.")
    expect(added == sorted(added), f"The columns of the info are {shown(added)}.")


_TEXTS: Mapping[type, Callable[[Any], str]] = {
    str: str,
    int: str,
    list: lambda value: " / ".join(map(str, value)),
}


@CSV.check(
    "§4.3",
    "exploded values of the type {0.__name__} are those of the records",
    _OBSERVED,
    [(each,) for each in _TEXTS],
)
def _exploded_values(context: Context, kind: type) -> None:
    rows = _csv_page(context, csv_explode="true", csv_max_length="0", csv_explode_array_concat=" / ").rows
    tried = False
    for row, record in zip(rows, context.sample, strict=False):
        for key, value in record["event"]["info"].items():
            # A column with a dot may be that of another key.
            if type(value) is not kind or "." in key or not key:
                continue
            if isinstance(value, list) and {type(each) for each in value} - {str, int}:
                continue
            tried = True
            found, expected = row.get(f"info.{key}"), _TEXTS[kind](value)
            expect(found == expected, f"info.{key} is {shown(found)}, the record has {shown(value)}.")
    if not tried:
        raise NotTriedError(f"No info of the first events has a value that is a {kind.__name__}.")


@CSV.check("§4.3", "an info without a key has an empty cell", _DECISION)
def _missing_keys_are_empty(context: Context) -> None:
    rows = _csv_page(context, csv_explode="true", csv_max_length="0").rows
    for row, record in zip(rows, context.sample, strict=False):
        present = {str(key).split(".")[0] for key in record["event"]["info"]}
        for name, cell in row.items():
            if name.startswith("info.") and name.split(".")[1] not in present:
                expect(cell == "", f"{name} is {shown(cell)} for an info without that key.")


@CSV.check(
    "§4.3", "csv_max_length={0} trims to {0} characters", _OBSERVED, [("1",), ("12",), ("100",), ("250",)]
)
def _length(context: Context, given: str) -> None:
    whole = _csv_page(context, csv_max_length="0").rows
    found = _csv_page(context, csv_max_length=given).rows
    for one, other in zip(found, whole, strict=True):
        expected = {name: cell[: int(given)] for name, cell in other.items()}
        expect(one == expected, f"A row is {shown(one)}, expected {shown(expected)}.")
