"""Edits of columns, links, types, the order of entries, unique keys, and localized names.

A link is a column with a foreign key and, for reverse edit, an entry in the table that it links to (wire §5).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.column_types import is_change_allowed
from cdb_desktop.schema.document.element_ref import (
    ColumnRef,
    ElementRef,
    NestedTableRef,
    ReverseLinkRef,
    TableRef,
    UniqueKeyRef,
    new_key,
)
from cdb_desktop.schema.document.identity import Identities, Identity, identified_target
from cdb_desktop.schema.document.local_names import with_local_name
from cdb_desktop.schema.document.model import (
    ENTRY_PARTS,
    PRIMARY_KEY,
    Column,
    ColumnReference,
    Document,
    ForeignKey,
    NamedRef,
    ReverseLink,
    Table,
    TableEntry,
)
from cdb_desktop.schema.document.names import (
    column_name,
    element_name,
    table_name,
    unused_name,
    with_generated_key_names,
)
from cdb_desktop.schema.edits.edit import (
    Edit,
    EditError,
    link_key,
    new_column,
    new_unique_key,
    option_title,
    require_column,
    require_new_keys,
    require_table,
    reverse_entry,
    with_options,
)

EntryRef = ColumnRef | NestedTableRef | ReverseLinkRef


@dataclass(frozen=True, slots=True)
class AddColumn:
    """Adds a column, at the end without an index; ``target`` is the objecttype that a link points to."""

    table: int
    name: str
    type: str
    index: int | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    target: int | None = None
    key: int = field(default_factory=new_key)

    def title(self, document: Document) -> Message:
        table, name = table_name(document, self.table), self.name
        if self.target is None:
            return message("Add column {table}.{column}", table=table, column=name)
        target = table_name(document, self.target)
        return message("Add link {table}.{column} to {target}", table=table, column=name, target=target)

    def apply_to(self, document: Document) -> Document:
        """The document with the column. Raises EditError if a table is missing or a link has no target."""
        require_new_keys(document, self.key)
        if self.type == "link" and self.target is None:
            raise EditError(message("A link needs the table that it links to."))
        column = new_column(self.key, self.name, self.type, self.options)
        changed = document.with_tables(with_entry(require_table(document, self.table), column, self.index))
        if self.target is None:
            return changed
        return _with_foreign_key(
            changed, ColumnRef(self.table, self.key), require_table(document, self.target)
        )


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """Renames a column, with hints and generated key names."""

    ref: ColumnRef
    name: str

    def title(self, document: Document) -> Message:
        return message("Rename column {old} to {new}", old=element_name(document, self.ref), new=self.name)

    def apply_to(self, document: Document) -> Document:
        """The document with the name everywhere. Raises EditError if the column does not exist."""
        _, column = require_column(document, self.ref)
        identities = Identities(columns={column.key: Identity(column.key, column.id, self.name)})
        changed = [identities.of(table) for table in document.tables if identities.touches(table)]
        keys = [table.key for table in changed]
        return with_generated_key_names(document.with_tables(*changed), keys, document)


@dataclass(frozen=True, slots=True)
class MoveColumns:
    """Moves entries of a table up (``step`` -1) or down (1); those at the end stay there."""

    table: int
    refs: tuple[EntryRef, ...]
    step: int

    def title(self, document: Document) -> Message:
        if len(self.refs) == 1:
            return message("Move {column}", column=element_name(document, self.refs[0]))
        name = table_name(document, self.table)
        return message("Move {count} columns of {table}", count=len(self.refs), table=name)

    def apply_to(self, document: Document) -> Document:
        """The document with the other order, unchanged if there is no other order. Raises EditError."""
        table = require_table(document, self.table)
        found = [require_entry(document, ref)[1] for ref in self.refs]
        moving = {id(entry) for entry in found}
        entries = list(table.entries)
        order = range(len(entries)) if self.step < 0 else range(len(entries) - 1, -1, -1)
        for at in order:
            to = at + self.step
            if id(entries[at]) in moving and 0 <= to < len(entries) and id(entries[to]) not in moving:
                entries[at], entries[to] = entries[to], entries[at]
        is_same = all(one is other for one, other in zip(entries, table.entries, strict=True))
        return document if is_same else document.with_tables(replace(table, entries=tuple(entries)))


@dataclass(frozen=True, slots=True)
class SetColumnOptions:
    """Sets options such as ``not_null`` or those of the check; None removes an option.

    ``reverse_edit`` has an edit of its own, since it changes two tables.
    """

    ref: EntryRef
    options: Mapping[str, object]

    def title(self, document: Document) -> Message:
        return option_title(element_name(document, self.ref), self.options)

    def apply_to(self, document: Document) -> Document:
        """The document with the options. Raises EditError if one is not an option."""
        table, entry = require_entry(document, self.ref)
        fixed = sorted({*ENTRY_PARTS, "reverse_edit"} & self.options.keys())
        if fixed:
            raise EditError(message("{option} is no option of a column.", option=fixed[0]))
        changed = replace(entry, raw=with_options(entry.raw, self.options))
        return document.with_tables(with_replaced(table, entry, changed))


def require_entry(document: Document, ref: EntryRef) -> tuple[Table, TableEntry]:
    """The table of an entry, and the entry. Raises EditError if it does not exist."""
    table = require_table(document, ref.table)
    wanted: ElementRef = ref
    for entry in table.entries:
        if entry.ref(table.key) == wanted:
            return table, entry
    raise EditError(message("This entry of {table} is no longer there.", table=table.name))


def with_entry(table: Table, entry: TableEntry, index: int | None) -> Table:
    """The table with one entry more, at the end without an index."""
    entries = list(table.entries)
    entries.insert(len(entries) if index is None else index, entry)
    return replace(table, entries=tuple(entries))


def with_replaced(table: Table, entry: TableEntry, changed: TableEntry) -> Table:
    """The table with ``changed`` instead of an entry."""
    return replace(table, entries=tuple(changed if other is entry else other for other in table.entries))


@dataclass(frozen=True, slots=True)
class AddUniqueKey:
    """Adds a unique key."""

    ref: UniqueKeyRef

    def title(self, document: Document) -> Message:
        return message("Make {columns} unique", columns=element_name(document, self.ref))

    def apply_to(self, document: Document) -> Document:
        """The document with the key. Raises EditError if it exists or a column does not."""
        table = require_table(document, self.ref.table)
        columns = tuple(require_column(document, ColumnRef(table.key, key))[1] for key in self.ref.columns)
        if not columns:
            raise EditError(message("A unique key needs a column."))
        if any(set(key.column_keys) == set(self.ref.columns) for key in table.unique_keys):
            raise EditError(message("{columns} is unique already.", columns=element_name(document, self.ref)))
        keys = (*table.unique_keys, new_unique_key(table, columns))
        return document.with_tables(replace(table, unique_keys=keys))


@dataclass(frozen=True, slots=True)
class RemoveUniqueKey:
    """Removes a unique key."""

    ref: UniqueKeyRef

    def title(self, document: Document) -> Message:
        return message("Let {columns} repeat", columns=element_name(document, self.ref))

    def apply_to(self, document: Document) -> Document:
        """The document without the key. Raises EditError if it does not exist."""
        table = require_table(document, self.ref.table)
        kept = tuple(key for key in table.unique_keys if key.ref(table.key) != self.ref)
        if len(kept) == len(table.unique_keys):
            raise EditError(message("This unique key of {table} is no longer there.", table=table.name))
        return document.with_tables(replace(table, unique_keys=kept))


@dataclass(frozen=True, slots=True)
class SetLocalName:
    """Sets the name of a table or column in a language; empty for none, None for the one that was read."""

    ref: NamedRef
    language: str
    text: str | None

    def title(self, document: Document) -> Message:
        return message(
            "Name {element} in {language}", element=element_name(document, self.ref), language=self.language
        )

    def apply_to(self, document: Document) -> Document:
        """The document with the name. Raises EditError if the element does not exist."""
        if isinstance(self.ref, ColumnRef):
            require_column(document, self.ref)
        else:
            require_table(document, self.ref.table)
        return with_local_name(document, self.ref, self.language, self.text)


def _with_foreign_key(document: Document, ref: ColumnRef, target: Table) -> Document:
    """The document with a foreign key for the column, and with its reverse link for ``reverse_edit``."""
    table, column = _column_of(document, ref)
    key = link_key(table, column, target)
    changed = document.with_tables(replace(table, foreign_keys=(*table.foreign_keys, key)))
    return _with_reverse_entry(changed, ref, target.key) if column.flag("reverse_edit") else changed


def _without_foreign_keys(document: Document, ref: ColumnRef) -> Document:
    """The document without the column's foreign keys and without the entries through which it is edited."""
    table, column = _column_of(document, ref)
    kept = tuple(key for key in table.foreign_keys if column.key not in key.column_keys)
    return _without_reverse_entries(document.with_tables(replace(table, foreign_keys=kept)), ref)


def _with_other_target(document: Document, ref: ColumnRef, target: Table) -> Document:
    """The document with another target of the column's foreign keys; their other attributes stay."""
    table, column = _column_of(document, ref)
    keys = tuple(
        _retargeted(key, target) if column.key in key.column_keys else key for key in table.foreign_keys
    )
    changed = document.with_tables(replace(table, foreign_keys=keys))
    changed = with_generated_key_names(changed, [table.key], document)
    changed = _without_reverse_entries(changed, ref)
    return _with_reverse_entry(changed, ref, target.key) if column.flag("reverse_edit") else changed


def _with_reverse_entry(document: Document, ref: ColumnRef, target: int) -> Document:
    """The document with an entry in the target through which the column's rows are edited."""
    table, column = _column_of(document, ref)
    other = document.by_key[target]
    return document.with_tables(replace(other, entries=(*other.entries, reverse_entry(table, column))))


def _without_reverse_entries(document: Document, ref: ColumnRef) -> Document:
    """The document without the entries through which the column's rows are edited."""
    changed = []
    for table in document.referring_to(frozenset({ref.table})):
        kept = tuple(entry for entry in table.entries if not _edits(entry, ref))
        if len(kept) < len(table.entries):
            changed.append(replace(table, entries=kept))
    return document.with_tables(*changed)


def _with_delete_rule(table: Table, column: Column, *, reverse_edit: bool) -> Table:
    """The table with the rule for deleting that belongs to ``reverse_edit``: cascade or restrict."""
    before, after = ("restrict", "cascade") if reverse_edit else ("cascade", "restrict")
    keys = tuple(
        replace(key, raw={**key.raw, "on_delete": after})
        if column.key in key.column_keys and key.raw.get("on_delete") == before
        else key
        for key in table.foreign_keys
    )
    return replace(table, foreign_keys=keys)


def _retargeted(key: ForeignKey, target: Table) -> ForeignKey:
    is_kept = [reference.automatic for reference in key.target_columns] == [PRIMARY_KEY]
    return replace(
        key,
        target_raw=identified_target(key.target_raw, Identity(target.key, target.id, target.name)),
        target=target.key,
        target_columns=key.target_columns if is_kept else (ColumnReference({PRIMARY_KEY: True}),),
    )


def _edits(entry: TableEntry, ref: ColumnRef) -> bool:
    return isinstance(entry, ReverseLink) and (entry.table, entry.column) == (ref.table, ref.column)


def _column_of(document: Document, ref: ColumnRef) -> tuple[Table, Column]:
    table = document.by_key[ref.table]
    return table, table.by_key[ref.column]


@dataclass(frozen=True, slots=True)
class SetLinkTarget:
    """Changes the target of a link."""

    ref: ColumnRef
    target: int

    def title(self, document: Document) -> Message:
        return message(
            "Link {column} to {target}",
            column=element_name(document, self.ref),
            target=table_name(document, self.target),
        )

    def apply_to(self, document: Document) -> Document:
        """The document with the link. Raises EditError if the column is not a link."""
        table, column = _require_link(document, self.ref)
        target = require_table(document, self.target)
        change = _with_other_target if table.links.get(column.key) else _with_foreign_key
        return change(document, self.ref, target)


@dataclass(frozen=True, slots=True)
class SetReverseEdit:
    """Sets whether rows are edited in the table that they link to with a column (wire §5)."""

    ref: ColumnRef
    on: bool

    def title(self, document: Document) -> Message:
        name = element_name(document, self.ref)
        if self.on:
            return message("Edit {column} in the table that it links to", column=name)
        return message("No longer edit {column} in the table that it links to", column=name)

    def apply_to(self, document: Document) -> Document:
        """The document with both sides of it. Raises EditError if the column is not a link."""
        table, column = _require_link(document, self.ref)
        changed = replace(column, raw={**column.raw, "reverse_edit": self.on})
        ruled = _with_delete_rule(with_replaced(table, column, changed), column, reverse_edit=self.on)
        without = _without_reverse_entries(document.with_tables(ruled), self.ref)
        target = next((key.target for key in table.links.get(column.key, ())), None)
        if not self.on or target is None:
            return without
        return _with_reverse_entry(without, self.ref, target)


@dataclass(frozen=True, slots=True)
class ChangeType:
    """Changes the type of a column; ``target`` is the table that a column of type ``link`` points to."""

    ref: ColumnRef
    type: str
    target: int | None = None

    def title(self, document: Document) -> Message:
        table = document.by_key.get(self.ref.table)
        column = None if table is None else table.by_key.get(self.ref.column)
        return message(
            "Change the type of {column} from {old} to {new}",
            column=element_name(document, self.ref),
            old="?" if column is None else column.type,
            new=self.type,
        )

    def apply_to(self, document: Document) -> Document:
        """The document with the type. Raises EditError for a link without a target."""
        table, column = require_column(document, self.ref)
        if self.type == "link" and self.target is None:
            raise EditError(message("A link needs the table that it links to."))
        plain = _without_foreign_keys(document, self.ref) if column.is_link else document
        options = {"type": self.type, **({"reverse_edit": False} if column.flag("reverse_edit") else {})}
        table = plain.by_key[table.key]
        changed = plain.with_tables(
            with_replaced(table, column, replace(column, raw={**column.raw, **options}))
        )
        if self.type != "link" or self.target is None:
            return changed
        return _with_foreign_key(changed, self.ref, require_table(changed, self.target))


def _require_link(document: Document, ref: ColumnRef) -> tuple[Table, Column]:
    table, column = require_column(document, ref)
    if not column.is_link:
        raise EditError(message("{column} is not a link.", column=element_name(document, ref)))
    return table, column


@dataclass(frozen=True, slots=True)
class AddColumns:
    """Adds columns and links, at the end without an index."""

    table: int
    columns: tuple[AddColumn, ...]
    index: int | None = None

    def title(self, document: Document) -> Message:
        name = table_name(document, self.table)
        return message("Add {count:a column|{count} columns} to {table}", count=len(self.columns), table=name)

    def apply_to(self, document: Document) -> Document:
        """The document with the columns. Raises EditError if a table does not exist or a link has none."""
        at = len(require_table(document, self.table).entries) if self.index is None else self.index
        for number, new in enumerate(self.columns):
            document = replace(new, index=at + number).apply_to(document)
        return document


@dataclass(frozen=True, slots=True)
class MoveEntries:
    """Moves entries of a table together before the entry ``index`` of the present order."""

    table: int
    refs: tuple[EntryRef, ...]
    index: int

    def title(self, document: Document) -> Message:
        name = table_name(document, self.table)
        return message("Move {count:a column|{count} columns} of {table}", count=len(self.refs), table=name)

    def apply_to(self, document: Document) -> Document:
        """The document with the other order, unchanged if it is the same. Raises EditError."""
        table = require_table(document, self.table)
        moving = {id(require_entry(document, ref)[1]) for ref in self.refs}
        before = [entry for entry in table.entries[: self.index] if id(entry) not in moving]
        after = [entry for entry in table.entries[self.index :] if id(entry) not in moving]
        entries = (*before, *(entry for entry in table.entries if id(entry) in moving), *after)
        is_same = all(one is other for one, other in zip(entries, table.entries, strict=True))
        return document if is_same else document.with_tables(replace(table, entries=entries))


@dataclass(frozen=True, slots=True)
class SeveralEdits:
    """Applies edits one after another as one step; ``heading`` is its title."""

    heading: Message
    edits: tuple[Edit, ...]

    def title(self, _document: Document) -> Message:
        return self.heading

    def apply_to(self, document: Document) -> Document:
        """The document after all edits. Raises the EditError of the first one that is not possible."""
        for edit in self.edits:
            document = edit.apply_to(document)
        return document


def change_types(
    document: Document, table: int, columns: tuple[int, ...], type_: str, target: int | None = None
) -> SeveralEdits:
    """Changes the type of several columns; ``target`` is the table that links point to.

    Options of checks that the type does not have stay, and are reported as problems.
    """
    name, count = table_name(document, table), len(columns)
    heading = message(
        "Change the type of {count:a column|{count} columns} of {table} to {type}",
        count=count,
        table=name,
        type=type_,
    )
    refs = (ColumnRef(table, column) for column in columns)
    return SeveralEdits(heading, tuple(ChangeType(ref, type_, target) for ref in refs))


def require_columns(document: Document, table: int, columns: tuple[int, ...], *, on: bool) -> SeveralEdits:
    """Makes several columns of a table required or optional."""
    count, name = len(columns), table_name(document, table)
    heading = message("Make {count:a column|{count} columns} of {table} optional", count=count, table=name)
    if on:
        heading = message(
            "Make {count:a column|{count} columns} of {table} required", count=count, table=name
        )
    refs = (ColumnRef(table, column) for column in columns)
    return SeveralEdits(heading, tuple(SetColumnOptions(ref, {"not_null": on}) for ref in refs))


LinkEdit = AddColumn | ChangeType | SetLinkTarget


@dataclass(frozen=True, slots=True)
class LinkProposal:
    """A link that can be made: ``ref`` is its column after the edit.

    Without an edit ``text`` is the reason why there can be no link. ``note`` is why a column is added
    although the line began at a column.
    """

    text: Message
    edit: LinkEdit | None = None
    ref: ColumnRef | None = None
    note: Message | None = None


def propose_link(
    document: Document,
    current: Document | None,
    source: TableRef | ColumnRef,
    target: int,
    *,
    as_new: bool = False,
) -> LinkProposal:
    """A link from a table or column to the table ``target``; links end at tables, never at columns (wire §5).

    From a table a column is added. A column becomes the link, or gets another target if it is one. If the
    service does not change its type, since ``current`` has it with values, or with ``as_new``, a column is
    added after it.
    """
    table, other = document.by_key.get(source.table), document.by_key.get(target)
    if table is None or other is None:
        return LinkProposal(message("This table is no longer there."))
    if other.is_nested:
        text = message("{table} is nested: links lead to objecttypes only.", table=other.name)
        return LinkProposal(text)
    column = table.by_key.get(source.column) if isinstance(source, ColumnRef) else None
    if column is None or as_new:
        return _new_column(table, other, None if column is None else table.entries.index(column) + 1)
    ref = ColumnRef(table.key, column.key)
    if column.is_link:
        return _other_target(document, ref, table, other)
    committed = _committed_type(current, ref)
    if committed is None or is_change_allowed(committed, "link"):
        text = message("{column} becomes a link to {table}", column=_shown(document, ref), table=other.name)
        return LinkProposal(text, ChangeType(ref, "link", other.key), ref)
    note = message("{column} is committed and keeps its type.", column=column.name)
    return _new_column(table, other, table.entries.index(column) + 1, note)


def _new_column(table: Table, other: Table, index: int | None, note: Message | None = None) -> LinkProposal:
    name = unused_name(other.name, (column.name for column in table.columns))
    edit = AddColumn(table.key, name, "link", index, target=other.key)
    text = message(
        "New column {table}.{column} links to {target}", table=table.name, column=name, target=other.name
    )
    return LinkProposal(text, edit, ColumnRef(table.key, edit.key), note)


def _other_target(document: Document, ref: ColumnRef, table: Table, other: Table) -> LinkProposal:
    former = next((key.target for key in table.links.get(ref.column, ())), None)
    shown = _shown(document, ref)
    if former == other.key:
        return LinkProposal(message("{column} links to {table} already.", column=shown, table=other.name))
    text = message(
        "{column} links to {table} instead of {former}",
        column=shown,
        table=other.name,
        former=table_name(document, former),
    )
    return LinkProposal(text, SetLinkTarget(ref, other.key), ref)


def _shown(document: Document, ref: ColumnRef) -> str:
    return column_name(document, ref.table, ref.column)


def _committed_type(current: Document | None, ref: ColumnRef) -> str | None:
    table = None if current is None else current.by_key.get(ref.table)
    column: Column | None = None if table is None else table.by_key.get(ref.column)
    return None if column is None else column.type
