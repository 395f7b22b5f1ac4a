"""The calls on events (§4.1 to §4.5) as values: what to send and how to read the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from cdb_desktop.client import decode, event_decoding
from cdb_desktop.client.query import (
    CsvOptions,
    EventFilter,
    Sort,
    csv_query,
    filter_query,
    flag,
    page_query,
    sort_query,
)
from cdb_desktop.client.records import Event, EventPage, Polled
from cdb_desktop.client.wire import API, MEGABYTE, Call, Request, post_json

_EVENT = f"{API}event"
_LIST = f"{_EVENT}/list"
_LARGEST_LIST, _LARGEST_POLL = 64 * MEGABYTE, 16 * MEGABYTE
_LARGEST_FILE = 1024 * MEGABYTE  # which is not kept in memory


def read(event_id: int) -> Call[Event]:
    """One event in full (§4.1)."""
    return Call(Request("GET", f"{_EVENT}/{event_id:d}"), event_decoding.event)


def poll(last_max_id: int | None, limit: int) -> Call[Polled]:
    """What is newer than ``last_max_id`` (§4.2); a limit of 0 means 1000."""
    path = f"{_EVENT}/poll" if last_max_id is None else f"{_EVENT}/poll/{last_max_id:d}"
    request = Request("GET", path, (("limit", str(limit)),), largest=_LARGEST_POLL, shrinks=True)
    return Call(request, event_decoding.polled)


def listing(
    chosen: EventFilter, sort: Sequence[Sort], limit: int, offset: int, *, full: bool, skip_count: bool
) -> Call[EventPage]:
    """One slice of the matching events (§4.3)."""
    shape = ("format", "json_full" if full else "json")
    skipped = (("skip_count", flag(True)),) if skip_count else ()
    query = (*filter_query(chosen), *sort_query(sort), *page_query(limit, offset), shape, *skipped)
    request = Request("GET", _LIST, query, largest=_LARGEST_LIST, shrinks=True)
    return Call(request, partial(event_decoding.page, limit=limit, offset=offset))


def csv(
    chosen: EventFilter, options: CsvOptions, sort: Sequence[Sort], limit: int, offset: int
) -> Call[bytes]:
    """One slice of the matching events as a CSV file with its header line (§4.3)."""
    query = (*filter_query(chosen), *sort_query(sort), *page_query(limit, offset), ("format", "csv"))
    query += csv_query(options)
    request = Request("GET", _LIST, query, largest=_LARGEST_LIST, largest_file=_LARGEST_FILE)
    return Call(request, decode.file)


def insert(attributes: Mapping[str, object]) -> Call[Event]:
    """One event of the client's own (§4.4); attributes that are None are left out."""
    body = {name: value for name, value in attributes.items() if value is not None}
    return Call(post_json(_EVENT, body), event_decoding.event)


def delete(ids: Sequence[int]) -> Call[int]:
    """Exactly these events (§4.5, ID mode)."""
    body = msgspec.json.encode([int(one) for one in ids])
    return Call(Request("DELETE", _EVENT, body=body, content_type="application/json"), decode.count)


def delete_matching(chosen: EventFilter, limit: int, offset: int) -> Call[int]:
    """The matching events by ascending id (§4.5, filter mode)."""
    query = (*filter_query(chosen), *page_query(limit, offset))
    return Call(Request("DELETE", _EVENT, query), decode.count)
