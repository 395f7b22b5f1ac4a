"""A weighted choice that is fast to make often; knows nothing of what is chosen."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable
from itertools import accumulate
from random import Random
from typing import Generic, TypeVar

_Item = TypeVar("_Item")


class Choice(Generic[_Item]):
    """Items with weights; falsy when nothing can be chosen."""

    __slots__ = ("_cumulative", "_items", "total")

    def __init__(self, weighted: Iterable[tuple[_Item, float]]) -> None:
        pairs = [(item, weight) for item, weight in weighted if weight > 0]
        self._items = [item for item, _ in pairs]
        self._cumulative = list(accumulate(weight for _, weight in pairs))
        self.total: float = self._cumulative[-1] if pairs else 0.0

    def __bool__(self) -> bool:
        return bool(self._items)

    def pick(self, rng: Random) -> _Item:
        """One item; IndexError when there is none."""
        return self._items[bisect(self._cumulative, rng.random() * self.total)]
