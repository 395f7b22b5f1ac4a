"""Tests of the use of tables: counts are those of a brute-force count over the same events."""

import json
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import Event, Record
from cdb_desktop.events.table_use import READS, WRITES, Use, UseScan, object_types, scan_use, use_filter

_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_TYPES = {
    "OBJECT_INSERT": Use.INSERT,
    "OBJECT_UPDATE": Use.UPDATE,
    "OBJECT_DELETE": Use.DELETE,
    "DETAIL_VIEW": Use.VIEW,
    "SEARCH": Use.SEARCH,
    "OBJECT_INDEX": Use.INDEX,
}
_NAMES = ("work", "person", "place")


@st.composite
def _events(draw: st.DrawFn) -> list[Event]:
    """Events of known and unknown types, newest first, some of which name no table."""
    count = draw(st.integers(0, 40))
    found = []
    for number in range(count, 0, -1):
        kind = draw(st.sampled_from((*_TYPES, "USER_LOGIN")))
        name = draw(st.sampled_from((*_NAMES, "")))
        types = draw(st.lists(st.sampled_from(_NAMES), max_size=3))
        info = json.dumps({"objecttypes": types}).encode() if kind == "SEARCH" else b"{}"
        found.append(
            Event(
                id=number,
                type=kind,
                timestamp=None if number % 13 == 0 else _BEGIN + timedelta(hours=number),
                objecttype=(name or None) if kind != "SEARCH" else None,
                info=msgspec.Raw(info),
            )
        )
    return found


@given(_events(), st.integers(1, 12))
def test_counts_equal_a_brute_force_count(events: list[Event], size: int) -> None:
    """For each table and use, whatever the pages are; the last times are the latest ones."""
    scan = UseScan()
    for first in range(0, len(events), size):
        scan.add(events[first : first + size])
    for name in _NAMES:
        own = [one for one in events if one.type in _TYPES and name in _named(one)]
        use = scan.of([name])
        for kind, each in _TYPES.items():
            assert use.counts[each] == sum(one.type == kind for one in own)
        for uses, last in ((WRITES, use.last_write), (READS, use.last_read), (set(Use), use.last)):
            times = [one.timestamp for one in own if _TYPES[one.type] in uses and one.timestamp is not None]
            assert last == max(times, default=None)
    assert scan.of(_NAMES[:2]).writes == scan.of(["work"]).writes + scan.of(["person"]).writes
    assert scan.of(["nothing"]).last is None
    known = {use for use in Use if scan.is_known(use)}
    silent = {_TYPES[one.type] for one in events if one.type in _TYPES}
    silent -= {_TYPES[one.type] for one in events if one.type in _TYPES and _named(one)}
    assert known == set(Use) - silent


async def test_a_scan_shows_what_it_has_after_each_page() -> None:
    """It is complete at the end only: a cancelled one knows events since the oldest that it has read."""

    async def pages() -> AsyncIterator[Sequence[Record]]:
        for number in (3, 2, 1):
            time = _BEGIN + timedelta(days=number)
            yield [Event(id=number, type="OBJECT_UPDATE", timestamp=time, objecttype="work")]

    found = scan_use(pages(), UseScan(_BEGIN))
    counts = [(scan.of(["work"]).writes, scan.begin, scan.is_complete) async for scan in found]
    assert counts == [
        (1, _BEGIN + timedelta(days=3), False),
        (2, _BEGIN + timedelta(days=2), False),
        (3, _BEGIN + timedelta(days=1), False),
        (3, _BEGIN, True),
    ]
    assert use_filter(_BEGIN).type == tuple(_TYPES)


def test_objects_of_the_system_are_no_tables() -> None:
    """Nor are lists of something else."""
    assert object_types(Event(id=1, type="OBJECT_UPDATE", basetype="user")) == frozenset()
    odd = msgspec.Raw(b'{"objecttypes": [7, "work", null]}')
    assert object_types(Event(id=1, type="SEARCH", info=odd)) == {"work"}
    assert object_types(Event(id=1, type="SEARCH", info=msgspec.Raw(b"[]"))) == frozenset()


def _named(event: Event) -> list[str]:
    if event.type == "SEARCH":
        assert event.info is not None
        return list(json.loads(bytes(event.info))["objecttypes"])
    return [event.objecttype] if event.objecttype else []


def test_users_in_the_log_leave_the_writes_of_tables_known() -> None:
    """The only inserts are those of users, which are in no table."""
    scan = UseScan()
    update = Event(id=1, type="OBJECT_UPDATE", objecttype="work", timestamp=_BEGIN)
    scan.add([update, Event(id=2, type="OBJECT_INSERT", basetype="user")])
    assert all(scan.is_known(use) for use in WRITES)
    scan.add([Event(id=3, type="OBJECT_INSERT")])
    assert not scan.is_known(Use.INSERT)


def test_a_scan_that_ended_early_reaches_less_far() -> None:
    """A complete one reaches further than any other, also than one that has read nothing."""
    near, far, empty, whole = UseScan(), UseScan(), UseScan(), UseScan()
    near.reached, far.reached, whole.is_complete = _BEGIN, _BEGIN - timedelta(days=1), True
    assert far.reaches_further(near)
    assert near.reaches_further(empty)
    assert whole.reaches_further(far)
    assert not near.reaches_further(far)
    assert not empty.reaches_further(near)
    assert not far.reaches_further(whole)
    assert not whole.reaches_further(whole)
