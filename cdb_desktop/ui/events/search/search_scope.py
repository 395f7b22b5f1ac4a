"""Where a search goes. Searches nothing itself."""

from __future__ import annotations

from enum import Enum


class Scope(Enum):
    """All that the query finds, what is loaded of it, or the whole log whatever the query."""

    RESULT = "result"
    LOADED = "loaded"
    LOG = "log"
