"""Finds the row of an event in a list sorted by id, for which the service has no call.

An interpolation search: ids are sequential, so the id approximates the row. Where many ids are
missing, bisection takes over.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

IdAt = Callable[[int], Awaitable[int | None]]
_IdAndRow = tuple[int, int]

_INTERPOLATIONS = 3  # before each bisection


async def find_row(id_at: IdAt, rows: int, wanted: int, *, descending: bool) -> int:
    """The row of the event ``wanted``, or of the first event after its place; ``rows`` if no event follows.

    ``id_at`` returns the id in a row, None beyond the end. It is called a few times for ten million rows, and
    about 40 times if ids are unrelated to rows.
    """
    low, high, tries = 0, rows, 0
    # An id outside either end, with its row: no id is below 1.
    before: _IdAndRow | None = None if descending else (-1, 0)
    after: _IdAndRow | None = (rows, 0) if descending else None
    while low < high:
        tries += 1
        bisects = tries % (_INTERPOLATIONS + 1) == 0
        row = (low + high) // 2 if bisects else _interpolated(before, after, wanted, rows)
        row = max(low, min(row, high - 1))
        found = await id_at(row)
        if found == wanted:
            return row
        if found is None or (found < wanted) is descending:
            high = row
            after = after if found is None else (row, found)
        else:
            low = row + 1
            before = row, found
    return low


def _interpolated(before: _IdAndRow | None, after: _IdAndRow | None, wanted: int, rows: int) -> int:
    """The row between two known ones if ids were evenly spread; the unknown end if there is one."""
    if before is None:
        return 0
    if after is None:
        return min(wanted, rows) - 1
    (first, low), (last, high) = before, after
    return first + round((wanted - low) * (last - first) / (high - low))
