"""Shares what has several heights among columns, in order; knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise


def shared(heights: Sequence[int], columns: int) -> list[range]:
    """The stretch of ``heights`` in each column, so that the highest column is as low as can be.

    Of several such ways the most even one counts.
    """
    cuts = combinations(range(1, len(heights)), min(columns, max(1, len(heights))) - 1)
    choices = [[range(*pair) for pair in pairwise((0, *cut, len(heights)))] for cut in cuts]

    def unevenness(choice: Sequence[range]) -> tuple[int, int]:
        sums = [sum(heights[place] for place in each) for each in choice]
        return max(sums), sum(one * one for one in sums)

    return min(choices, key=unevenness)
