"""Lets the C library keep freed memory for the next answer; knows nothing of answers."""

from __future__ import annotations

import ctypes
import sys

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
