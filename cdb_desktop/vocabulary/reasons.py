"""Says why an answer is none in the language of the user: the client itself speaks English only."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from cdb_desktop.foundation.resources import resource
from cdb_desktop.vocabulary.catalogue import Language

_HOLE = "%1"


def reason_in(language: Language, reason: str) -> str:
    """``reason`` as it is said in ``language``; what is not known stays as it is."""
    if language == "en":
        return reason
    for known, told in _german().items():
        before, hole, after = known.partition(_HOLE)
        if reason == known:
            return told
        if hole and reason.startswith(before) and reason.endswith(after):
            return told.replace(_HOLE, reason.removeprefix(before).removesuffix(after))
    return reason


@lru_cache(maxsize=1)
def _german() -> dict[str, str]:
    return msgspec.json.decode(resource("reasons.json").read_bytes(), type=dict[str, str])
