"""Tells whoever wanted to go somewhere how it ended. Knows neither the goal nor the rows."""

from __future__ import annotations

from collections.abc import Callable

import msgspec


def _nothing() -> None:
    """Nobody waits for it."""


class Way(msgspec.Struct, frozen=True):
    """``refuse`` is told why it cannot be reached, ``arrive`` that it is, ``stop`` that nobody looks."""

    refuse: Callable[[str], None]
    arrive: Callable[[], None] = _nothing
    stop: Callable[[], None] = _nothing
