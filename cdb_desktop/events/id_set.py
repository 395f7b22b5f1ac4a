"""Which ids have been met: some bits each where they lie close together, as ids of events do. No I/O."""

from __future__ import annotations

_BITS = 10  # of an id that stand in one block


class IdSet:
    """Grows only; a million events that follow one another take some 200 kB."""

    def __init__(self) -> None:
        self._blocks: dict[int, int] = {}
        self._number = 0

    def __len__(self) -> int:
        return self._number

    def add(self, number: int) -> bool:
        """Takes in an id; tells whether it is a new one."""
        place, bit = number >> _BITS, 1 << (number & (1 << _BITS) - 1)
        block = self._blocks.get(place, 0)
        if block & bit:
            return False
        self._blocks[place] = block | bit
        self._number += 1
        return True
