"""Copies of columns and tables: into the clipboard, from it, and within a document.

A copy is a document of its own without ids, in which all references are names (wire §5), so that it can be
pasted into any other model. Links find their tables by name; a link whose table is missing stays, and is
reported as a problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef, new_key
from cdb_desktop.schema.document.identity import Identities, Identity, identified_target
from cdb_desktop.schema.document.json_format import read_document, write_table
from cdb_desktop.schema.document.json_values import DocumentError, Json, text_attribute
from cdb_desktop.schema.document.model import (
    Column,
    Document,
    ForeignKey,
    NestedTableEntry,
    ReverseLink,
    Table,
    TableEntry,
)
from cdb_desktop.schema.document.names import SEPARATOR, nested_name, own_name, table_name, unused_name
from cdb_desktop.schema.edits.columns import RenameColumn
from cdb_desktop.schema.edits.edit import (
    EditError,
    nested_entry,
    new_table,
    require_new_keys,
    require_table,
    reverse_entry,
)
from cdb_desktop.schema.edits.tables import Remove, RenameTable

_FORMAT = "cdb-schema-copy"
_LARGEST = 20_000_000  # bytes
_MOST_TABLES = 2000


@dataclass(frozen=True, slots=True)
class Copy:
    """Copied tables, or with ``of_columns`` the first table with only the copied columns."""

    document: Document
    of_columns: bool

    @property
    def roots(self) -> tuple[Table, ...]:
        """The tables that are not nested in another one of the copy."""
        return tuple(table for table in self.document.tables if table.owner not in self.document.by_key)

    def renewed(self) -> Copy:
        """The same copy with other keys, so that it can be pasted once more."""
        return decode_copy(encode_copy(self))


def copy_tables(document: Document, keys: Sequence[int]) -> Copy:
    """A copy of tables with the tables nested in them."""
    wanted = dict.fromkeys(key for root in keys for key in (root, *document.nested_below(root)))
    return _copy(document, [document.by_key[key] for key in wanted if key in document.by_key], False)


def copy_entries(document: Document, table: int, refs: Iterable[ElementRef]) -> Copy:
    """A copy of columns and nested tables of a table; entries of other kinds are left out."""
    source, wanted = document.by_key[table], frozenset(refs)
    entries = tuple(entry for entry in source.entries if _is_wanted(entry, table, wanted))
    columns = {entry.key for entry in entries if isinstance(entry, Column)}
    carrier = replace(
        source,
        raw={name: value for name, value in source.raw.items() if name != "owned_by"},
        owner=None,
        entries=entries,
        foreign_keys=tuple(key for key in source.foreign_keys if columns.issuperset(key.column_keys)),
        unique_keys=tuple(
            key for key in source.unique_keys if key.column_keys and columns.issuperset(key.column_keys)
        ),
    )
    nested = [entry.table for entry in entries if isinstance(entry, NestedTableEntry)]
    below = dict.fromkeys(
        key for root in nested if root is not None for key in (root, *document.nested_below(root))
    )
    return _copy(document, [carrier, *(document.by_key[key] for key in below)], True)


def encode_copy(copied: Copy) -> bytes:
    """The copy as JSON."""
    tables = [write_table(table) for table in copied.document.tables]
    kind = "columns" if copied.of_columns else "tables"
    return msgspec.json.format(msgspec.json.encode({_FORMAT: kind, "tables": tables}), indent=2)


def decode_copy(content: bytes) -> Copy:
    """The copy in JSON, which may also be a whole document or a single table.

    Raises DocumentError if it is none.
    """
    if len(content) > _LARGEST:
        raise DocumentError("", message("The text is too long to be copied tables."))
    try:
        raw = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DocumentError("", message("This is not JSON: {reason}.", reason=str(error))) from error
    if isinstance(raw, Mapping) and "tables" not in raw and isinstance(raw.get("columns"), list):
        raw = {"tables": [raw]}
    if not isinstance(raw, Mapping) or not isinstance(raw.get("tables"), list) or not raw["tables"]:
        raise DocumentError("", message("The clipboard contains no tables."))
    if len(raw["tables"]) > _MOST_TABLES:
        count = len(raw["tables"])
        raise DocumentError("", message("{count} tables are too many to be pasted at once.", count=count))
    document = read_document({"tables": raw["tables"]})
    is_columns = raw.get(_FORMAT) == "columns"
    return _copy(document, document.tables, is_columns)


def _copy(document: Document, tables: Sequence[Table], of_columns: bool) -> Copy:
    """The tables without ids and with new keys; references to other tables keep their names only."""
    kept = {table.key for table in tables}
    own = {
        table.key: Identity(new_key() if table.key in kept else table.key, None, table.name)
        for table in document.tables
    }
    columns = {
        column.key: Identity(new_key() if table.key in kept else column.key, None, column.name)
        for table in document.tables
        if table.key in kept or not kept.isdisjoint(table.refers_to)
        for column in table.columns
    }
    identities = Identities(own, columns)
    return Copy(
        Document({}, tuple(_detached(identities.of(table), own, kept) for table in tables)), of_columns
    )


def _detached(table: Table, identities: Mapping[int, Identity], kept: set[int]) -> Table:
    """The table without references to tables outside of the copy but their names."""
    inside = {identities[key].key for key in kept}
    return replace(
        table,
        owner=table.owner if table.owner in inside else None,
        entries=tuple(
            entry
            for entry in table.entries
            if not isinstance(entry, NestedTableEntry | ReverseLink) or entry.table in inside
        ),
        foreign_keys=tuple(
            key if key.target in inside else replace(key, target=None, target_raw=_without_id(key.target_raw))
            for key in table.foreign_keys
        ),
    )


def _without_id(raw: Json) -> Json:
    return {name: value for name, value in raw.items() if name != "table_id"}


def _is_wanted(entry: TableEntry, table: int, wanted: frozenset[ElementRef]) -> bool:
    if isinstance(entry, NestedTableEntry):
        return entry.table is not None and not wanted.isdisjoint((entry.ref(table), TableRef(entry.table)))
    return isinstance(entry, Column) and entry.ref(table) in wanted


@dataclass(frozen=True, slots=True)
class PasteTables:
    """Adds copied tables. ``owner`` gets those that were nested; without it they become objecttypes."""

    copied: Copy
    owner: int | None = None
    is_duplicate: bool = False

    def title(self, _document: Document) -> Message:
        roots = self.copied.roots
        names = ", ".join(table.name for table in roots[:3])
        if self.is_duplicate and len(roots) > 1:
            return message("Duplicate {count} tables", count=len(roots))
        if self.is_duplicate:
            return message("Duplicate table {table}", table=names)
        if len(roots) > 1:
            return message("Paste {count} tables", count=len(roots))
        return message("Paste table {table}", table=names)

    def apply_to(self, document: Document) -> Document:
        """The document with the tables. Raises EditError if the owner does not exist or this was done."""
        require_new_keys(document, *self.copied.document.by_key, *self.copied.document.column_keys)
        owner = None if self.owner is None else require_table(document, self.owner)
        added, entries = self.copied.document, []
        taken = {table.name for table in document.tables}
        for root in self.copied.roots:
            name = _name_of(root)
            if owner is None or not root.is_nested:
                name = unused_name(name, taken)
                added = _top_level(RenameTable(root.key, name).apply_to(added), root.key)
            else:
                own = unused_name(name, {own_name(other, owner.name) for other in taken})
                name = nested_name(owner.name, own)
                added = _owned(RenameTable(root.key, name).apply_to(added), root.key, owner)
                entries.append(nested_entry(added.by_key[root.key]))
            taken.add(name)
        if owner is not None and entries:
            document = document.with_tables(replace(owner, entries=(*owner.entries, *entries)))
        return _with_tables(document, added.tables)


@dataclass(frozen=True, slots=True)
class PasteColumns:
    """Adds copied columns and nested tables to a table, at the end without an index."""

    table: int
    copied: Copy
    index: int | None = None
    is_duplicate: bool = False

    @property
    def refs(self) -> tuple[ColumnRef, ...]:
        """The references to the new columns."""
        return tuple(ColumnRef(self.table, column.key) for column in self.copied.document.tables[0].columns)

    def title(self, document: Document) -> Message:
        count, name = len(self.copied.document.tables[0].entries), table_name(document, self.table)
        if self.is_duplicate:
            return message("Duplicate {count:a column|{count} columns} of {table}", count=count, table=name)
        return message("Paste {count:a column|{count} columns} into {table}", count=count, table=name)

    def apply_to(self, document: Document) -> Document:
        """The document with the columns. Raises EditError if the table does not exist or this was done."""
        require_new_keys(document, *self.copied.document.by_key, *self.copied.document.column_keys)
        table, added = require_table(document, self.table), self.copied.document
        carrier = added.tables[0].key
        added = _without_links_to(added, carrier)
        added = RenameTable(carrier, table.name).apply_to(added)
        columns = {column.name for column in table.columns}
        for column in added.by_key[carrier].columns:
            name = unused_name(column.name, columns)
            columns.add(name)
            if name != column.name:
                added = RenameColumn(ColumnRef(carrier, column.key), name).apply_to(added)
        taken = {own_name(other.name, table.name) for other in document.tables}
        for key in added.nested.get(carrier, ()):
            own = unused_name(own_name(added.by_key[key].name, table.name), taken)
            taken.add(own)
            added = RenameTable(key, own).apply_to(added)
        whole = Identities({carrier: Identity(table.key, table.id, table.name)})
        first, *nested = (whole.of(each) for each in added.tables)
        at = len(table.entries) if self.index is None else self.index
        merged = replace(
            table,
            entries=(*table.entries[:at], *first.entries, *table.entries[at:]),
            foreign_keys=(*table.foreign_keys, *first.foreign_keys),
            unique_keys=(*table.unique_keys, *first.unique_keys),
        )
        keys = frozenset(column.key for column in first.columns)
        return _with_tables(document.with_tables(merged), tuple(nested), merged.key, keys)


@dataclass(frozen=True, slots=True)
class MoveToTable:
    """Moves columns and nested tables to another table, where they are new: their ids cannot follow.

    ``paste`` adds the copies. ``dependents`` is whether what depends on the columns is removed.
    """

    table: int
    refs: tuple[TableRef | ColumnRef, ...]
    paste: PasteColumns
    dependents: bool = False

    def title(self, document: Document) -> Message:
        return message(
            "Move {count:a column|{count} columns} from {table} to {other}",
            count=len(self.refs),
            table=table_name(document, self.table),
            other=table_name(document, self.paste.table),
        )

    def apply_to(self, document: Document) -> Document:
        """The document with the columns in the other table. Raises EditError if others depend on them."""
        inside = {self.table}
        for ref in self.refs:
            if isinstance(ref, TableRef):
                inside |= {ref.table, *document.nested_below(ref.table)}
        if self.paste.table in inside:
            raise EditError(message("A table cannot be moved into itself."))
        removal = Remove(self.refs, self.dependents)
        return removal.apply_to(self.paste.apply_to(document))


def duplicate_tables(document: Document, keys: Sequence[int]) -> PasteTables:
    """The edit that adds copies of tables, of a single one below the same owner.

    Links between them lead to the copies.
    """
    owner = document.by_key[keys[0]].owner if len(keys) == 1 else None
    return PasteTables(copy_tables(document, keys), owner, is_duplicate=True)


def duplicate_entries(document: Document, table: int, refs: Sequence[ElementRef]) -> PasteColumns:
    """The edit that adds copies of columns and nested tables after the last one of them."""
    copied, wanted = copy_entries(document, table, refs), frozenset(refs)
    entries = document.by_key[table].entries
    last = max((at for at, entry in enumerate(entries) if _is_wanted(entry, table, wanted)), default=-1)
    return PasteColumns(table, copied, last + 1, is_duplicate=True)


def _name_of(root: Table) -> str:
    """The name of a table without that of its owner."""
    owned_by = root.raw.get("owned_by")
    owner = text_attribute(owned_by, "other_table_name_hint") if isinstance(owned_by, Mapping) else ""
    return own_name(root.name, owner) if owner else root.name.rpartition(SEPARATOR)[2] or root.name


def _top_level(document: Document, key: int) -> Document:
    table = document.by_key[key]
    if not table.is_nested:
        return document
    raw = {name: value for name, value in table.raw.items() if name != "owned_by"}
    return document.with_tables(replace(table, raw={**new_table(0, "", {}).raw, **raw}, owner=None))


def _owned(document: Document, key: int, owner: Table) -> Document:
    table = document.by_key[key]
    owned_by: dict[str, object] = {"other_table_id": owner.id} if owner.id is not None else {}
    raw = {**table.raw, "owned_by": {**owned_by, "other_table_name_hint": owner.name}}
    return document.with_tables(replace(table, raw=raw, owner=owner.key))


def _without_links_to(document: Document, key: int) -> Document:
    """The links to a table by its name only: they stay with it when the columns go elsewhere."""
    changed = [
        replace(
            table,
            foreign_keys=tuple(
                replace(each, target=None) if each.target == key else each for each in table.foreign_keys
            ),
        )
        for table in document.tables
    ]
    return document.with_tables(*changed)


def _with_tables(
    document: Document,
    tables: tuple[Table, ...],
    changed: int | None = None,
    columns: frozenset[int] = frozenset(),
) -> Document:
    """The document with more tables, their links resolved by name, and entries for reverse edit.

    ``columns`` are the new columns of the table ``changed``, whose links are resolved too.
    """
    whole = replace(document, tables=(*document.tables, *tables))
    names: dict[str, Table] = {}
    for table in whole.tables:
        names.setdefault(table.name, table)
    added = {table.key for table in tables}
    linked = [
        replace(table, foreign_keys=tuple(_resolved(key, names) for key in table.foreign_keys))
        for table in whole.tables
        if table.key in added or table.key == changed
    ]
    whole = whole.with_tables(*linked)
    for table in linked:
        for column in table.columns:
            if column.flag("reverse_edit") and (table.key in added or column.key in columns):
                whole = _with_reverse_entry(whole, table, column)
    return whole


def _resolved(key: ForeignKey, names: Mapping[str, Table]) -> ForeignKey:
    if key.target is not None:
        return key
    hint = text_attribute(key.target_raw, "name_hint") or text_attribute(key.target_raw, "table_name_hint")
    found = names.get(hint)
    if found is None:
        return key
    identity = Identity(found.key, found.id, found.name)
    return replace(key, target=found.key, target_raw=identified_target(key.target_raw, identity))


def _with_reverse_entry(document: Document, table: Table, column: Column) -> Document:
    """The document with the entry in the target of a link that is edited there, unless it has one."""
    target = next((key.target for key in table.links.get(column.key, ())), None)
    other = None if target is None else document.by_key.get(target)
    if other is None or any(
        isinstance(entry, ReverseLink) and entry.column == column.key for entry in other.entries
    ):
        return document
    return document.with_tables(replace(other, entries=(*other.entries, reverse_entry(table, column))))
