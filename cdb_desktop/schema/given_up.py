"""What saving took: ids that HEAD was saved without, which no element is ever given again (wire §5).

Older states that still have such an element have it as a new one, as the service would see it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cdb_desktop.schema.assigned import Assigned
from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.identity import Identities, Identity, identified
from cdb_desktop.schema.places import ColumnPlace, TablePlace, new_key
from cdb_desktop.schema.restoring import is_in

Element = TablePlace | ColumnPlace


@dataclass(frozen=True, slots=True)
class GivenUp:
    """The former ids of tables and columns by the keys that they have now."""

    tables: Mapping[int, int] = field(default_factory=dict)
    columns: Mapping[int, int] = field(default_factory=dict)

    def renumbered(self, ids: Assigned) -> GivenUp:
        """After saving has given ids, also to some of these."""
        return GivenUp(
            {ids.table(key): id_ for key, id_ in self.tables.items()},
            {ids.column(key): id_ for key, id_ in self.columns.items()},
        )

    def renewed(self, document: Document, current: Document) -> Mapping[Element, Element]:
        """What ``document`` has as new elements while their values are under the former ids in ``current``.

        The places now by the places in ``current``; what lies in a renewed table is not told one by one.
        """
        return dict(self._renewed(document, current)) if self.tables or self.columns else {}

    def _renewed(self, document: Document, current: Document) -> Iterator[tuple[Element, Element]]:
        for table in document.tables:
            former = TablePlace(self.tables.get(table.key, table.key))
            if not is_in(current, former):
                continue
            if table.key in self.tables:
                if table.owner not in self.tables:
                    yield former, TablePlace(table.key)
                continue
            for column in table.by_key.keys() & self.columns.keys():
                place = ColumnPlace(former.table, self.columns[column])
                if is_in(current, place):
                    yield place, ColumnPlace(table.key, column)

    def without(self, documents: Sequence[Document], head: Document) -> tuple[tuple[Document, ...], GivenUp]:
        """The documents with keys of our own in the place of ids that HEAD has no longer; they share them."""
        gone = _missing(documents, head)
        if not gone:
            return tuple(documents), self
        # An element that was given up twice has its values, if any, under the first of its ids.
        tables = {**self.tables, **{n.key: self.tables.get(key, key) for key, n in gone.tables.items()}}
        columns = {**self.columns, **{n.key: self.columns.get(key, key) for key, n in gone.columns.items()}}
        return identified(documents, gone), GivenUp(tables, columns)


def _missing(documents: Iterable[Document], head: Document) -> Identities:
    """A new key for each id in any of the documents that HEAD does not know."""
    # States share most of their tables: each is looked at once.
    every = {id(table): table for document in documents for table in document.tables}
    known = _columns(head.tables)
    return Identities(
        tables={
            table.key: Identity(new_key(), None)
            for table in every.values()
            if table.key > 0 and table.key not in head.by_key
        },
        columns={
            key: Identity(new_key(), None) for key in _columns(every.values()) if key > 0 and key not in known
        },
    )


def _columns(tables: Iterable[Table]) -> frozenset[int]:
    return frozenset(key for table in tables for key in table.by_key)
