"""Tests of reading the list while others write and delete."""

from __future__ import annotations

from typing import Any, cast

import pytest
from msgspec.structs import replace

from cdb_desktop.client import Client, EventPage, Session, Unreadable
from cdb_desktop.live.event_list import FoundEvents, find_events, read_newest
from tests.desktop.live.model_log import ModelLog


def _log(number: int) -> ModelLog:
    model = ModelLog(has_right=True)
    for _ in range(number):
        model.write("plain", mine=False, delay=0.0)
    return model


async def _read(
    model: ModelLog, first: int, last: int, pages: int = 100
) -> tuple[FoundEvents | None, list[float]]:
    told: list[float] = []
    found = await find_events(cast("Client", model), [(first, last)], pages, told.append, pollable=True)
    return found, told


async def test_pages_are_read_down_to_the_first_id() -> None:
    """And no further; how far it is is told."""
    found, told = await _read(_log(30), 11, 20)
    assert found
    assert sorted(found.events) == list(range(11, 21))
    assert found.down_to == 11
    assert told == sorted(told)
    assert told[-1] == 1.0


async def test_what_moves_up_while_pages_are_read_is_not_skipped() -> None:
    """Two newer events are deleted between two pages, so that the next page would begin too low."""
    model = _log(30)

    def delete_two() -> None:
        model.delete(-1)
        model.delete(-1)

    model.meanwhile = [delete_two, delete_two]
    found, _ = await _read(model, 1, 20)
    assert found
    assert sorted(found.events) == list(range(1, 21))


async def test_what_comes_while_pages_are_read_does_no_harm() -> None:
    """Events come twice then, and none is missed."""
    model = _log(30)
    model.meanwhile = [lambda: model.write("plain", mine=False, delay=0.0)] * 8
    found, _ = await _read(model, 1, 20)
    assert found
    assert sorted(found.events) == list(range(1, 21))


async def test_where_the_pages_end_the_rest_is_not_called_complete() -> None:
    """Three pages of five that overlap reach 18."""
    found, _ = await _read(_log(30), 1, 30, pages=3)
    assert found
    assert found.down_to == 18


async def test_a_list_in_another_order_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Better no verdict than a wrong one."""
    model = _log(30)
    monkeypatch.setattr(model, "visible", lambda: sorted(model.log.values(), key=lambda one: -one.id))
    assert (await _read(model, 1, 30))[0] is None


async def test_a_log_that_changes_all_the_time_tells_nothing() -> None:
    """After some tries it is left for later."""
    model = _log(60)
    model.meanwhile = [lambda: model.delete(-1)] * 200
    assert (await _read(model, 1, 20, pages=25))[0] is None


class _Odd(ModelLog):
    """Its list has a record in its midst that is no event."""

    async def list_events(self, *given: Any, **more: Any) -> EventPage:
        page = await super().list_events(*given, **more)
        return replace(page, unreadable=(Unreadable("no_id", place=3),))


async def test_a_list_with_a_record_that_cannot_be_read_explains_nothing() -> None:
    """It may be any that is missing; what the feed begins with is shown all the same, with it."""
    model = _Odd(has_right=True)
    for _ in range(30):
        model.write("plain", mine=False, delay=0.0)
    found, _ = await _read(model, 11, 20)
    assert found is None
    session = Session(token="t", system_rights={"system.root": {}})
    shown = await read_newest(cast("Client", model), session, 10)
    assert [one.id for one in shown.events] == [26, 27, 28, 29, 30]
    assert len(shown.unreadable) == 1
