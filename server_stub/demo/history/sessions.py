"""The sessions that visits of the past leave behind; knows no visit and no event."""

from __future__ import annotations

from random import Random
from uuid import UUID

from server_stub.accounts.sessions import session_record

# The life of a session that nobody ends.
_TIMEOUT = 86_400


def new_reference(rng: Random) -> str:
    """The public name of a session."""
    return str(UUID(int=rng.getrandbits(128), version=4))


def session_row(
    reference: str, created: int, last_used: int, *, signed_out: bool, end: int
) -> dict[str, object]:
    """The row of a session as it stands at the second `end`, where nobody is signed in any more.

    Its token is one that nobody has: what stands in place of the hash is the hash of none.
    """
    left = min(last_used, end)
    ended = left if signed_out else left + _TIMEOUT
    return {
        "token_hash": f"none {reference}",
        "reference": reference,
        "created": created,
        "last_used": left,
        # Somebody was signed in, so events tell of it; where polling began no longer matters.
        "current_max_event_id": 0,
        "record": session_record(created, ended if ended <= end else None),
    }
