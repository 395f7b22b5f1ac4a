"""How the feed stands with its service, as a frozen value that is replaced. No I/O."""

from __future__ import annotations

from typing import Literal

import msgspec

Phase = Literal["connecting", "open", "silent", "waiting", "trying", "lost", "stopped"]


class Link(msgspec.Struct, frozen=True):
    """``waiting`` and ``trying`` take turns while the service does not answer; ``lost`` is the session.

    ``silent``: it is there, but what was asked is not answered.

    ``due`` is the moment of the next try or poll, in seconds of the clock that also measures ``answered``;
    None while one is under way. ``holds``: the service keeps requests until something happens.
    """

    phase: Phase = "connecting"
    due: float | None = None
    answered: float | None = None
    holds: bool = False
