"""Makes a column a link and the other way round, with all that belongs to a link (wire §5)."""

from __future__ import annotations

from dataclasses import replace

from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.elements import PRIMARY_KEY, Column, Entry, ForeignKey, Reference, ReverseLink
from cdb_desktop.schema.identity import Identity, identified_target
from cdb_desktop.schema.made_names import with_made_names
from cdb_desktop.schema.making import link_key, reverse_entry
from cdb_desktop.schema.places import ColumnPlace


def linked(document: Document, place: ColumnPlace, target: Table) -> Document:
    """The document with a foreign key for a column that has none, and the other side of ``reverse_edit``."""
    table, column = _found(document, place)
    key = link_key(table, column, target)
    changed = document.with_tables(replace(table, foreign_keys=(*table.foreign_keys, key)))
    return with_reverse_entry(changed, place, target.key) if column.flag("reverse_edit") else changed


def unlinked(document: Document, place: ColumnPlace) -> Document:
    """The document without the column's foreign keys and without the entries through which it is edited."""
    table, column = _found(document, place)
    kept = tuple(key for key in table.foreign_keys if column.key not in key.column_keys)
    return without_reverse_entries(document.with_tables(replace(table, foreign_keys=kept)), place)


def relinked(document: Document, place: ColumnPlace, target: Table) -> Document:
    """The document with the column's foreign keys pointing elsewhere, their other attributes as they were."""
    table, column = _found(document, place)
    keys = tuple(
        _retargeted(key, target) if column.key in key.column_keys else key for key in table.foreign_keys
    )
    changed = document.with_tables(replace(table, foreign_keys=keys))
    changed = with_made_names(document, changed, [table.key])
    changed = without_reverse_entries(changed, place)
    return with_reverse_entry(changed, place, target.key) if column.flag("reverse_edit") else changed


def with_reverse_entry(document: Document, place: ColumnPlace, target: int) -> Document:
    """The document with an entry in the target through which the column's rows are edited."""
    table, column = _found(document, place)
    other = document.by_key[target]
    return document.with_tables(replace(other, entries=(*other.entries, reverse_entry(table, column))))


def without_reverse_entries(document: Document, place: ColumnPlace) -> Document:
    """The document without the entries through which the column's rows are edited."""
    changed = []
    for table in document.referring_to(frozenset({place.table})):
        kept = tuple(entry for entry in table.entries if not _edits(entry, place))
        if len(kept) < len(table.entries):
            changed.append(replace(table, entries=kept))
    return document.with_tables(*changed)


def with_delete_rule(table: Table, column: Column, *, reverse_edit: bool) -> Table:
    """The table with what deleting does to the column's rows: those edited in the target go with it."""
    before, after = ("restrict", "cascade") if reverse_edit else ("cascade", "restrict")
    keys = tuple(
        replace(key, raw={**key.raw, "on_delete": after})
        if column.key in key.column_keys and key.raw.get("on_delete") == before
        else key
        for key in table.foreign_keys
    )
    return replace(table, foreign_keys=keys)


def _retargeted(key: ForeignKey, target: Table) -> ForeignKey:
    return replace(
        key,
        target_raw=identified_target(key.target_raw, Identity(target.key, target.id, target.name)),
        target=target.key,
        target_columns=(Reference({PRIMARY_KEY: True}),),
    )


def _edits(entry: Entry, place: ColumnPlace) -> bool:
    return isinstance(entry, ReverseLink) and (entry.table, entry.column) == (place.table, place.column)


def _found(document: Document, place: ColumnPlace) -> tuple[Table, Column]:
    table = document.by_key[place.table]
    return table, table.by_key[place.column]
