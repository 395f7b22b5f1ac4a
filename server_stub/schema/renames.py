"""Brings renames into an order in which no name is taken twice: chains, swaps, circles; knows no step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def ordered_renames(
    wanted: Mapping[str, tuple[str, str]], taken: Iterable[str] = ()
) -> list[tuple[str, str]]:
    """Pairs (old, new) in order, with a detour over `_moved_<key>` for each circle.

    `wanted` maps a key to its old and new name; `taken` are names that keep their place and are not wanted.
    """
    pending = {key: names for key, names in wanted.items() if names[0] != names[1]}
    occupied = {old for old, _ in wanted.values()} | set(taken)
    made = []
    while pending:
        key = next((key for key, (_, new) in pending.items() if new not in occupied), None)
        if key is None:
            key = next(iter(pending))
            old, final = pending[key]
            pending[key] = (f"_moved_{key}", final)
            new = f"_moved_{key}"
        else:
            old, new = pending.pop(key)
        occupied.remove(old)
        occupied.add(new)
        made.append((old, new))
    return made
