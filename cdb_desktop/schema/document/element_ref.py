"""References to elements of a document that stay the same over edits: what is selected, what a problem or a
change is about.

A key is the id that the service gave (positive), or a local one (negative, wider than 32 bits) until it does.
"""

from dataclasses import dataclass
from secrets import randbits


@dataclass(frozen=True, slots=True, order=True)
class DocumentRef:
    """The document as a whole."""


@dataclass(frozen=True, slots=True, order=True)
class TableRef:
    """A table by its key."""

    table: int


@dataclass(frozen=True, slots=True, order=True)
class ColumnRef:
    """A column of kind ``column`` by its key."""

    table: int
    column: int


@dataclass(frozen=True, slots=True, order=True)
class NestedTableRef:
    """The entry of an owner that holds a nested table; it has neither name nor id (wire §5)."""

    table: int
    nested: int


@dataclass(frozen=True, slots=True, order=True)
class ReverseLinkRef:
    """The entry through which rows of another table are edited that link here (wire §5)."""

    table: int
    other_table: int
    other_column: int


@dataclass(frozen=True, slots=True, order=True)
class UniqueKeyRef:
    """A unique key by the keys of its columns."""

    table: int
    columns: tuple[int, ...]


ElementRef = DocumentRef | TableRef | ColumnRef | NestedTableRef | ReverseLinkRef | UniqueKeyRef

DOCUMENT = DocumentRef()


def new_key() -> int:
    """A key for an element that the service has not seen yet; never the same twice."""
    return -1 - randbits(62)


def table_key_of(ref: ElementRef) -> int | None:
    """The key of the table that contains the element, None for the document itself."""
    return None if isinstance(ref, DocumentRef) else ref.table
