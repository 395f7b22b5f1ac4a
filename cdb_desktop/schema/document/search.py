"""The search of a document: names, types, comments and localized names of tables and columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.json_values import text_attribute
from cdb_desktop.schema.document.model import Document, NamedRef
from cdb_desktop.schema.document.names import natural_key, own_name

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
    every: str = ""  # all of them, to skip elements without a hit quickly


class SearchIndex:
    """The texts of a document. It takes some time to create for large documents, searches are fast."""

    def __init__(self, document: Document, localized_names: LocalizedNamesOf) -> None:
        entries = map(_with_every_text, _entries(document, localized_names))
        self._entries = sorted(
            entries, key=lambda entry: (natural_key(entry.name.partition(".")[0]), entry.kind)
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
        owner = None if table.owner is None else document.by_key.get(table.owner)
        own = table.name if owner is None else own_name(table.name, owner.name)
        ref = TableRef(table.key)
        names = tuple(dict.fromkeys((own.lower(), table.name.lower())))
        comment = text_attribute(table.raw, "comment")
        localized = tuple(localized_names(ref).values())
        kind = 0 if owner is None else 1
        yield _Entry(
            ref, table.name, names, kind, "", comment.lower(), _lower(localized), (comment, *localized)
        )
        for column in table.columns:
            of_column = ColumnRef(table.key, column.key)
            comment = text_attribute(column.raw, "comment")
            localized = tuple(localized_names(of_column).values())
            yield _Entry(
                of_column,
                f"{table.name}.{column.name}",
                (column.name.lower(),),
                2,
                column.type,
                comment.lower(),
                _lower(localized),
                (comment, *localized),
            )


def _with_every_text(entry: _Entry) -> _Entry:
    every = (*entry.names, entry.type.lower(), entry.comment, *entry.localized)
    return replace(entry, every="\n".join(every))


def _lower(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text.lower() for text in texts)


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
