"""Tests of where a long result is looked into."""

from __future__ import annotations

from itertools import pairwise

import pytest

from cdb_desktop.events.sampling import PAGES, RECORDS, sample


@pytest.mark.parametrize("total", [1, 999, 1001, 1999, 3200])
def test_all_of_a_short_result_is_read(total: int) -> None:
    """No row is left out."""
    rows = {row for offset, limit in sample(total) for row in range(offset, offset + limit)}
    assert rows >= set(range(total))


def test_a_long_result_is_looked_into_everywhere() -> None:
    """As often at its end as at its beginning, and never beyond."""
    places = sample(1_000_000)
    assert len(places) == PAGES
    gaps = {after - before for (before, _), (after, _) in pairwise(places)}
    assert gaps == {1_000_000 // PAGES}
    assert places[0][0] > 0
    assert places[-1][0] + RECORDS < 1_000_000
    assert sample(0) == []
