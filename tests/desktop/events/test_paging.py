"""Tests of reading a whole result while it changes."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import AnswerError, Event, Record, Unreadable
from cdb_desktop.events import paging
from cdb_desktop.events.paging import PageOverlap, PagePrefetcher, StallGuard, find_row, read_pages
from cdb_desktop.events.result import PAGE_SIZE, readable_events
from cdb_desktop.queries.known_values import KnownValues


class Log:
    """A service's list by id, in which rows are deleted and added between two calls."""

    def __init__(self, ids: Sequence[int], *, descending: bool = False) -> None:
        self.ids = list(ids)
        self.deleted: dict[int, range] = {}
        self.arriving: dict[int, range] = {}
        self.calls = 0
        self._descending = descending

    async def fetch(self, offset: int) -> Sequence[Event]:
        deleted = self.deleted.get(self.calls, range(0))
        self.ids = [one for one in self.ids if one not in deleted] + list(self.arriving.get(self.calls, ()))
        self.calls += 1
        ordered = sorted(self.ids, reverse=self._descending)
        return [Event(id=one) for one in ordered[offset : offset + PAGE_SIZE]]


async def read_ids(log: Log, *, descending: bool = False, up_to: int | None = None) -> list[int]:
    """The ids that a walk returns."""
    pages = read_pages(log.fetch, descending=descending, up_to=up_to)
    return [event.id async for page in pages for event in readable_events(page)]


@pytest.mark.parametrize("count", [0, 1, 999, 1_000, 1_001, 2_500])
@pytest.mark.parametrize("descending", [False, True])
async def test_every_event_is_read_once(count: int, descending: bool) -> None:
    """This holds for any number of pages."""
    ids = list(range(1, count + 1))
    found = await read_ids(Log(ids, descending=descending), descending=descending)
    assert found == sorted(ids, reverse=descending)


@pytest.mark.parametrize("deleted", [range(1, 400), range(990, 1_010), range(500, 2_400), range(1, 2_501)])
@pytest.mark.parametrize("descending", [False, True])
async def test_concurrent_deletions_skip_nothing(deleted: range, descending: bool) -> None:
    """The remaining events are read, once and in order."""
    log = Log(range(1, 2_501), descending=descending)
    log.deleted = {1: deleted}
    found = await read_ids(log, descending=descending)
    assert set(log.ids) <= set(found)
    assert found == sorted(set(found), reverse=descending)


@pytest.mark.parametrize("descending", [False, True])
async def test_new_events_are_left_out(descending: bool) -> None:
    """This holds also if they are inserted in front of all others."""
    log = Log(range(1, 2_501), descending=descending)
    log.arriving = {call: range(2_501 + 700 * call, 3_201 + 700 * call) for call in range(1, 4)}
    found = await read_ids(log, descending=descending, up_to=2_500)
    assert found == sorted(range(1, 2_501), reverse=descending)


class Service:
    """Answers on demand."""

    def __init__(self) -> None:
        self.offsets: list[int] = []
        self.cancelled: list[int] = []
        self.may_answer = asyncio.Event()

    async def fetch(self, offset: int) -> str:
        self.offsets.append(offset)
        try:
            await self.may_answer.wait()
        except asyncio.CancelledError:
            self.cancelled.append(offset)
            raise
        if offset < 0:
            raise ValueError("no such page")
        return f"page from {offset}"


async def test_the_expected_page_is_prefetched() -> None:
    """There is one call, which starts before the page is requested."""
    service = Service()
    ahead = PagePrefetcher(service.fetch)
    ahead.start(999)
    await asyncio.sleep(0)
    assert service.offsets == [999]
    service.may_answer.set()
    assert await ahead.page(999) == "page from 999"
    assert service.offsets == [999]


async def test_an_unexpected_page_is_fetched_instead() -> None:
    """The prefetch is cancelled."""
    service = Service()
    ahead = PagePrefetcher(service.fetch)
    ahead.start(999)
    await asyncio.sleep(0)
    page = asyncio.create_task(ahead.page(0))
    await asyncio.sleep(0)
    service.may_answer.set()
    assert await page == "page from 0"
    assert service.cancelled == [999]


async def test_a_failed_prefetch_is_raised_when_the_page_is_requested() -> None:
    """It is not reported otherwise."""
    service = Service()
    service.may_answer.set()
    ahead = PagePrefetcher(service.fetch)
    ahead.start(-1)
    await asyncio.sleep(0)
    with pytest.raises(ValueError, match="no such page"):
        await ahead.page(-1)


async def test_no_call_continues_after_closing() -> None:
    """This holds whether or not the page was requested."""
    service = Service()
    ahead = PagePrefetcher(service.fetch)
    ahead.start(999)
    await asyncio.sleep(0)
    waiting = asyncio.create_task(ahead.page(999))
    await asyncio.sleep(0)
    waiting.cancel()
    ahead.start(1_998)
    await asyncio.sleep(0)
    ahead.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await asyncio.sleep(0)
    assert service.cancelled == [999, 1_998]
    assert asyncio.all_tasks() == {asyncio.current_task()}


NULL, OTHER = Unreadable("not_object", b"null"), Unreadable("not_object", b"1")
_PAGE_SIZE = 4  # records of a page


def events(*ids: int) -> list[Record]:
    return [Event(id=one) for one in ids]


@pytest.mark.parametrize(
    ("before", "page", "known_count"),
    [
        ([], events(1, 2), 0),
        (events(1, 2), events(2, 3), 1),
        (events(1, 2), events(3, 4), 0),
        ([*events(1, 2), NULL], [NULL, *events(3)], 1),
        ([*events(1, 2), NULL], [NULL, NULL], 1),
        ([*events(1, 2), NULL, OTHER], [*events(2), NULL, OTHER, NULL], 3),
        ([*events(1, 2), NULL], [*events(2), OTHER], 1),
        ([NULL, NULL], [NULL, NULL], 1),
        ([NULL, OTHER], [NULL, OTHER, *events(1)], 2),
        ([NULL, OTHER], events(1), 0),
        ([*events(1), NULL], [OTHER, *events(2)], 0),
    ],
)
def test_records_that_were_read_are_recognized(
    before: list[Record], page: list[Record], known_count: int
) -> None:
    """Events are identified by id, others by content and by count since the last event."""
    assert PageOverlap().after(before).count_known(page) == known_count


def test_pages_without_any_event_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records are compared with all pages since the last event."""
    overlap = PageOverlap().after([*events(1), NULL]).after([OTHER])
    assert overlap.last == 1
    assert overlap.count_known([*events(1), NULL, OTHER, NULL]) == 3


class MixedLog:
    """A service's list, from which rows may be deleted between two calls."""

    def __init__(self, records: Sequence[Record], deleted: dict[int, int]) -> None:
        self.records, self.deleted, self.calls = list(records), deleted, 0

    async def fetch(self, offset: int) -> Sequence[Record]:
        del self.records[: self.deleted.get(self.calls, 0)]
        self.calls += 1
        return self.records[offset : offset + _PAGE_SIZE]


LOGS = st.lists(st.sampled_from(["event", "null", "other"]), max_size=30)


def _records_of(kinds: Sequence[str], *, descending: bool) -> list[Record]:
    unreadable = {"null": NULL, "other": OTHER}
    ids = [len(kinds) - place if descending else place + 1 for place in range(len(kinds))]
    return [unreadable.get(kind) or Event(id=one) for kind, one in zip(kinds, ids, strict=True)]


def _unique(record: Record, place: int) -> Record:
    return record if isinstance(record, Event) else Unreadable(record.reason, str(place).encode())


@given(kinds=LOGS, descending=st.booleans())
async def test_every_record_is_read_once(kinds: list[str], descending: bool) -> None:
    """This holds for equal records too, wherever pages end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paging, "PAGE_SIZE", _PAGE_SIZE)
        records = _records_of(kinds, descending=descending)
        found = [
            one
            async for page in read_pages(MixedLog(records, {}).fetch, descending=descending)
            for one in page
        ]
        assert found == records


@given(
    kinds=LOGS,
    descending=st.booleans(),
    deleted=st.dictionaries(
        st.integers(min_value=1, max_value=8), st.integers(min_value=1, max_value=6), max_size=3
    ),
)
async def test_concurrent_deletions_neither_skip_nor_repeat_events(
    kinds: list[str], descending: bool, deleted: dict[int, int]
) -> None:
    """The events that remain at the end have been read.

    Unreadable records are unique here: which of several equal records was deleted is not known.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paging, "PAGE_SIZE", _PAGE_SIZE)
        records = _records_of(kinds, descending=descending)
        log = MixedLog([_unique(one, at) for at, one in enumerate(records)], deleted)
        found = [one async for page in read_pages(log.fetch, descending=descending) for one in page]
        ids = [one.id for one in found if isinstance(one, Event)]
        assert ids == sorted(set(ids), reverse=descending)
        assert {one.id for one in log.records if isinstance(one, Event)} <= set(ids)


def test_a_list_without_progress_is_abandoned() -> None:
    """Going back over deleted events counts as progress."""
    guard = StallGuard()
    guard.check(500 * PAGE_SIZE, PAGE_SIZE, PAGE_SIZE - 1)
    for page in range(500):
        guard.check((499 - page) * PAGE_SIZE, PAGE_SIZE, PAGE_SIZE)
    guard.check(0, PAGE_SIZE, 1)
    idle = 0
    with suppress(AnswerError):
        while idle < 1_000:
            guard.check(PAGE_SIZE, PAGE_SIZE, 0)
            idle += 1
    assert 500 < idle < 1_000


IDS = [one for one in range(1, 3_000) if one % 3]


@pytest.mark.parametrize("descending", [True, False])
async def test_an_id_is_found_in_few_steps(descending: bool) -> None:
    """A missing id has the row where it would be; evenly distributed ids take two or three steps."""
    rows = IDS[::-1] if descending else IDS
    probed: list[int] = []

    async def probe(row: int) -> int | None:
        probed.append(row)
        return rows[row] if row < len(rows) else None

    async def row_of(event_id: int) -> int:
        return await find_row(probe, len(rows), event_id, descending=descending)

    assert [await row_of(rows[place]) for place in (0, 777, len(rows) - 1)] == [0, 777, len(rows) - 1]
    assert len(probed) <= 3 * 3
    assert rows[await row_of(1_500)] == (1_499 if descending else 1_501)
    assert await row_of(-1 if descending else 10_000) == len(rows)


@pytest.mark.parametrize("descending", [True, False])
async def test_an_id_is_found_among_unevenly_distributed_ids(descending: bool) -> None:
    """Half of the events are old and half are new, and nearly all ids between are missing."""
    ids = [*range(1, 2_000), *range(900_000, 902_000), 5_000_000, 9_000_000]
    rows = ids[::-1] if descending else ids
    probed: list[int] = []

    async def probe(row: int) -> int | None:
        probed.append(row)
        return rows[row] if row < len(rows) else None

    for place in (0, 1, 1_500, 2_500, len(rows) - 1):
        probed.clear()
        assert await find_row(probe, len(rows), rows[place], descending=descending) == place
        assert len(probed) <= 4 * 12


def test_users_are_known_by_name_after_a_row_has_named_them() -> None:
    """Before that they are known by id; unknown types are offered as well."""
    known = KnownValues()
    assert known.user_name(3) == "#3"
    known.add([Event(id=1, type="PLUGIN_EVENT", basetype="thing", user_id=3, user_displayname="Anna")])
    assert (known.user_name(3), known.users) == ("Anna", [(3, "Anna")])
    assert {"PLUGIN_EVENT", "OBJECT_UPDATE"} <= set(known.types)
    assert {"thing", "user"} <= set(known.base_types)
