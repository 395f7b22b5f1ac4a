"""Merges the orders of two lists that were changed at the same time."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import TypeVar

_Item = TypeVar("_Item", bound=Hashable)


def is_order_disputed(base: Sequence[_Item], theirs: Sequence[_Item], mine: Sequence[_Item]) -> bool:
    """Whether both sides have changed the order of the common items, in different ways."""
    was, their_order, my_order = _common_orders(base, theirs, mine)
    return was not in (their_order, my_order) and their_order != my_order


def merged_order(
    base: Sequence[_Item],
    theirs: Sequence[_Item],
    mine: Sequence[_Item],
    present: Collection[_Item],
    *,
    prefer_mine: bool,
) -> list[_Item]:
    """The items in ``present`` in the order of the side that changed it, else of the preferred one.

    Items of one side only follow what they follow there; between the same neighbors theirs come first.
    Each of ``present`` is in ``theirs`` or in ``mine``, and no list has an item twice.
    """
    was, their_order, my_order = _common_orders(base, theirs, mine)
    by_mine = their_order == was if was in (their_order, my_order) else prefer_mine
    first, second = (mine, theirs) if by_mine and my_order != was else (theirs, mine)
    found = [item for item in first if item in present]
    known, other = set(found), set(second)
    if known.issuperset(item for item in second if item in present):
        return found
    last: _Item | None = None
    for item in second:
        if item not in known and item in present:
            at = 0 if last is None else found.index(last) + 1
            # Items that only the first list has stay together.
            while first is theirs and at < len(found) and found[at] not in other:
                at += 1
            found.insert(at, item)
            known.add(item)
        if item in known:
            last = item
    return found


def _common_orders(
    base: Sequence[_Item], theirs: Sequence[_Item], mine: Sequence[_Item]
) -> tuple[list[_Item], list[_Item], list[_Item]]:
    common = set(base) & set(theirs) & set(mine)
    was, their_order, my_order = ([item for item in each if item in common] for each in (base, theirs, mine))
    return was, their_order, my_order
