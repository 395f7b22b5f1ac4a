"""Durations for tests, which compare them with a floor of the same run, never with a limit."""

import time
from collections.abc import Callable


def shortest(call: Callable[[], object], repeats: int = 3) -> float:
    """The least processor time of this thread that ``call`` takes, in seconds, whatever other programs do."""
    found = []
    for _ in range(repeats):
        started = time.thread_time()
        call()
        found.append(time.thread_time() - started)
    return min(found)
