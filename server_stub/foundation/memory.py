"""Settings of memory management: freed memory is reused, and garbage collection is paused for bulk work."""

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
    """Makes glibc reuse freed memory: allocating half a megabyte again takes half as long as filling it."""
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _KEPT_BYTES)
        mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)


@contextmanager
def uncollected() -> Iterator[None]:
    """Pauses garbage collection, for work on many objects that refer to nothing else."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
