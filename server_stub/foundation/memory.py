"""Settings of memory management: freed memory is reused, and garbage collection is paused for bulk work."""

import ctypes
import gc
import sys
import threading
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


_NEVER = 1 << 30
_lock = threading.Lock()
_usual: list[tuple[int, int, int]] = []


@contextmanager
def young_collected() -> Iterator[None]:
    """Collects only new garbage, for work that fills the memory with objects that live to its end.

    The full collections would examine all of them again and again. Several threads may be inside.
    """
    with _lock:
        _usual.append(_usual[0] if _usual else gc.get_threshold())
        gc.set_threshold(*_usual[0][:2], _NEVER)
    try:
        yield
    finally:
        with _lock:
            usual = _usual.pop()
            if not _usual:
                gc.set_threshold(*usual)
