"""What differs between two documents, as values: kind, place, how risky, in words; and how to count them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, IntEnum

from cdb_desktop.schema.places import (
    ColumnPlace,
    NestedPlace,
    Place,
    ReversePlace,
    TablePlace,
    UniquePlace,
)
from cdb_desktop.schema.words import Words, counted


class ChangeKind(Enum):
    """What happened to an element."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    TYPE = "type changed"
    OPTION = "option changed"
    KEY = "key changed"
    MOVED = "moved"


class Risk(IntEnum):
    """What a commit does to the data that is there."""

    SAFE = 0
    NARROWING = 1  # rows that are there may not fulfil it, or lose a part of a value: the commit may fail
    DESTROYING = 2  # values are lost


@dataclass(frozen=True, slots=True)
class Change:
    """One difference; the place is the new document's, for what was removed the old one's.

    ``before`` and ``after`` are names, types, values of ``option``, or keys of linked tables.
    """

    kind: ChangeKind
    place: Place
    risk: Risk
    words: Words
    option: str = ""
    before: object = None
    after: object = None

    @property
    def sign(self) -> str:
        """How it is marked beside its color: + ~ → or −."""
        return _SIGNS.get(self.kind, "~")


_SIGNS = {ChangeKind.ADDED: "+", ChangeKind.REMOVED: "−", ChangeKind.RENAMED: "→"}

_TEXTS = {
    (ChangeKind.ADDED, TablePlace): ("{count} table added", "{count} tables added"),
    (ChangeKind.REMOVED, TablePlace): ("{count} table removed", "{count} tables removed"),
    (ChangeKind.RENAMED, TablePlace): ("{count} table renamed", "{count} tables renamed"),
    (ChangeKind.ADDED, ColumnPlace): ("{count} column added", "{count} columns added"),
    (ChangeKind.REMOVED, ColumnPlace): ("{count} column removed", "{count} columns removed"),
    (ChangeKind.RENAMED, ColumnPlace): ("{count} column renamed", "{count} columns renamed"),
    (ChangeKind.TYPE, ColumnPlace): ("{count} type changed", "{count} types changed"),
    (ChangeKind.KEY, ColumnPlace): ("{count} link changed", "{count} links changed"),
    (ChangeKind.ADDED, NestedPlace): ("{count} nested entry added", "{count} nested entries added"),
    (ChangeKind.REMOVED, NestedPlace): ("{count} nested entry removed", "{count} nested entries removed"),
    (ChangeKind.ADDED, ReversePlace): ("{count} reverse link added", "{count} reverse links added"),
    (ChangeKind.REMOVED, ReversePlace): ("{count} reverse link removed", "{count} reverse links removed"),
    (ChangeKind.ADDED, UniquePlace): ("{count} unique key added", "{count} unique keys added"),
    (ChangeKind.REMOVED, UniquePlace): ("{count} unique key removed", "{count} unique keys removed"),
}
_OTHERS = {
    ChangeKind.OPTION: ("{count} option changed", "{count} options changed"),
    ChangeKind.KEY: ("{count} key changed", "{count} keys changed"),
    ChangeKind.MOVED: ("{count} entry moved", "{count} entries moved"),
}


def summary(changes: Iterable[Change]) -> tuple[Words, ...]:
    """Counts such as ``1 table added``, ``2 columns renamed``, in a fixed order; empty without changes."""
    counts = Counter(_texts(change) for change in changes)
    ordered = [*_TEXTS.values(), *_OTHERS.values()]
    return tuple(counted(counts[texts], *texts) for texts in ordered if texts in counts)


def worst(changes: Iterable[Change]) -> Risk:
    """The highest risk among changes."""
    return max((change.risk for change in changes), default=Risk.SAFE)


def _texts(change: Change) -> tuple[str, str]:
    return _TEXTS.get((change.kind, type(change.place))) or _OTHERS[change.kind]
