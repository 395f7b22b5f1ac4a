"""How far an answer takes the cursor: one id far beyond all others may be wrong, and does not. No I/O."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

BEYOND = 2**62  # no service counts that far: such an id says nothing of the others
_FAR = 1000  # ids between one event and the next from which on the second one may be wrong
_ENOUGH = 10  # events beyond such a distance that are not
_FEW = 9  # events above a log's newest one that may still be wrong


class Jump(NamedTuple):
    """The cursor went from one id to another one far above it."""

    after: int
    before: int


class Reached(NamedTuple):
    """The cursor behind an answer, and how it got there."""

    cursor: int
    jumps: tuple[Jump, ...] = ()


def is_few(events: int) -> bool:
    """Whether so many events above a log's newest one may be wrong, so that it is still the same log."""
    return events <= _FEW


def reach(cursor: int, ids: Iterable[int]) -> Reached:
    """From ``cursor`` over the ids of an answer, in whatever order; never back.

    What lies behind a distance that is not believed is brought again by the next poll, which costs little:
    as soon as it is much, it is believed.
    """
    above = sorted({one for one in ids if cursor < one < BEYOND})
    jumps: list[Jump] = []
    for place, one in enumerate(above):
        if one - cursor > _FAR:
            if len(above) - place < _ENOUGH:
                break
            jumps.append(Jump(cursor, one))
        cursor = one
    return Reached(cursor, tuple(jumps))
