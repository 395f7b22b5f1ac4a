"""Tests of the set of known ids."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.live.feed import ReceivedIds

NUMBERS = st.one_of(st.integers(0, 9000), st.integers(-(2**63), 2**63 - 1))


@given(st.lists(NUMBERS))
def test_it_behaves_like_a_set(numbers: list[int]) -> None:
    ids, known = ReceivedIds(), set[int]()
    for number in numbers:
        assert ids.add(number) is (number not in known)
        known.add(number)
    assert len(ids) == len(known)
    assert all((number in ids) == (number in known) for number in range(-10, 9010, 7))


def test_a_million_ids_take_little_memory() -> None:
    """A bit each, while a set takes more than 60 MB."""
    tracemalloc.start()
    try:
        ids = ReceivedIds()
        for number in range(0, 1_000_000, 5):
            ids.add(number)
        assert tracemalloc.get_traced_memory()[0] < 400_000
    finally:
        tracemalloc.stop()
