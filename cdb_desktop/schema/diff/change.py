"""Changes between two documents as values, and their counts by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, IntEnum

from cdb_desktop.foundation.i18n import Message, mark, message, tr
from cdb_desktop.schema.document.element_ref import (
    ColumnRef,
    ElementRef,
    NestedTableRef,
    ReverseLinkRef,
    TableRef,
    UniqueKeyRef,
)

LOCAL_NAME = "name:"  # begins the option of changes of localized names, before the language


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
    """The effect of a commit on existing data."""

    SAFE = 0
    NARROWING = 1  # existing rows may violate it, or values are shortened: the commit may fail
    DESTROYING = 2  # values are lost


@dataclass(frozen=True, slots=True)
class Change:
    """One difference; ``ref`` is of the new document, for removed elements of the old one.

    ``before`` and ``after`` are names, types, values of ``option``, or keys of linked tables.
    """

    kind: ChangeKind
    ref: ElementRef
    risk: Risk
    message: Message
    option: str = ""
    before: object = None
    after: object = None

    @property
    def sign(self) -> str:
        """The symbol beside its color: + ~ → or −."""
        return _SIGNS.get(self.kind, "~")


_SIGNS = {ChangeKind.ADDED: "+", ChangeKind.REMOVED: "−", ChangeKind.RENAMED: "→"}

_TEXTS = {
    (ChangeKind.ADDED, TableRef): mark("{count:{count} table|{count} tables} added"),
    (ChangeKind.REMOVED, TableRef): mark("{count:{count} table|{count} tables} removed"),
    (ChangeKind.RENAMED, TableRef): mark("{count:{count} table|{count} tables} renamed"),
    (ChangeKind.ADDED, ColumnRef): mark("{count:{count} column|{count} columns} added"),
    (ChangeKind.REMOVED, ColumnRef): mark("{count:{count} column|{count} columns} removed"),
    (ChangeKind.RENAMED, ColumnRef): mark("{count:{count} column|{count} columns} renamed"),
    (ChangeKind.TYPE, ColumnRef): mark("{count:{count} type|{count} types} changed"),
    (ChangeKind.KEY, ColumnRef): mark("{count:{count} link|{count} links} changed"),
    (ChangeKind.ADDED, NestedTableRef): mark("{count:{count} nested entry|{count} nested entries} added"),
    (ChangeKind.REMOVED, NestedTableRef): mark("{count:{count} nested entry|{count} nested entries} removed"),
    (ChangeKind.ADDED, ReverseLinkRef): mark("{count:{count} reverse link|{count} reverse links} added"),
    (ChangeKind.REMOVED, ReverseLinkRef): mark("{count:{count} reverse link|{count} reverse links} removed"),
    (ChangeKind.ADDED, UniqueKeyRef): mark("{count:{count} unique key|{count} unique keys} added"),
    (ChangeKind.REMOVED, UniqueKeyRef): mark("{count:{count} unique key|{count} unique keys} removed"),
}
_OTHERS = {
    ChangeKind.OPTION: mark("{count:{count} option|{count} options} changed"),
    ChangeKind.KEY: mark("{count:{count} key|{count} keys} changed"),
    ChangeKind.MOVED: mark("{count:{count} entry|{count} entries} moved"),
}


def summary(changes: Iterable[Change]) -> tuple[Message, ...]:
    """Counts such as ``1 table added``, ``2 columns renamed``, in a fixed order; empty without changes."""
    counts = Counter(_text(change) for change in changes)
    ordered = [*_TEXTS.values(), *_OTHERS.values()]
    return tuple(message(text, count=counts[text]) for text in ordered if text in counts)


def _text(change: Change) -> str:
    return _TEXTS.get((change.kind, type(change.ref))) or _OTHERS[change.kind]


def risk_text(risk: Risk) -> str:
    """What a change may do to the data, empty if nothing."""
    return {
        Risk.SAFE: "",
        Risk.NARROWING: tr("may fail where values do not fit"),
        Risk.DESTROYING: tr("values are lost"),
    }[risk]
