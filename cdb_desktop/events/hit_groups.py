"""Groups what a search has found by the values of a few fields, the largest groups first. No I/O."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from cdb_desktop.vocabulary.event_text import user_text
from cdb_desktop.vocabulary.pattern import Hit

Groups = list[tuple[str, list[int]]]

FIELDS: dict[str, Callable[[Hit], str]] = {
    "type": lambda hit: hit.event.type,
    "user": lambda hit: user_text(hit.event),
    "objecttype": lambda hit: hit.event.objecttype or "",
    "where": lambda hit: hit.path,
}


def groups_by(field: str, hits: Sequence[Hit]) -> Groups:
    """Each value of one of FIELDS with the rows of its hits; those without a value are left out."""
    rows: defaultdict[str, list[int]] = defaultdict(list)
    value_of = FIELDS[field]
    for row, hit in enumerate(hits):
        rows[value_of(hit)].append(row)
    rows.pop("", None)
    return sorted(rows.items(), key=lambda group: (-len(group[1]), group[0]))
