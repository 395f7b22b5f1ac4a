"""Tests of a search through pages of events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from cdb_desktop.client import Event
from cdb_desktop.events.search import MOST_HITS, Progress, search
from cdb_desktop.vocabulary.pattern import Hit, Pattern


async def pages(count: int, size: int) -> AsyncIterator[Sequence[Event]]:
    """Events of which every tenth is a search."""
    for first in range(0, count, size):
        yield [Event(id=n, type="SEARCH" if n % 10 == 0 else "API_CALL") for n in range(first, first + size)]


async def test_hits_arrive_page_by_page() -> None:
    """In the order of the events, with how far it is."""
    told: list[tuple[list[int], Progress]] = []
    done = await search(
        pages(2_000, 500),
        Pattern("search"),
        lambda hits, progress: told.append(([hit.event.id for hit in hits], progress)),
        total=2_000,
    )
    assert [ids for ids, _progress in told] == [list(range(n, n + 500, 10)) for n in range(0, 2_000, 500)]
    assert [progress.part for _ids, progress in told] == [0.25, 0.5, 0.75, 1.0]
    assert (done.searched, done.hits) == (2_000, 200)


async def test_no_more_hits_are_kept_than_can_be_listed() -> None:
    """The others are counted all the same."""
    kept: list[Hit] = []
    done = await search(pages(12_000, 1_000), Pattern("1"), lambda hits, _p: kept.extend(hits))
    every = await search(pages(12_000, 1_000), Pattern("e"), lambda hits, _p: kept.extend(hits))
    assert done.hits < MOST_HITS
    assert len(kept) == done.hits + min(every.hits, MOST_HITS)
