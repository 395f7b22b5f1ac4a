"""What the helper that makes a table tells whoever waits for it, a line of JSON each. No I/O."""

from __future__ import annotations

import msgspec


class Told(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line: so many rows are written; with ``is_done`` all are, and ``cut`` cells were too long.

    ``fault`` is ``disk`` with its ``errno``, ``columns`` or the reason in English.
    """

    rows: int = 0
    is_done: bool = False
    cut: int = 0
    fault: str = ""
    errno: int = 0
