"""Tests of reading a whole result while it changes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import AnswerError, Event, Record, Unreadable
from cdb_desktop.events import paging
from cdb_desktop.events.paging import PageOverlap, PagePrefetcher, StallGuard, read_pages
from cdb_desktop.events.result import PAGE_SIZE, readable_events


class Log:
    """A service's list by id, in which rows vanish and appear between two calls."""

    def __init__(self, ids: Sequence[int], *, descending: bool = False) -> None:
        self.ids = list(ids)
        self.gone: dict[int, range] = {}
        self.arriving: dict[int, range] = {}
        self.calls = 0
        self._descending = descending

    async def fetch(self, offset: int) -> Sequence[Event]:
        gone = self.gone.get(self.calls, range(0))
        self.ids = [one for one in self.ids if one not in gone] + list(self.arriving.get(self.calls, ()))
        self.calls += 1
        ordered = sorted(self.ids, reverse=self._descending)
        return [Event(id=one) for one in ordered[offset : offset + PAGE_SIZE]]


async def met(log: Log, *, descending: bool = False, up_to: int | None = None) -> list[int]:
    """The ids that a walk comes across."""
    pages = read_pages(log.fetch, descending=descending, up_to=up_to)
    return [event.id async for page in pages for event in readable_events(page)]


@pytest.mark.parametrize("count", [0, 1, 999, 1_000, 1_001, 2_500])
@pytest.mark.parametrize("descending", [False, True])
async def test_every_event_is_met_once(count: int, descending: bool) -> None:
    """Whatever the pages are cut like."""
    ids = list(range(1, count + 1))
    found = await met(Log(ids, descending=descending), descending=descending)
    assert found == sorted(ids, reverse=descending)


@pytest.mark.parametrize("gone", [range(1, 400), range(990, 1_010), range(500, 2_400), range(1, 2_501)])
@pytest.mark.parametrize("descending", [False, True])
async def test_what_others_delete_hides_nothing(gone: range, descending: bool) -> None:
    """What remains is met, once and in order."""
    log = Log(range(1, 2_501), descending=descending)
    log.gone = {1: gone}
    found = await met(log, descending=descending)
    assert set(log.ids) <= set(found)
    assert found == sorted(set(found), reverse=descending)


@pytest.mark.parametrize("descending", [False, True])
async def test_what_arrives_meanwhile_is_left_out(descending: bool) -> None:
    """Also where it comes in front, and moves everything down."""
    log = Log(range(1, 2_501), descending=descending)
    log.arriving = {call: range(2_501 + 700 * call, 3_201 + 700 * call) for call in range(1, 4)}
    found = await met(log, descending=descending, up_to=2_500)
    assert found == sorted(range(1, 2_501), reverse=descending)


class Service:
    """Answers when it is told to."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.cancelled: list[int] = []
        self.may_answer = asyncio.Event()

    async def fetch(self, offset: int) -> str:
        self.asked.append(offset)
        try:
            await self.may_answer.wait()
        except asyncio.CancelledError:
            self.cancelled.append(offset)
            raise
        if offset < 0:
            raise ValueError("no such page")
        return f"page from {offset}"


async def test_what_is_expected_is_on_its_way_already() -> None:
    """One call, which has begun before the page is wanted."""
    service = Service()
    ahead = PagePrefetcher(service.fetch)
    ahead.start(999)
    await asyncio.sleep(0)
    assert service.asked == [999]
    service.may_answer.set()
    assert await ahead.page(999) == "page from 999"
    assert service.asked == [999]


async def test_another_page_than_the_expected_is_fetched_instead() -> None:
    """And the expected one is given up."""
    service = Service()
    ahead = PagePrefetcher(service.fetch)
    ahead.start(999)
    await asyncio.sleep(0)
    wanted = asyncio.create_task(ahead.page(0))
    await asyncio.sleep(0)
    service.may_answer.set()
    assert await wanted == "page from 0"
    assert service.cancelled == [999]


async def test_a_failure_is_told_to_whoever_wants_the_page() -> None:
    """Not before, and to nobody else."""
    service = Service()
    service.may_answer.set()
    ahead = PagePrefetcher(service.fetch)
    ahead.start(-1)
    await asyncio.sleep(0)
    with pytest.raises(ValueError, match="no such page"):
        await ahead.page(-1)


async def test_nothing_goes_on_after_the_end() -> None:
    """Whether somebody waits for the page or nobody does."""
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
_SMALL = 4  # records of a page


def events(*ids: int) -> list[Record]:
    return [Event(id=one) for one in ids]


@pytest.mark.parametrize(
    ("before", "page", "known"),
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
def test_what_has_come_is_known_again(before: list[Record], page: list[Record], known: int) -> None:
    """Events by their id, the others by what they hold and how often it came since the last event."""
    assert PageOverlap().after(before).count_known(page) == known


def test_pages_without_any_event_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tail is that of all pages since the last event."""
    overlap = PageOverlap().after([*events(1), NULL]).after([OTHER])
    assert overlap.last == 1
    assert overlap.count_known([*events(1), NULL, OTHER, NULL]) == 3


class MixedLog:
    """A service's list, of which rows may go away between two calls."""

    def __init__(self, records: Sequence[Record], gone: dict[int, int]) -> None:
        self.records, self.gone, self.calls = list(records), gone, 0

    async def fetch(self, offset: int) -> Sequence[Record]:
        del self.records[: self.gone.get(self.calls, 0)]
        self.calls += 1
        return self.records[offset : offset + _SMALL]


LOGS = st.lists(st.sampled_from(["event", "null", "other"]), max_size=30)


def _made(kinds: Sequence[str], *, descending: bool) -> list[Record]:
    unreadable = {"null": NULL, "other": OTHER}
    ids = [len(kinds) - place if descending else place + 1 for place in range(len(kinds))]
    return [unreadable.get(kind) or Event(id=one) for kind, one in zip(kinds, ids, strict=True)]


def _apart(record: Record, place: int) -> Record:
    return record if isinstance(record, Event) else Unreadable(record.reason, str(place).encode())


@given(kinds=LOGS, descending=st.booleans())
async def test_every_record_is_met_once(kinds: list[str], descending: bool) -> None:
    """Also those that look like others, wherever pages end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paging, "PAGE_SIZE", _SMALL)
        records = _made(kinds, descending=descending)
        found = [
            one
            async for page in read_pages(MixedLog(records, {}).fetch, descending=descending)
            for one in page
        ]
        assert found == records


@given(
    kinds=LOGS,
    descending=st.booleans(),
    gone=st.dictionaries(
        st.integers(min_value=1, max_value=8), st.integers(min_value=1, max_value=6), max_size=3
    ),
)
async def test_no_event_is_lost_or_met_twice_while_others_delete(
    kinds: list[str], descending: bool, gone: dict[int, int]
) -> None:
    """What is still there at the end has been met.

    Unreadable records differ here: where equal ones stand, nobody can tell which of them others deleted.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paging, "PAGE_SIZE", _SMALL)
        log = MixedLog([_apart(one, at) for at, one in enumerate(_made(kinds, descending=descending))], gone)
        found = [one async for page in read_pages(log.fetch, descending=descending) for one in page]
        ids = [one.id for one in found if isinstance(one, Event)]
        assert ids == sorted(set(ids), reverse=descending)
        assert {one.id for one in log.records if isinstance(one, Event)} <= set(ids)


def test_a_list_that_does_not_get_on_is_given_up() -> None:
    """The way back over what somebody has deleted is no such list."""
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
