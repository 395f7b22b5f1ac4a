"""Keeps what came and was no event, each once, so that it can be told and looked at. No I/O."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from cdb_desktop.client import Unreadable
from cdb_desktop.vocabulary.event_json import records_json

_MOST = 1_000  # that are told apart
_LONGEST = 2_000  # characters of one


class Rejects:
    """A poll brings the same record again and again as long as nothing newer has come."""

    def __init__(self) -> None:
        self.number = 0
        self._texts: dict[str, None] = {}

    @property
    def texts(self) -> tuple[str, ...]:
        """The last ones, newest first, without secrets."""
        return tuple(islice(reversed(self._texts), 50))

    def take(self, found: Iterable[Unreadable]) -> int:
        """So many of ``found`` had not come before."""
        told = dict.fromkeys(records_json([one])[:_LONGEST] for one in found)
        fresh = [text for text in told if text not in self._texts]
        self.number += len(fresh)
        self._texts.update(dict.fromkeys(fresh))
        for text in tuple(islice(self._texts, max(0, len(self._texts) - _MOST))):
            del self._texts[text]
        return len(fresh)
