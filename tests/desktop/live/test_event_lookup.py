"""Tests of reading the list while others write and delete."""

from typing import Any, cast

import pytest
from msgspec.structs import replace

from cdb_desktop.client import Capabilities, Client, Event, EventFilter, EventPage, Session, Unreadable
from cdb_desktop.live.event_lookup import FoundEvents, find_events, read_newest
from tests.desktop.live.model_log import ModelLog


def _log(number: int) -> ModelLog:
    model = ModelLog(has_right=True)
    for _ in range(number):
        model.write("plain", mine=False, delay=0.0)
    return model


async def _read(
    model: ModelLog, first: int, last: int, pages: int = 100
) -> tuple[FoundEvents | None, list[float]]:
    progress: list[float] = []
    found = await find_events(cast("Client", model), [(first, last)], pages, progress.append, pollable=True)
    return found, progress


async def test_pages_are_read_down_to_the_first_id() -> None:
    """Older pages are not read; the progress is reported."""
    found, progress = await _read(_log(30), 11, 20)
    assert found
    assert sorted(found.events) == list(range(11, 21))
    assert found.down_to == 11
    assert progress == sorted(progress)
    assert progress[-1] == 1.0


@pytest.mark.parametrize(
    ("stretches", "calls", "down_to"),
    [
        ([(11, 20)], 1, 11),
        ([(4000, 4000), (1, 3000)], 3, 1),
        ([(number, number) for number in range(999, 1, -2)], 3, 3),
        ([(1, 10**6)], 5, 10**6 - 7499),
        ([(10**6 + 1, 10**15)], 1, 10**6 + 1),
    ],
)
async def test_a_service_with_a_filter_by_ids_is_asked_for_them(
    stretches: list[tuple[int, int]], calls: int, down_to: int
) -> None:
    """Nothing else is read; a range with more events than a page continues below the last one."""
    asked: list[EventFilter] = []

    class Service:
        capabilities = Capabilities(id_ranges=True)

        async def list_events(self, chosen: EventFilter, *, limit: int, **_more: object) -> EventPage:
            ranges = [range(first, min(last, 10**6) + 1) for first, last in chosen.ids or ()]
            ids = [one for some in ranges for one in some if one % 3]
            assert ids == sorted(ids)
            assert len(ranges) <= 200
            asked.append(chosen)
            return EventPage(tuple(Event(id=one) for one in ids[: -limit - 1 : -1]), len(ids))

    found = await find_events(cast("Client", Service()), stretches, 5, lambda _done: None, pollable=True)
    assert found
    assert len(asked) == calls
    assert found.down_to == down_to
    spans = [range(max(first, down_to), min(last, 10**6) + 1) for first, last in stretches]
    wanted = {one for span in spans for one in span if one % 3}
    assert found.events.keys() == wanted


async def test_a_list_in_another_order_gives_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    model = _log(30)
    monkeypatch.setattr(model, "visible", lambda: sorted(model.log.values(), key=lambda one: -one.id))
    assert (await _read(model, 1, 30))[0] is None


async def test_a_log_that_changes_all_the_time_gives_no_result() -> None:
    """After some restarts the check is postponed."""
    model = _log(60)
    model.meanwhile = [lambda: model.delete(-1)] * 200
    assert (await _read(model, 1, 20, pages=25))[0] is None


class _LogWithUnreadableRecord(ModelLog):
    """Its list has a record that is no event."""

    async def list_events(self, *given: Any, **more: Any) -> EventPage:
        page = await super().list_events(*given, **more)
        return replace(page, unreadable=(Unreadable("no_id", place=3),))


async def test_a_list_with_an_unreadable_record_gives_no_result() -> None:
    """It may be any of the missing events. The newest events are read all the same."""
    model = _LogWithUnreadableRecord(has_right=True)
    for _ in range(30):
        model.write("plain", mine=False, delay=0.0)
    found, _ = await _read(model, 11, 20)
    assert found is None
    session = Session(token="t", system_rights={"system.root": {}})
    shown = await read_newest(cast("Client", model), session, 10)
    assert [one.id for one in shown.events] == [26, 27, 28, 29, 30]
    assert len(shown.unreadable) == 1


class _LargeLog(ModelLog):
    """A log of many events that counts the requests."""

    def __init__(self, events: int) -> None:
        super().__init__(has_right=True, most=1000)
        self.requests: list[tuple[int, int]] = []
        for number in range(events):
            self.write("unpollable" if number % 3 == 1 else "plain", mine=False, delay=0.0)

    async def list_events(
        self, chosen: EventFilter, *, limit: int, offset: int, skip_count: bool
    ) -> EventPage:
        self.requests.append((limit, offset))
        return await super().list_events(chosen, limit=limit, offset=offset, skip_count=skip_count)


async def _read_ranges(model: _LargeLog, *stretches: tuple[int, int], pages: int = 20) -> FoundEvents:
    found = await find_events(cast("Client", model), stretches, pages, lambda _done: None, pollable=True)
    assert found
    return found


def _plain(first: int, last: int) -> set[int]:
    return {one for one in range(first, last + 1) if (one - 1) % 3 != 1}


async def test_two_ids_below_a_hundred_thousand_events_take_a_few_requests() -> None:
    """Not a hundred pages: the offset is found first."""
    model = _LargeLog(60_000)
    found = await _read_ranges(model, (1000, 1001))
    assert _plain(1000, 1001) <= set(found.events)
    assert found.down_to == 1000
    assert len(model.requests) <= 10


async def test_several_ranges_are_read_without_the_ids_between() -> None:
    """One skip for each, and full pages within them."""
    model = _LargeLog(40_000)
    stretches = ((39_990, 39_995), (30_000, 32_500), (12_000, 12_000), (2, 5))
    found = await _read_ranges(model, *stretches)
    for first, last in stretches:
        assert {one for one in found.events if first <= one <= last} == _plain(first, last)
    assert found.down_to == 2
    assert len(model.requests) <= 35


async def test_an_id_far_above_all_others_does_not_prevent_finding_others() -> None:
    """The density that it suggests is wrong."""
    model = _LargeLog(9_000)
    model.write_wrong(2**60)
    found = await _read_ranges(model, (100, 103))
    assert set(found.events) >= _plain(100, 103)
    assert len(model.requests) <= 90


@pytest.mark.parametrize("change", ["write", "delete"])
async def test_changes_while_the_offset_is_found_skip_nothing(change: str) -> None:
    """Events come, or are deleted, between any two requests."""
    model = _LargeLog(20_000)

    def change_it() -> None:
        for _ in range(40):
            if change == "write":
                model.write("plain", mine=False, delay=0.0)
            else:
                del model.log[max(model.log)]

    model.meanwhile = [change_it] * 6
    found = await _read_ranges(model, (500, 4000))
    assert set(found.events) == _plain(500, 4000)
    assert found.down_to == 500


async def test_the_result_ends_with_the_last_page() -> None:
    found = await _read_ranges(_LargeLog(30_000), (100, 20_000), pages=4)
    assert 15_000 < found.down_to < 20_000
    assert set(found.events) == _plain(found.down_to, 20_000)
