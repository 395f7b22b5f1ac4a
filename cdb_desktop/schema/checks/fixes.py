"""Remedies for problems: edits that solve them in one step, also of damaged or hand-written documents."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.checks.validation import Problem
from cdb_desktop.schema.document.element_ref import ColumnRef, NestedTableRef, ReverseLinkRef, TableRef
from cdb_desktop.schema.document.identity import Identities, Identity
from cdb_desktop.schema.document.json_values import text_attribute
from cdb_desktop.schema.document.model import Document, Table
from cdb_desktop.schema.document.names import (
    LONGEST,
    RESERVED,
    RESERVED_PREFIX,
    SEPARATOR,
    element_name,
    nested_name,
    own_name,
    table_name,
    unused_name,
)
from cdb_desktop.schema.edits.column_rows import valid_name
from cdb_desktop.schema.edits.columns import (
    ChangeType,
    RenameColumn,
    SetColumnOptions,
    SetLinkTarget,
    SetReverseEdit,
    SeveralEdits,
)
from cdb_desktop.schema.edits.edit import (
    NEW_COLUMN_TYPE,
    Edit,
    EditError,
    nested_entry,
    new_table,
    require_column,
    require_table,
)
from cdb_desktop.schema.edits.tables import AddTable, Remove, RenameTable, SetTableOptions

_CHECK = ("check", "check_regexp", "check_regexp_flags", "check_range_lower", "check_range_upper")
_OPEN = ("check_range_lower_open", "check_range_upper_open")


@dataclass(frozen=True, slots=True)
class Fix:
    """One remedy."""

    title: Message
    edit: Edit


def fixes_for(document: Document, problem: Problem) -> tuple[Fix, ...]:
    """The remedies for a problem of the document, the best first; none if a person has to decide."""
    find = _FIXES.get(problem.code)
    return () if find is None else tuple(Fix(edit.title(document), edit) for edit in find(document, problem))


def _rename(document: Document, problem: Problem) -> Iterator[Edit]:
    match problem.ref:
        case TableRef(key) if key in document.by_key:
            table = document.by_key[key]
            owner = None if table.owner is None else document.by_key.get(table.owner)
            if owner is None:
                yield RenameTable(key, _table_name(document, table))
            else:
                yield RenameTable(key, _nested_name(document, table, owner))
        case ColumnRef(key, column) if column in document.by_key[key].by_key:
            table = document.by_key[key]
            taken = {each.name for each in table.columns if each.key != column}
            name = valid_name(table.by_key[column].name) or "column"
            yield RenameColumn(ColumnRef(key, column), unused_name(name, taken))
        case _:
            return


def _table_name(document: Document, table: Table) -> str:
    name = valid_name(table.name)
    if len(name) < 2:
        name = f"{name or 'new'}_table"
    name = name.removeprefix(RESERVED_PREFIX) if name != RESERVED_PREFIX else "table"
    taken = {other.name for other in document.tables if other.key != table.key}
    name = unused_name(name, taken)
    return unused_name(f"{name}_entry", taken) if name in RESERVED else name


def _nested_name(document: Document, table: Table, owner: Table) -> str:
    own = own_name(table.name, owner.name).rpartition(SEPARATOR)[2]
    own = valid_name(own)[: max(LONGEST - len(owner.name) - len(SEPARATOR), 1)].rstrip("_") or "part"
    taken = {other.name for other in document.tables if other.key != table.key}
    number, found = 1, own
    while nested_name(owner.name, found) in taken:
        number += 1
        found = f"{own}_{number}"
    return found


def _link(document: Document, problem: Problem) -> Iterator[Edit]:
    """Links to the table with the name that the link or its column names, or adds that table."""
    ref = problem.ref
    if not isinstance(ref, ColumnRef) or ref.column not in document.by_key[ref.table].by_key:
        return
    table = document.by_key[ref.table]
    column = table.by_key[ref.column]
    keys = table.links.get(ref.column, ())
    hints = [
        text_attribute(key.target_raw, name) for key in keys for name in ("name_hint", "table_name_hint")
    ]
    names = {other.name: other.key for other in document.tables if not other.is_nested}
    target = next((names[name] for name in (*hints, column.name) if name in names), None)
    if target is not None and column.is_link:
        yield SetLinkTarget(ref, target)
    else:
        hint = valid_name(next((name for name in hints if name), ""))
        if hint and column.is_link and hint not in names:
            added = AddTable(hint)
            title = message("Add table {table} and link {column} to it", table=hint, column=column.name)
            yield SeveralEdits(title, (added, SetLinkTarget(ref, added.key)))
    yield Remove((ref,))


def _link_to_owner(document: Document, problem: Problem) -> Iterator[Edit]:
    """Links to the objecttype that the nested table belongs to."""
    ref = problem.ref
    if isinstance(ref, ColumnRef):
        for key in document.by_key[ref.table].links.get(ref.column, ()):
            target, seen = key.target, set[int]()
            while target is not None and document.by_key[target].is_nested and target not in seen:
                seen.add(target)
                target = document.by_key[target].owner
            if target is not None and target not in seen:
                yield SetLinkTarget(ref, target)


def _without_option(_document: Document, problem: Problem) -> Iterator[Edit]:
    option = problem.message.values.get("option")
    if isinstance(problem.ref, TableRef) and isinstance(option, str):
        yield SetTableOptions(problem.ref.table, {option: None})


def _delete_rule(document: Document, problem: Problem) -> Iterator[Edit]:
    ref, value = problem.ref, problem.message.values.get("value")
    column = document.by_key[ref.table].by_key.get(ref.column) if isinstance(ref, ColumnRef) else None
    if column is not None and isinstance(ref, ColumnRef) and value in ("cascade", "restrict"):
        expected = problem.message.values.get("expected")
        title = message("Set on_delete of {column} to {value}", column=column.name, value=expected)
        yield SeveralEdits(title, (SetReverseEdit(ref, column.flag("reverse_edit")),))


def _for(kind: Any, *makes: Callable[[Any], Edit]) -> Callable[[Document, Problem], Iterator[Edit]]:
    """Edits that are made of the element of a problem, if it is of this kind."""

    def find(_document: Document, problem: Problem) -> Iterator[Edit]:
        if isinstance(problem.ref, kind):
            yield from (make(problem.ref) for make in makes)

    return find


def _without(*options: str) -> Callable[[Document, Problem], Iterator[Edit]]:
    """Removes those of the options that the column has."""

    def find(document: Document, problem: Problem) -> Iterator[Edit]:
        ref = problem.ref
        column = document.by_key[ref.table].by_key.get(ref.column) if isinstance(ref, ColumnRef) else None
        if column is not None and isinstance(ref, ColumnRef):
            yield SetColumnOptions(ref, {name: None for name in options if name in column.raw})

    return find


@dataclass(frozen=True, slots=True)
class RemoveId:
    """Removes the id of a table or column, so that the service assigns another one."""

    ref: TableRef | ColumnRef

    def title(self, document: Document) -> Message:
        return message("Give {element} a new id", element=element_name(document, self.ref))

    def apply_to(self, document: Document) -> Document:
        """The document without the id. Raises EditError if the element does not exist."""
        if isinstance(self.ref, TableRef):
            table = require_table(document, self.ref.table)
            identities = Identities({table.key: Identity(table.key, None, table.name)})
        else:
            _, column = require_column(document, self.ref)
            identities = Identities(columns={column.key: Identity(column.key, None, column.name)})
        changed = (identities.of(table) for table in document.tables if identities.touches(table))
        return document.with_tables(*changed)


@dataclass(frozen=True, slots=True)
class AddEntry:
    """Adds the missing entry for a nested table to its owner."""

    table: int

    def title(self, document: Document) -> Message:
        return message("Add the entry for {table}", table=table_name(document, self.table))

    def apply_to(self, document: Document) -> Document:
        """The document with the entry at the end. Raises EditError without an owner."""
        table = require_table(document, self.table)
        owner = require_table(document, table.owner or 0)
        return document.with_tables(replace(owner, entries=(*owner.entries, nested_entry(table))))


@dataclass(frozen=True, slots=True)
class RemoveEntry:
    """Removes an entry for a nested table or for reverse edit; of several equal ones the last."""

    ref: NestedTableRef | ReverseLinkRef

    def title(self, document: Document) -> Message:
        return message("Remove the entry from {table}", table=table_name(document, self.ref.table))

    def apply_to(self, document: Document) -> Document:
        """The document without the entry. Raises EditError if it does not exist."""
        table, wanted = require_table(document, self.ref.table), (self.ref,)
        found = [at for at, entry in enumerate(table.entries) if entry.ref(table.key) in wanted]
        if not found:
            raise EditError(message("This entry of {table} is no longer there.", table=table.name))
        kept = tuple(entry for at, entry in enumerate(table.entries) if at != found[-1])
        return document.with_tables(replace(table, entries=kept))


@dataclass(frozen=True, slots=True)
class MakeObjecttype:
    """Turns a nested table into an objecttype of its own."""

    table: int

    def title(self, document: Document) -> Message:
        return message("Make {table} an objecttype", table=table_name(document, self.table))

    def apply_to(self, document: Document) -> Document:
        """The document with the table at the top level. Raises EditError if it does not exist."""
        table = require_table(document, self.table)
        raw = {name: value for name, value in table.raw.items() if name != "owned_by"}
        return document.with_tables(replace(table, raw={**new_table(0, "", {}).raw, **raw}, owner=None))


_NAMES = (
    *("table_repeated", "table_name_reserved", "table_name_missing", "table_name_long", "table_name"),
    *("nested_name", "column_repeated", "column_name_missing", "column_name_long", "column_name"),
)
_WITHOUT_ENTRY = _for(NestedTableRef | ReverseLinkRef, RemoveEntry)
_FIXES: Mapping[str, Callable[[Document, Problem], Iterator[Edit]]] = {
    **dict.fromkeys(_NAMES, _rename),
    **dict.fromkeys(("table_id_repeated", "column_id_repeated"), _for(TableRef | ColumnRef, RemoveId)),
    **dict.fromkeys(("link_dangling", "link_key_missing"), _link),
    "link_nested": _link_to_owner,
    "entry_missing": _for(TableRef, lambda ref: AddEntry(ref.table)),
    **dict.fromkeys(("entry_dangling", "entry_foreign", "entry_repeated"), _WITHOUT_ENTRY),
    **dict.fromkeys(("reverse_dangling", "reverse_stray", "reverse_repeated"), _WITHOUT_ENTRY),
    "reverse_missing": _for(
        ColumnRef, lambda ref: SetReverseEdit(ref, True), lambda ref: SetReverseEdit(ref, False)
    ),
    **dict.fromkeys(("owner_missing", "owner_circle"), _for(TableRef, lambda ref: MakeObjecttype(ref.table))),
    "nested_option": _without_option,
    "type_missing": _for(ColumnRef, lambda ref: ChangeType(ref, NEW_COLUMN_TYPE)),
    "delete_rule": _delete_rule,
    **dict.fromkeys(("check_unknown", "check_type", "regexp_missing"), _without(*_CHECK)),
    **dict.fromkeys(("range_type", "range_missing", "range_bound", "range_empty"), _without(*_CHECK, *_OPEN)),
    "regexp_flags": _without("check_regexp_flags"),
    **dict.fromkeys(("length", "length_type"), _without("length_min", "length_max")),
    "default": _without("default"),
}
