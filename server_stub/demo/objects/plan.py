"""How many objects the demo collection has, which of them have gone; knows no content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from server_stub.demo.actions import Stock
from server_stub.demo.objects import lists, phrases

# The images that somebody deleted one evening.
PURGED_IMAGES = range(401, 441)
# One object in so many was deleted by and by.
_GOES = 53
_KEPT_FROM = 50
# The share of objects that were there when the log began.
_OLD = 0.72

_COUNTS: Mapping[str, int] = MappingProxyType(
    {
        "place": len(lists.lines(lists.PLACES)),
        "material": len(lists.lines(lists.MATERIALS)),
        "technique": len(lists.lines(lists.TECHNIQUES)),
        "keyword": len(lists.lines(lists.KEYWORDS)),
        "storage_location": 44,
        "institution": len(lists.lines(lists.INSTITUTIONS)),
        "artist": 96,
        "work": 640,
        "image": 900,
        "bibliography": 130,
        "exhibition": 2 * len(phrases.EXHIBITIONS),
        "loan": 46,
        "condition_report": 210,
        "tour": len(phrases.TOURS),
    }
)
# Their rows are lists and trees that the log does not lengthen.
_COMPLETE = frozenset(
    {"place", "material", "technique", "keyword", "storage_location", "institution", "tour"}
)


def ids(table: str) -> list[int]:
    """The ids of the objects that exist in the end, ascending."""
    gone = set(_gone(table))
    return [object_id for object_id in range(1, _COUNTS[table] + 1) if object_id not in gone]


def opening_stock() -> Stock:
    """The objects as the log finds them on its first day, with those that will come and go."""
    old: dict[str, Mapping[int, int]] = {}
    coming: dict[str, Sequence[int]] = {}
    for table in _COUNTS:
        existing = ids(table)
        first = len(existing) if table in _COMPLETE else round(len(existing) * _OLD)
        old[table] = {object_id: 1 + object_id * 7 % 4 for object_id in existing[:first]}
        coming[table] = existing[first:]
    doomed = {table: [gone for gone in _gone(table) if gone not in PURGED_IMAGES] for table in _COUNTS}
    return Stock(old, coming, doomed)


def _gone(table: str) -> list[int]:
    if table in _COMPLETE:
        return []
    single = [gone for gone in range(_GOES, _COUNTS[table] + 1, _GOES) if gone > _KEPT_FROM]
    return sorted({*single, *(PURGED_IMAGES if table == "image" else ())})
