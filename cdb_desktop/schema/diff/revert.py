"""Takes changes back: an older version of elements comes into a document again, with what it needs there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.diff.apply import with_chosen
from cdb_desktop.schema.diff.change import Change, ChangeKind, Risk
from cdb_desktop.schema.diff.differences import Differences, ItemId, find_differences
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef, UniqueKeyRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.document.names import element_name, table_name
from cdb_desktop.schema.edits.edit import EditError, require_table
from cdb_desktop.schema.edits.removal import Removal, without_removed

_ADDED, _REMOVED = ChangeKind.ADDED, ChangeKind.REMOVED
_OPPOSITES = {_ADDED: _REMOVED, _REMOVED: _ADDED}


def reverted(
    changes: Sequence[Change], source: Document, document: Document
) -> tuple[Document, tuple[Change, ...]]:
    """The document without several changes since ``source``, and those that cannot be taken back alone.

    A table comes back with the tables nested in it, and without links to others that are not there.
    """
    differences = find_differences(document, source)
    wanted = {(_OPPOSITES.get(one.kind, one.kind), one.ref, one.option): one for one in changes}
    restored = _with_parts(differences, wanted)
    possible = {id_ for id_ in restored if _is_possible(differences, id_, restored)}
    links = _links_to_removed(differences, possible)
    if links:  # Other new tables stay without them.
        document = without_removed(document, Removal(frozenset(), links))
        differences = find_differences(document, source)
    chosen = differences.with_ids((), possible)
    keys = (
        id_
        for id_, needed in differences.needs.items()
        if id_[0] is _ADDED and isinstance(id_[1], UniqueKeyRef) and needed and needed <= chosen
    )
    left = tuple(change for id_, change in wanted.items() if id_ not in possible)
    return with_chosen(differences, {*chosen, *keys}), left


def _with_parts(differences: Differences, wanted: Iterable[ItemId]) -> dict[ItemId, None]:
    """What is wanted, with the columns of each table that comes back, and with the tables nested in it."""
    found, source = dict.fromkeys(wanted), differences.source
    roots = [ref.table for kind, ref, _ in found if kind is _ADDED and isinstance(ref, TableRef)]
    tables = {key for root in roots for key in (root, *source.nested_below(root))}
    tables -= differences.target.by_key.keys()
    for item in differences.items:
        kind, ref, _ = item.id
        if kind is _ADDED and isinstance(ref, TableRef | ColumnRef) and ref.table in tables:
            found[item.id] = None
    return found


def _links_to_removed(differences: Differences, ids: Iterable[ItemId]) -> frozenset[int]:
    """The columns of other new tables that link to tables that go."""
    target, old = differences.target, differences.source.by_key
    roots = [ref.table for kind, ref, _ in ids if kind is _REMOVED and isinstance(ref, TableRef)]
    gone = {key for root in roots for key in (root, *target.nested_below(root))}.difference(old)
    links = (
        key.column_keys
        for table in target.referring_to(frozenset(gone))
        for key in table.foreign_keys
        if key.target in gone and table.key not in {*gone, *old}
    )
    return frozenset(column for columns in links for column in columns)


def _is_possible(differences: Differences, id_: ItemId, restored: Collection[ItemId]) -> bool:
    """Whether it brings back no other table, and removes or renames no element that has its name."""
    for needed in differences.with_ids((), (id_,)).difference(restored):
        kind, ref, _ = needed
        if kind is _ADDED and isinstance(ref, TableRef):
            return False
        has_name = kind in (_REMOVED, ChangeKind.RENAMED) and isinstance(ref, TableRef | ColumnRef)
        if has_name and id_[0] is not _REMOVED:
            return False
    return True


@dataclass(frozen=True, slots=True)
class Restore:
    """Restores a removed table or column from ``source``, HEAD as it was read, with its id and values.

    What HEAD itself no longer has cannot be restored: it would be new and empty (wire §5).
    """

    ref: TableRef | ColumnRef
    source: Document

    def title(self, _document: Document) -> Message:
        return message("Restore {element}", element=element_name(self.source, self.ref))

    def apply_to(self, document: Document) -> Document:
        """The document with the element. Raises EditError if something that it needs is missing."""
        if document.contains(self.ref):
            raise EditError(message("This step has already been done."))
        if not self.source.contains(self.ref):
            raise EditError(message("HEAD was saved without it: it would be restored as new and empty."))
        holder = (
            self.source.by_key[self.ref.table].owner if isinstance(self.ref, TableRef) else self.ref.table
        )
        if holder is not None:
            require_table(document, holder)
        removal = Change(_REMOVED, self.ref, Risk.DESTROYING, self.title(document))
        restored, left = reverted((removal,), self.source, document)
        if left:
            raise EditError(self._obstacle(document))
        return restored

    def _obstacle(self, document: Document) -> Message:
        links = self.source.by_key[self.ref.table].links
        for key in links.get(self.ref.column, ()) if isinstance(self.ref, ColumnRef) else ():
            if key.target not in document.by_key:
                name = table_name(self.source, key.target)
                return message("Restore {table} first: the link goes there.", table=name)
        name = element_name(self.source, self.ref)
        return message("Another element is named {element}: rename it first.", element=name)
