"""Spares work on memory where it is in vain: given back to be taken anew, searched for circles that are none.

Knows nothing of what the memory holds.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# glibc's names for what mallopt sets.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_KEPT_BYTES = 32 << 20


def keep_freed_memory() -> None:
    """Sets glibc so; taking half a megabyte from the system anew costs half as much as filling it."""
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _KEPT_BYTES)
        mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for circles of objects until its end: for work on many of them that refer to nothing else."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
