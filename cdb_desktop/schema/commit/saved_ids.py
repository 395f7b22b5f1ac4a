"""Saving HEAD (§4.7, wire §5): what is posted, the ids that are assigned and the ids that are lost."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cdb_desktop.schema.document.element_ref import (
    ColumnRef,
    DocumentRef,
    ElementRef,
    NestedTableRef,
    ReverseLinkRef,
    TableRef,
    UniqueKeyRef,
    new_key,
)
from cdb_desktop.schema.document.identity import Identities, Identity, with_identities
from cdb_desktop.schema.document.json_format import write_document
from cdb_desktop.schema.document.json_values import Json
from cdb_desktop.schema.document.local_names import with_own_names
from cdb_desktop.schema.document.model import VERSION_ATTRIBUTES, Document, NamedRef

_FIRST_VERSION = 1


@dataclass(frozen=True, slots=True)
class AssignedIds:
    """The ids that saving gave to tables and columns, by the keys that they had before."""

    tables: Mapping[int, int]
    columns: Mapping[int, int]

    def __bool__(self) -> bool:
        return bool(self.tables or self.columns)

    def ref(self, ref: ElementRef) -> ElementRef:
        """The reference to the same element now."""
        match ref:
            case DocumentRef():
                return ref
            case TableRef(table):
                return TableRef(self.table(table))
            case ColumnRef(table, column):
                return ColumnRef(self.table(table), self.column(column))
            case NestedTableRef(table, nested):
                return NestedTableRef(self.table(table), self.table(nested))
            case ReverseLinkRef(table, other_table, other_column):
                return ReverseLinkRef(self.table(table), self.table(other_table), self.column(other_column))
            case UniqueKeyRef(table, columns):
                return UniqueKeyRef(self.table(table), tuple(self.column(key) for key in columns))

    def table(self, key: int) -> int:
        """The key that a table has now."""
        return self.tables.get(key, key)

    def column(self, key: int) -> int:
        """The key that a column has now."""
        return self.columns.get(key, key)


def assigned_ids(sent: Document, answer: Document) -> AssignedIds:
    """The ids that the service gave to new elements of the document that was sent (wire §5)."""
    by_name = {table.name: table for table in answer.tables}
    tables: dict[int, int] = {}
    columns: dict[int, int] = {}
    for table in sent.tables:
        found = answer.by_key.get(table.key) or by_name.get(table.name)
        if found is None:
            continue
        if found.key != table.key:
            tables[table.key] = found.key
        names = {column.name: column.key for column in found.columns}
        new = (column for column in table.columns if column.key not in found.by_key)
        columns.update((column.key, names[column.name]) for column in new if column.name in names)
    return AssignedIds(tables, columns)


def with_assigned_ids(documents: Iterable[Document], ids: AssignedIds) -> tuple[Document, ...]:
    """The documents with the ids at the elements that got them; tables that they share stay shared."""
    identities = Identities(
        tables={key: Identity(id_, id_) for key, id_ in ids.tables.items()},
        columns={key: Identity(id_, id_) for key, id_ in ids.columns.items()},
    )
    return with_identities(documents, identities)


@dataclass(frozen=True, slots=True)
class LostIds:
    """Ids of elements that HEAD was saved without: the service never uses them again (wire §5).

    Older states of a document that still have such an element have it as a new one. Maps current keys to
    former ids.
    """

    tables: Mapping[int, int] = field(default_factory=dict)
    columns: Mapping[int, int] = field(default_factory=dict)

    def renumbered(self, ids: AssignedIds) -> LostIds:
        """After saving has assigned ids, also to some of these."""
        return LostIds(
            {ids.table(key): id_ for key, id_ in self.tables.items()},
            {ids.column(key): id_ for key, id_ in self.columns.items()},
        )

    def recreated(self, document: Document, current: Document) -> Mapping[NamedRef, NamedRef]:
        """The elements of ``document`` that are new although ``current`` has their values under former ids.

        References in ``document`` by those in ``current``, without the parts of recreated tables.
        """
        return dict(self._recreated(document, current)) if self.tables or self.columns else {}

    def _recreated(self, document: Document, current: Document) -> Iterator[tuple[NamedRef, NamedRef]]:
        for table in document.tables:
            former = TableRef(self.tables.get(table.key, table.key))
            if not current.contains(former):
                continue
            if table.key in self.tables:
                if table.owner not in self.tables:
                    yield former, TableRef(table.key)
                continue
            for column in table.by_key.keys() & self.columns.keys():
                ref = ColumnRef(former.table, self.columns[column])
                if current.contains(ref):
                    yield ref, ColumnRef(table.key, column)

    def with_new_keys(
        self, documents: Sequence[Document], head: Document
    ) -> tuple[tuple[Document, ...], LostIds]:
        """The documents with the same new keys instead of ids that HEAD has no longer, and all lost ids."""
        lost = _unknown_ids(documents, head)
        if not lost:
            return tuple(documents), self
        # An element that was lost twice has its values, if any, under the first of its ids.
        tables = {**self.tables, **{n.key: self.tables.get(key, key) for key, n in lost.tables.items()}}
        columns = {**self.columns, **{n.key: self.columns.get(key, key) for key, n in lost.columns.items()}}
        return with_identities(documents, lost), LostIds(tables, columns)


def _unknown_ids(documents: Iterable[Document], head: Document) -> Identities:
    """A new key for each id in the documents that is not in HEAD."""
    # States share most of their tables: each is looked at once.
    every = {id(table): table for document in documents for table in document.tables}
    return Identities(
        tables={
            table.key: Identity(new_key(), None)
            for table in every.values()
            if table.key > 0 and table.key not in head.by_key
        },
        columns={
            key: Identity(new_key(), None)
            for key in {key for table in every.values() for key in table.by_key} - head.column_keys
            if key > 0
        },
    )


def save_request(document: Document, head: Document | None) -> dict[str, object]:
    """The document to post; ``head`` is HEAD as it was last read, None on a service without any version.

    The version is the one that HEAD was read with, and 1 without one. Tables and columns that HEAD does not
    know, of another model or taken back by undo, lose their ids, which the service would refuse.
    """
    document = with_own_names(document)
    if head is None:
        return {**write_document(document), "version": _FIRST_VERSION}
    known = without_ids(document, but_tables=head.by_key.keys(), but_columns=head.column_keys)
    return write_document(replace(known, raw=_attributes_to_save(document.raw, head.raw)))


def without_ids(
    document: Document, *, but_tables: Collection[int] = (), but_columns: Collection[int] = ()
) -> Document:
    """The document with ids only at these tables and columns, all others new and referred to by hints.

    Without exceptions this is how another model's document comes into a model that exists (wire §5).
    """
    identities = Identities(
        tables={
            table.key: Identity(new_key(), None, table.name)
            for table in document.tables
            if table.key not in but_tables
        },
        columns={
            column.key: Identity(new_key(), None, column.name)
            for table in document.tables
            for column in table.columns
            if column.key not in but_columns
        },
    )
    touched = (table for table in document.tables if identities.touches(table))
    changed = {table.key: identities.of(table) for table in touched}
    tables = tuple(changed.get(table.key, table) for table in document.tables)
    return replace(document, tables=tables, local_names=identities.of_names(document.local_names))


def _attributes_to_save(own: Json, head: Json) -> dict[str, object]:
    """The attributes that the service manages from HEAD, all others from the document."""
    kept = {name: value for name, value in own.items() if name not in VERSION_ATTRIBUTES}
    return {**kept, **{name: head[name] for name in VERSION_ATTRIBUTES if name in head}}
