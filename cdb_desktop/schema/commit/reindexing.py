"""The reindexing after a commit, as far as its OBJECT_INDEX events show it (§4.8, §6 rule 3).

There is no call for its progress: it is known to begin with a commit and to write an event for each object.
It is over when all objects are indexed, or when their number is unknown or too high, after QUIET_SECONDS
without an event.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from cdb_desktop.schema.commit.plan import CommitPlan
from cdb_desktop.schema.diff.change import Change
from cdb_desktop.schema.document.element_ref import table_key_of
from cdb_desktop.schema.document.model import Document

QUIET_SECONDS = 20  # without an event, after which it is taken to have ended


@dataclass(frozen=True, slots=True)
class Reindexing:
    """The objects that were indexed since a commit; ``total`` is how many there are, None if unknown.

    Objects of other objecttypes than the changed ones are indexed for other reasons and do not count;
    ``objecttypes`` is None if any may have changed.
    """

    total: int | None
    objecttypes: frozenset[str] | None = None
    objects: frozenset[tuple[str, int]] = frozenset()

    @property
    def indexed(self) -> int:
        """How many objects were indexed."""
        return len(self.objects)

    @property
    def is_complete(self) -> bool:
        """Whether all objects are known to be indexed."""
        return self.total is not None and self.indexed >= self.total

    def with_objects(self, objects: Iterable[tuple[str, int]]) -> Reindexing:
        """With more objects, as objecttype and id; one that is indexed twice counts once."""
        counted = (one for one in objects if self.objecttypes is None or one[0] in self.objecttypes)
        return replace(self, objects=self.objects.union(counted))


def expected_reindexing(
    head: Document, current: Document | None, changes: Sequence[Change], plan: CommitPlan | None
) -> Reindexing:
    """What a commit reindexes: the objects of changed objecttypes. Their number is known if the plan says so.

    Services count the rows of tables only where a step affects them, so that the number is often unknown.
    """
    keys = (table_key_of(change.ref) for change in changes)
    changed = {_objecttype(head, key) for key in keys if key in head.by_key and key is not None}
    names = frozenset(head.by_key[key].name for key in changed)
    if current is None:
        return Reindexing(0, names)
    rows = {} if plan is None else {step.table: step.rows for step in plan.steps}
    known = [rows.get(key) for key in changed if key in current.by_key]
    counted = [count for count in known if count is not None]
    return Reindexing(sum(counted) if len(counted) == len(known) else None, names)


def _objecttype(document: Document, key: int) -> int:
    """The objecttype whose objects contain the rows of a table."""
    seen: set[int] = set()
    while key not in seen:
        seen.add(key)
        owner = document.by_key[key].owner
        if owner is None or owner not in document.by_key:
            break
        key = owner
    return key
