"""The queries of one sitting, so that the last change can be taken back. No I/O."""

from __future__ import annotations

import msgspec

from cdb_desktop.events.query import Query

_KEPT = 100


class History(msgspec.Struct, frozen=True):
    """The query in force, those before it and those that were taken back, nearest last."""

    present: Query = Query()
    past: tuple[Query, ...] = ()
    future: tuple[Query, ...] = ()

    def then(self, query: Query) -> History:
        """``query`` is asked now; the same again changes nothing."""
        if query == self.present:
            return self
        return History(query, (*self.past, self.present)[-_KEPT:])

    def recent(self, most: int) -> tuple[Query, ...]:
        """The queries before this one, the last first, none twice."""
        before = dict.fromkeys(reversed((*self.past, *reversed(self.future))))
        return tuple(query for query in before if query != self.present)[:most]

    def back(self) -> History:
        """The query before, if there is one."""
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (*self.future, self.present))

    def forward(self) -> History:
        """The query that was taken back last, if there is one."""
        if not self.future:
            return self
        return History(self.future[-1], (*self.past, self.present), self.future[:-1])

    def given_up(self, answered: Query) -> History | None:
        """Back at ``answered``, with what was asked since to go forward to; None if it was not before."""
        if answered not in self.past:
            return None
        history = self
        while history.present != answered:
            history = history.back()
        return history
