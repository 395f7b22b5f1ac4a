"""Tests of the set of ids."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.events.id_set import IdSet


@given(st.lists(st.integers(0, 2**63) | st.integers(0, 3000)))
def test_it_knows_what_a_set_knows(ids: list[int]) -> None:
    """Each id is new once."""
    known, plain = IdSet(), set[int]()
    for number in ids:
        assert known.add(number) is (number not in plain)
        plain.add(number)
    assert len(known) == len(plain)
