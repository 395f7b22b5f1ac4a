"""Tests of reading the list while others write and delete."""

from __future__ import annotations

from typing import Any, cast

import pytest
from msgspec.structs import replace

from cdb_desktop.client import Client, EventPage, Session, Unreadable
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


async def test_deletions_between_pages_skip_nothing() -> None:
    """Two newer events are deleted between two pages, so that the next page would begin too low."""
    model = _log(30)

    def delete_two() -> None:
        model.delete(-1)
        model.delete(-1)

    model.meanwhile = [delete_two, delete_two]
    found, _ = await _read(model, 1, 20)
    assert found
    assert sorted(found.events) == list(range(1, 21))


async def test_new_events_between_pages_skip_nothing() -> None:
    """Events are read twice then."""
    model = _log(30)
    model.meanwhile = [lambda: model.write("plain", mine=False, delay=0.0)] * 8
    found, _ = await _read(model, 1, 20)
    assert found
    assert sorted(found.events) == list(range(1, 21))


async def test_the_result_ends_where_the_pages_end() -> None:
    """Three pages of five that overlap reach 18."""
    found, _ = await _read(_log(30), 1, 30, pages=3)
    assert found
    assert found.down_to == 18


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
