"""Remembers the ids that have come at the cost of a bit, however long the feed runs. No I/O."""

from __future__ import annotations

_BITS = 12  # of an id that are its place in a block
_BLOCKS = 65_536  # that are kept, some 40 MB: only a service that makes ids up has more


class Ids:
    """A set of ids; ids close to one another are cheap. Of too many blocks the oldest is forgotten."""

    def __init__(self) -> None:
        self._blocks: dict[int, bytearray] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, one: int) -> bool:
        block = self._blocks.get(one >> _BITS)
        return block is not None and bool(block[(one & 4095) >> 3] & (1 << (one & 7)))

    def copy(self) -> Ids:
        """A set of its own with the same ids."""
        other = Ids()
        other._blocks = {number: block[:] for number, block in self._blocks.items()}
        other._count = self._count
        return other

    def add(self, one: int) -> bool:
        """Takes an id in and says whether it is new."""
        block = self._blocks.get(one >> _BITS)
        if block is None:
            if len(self._blocks) >= _BLOCKS:
                del self._blocks[next(iter(self._blocks))]
            block = self._blocks[one >> _BITS] = bytearray(512)
        place, bit = (one & 4095) >> 3, 1 << (one & 7)
        if block[place] & bit:
            return False
        block[place] |= bit
        self._count += 1
        return True
