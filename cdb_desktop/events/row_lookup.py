"""Finds the row of an event in a list sorted by id, which has no call of its own. No I/O.

Ids are given one after another, so a row can nearly be told from the id; where many are missing, halving what
is left takes over.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

Probe = Callable[[int], Awaitable[int | None]]
Known = tuple[int, int]

_GUESSES = 3  # before what is left is halved once


async def find_row(probe: Probe, rows: int, wanted: int, *, descending: bool) -> int:
    """The row of the event ``wanted``, or of the one that comes after its place; ``rows`` if none does.

    ``probe`` gives the id in a row, None beyond the end. Asks a few times in a list of ten million, some 40
    times where ids say nothing about rows.
    """
    low, high, tries = 0, rows, 0
    # An id beyond either end, with its row: no id is below 1.
    before: Known | None = None if descending else (-1, 0)
    after: Known | None = (rows, 0) if descending else None
    while low < high:
        tries += 1
        row = (low + high) // 2 if tries % (_GUESSES + 1) == 0 else _guess(before, after, wanted, rows)
        row = max(low, min(row, high - 1))
        found = await probe(row)
        if found == wanted:
            return row
        if found is None or (found < wanted) is descending:
            high = row
            after = after if found is None else (row, found)
        else:
            low = row + 1
            before = row, found
    return low


def _guess(before: Known | None, after: Known | None, wanted: int, rows: int) -> int:
    """The row between two known ones, if ids lay evenly; the unknown end if there is one."""
    if before is None:
        return 0
    if after is None:
        return min(wanted, rows) - 1
    (first, low), (last, high) = before, after
    return first + round((wanted - low) * (last - first) / (high - low))
