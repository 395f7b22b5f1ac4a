"""Which objects exist as far as the log knows, in which version; knows no table's content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random


class Stock:
    """The objects by objecttype; events ask it for one to look at, to change, to add or to delete.

    `present` maps objecttypes to ids and versions; `coming` holds the ids still to be added, in order,
    `doomed` those that are there only to be deleted.
    """

    def __init__(
        self,
        present: Mapping[str, Mapping[int, int]],
        coming: Mapping[str, Sequence[int]],
        doomed: Mapping[str, Sequence[int]] | None = None,
    ) -> None:
        self._ids = {table: sorted(ids) for table, ids in present.items()}
        self.versions = {table: dict(ids) for table, ids in present.items()}
        self._coming = coming
        self._doomed = {table: list(ids) for table, ids in (doomed or {}).items()}
        self._added = dict.fromkeys(self._ids, 0)
        self._share = 0.0

    def reach(self, share: float) -> None:
        """Lets this share of the coming objects be added by now."""
        self._share = share

    @property
    def tables(self) -> list[str]:
        """The objecttypes that have an object to look at."""
        return [table for table, ids in self._ids.items() if ids]

    def some(self, table: str, rng: Random) -> int:
        """The id of an object; the newest are looked at most."""
        ids = self._ids[table]
        random = rng.random()
        return ids[-1 - int(len(ids) * random * random)]

    def version(self, table: str, object_id: int) -> int:
        """The version that an object has reached."""
        return self.versions[table][object_id]

    def change(self, table: str, object_id: int) -> int:
        """A new version of an object; answers it."""
        versions = self.versions[table]
        versions[object_id] += 1
        return versions[object_id]

    def add(self, table: str) -> int | None:
        """The id of a new object, None when the time for it has not come."""
        made = self._next_id(table)
        if made is not None:
            self._ids[table].append(made)
            self.versions[table][made] = 1
            self._added[table] += 1
        return made

    def undo(self, table: str, object_id: int) -> None:
        """Takes the last thing back that was told of an object: its newest version, or that it was added."""
        if self.versions[table][object_id] > 1:
            self.versions[table][object_id] -= 1
        else:
            del self.versions[table][object_id]
            self._ids[table].remove(object_id)
            self._added[table] -= 1

    def delete(self, table: str) -> int | None:
        """The id of an object that is deleted now, None when none may go."""
        doomed = self._doomed.get(table)
        return doomed.pop() if doomed else None

    def _next_id(self, table: str) -> int | None:
        coming, added = self._coming.get(table, ()), self._added[table]
        return coming[added] if added < len(coming) * self._share else None
