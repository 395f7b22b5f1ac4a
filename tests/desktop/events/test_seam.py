"""Tests of where a page goes on after the one before it, among records that have no id."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import AnswerError, Event, Record, Unreadable
from cdb_desktop.events import walk as walk_module
from cdb_desktop.events.pages import PAGE
from cdb_desktop.events.seam import Pace, Seam
from cdb_desktop.events.walk import walk

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
    assert Seam().then(before).known(page) == known


def test_pages_without_any_event_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tail is that of all pages since the last event."""
    seam = Seam().then([*events(1), NULL]).then([OTHER])
    assert seam.last == 1
    assert seam.known([*events(1), NULL, OTHER, NULL]) == 3


class Log:
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
        patch.setattr(walk_module, "PAGE", _SMALL)
        records = _made(kinds, descending=descending)
        found = [one async for page in walk(Log(records, {}).fetch, descending=descending) for one in page]
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
        patch.setattr(walk_module, "PAGE", _SMALL)
        log = Log([_apart(one, at) for at, one in enumerate(_made(kinds, descending=descending))], gone)
        found = [one async for page in walk(log.fetch, descending=descending) for one in page]
        ids = [one.id for one in found if isinstance(one, Event)]
        assert ids == sorted(set(ids), reverse=descending)
        assert {one.id for one in log.records if isinstance(one, Event)} <= set(ids)


def test_a_list_that_does_not_get_on_is_given_up() -> None:
    """The way back over what somebody has deleted is no such list."""
    pace = Pace()
    pace.check(500 * PAGE, PAGE, PAGE - 1)
    for page in range(500):
        pace.check((499 - page) * PAGE, PAGE, PAGE)
    pace.check(0, PAGE, 1)
    idle = 0
    with suppress(AnswerError):
        while idle < 1_000:
            pace.check(PAGE, PAGE, 0)
            idle += 1
    assert 500 < idle < 1_000
