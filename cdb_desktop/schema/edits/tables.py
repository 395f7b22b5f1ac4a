"""Edits of tables, and the removal of tables and columns with all that depends on them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from cdb_desktop.foundation.i18n import Message, message, tr
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef, new_key
from cdb_desktop.schema.document.identity import Identities, Identity
from cdb_desktop.schema.document.json_values import Json
from cdb_desktop.schema.document.model import (
    BIDIRECTIONAL,
    TABLE_PARTS,
    Column,
    Document,
    ForeignKey,
    NestedTableEntry,
    ReverseLink,
    Table,
    TableEntry,
    column_keys_of,
)
from cdb_desktop.schema.document.names import (
    element_name,
    nested_name,
    own_name,
    table_name,
    with_generated_key_names,
)
from cdb_desktop.schema.edits.edit import (
    EditError,
    nested_entry,
    new_nested_table,
    new_table,
    option_title,
    require_column,
    require_new_keys,
    require_table,
    with_options,
)


@dataclass(frozen=True, slots=True)
class AddTable:
    """Adds an objecttype at the end."""

    name: str
    options: Mapping[str, object] = field(default_factory=dict)
    key: int = field(default_factory=new_key)

    def title(self, _document: Document) -> Message:
        return message("Add table {table}", table=self.name)

    def apply_to(self, document: Document) -> Document:
        """The document with the table. Raises EditError if this edit was applied before."""
        require_new_keys(document, self.key)
        return replace(document, tables=(*document.tables, new_table(self.key, self.name, self.options)))


@dataclass(frozen=True, slots=True)
class AddNestedTable:
    """Adds a table nested in another one; ``name`` is without the owner's."""

    owner: int
    name: str
    index: int | None = None
    key: int = field(default_factory=new_key)

    def title(self, document: Document) -> Message:
        name = nested_name(table_name(document, self.owner), self.name)
        return message("Add nested table {table}", table=name)

    def apply_to(self, document: Document) -> Document:
        """The document with the table and its entry. Raises EditError if the owner does not exist."""
        require_new_keys(document, self.key)
        owner = require_table(document, self.owner)
        table = new_nested_table(self.key, nested_name(owner.name, self.name), owner)
        entries = list(owner.entries)
        entries.insert(len(entries) if self.index is None else self.index, nested_entry(table))
        changed = document.with_tables(replace(owner, entries=tuple(entries)))
        return replace(changed, tables=(*changed.tables, table))


@dataclass(frozen=True, slots=True)
class RenameTable:
    """Renames a table, with the names of nested tables, hints and generated key names.

    The name of a nested table is given without its owner's.
    """

    table: int
    name: str

    def title(self, document: Document) -> Message:
        old = table_name(document, self.table)
        return message("Rename table {old} to {new}", old=old, new=self._whole(document))

    def apply_to(self, document: Document) -> Document:
        """The document with the name everywhere. Raises EditError if the table does not exist."""
        identities = Identities(tables=self._identities(document))
        changed = [identities.of(table) for table in document.tables if identities.touches(table)]
        keys = [table.key for table in changed]
        return with_generated_key_names(document.with_tables(*changed), keys, document)

    def _whole(self, document: Document) -> str:
        owner = document.by_key[self.table].owner if self.table in document.by_key else None
        return self.name if owner is None else nested_name(table_name(document, owner), self.name)

    def _identities(self, document: Document) -> dict[int, Identity]:
        table = require_table(document, self.table)
        found = {table.key: Identity(table.key, table.id, self._whole(document))}
        for key in document.nested_below(self.table):
            nested = document.by_key[key]
            if nested.owner in found:
                own = own_name(nested.name, document.by_key[nested.owner].name)
                found[key] = Identity(key, nested.id, nested_name(found[nested.owner].name or "", own))
        return found


@dataclass(frozen=True, slots=True)
class SetTableOptions:
    """Sets options such as ``is_hierarchical``; None removes an option."""

    table: int
    options: Mapping[str, object]

    def title(self, document: Document) -> Message:
        return option_title(table_name(document, self.table), self.options)

    def apply_to(self, document: Document) -> Document:
        """The document with the options. Raises EditError if one is not an option."""
        table = require_table(document, self.table)
        fixed = sorted(TABLE_PARTS & self.options.keys())
        if fixed:
            raise EditError(message("{option} is no option of a table.", option=fixed[0]))
        return document.with_tables(replace(table, raw=with_options(table.raw, self.options)))


@dataclass(frozen=True, slots=True)
class Dependent:
    """An element that is removed with another; ``blocks`` if that needs consent, since it is not a part."""

    ref: ElementRef
    blocks: bool
    message: Message


@dataclass(frozen=True, slots=True)
class Removal:
    """The keys of all tables and columns that are removed."""

    tables: frozenset[int]
    columns: frozenset[int]


def _removal_of_one(document: Document, ref: TableRef | ColumnRef) -> Removal:
    """All that is removed with an element: nested tables, and columns elsewhere that link to it."""
    if isinstance(ref, TableRef):
        tables = frozenset({ref.table, *document.nested_below(ref.table)})
        outside = (table for table in document.referring_to(tables) if table.key not in tables)
        linking = (_columns_to(table, lambda key: key.target in tables) for table in outside)
        return Removal(tables, frozenset(key for keys in linking for key in keys))
    referring = document.referring_to(frozenset({ref.table}))
    pointing = (
        _columns_to(table, lambda key: ref.column in column_keys_of(key.target_columns))
        for table in referring
    )
    return Removal(frozenset(), frozenset({ref.column, *(key for keys in pointing for key in keys)}))


def removal_of(document: Document, refs: Iterable[TableRef | ColumnRef]) -> Removal:
    """All that is removed with several tables and columns."""
    found = [_removal_of_one(document, ref) for ref in refs]
    return Removal(
        frozenset(key for each in found for key in each.tables),
        frozenset(key for each in found for key in each.columns),
    )


def dependents(document: Document, *refs: TableRef | ColumnRef) -> tuple[Dependent, ...]:
    """The elements that are removed with tables and columns, in the document's order (wire §5)."""
    removed = removal_of(document, refs)
    found = (dependent for table in document.tables for dependent in _dependents_in(document, table, removed))
    return tuple(dependent for dependent in found if dependent.ref not in refs)


def without_removed(document: Document, removed: Removal) -> Document:
    """The document without the removed elements and without all that refers to them."""
    kept = (table for table in document.tables if table.key not in removed.tables)
    return replace(document, tables=tuple(_remaining(table, removed) for table in kept))


def _dependents_in(document: Document, table: Table, removed: Removal) -> Iterator[Dependent]:
    if table.key in removed.tables:
        ref: ElementRef = TableRef(table.key)
        yield Dependent(ref, False, message("Nested table {table}", table=table.name))
        return
    for column in table.columns:
        if column.key in removed.columns:
            ref = ColumnRef(table.key, column.key)
            yield Dependent(ref, True, message("Link {column}", column=element_name(document, ref)))
    for entry in table.entries:
        if isinstance(entry, ReverseLink) and _is_removed(entry, removed):
            ref = entry.ref(table.key)
            yield Dependent(ref, False, message("Editing of {column}", column=element_name(document, ref)))
    for key in table.unique_keys:
        if not removed.columns.isdisjoint(key.column_keys):
            ref = key.ref(table.key)
            blocks = not removed.columns.issuperset(key.column_keys)
            yield Dependent(ref, blocks, message("Unique key {columns}", columns=element_name(document, ref)))


def _columns_to(table: Table, points: Callable[[ForeignKey], bool]) -> Iterator[int]:
    return (column for key in table.foreign_keys if points(key) for column in key.column_keys)


def _remaining(table: Table, removed: Removal) -> Table:
    if removed.tables.isdisjoint(table.refers_to) and removed.columns.isdisjoint(table.column_keys):
        return table
    raw = table.raw
    if table.bidirectional:
        kept = [pair for pair in table.bidirectional if removed.columns.isdisjoint(paired(table, pair))]
        raw = with_options(raw, {BIDIRECTIONAL: kept or None})
    return replace(
        table,
        raw=raw,
        entries=tuple(entry for entry in table.entries if not _is_removed(entry, removed)),
        foreign_keys=tuple(key for key in table.foreign_keys if not _is_key_removed(key, removed)),
        unique_keys=tuple(key for key in table.unique_keys if removed.columns.isdisjoint(key.column_keys)),
    )


def paired(table: Table, pair: Json) -> frozenset[int]:
    """The keys of the columns of a pair of bidirectional links."""
    columns = pair.get("columns")
    found = map(table.column_named_in, columns if isinstance(columns, list) else ())
    return frozenset(column.key for column in found if column is not None)


def _is_removed(entry: TableEntry, removed: Removal) -> bool:
    match entry:
        case Column(key=key):
            return key in removed.columns
        case NestedTableEntry(table=nested):
            return nested in removed.tables
        case ReverseLink(table=other, column=column):
            return other in removed.tables or column in removed.columns
        case _:
            return False


def _is_key_removed(key: ForeignKey, removed: Removal) -> bool:
    columns = {*key.column_keys, *column_keys_of(key.target_columns)}
    return key.target in removed.tables or not removed.columns.isdisjoint(columns)


@dataclass(frozen=True, slots=True)
class Remove:
    """Removes tables with those nested in them, or columns and nested tables of a table, with their keys.

    ``dependents`` is whether links to them, and what else refers to them, are removed too.
    """

    refs: tuple[TableRef | ColumnRef, ...]
    dependents: bool = False

    def title(self, document: Document) -> Message:
        count, name = len(self.refs), self._holder(document)
        match self.refs:
            case (TableRef(table),):
                return message("Remove table {table}", table=table_name(document, table))
            case (ColumnRef() as ref,):
                return message("Remove column {column}", column=element_name(document, ref))
        if name is None:
            return message("Remove {count:a table|{count} tables}", count=count)
        return message("Remove {count:a column|{count} columns} of {table}", count=count, table=name)

    def removed(self, document: Document) -> str:
        """The removed elements, as the subject of a question."""
        count, name = len(self.refs), self._holder(document)
        if count == 1:
            return element_name(document, self.refs[0])
        if name is None:
            return tr("{count:One table|{count} tables}", count=count)
        return tr("{count:One column|{count} columns} of {table}", count=count, table=name)

    def apply_to(self, document: Document) -> Document:
        """The document without them. Raises EditError with what depends on them."""
        for ref in self.refs:
            if isinstance(ref, ColumnRef):
                require_column(document, ref)
            else:
                require_table(document, ref.table)
        blocking = [one for one in dependents(document, *self.refs) if one.blocks]
        if blocking and not self.dependents:
            raise EditError(
                message(
                    "{element} cannot be deleted alone: {dependents} would be deleted with it.",
                    element=", ".join(element_name(document, ref) for ref in self.refs),
                    dependents=", ".join(element_name(document, one.ref) for one in blocking),
                )
            )
        return without_removed(document, removal_of(document, self.refs))

    def _holder(self, document: Document) -> str | None:
        """The name of the table that has the columns, None if they are all tables."""
        columns = (ref for ref in self.refs if isinstance(ref, ColumnRef))
        return next((table_name(document, ref.table) for ref in columns), None)


def remove_table(key: int, *, dependents: bool = False) -> Remove:
    """The edit that removes one table."""
    return Remove((TableRef(key),), dependents)


def remove_column(ref: ColumnRef, *, dependents: bool = False) -> Remove:
    """The edit that removes one column."""
    return Remove((ref,), dependents)
