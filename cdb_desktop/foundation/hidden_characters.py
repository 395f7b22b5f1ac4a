"""Shows characters that would change the order of a text or be invisible in a name."""

from __future__ import annotations

import re

# Marks, embeddings, overrides and isolates of the bidirectional algorithm, and what has no width.
_HIDDEN = re.compile("[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]")


def visible(text: str) -> str:
    """A name with a mark such as ⟦U+202E⟧ for each bidirectional control and invisible character.

    Joiners are left as they are, since words of some languages are written with them.
    """
    if text.isascii():
        return text
    return _HIDDEN.sub(lambda found: f"⟦U+{ord(found[0]):04X}⟧", text)
