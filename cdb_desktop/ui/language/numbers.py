"""Numbers in texts: grouped as the language in force groups them, with the right form of the noun."""

from __future__ import annotations

import re

from cdb_desktop.foundation.i18n import number_text

_GAP = re.compile(r"%(\d)")


def plural(count: int, one: str, other: str, *values: str | int) -> str:
    """The form of a text that fits ``count``: ``one`` for exactly 1, else ``other``, with its gaps filled.

    Both are translated texts. ``%1``, ``%2`` and on are ``values``; without values ``%1`` is the count.
    """
    return filled(one if count == 1 else other, *(values or (count,)))


def filled(text: str, *values: str | int) -> str:
    """``text`` with ``%1``, ``%2`` and on replaced by ``values``, numbers as ``number_text`` writes them."""
    texts = [value if isinstance(value, str) else number_text(value) for value in values]
    return _GAP.sub(lambda gap: texts[int(gap[1]) - 1], text)
