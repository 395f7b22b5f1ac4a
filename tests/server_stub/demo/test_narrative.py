"""The narrative: rows and releases in the order of time, the same for the same commission."""

from __future__ import annotations

from itertools import pairwise

from msgspec.structs import replace

from server_stub.database.tables import event, session
from server_stub.demo.history import Release
from server_stub.demo.narrative import Commission, Ending, Events, Part, Sessions, narrative
from tests.server_stub.demo.conftest import NOW

_COMMISSION = Commission(NOW, 13_000, 3)


def _times(part: Part) -> list[int]:
    if isinstance(part, Release):
        return [part.second]
    return [int(str(row[0])) for row in part.rows] if isinstance(part, Events) else []


def test_the_same_commission_the_same_parts() -> None:
    """Another seed tells others."""
    told = list(narrative(_COMMISSION))
    assert told == list(narrative(_COMMISSION))
    assert told != list(narrative(replace(_COMMISSION, seed=4)))


def test_all_of_it_in_order_and_in_small_parts() -> None:
    """Each release counts as the event that it will be; sessions follow, sorted, and the versions end it."""
    *parts, ending = narrative(_COMMISSION)
    times = [time for part in parts for time in _times(part)]
    assert len(times) == _COMMISSION.events
    assert all(one <= other for one, other in pairwise(times))
    rows = [row for part in parts if isinstance(part, Sessions) for row in part.rows]
    assert rows == sorted(rows, key=lambda row: str(row[1]))
    assert max(len(part.rows) for part in parts if not isinstance(part, Release | Ending)) <= 5_000
    assert {len(row) for row in rows} == {len(session.columns)}
    assert isinstance(ending, Ending)
    assert ending.versions["work"]


def test_rows_are_the_tables_but_for_what_the_store_adds() -> None:
    """The id and the head are missing, nothing else."""
    widths = {len(row) for part in narrative(_COMMISSION) if isinstance(part, Events) for row in part.rows}
    assert widths == {len(event.columns) - 2}
