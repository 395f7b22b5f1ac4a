"""How the feed stands with its service, as a frozen value that is replaced. No I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Phase = Literal["connecting", "open", "waiting", "trying", "lost", "stopped"]


@dataclass(frozen=True, slots=True)
class Link:
    """``waiting`` and ``trying`` take turns while the service does not answer; ``lost`` is the session.

    ``due`` is the moment of the next try, in seconds of the clock that also measures ``answered``.
    """

    phase: Phase = "connecting"
    due: float = 0.0
    answered: float | None = None
