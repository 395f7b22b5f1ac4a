"""The search of a document: names, types, comments and localized names of tables and columns."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.json_values import Json, text_attribute
from cdb_desktop.schema.document.model import Document, NamedRef
from cdb_desktop.schema.document.names import natural_key, own_table_name

LocalizedNamesOf = Callable[[NamedRef], Mapping[str, str]]


class Where(Enum):
    """What of an element a search has found."""

    NAME = "name"
    TYPE = "type"
    COMMENT = "comment"
    LOCALIZED_NAME = "localized name"


@dataclass(frozen=True, slots=True)
class SearchHit:
    """An element that a search has found. ``text`` is the type, comment or localized name that matches."""

    ref: NamedRef
    name: str
    where: Where
    text: str = ""


@dataclass(frozen=True, slots=True)
class _Entry:
    """The texts of an element in lower case; ``kind`` is 0 for tables, 1 for nested ones, 2 for columns."""

    ref: NamedRef
    name: str
    names: tuple[str, ...]
    kind: int
    type: str
    comment: str
    localized: tuple[str, ...]
    originals: tuple[str, ...]
    every: str  # all of them, to skip elements without a hit quickly


class SearchIndex:
    """The texts of a document. It takes some time to create for large documents, searches are fast."""

    def __init__(self, document: Document, localized_names: LocalizedNamesOf) -> None:
        self._entries = sorted(
            _entries(document, localized_names),
            key=lambda entry: (natural_key(entry.name.partition(".")[0]), entry.kind),
        )

    def find(self, text: str) -> tuple[SearchHit, ...]:
        """All hits, best first: the same name, a prefix, the prefix of a part, other names, then other texts.

        Of those that fit equally well, tables precede nested tables and these precede columns.
        """
        wanted = text.strip().lower()
        if not wanted:
            return ()
        likely = (entry for entry in self._entries if wanted in entry.every)
        found = [(rank, hit) for entry in likely for rank, hit in _matches(entry, wanted)]
        return tuple(hit for _, hit in sorted(found, key=lambda each: each[0]))


def _entries(document: Document, localized_names: LocalizedNamesOf) -> Iterator[_Entry]:
    for table in document.tables:
        ref = TableRef(table.key)
        names = tuple(dict.fromkeys((own_table_name(document, table).lower(), table.name.lower())))
        kind = 1 if table.owner in document.by_key else 0
        yield _entry(ref, table.name, names, kind, table.raw, localized_names)
        for column in table.columns:
            of_column, name = ColumnRef(table.key, column.key), f"{table.name}.{column.name}"
            yield _entry(of_column, name, (column.name.lower(),), 2, column.raw, localized_names)


def _entry(
    ref: NamedRef,
    name: str,
    names: tuple[str, ...],
    kind: int,
    raw: Json,
    localized_names: LocalizedNamesOf,
) -> _Entry:
    type_ = text_attribute(raw, "type") if kind == 2 else ""
    originals = (text_attribute(raw, "comment"), *localized_names(ref).values())
    comment, *localized = (text.lower() for text in originals)
    every = "\n".join((*names, type_.lower(), comment, *localized))
    return _Entry(ref, name, names, kind, type_, comment, tuple(localized), originals, every)


def _matches(entry: _Entry, wanted: str) -> Iterator[tuple[tuple[int, int], SearchHit]]:
    """The best hit of an element with its rank, or none."""
    rank = _rank(entry.names, wanted)
    if rank is not None:
        yield (rank, entry.kind), SearchHit(entry.ref, entry.name, Where.NAME)
    elif wanted == entry.type.lower():
        yield (4, entry.kind), SearchHit(entry.ref, entry.name, Where.TYPE, entry.type)
    elif wanted in entry.comment:
        yield (5, entry.kind), SearchHit(entry.ref, entry.name, Where.COMMENT, entry.originals[0])
    else:
        for lower, original in zip(entry.localized, entry.originals[1:], strict=True):
            if wanted in lower:
                hit = SearchHit(entry.ref, entry.name, Where.LOCALIZED_NAME, original)
                yield (5, entry.kind), hit
                return


def _rank(names: tuple[str, ...], wanted: str) -> int | None:
    if wanted in names:
        return 0
    if any(name.startswith(wanted) for name in names):
        return 1
    if any(f"_{wanted}" in name for name in names):
        return 2
    return 3 if any(wanted in name for name in names) else None
