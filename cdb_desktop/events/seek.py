"""Finds the row of an event in a list sorted by id, which has no call of its own. No I/O."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

Probe = Callable[[int], Awaitable[int | None]]


async def row_of_id(probe: Probe, rows: int, wanted: int, *, descending: bool) -> int:
    """The row of the event ``wanted``, or of the one that comes after its place; ``rows`` if none does.

    ``probe`` gives the id in a row, None beyond the end. Asks some 20 times in a list of a million.
    """
    low, high = 0, rows
    while low < high:
        middle = (low + high) // 2
        found = await probe(middle)
        if found is None or (found <= wanted if descending else found >= wanted):
            high = middle
        else:
            low = middle + 1
    return low
