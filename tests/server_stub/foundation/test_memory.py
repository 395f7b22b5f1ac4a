"""Garbage collection is paused and resumed, also by several threads."""

import gc

from server_stub.foundation.memory import young_collected


def test_full_collections_are_paused() -> None:
    """Only the outermost block restores the usual thresholds, in whatever order the blocks end."""
    usual = gc.get_threshold()
    first, second = young_collected(), young_collected()
    first.__enter__()
    second.__enter__()
    assert gc.get_threshold()[:2] == usual[:2]
    assert gc.get_threshold()[2] > 1_000_000
    first.__exit__(None, None, None)
    assert gc.get_threshold()[2] > 1_000_000
    second.__exit__(None, None, None)
    assert gc.get_threshold() == usual
