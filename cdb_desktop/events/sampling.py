"""Where to look into a long result so that everybody with a share worth naming is met. No I/O."""

from __future__ import annotations

from math import ceil

from cdb_desktop.events.pages import PAGE

PAGES, RECORDS = 16, 200  # calls, and records of each: who has a hundredth of them is hardly ever missed


def sample(total: int) -> list[tuple[int, int]]:
    """Offsets and limits of short pages, evenly spread; all there is where that is little."""
    if total <= PAGE:
        return [(0, PAGE)] if total else []
    step = total / PAGES
    limit = min(RECORDS, ceil(step))
    return [(int(step * place + max(0.0, step - limit) / 2), limit) for place in range(PAGES)]
