"""Edits that undo single changes between two documents, and the comparison with a foreign model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.diff.change import LOCAL_NAME, Change, ChangeKind
from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.diff.restore import Restore
from cdb_desktop.schema.document.element_ref import (
    ColumnRef,
    DocumentRef,
    ElementRef,
    NestedTableRef,
    ReverseLinkRef,
    TableRef,
    UniqueKeyRef,
)
from cdb_desktop.schema.document.identity import with_ids_of
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.document.names import element_name, own_table_name
from cdb_desktop.schema.edits.columns import (
    AddUniqueKey,
    EntryRef,
    MoveColumn,
    RemoveUniqueKey,
    RenameColumn,
    SetColumnOptions,
)
from cdb_desktop.schema.edits.edit import Edit, EditError, option_title, require_column, with_options
from cdb_desktop.schema.edits.links import ChangeType, SetLinkTarget, SetReverseEdit
from cdb_desktop.schema.edits.local_names import SetLocalName
from cdb_desktop.schema.edits.removal import RemoveColumn, RemoveTable
from cdb_desktop.schema.edits.tables import RenameTable, SetTableOptions


def reverting_edit(change: Change, source: Document, document: Document) -> Edit | None:
    """The edit of ``document`` that undoes one change since ``source``, None if there is none.

    What depends on an added element goes with it. Entries for nested tables and for editing elsewhere follow
    other changes, and a table cannot get another owner.
    """
    ref, edit = change.ref, None
    match change.kind:
        case ChangeKind.ADDED:
            edit = _removal(ref)
        case ChangeKind.REMOVED:
            edit = _addition(ref, source)
        case ChangeKind.RENAMED:
            edit = _renaming(ref, source)
        case ChangeKind.TYPE:
            edit = _type_change(ref, source)
        case ChangeKind.OPTION:
            edit = _option_change(ref, {change.option: change.before})
        case ChangeKind.KEY:
            edit = _key_change(change)
        case ChangeKind.MOVED:
            edit = _move(ref, source, document)
    return edit


def reverted(
    changes: Sequence[Change], source: Document, document: Document
) -> tuple[Document, tuple[Change, ...]]:
    """The document without several changes since ``source``, and those that cannot be undone alone.

    Some have to be undone before others, such as a removed table before a link to it.
    """
    waiting = list(changes)
    while waiting:
        later: list[Change] = []
        for change in waiting:
            edit = reverting_edit(change, source, document)
            if edit is None:
                later.append(change)
                continue
            try:
                document = edit.apply_to(document)
            except EditError:
                later.append(change)
        if len(later) == len(waiting):
            break
        waiting = later
    # Others have followed from what was undone.
    still = {_place(change) for change in compare(source, document)} if waiting else set()
    return document, tuple(change for change in waiting if _place(change) in still)


def _place(change: Change) -> tuple[ChangeKind, ElementRef, str]:
    return change.kind, change.ref, change.option


def comparable(file: Document, other: Document) -> Document:
    """The model of a file with the ids of ``other`` by names, unless its own ids name the same tables.

    Ids of another service identify other tables (wire §5).
    """
    by_name = {table.name: table.key for table in other.tables}
    common = [table for table in file.tables if table.name in by_name]
    same = sum(by_name[table.name] == table.key for table in common)
    return file if not common or 2 * same >= len(common) else with_ids_of(file, other)


def _removal(ref: ElementRef) -> Edit | None:
    match ref:
        case TableRef(table):
            return RemoveTable(table, dependents=True)
        case ColumnRef():
            return RemoveColumn(ref, dependents=True)
        case UniqueKeyRef():
            return RemoveUniqueKey(ref)
        case _:
            return None


def _addition(ref: ElementRef, source: Document) -> Edit | None:
    match ref:
        case TableRef() | ColumnRef():
            return Restore(ref, source)
        case UniqueKeyRef():
            return AddUniqueKey(ref)
        case _:
            return None


def _renaming(ref: ElementRef, source: Document) -> Edit | None:
    if isinstance(ref, TableRef):
        return RenameTable(ref.table, own_table_name(source, source.by_key[ref.table]))
    if isinstance(ref, ColumnRef):
        return RenameColumn(ref, source.by_key[ref.table].by_key[ref.column].name)
    return None


def _type_change(ref: ElementRef, source: Document) -> Edit | None:
    if not isinstance(ref, ColumnRef):
        return None
    table = source.by_key[ref.table]
    targets = [key.target for key in table.links.get(ref.column, ())]
    return ChangeType(ref, table.by_key[ref.column].type, targets[0] if targets else None)


def _option_change(ref: ElementRef, options: Mapping[str, object]) -> Edit | None:
    (name, before), *_ = options.items()
    if name.startswith(LOCAL_NAME) and isinstance(ref, TableRef | ColumnRef):
        language = name.removeprefix(LOCAL_NAME)
        return SetLocalName(ref, language, before if isinstance(before, str) else None)
    match ref:
        case DocumentRef():
            return SetDocumentOptions(options)
        case TableRef(table):
            return None if "owned_by" in options else SetTableOptions(table, options)
        case ColumnRef() if "reverse_edit" in options:
            return SetReverseEdit(ref, on=options["reverse_edit"] is True)
        case ColumnRef() | NestedTableRef() | ReverseLinkRef():
            return SetColumnOptions(ref, options)
        case _:
            return None


def _key_change(change: Change) -> Edit | None:
    if not isinstance(change.ref, ColumnRef) or not change.option:
        return None
    if change.option == "target":
        return SetLinkTarget(change.ref, change.before) if isinstance(change.before, int) else None
    return SetLinkRule(change.ref, change.option, change.before)


def _move(ref: ElementRef, source: Document, document: Document) -> Edit | None:
    """Behind the same entry as before, as far as that is still in the table."""
    if not isinstance(ref, ColumnRef | NestedTableRef | ReverseLinkRef):
        return None
    entry: EntryRef = ref
    order = [one.ref(ref.table) for one in source.by_key[ref.table].entries]
    others = [one.ref(ref.table) for one in document.by_key[ref.table].entries if one.ref(ref.table) != ref]
    before = [one for one in order[: order.index(ref)] if one in others]
    return MoveColumn(entry, others.index(before[-1]) + 1 if before else 0)


@dataclass(frozen=True, slots=True)
class SetDocumentOptions:
    """Sets attributes of the document itself; None removes one."""

    options: Mapping[str, object]

    def title(self, _document: Document) -> Message:
        return option_title(str(message("the model")), self.options)

    def apply_to(self, document: Document) -> Document:
        """The document with the attributes."""
        return replace(document, raw=with_options(document.raw, self.options))


@dataclass(frozen=True, slots=True)
class SetLinkRule:
    """Sets an attribute of the foreign keys of a link, such as ``on_delete``; None removes it."""

    ref: ColumnRef
    rule: str
    value: object

    def title(self, document: Document) -> Message:
        return option_title(element_name(document, self.ref), {self.rule: self.value})

    def apply_to(self, document: Document) -> Document:
        """The document with the rule. Raises EditError if the column does not exist."""
        table, column = require_column(document, self.ref)
        keys = tuple(
            replace(key, raw=with_options(key.raw, {self.rule: self.value}))
            if column.key in key.column_keys
            else key
            for key in table.foreign_keys
        )
        return document.with_tables(replace(table, foreign_keys=keys))
