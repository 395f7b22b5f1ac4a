"""How warm tables are painted: levels of their last write, of reads and searches, and of their rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from math import log10

WARMEST = 4
# Written within so many days: level 4, 3, 2, 1; longer ago, or never, is level 0.
DAYS = (1, 7, 30, 90)
LARGEST = 5  # of sizes: from 100,000 rows


class HeatKind(Enum):
    """What the color of a table says."""

    WRITES = "writes"
    READS = "reads"


@dataclass(frozen=True, slots=True)
class TableHeat:
    """How a table is painted: ``level`` from 0, cold, to WARMEST; ``size`` from 0, empty, to LARGEST.

    None where it is unknown. ``rows`` is the number of rows.
    """

    level: int | None = None
    size: int | None = None
    rows: int | None = None


def age_level(last: datetime | None, now: datetime, *, is_complete: bool) -> int | None:
    """The level of the time of the last write.

    Without a known write it is unknown, but 0 if all events of the period have been read.
    """
    if last is None:
        return 0 if is_complete else None
    age = now - last
    return next((WARMEST - at for at, days in enumerate(DAYS) if age <= timedelta(days=days)), 0)


def share_level(count: int, highest: int) -> int:
    """The level of a number of reads relative to the most used table, each level a third of the next."""
    if count <= 0 or highest <= 0:
        return 0
    level = WARMEST
    while level > 1 and count * 3 ** (WARMEST - level + 1) <= highest:
        level -= 1
    return level


def size_of(rows: int) -> int:
    """The size of a table: 0 without rows, then one more for each of 10, 100, 1,000, 10,000 and 100,000."""
    return 0 if rows <= 0 else min(max(int(log10(rows)), 1), LARGEST)


def united(heats: Iterable[TableHeat]) -> TableHeat:
    """How a group of tables is painted: as its warmest known table, with the rows of all of them.

    The number of rows is unknown if that of one table is.
    """
    found = tuple(heats)
    levels = [heat.level for heat in found if heat.level is not None]
    rows = [heat.rows for heat in found if heat.rows is not None]
    if not found or len(rows) < len(found):
        return TableHeat(max(levels, default=None))
    return TableHeat(max(levels, default=None), size_of(sum(rows)), sum(rows))


def highest(counts: Iterable[int | None]) -> int:
    """The largest known number, 0 without any."""
    return max((count for count in counts if count is not None), default=0)
