"""Tests of points in time as text."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from cdb_desktop.vocabulary.times import exact_time, local_clock, local_time

MOMENT = datetime(2026, 7, 20, 22, 30, 5, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_times_are_told_in_the_zone_of_this_machine() -> None:
    """22:30 in London is half past midnight of the next day in Berlin's summer."""
    assert local_time(MOMENT) == "2026-07-21 00:30:05"
    assert local_clock(MOMENT) == "00:30:05"
    assert exact_time(MOMENT) == "2026-07-21 00:30:05 +0200"


def test_no_time_is_no_text() -> None:
    """An event without a time shows none."""
    assert local_time(None) == local_clock(None) == exact_time(None) == ""
