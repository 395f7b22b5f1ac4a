"""Compares two documents by the ids of tables and columns, which detects renames (wire §5).

Local elements of two states of the same work are the same as well; any other element without an id is new.
Changes are values, with their risk for existing data.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum

from cdb_desktop.foundation.i18n import Message, mark, message, tr
from cdb_desktop.schema.document.column_types import is_change_allowed, keeps_values
from cdb_desktop.schema.document.element_ref import (
    DOCUMENT,
    ColumnRef,
    ElementRef,
    NestedTableRef,
    ReverseLinkRef,
    TableRef,
    UniqueKeyRef,
)
from cdb_desktop.schema.document.json_values import Json, option_value, shown_value, without
from cdb_desktop.schema.document.local_names import differing_names
from cdb_desktop.schema.document.model import (
    ENTRY_PARTS,
    TABLE_PARTS,
    VERSION_ATTRIBUTES,
    Column,
    Document,
    ForeignKey,
    NestedTableEntry,
    ReverseLink,
    Table,
    TableEntry,
    UniqueKey,
    key_details,
)
from cdb_desktop.schema.document.names import (
    columns_name,
    element_name,
    option_name,
    option_value_text,
    own_table_name,
    table_name,
)

_OF_DOCUMENTS = frozenset({"type", "tables", *VERSION_ATTRIBUTES})
# Removing these options removes a system column with its values (wire §5).
_WITH_VALUES = frozenset({"is_hierarchical", "pool_link"})
_NARROWING_OFF = frozenset({"has_tags", "acl_table", "check_regexp_flags"})
_NARROWING_ON = frozenset(
    {
        "not_null",
        "check",
        "check_regexp",
        "check_range_lower",
        "check_range_upper",
        "check_range_lower_open",
        "check_range_upper_open",
    }
)


def compare(old: Document, new: Document) -> tuple[Change, ...]:
    """All changes, in the order of the new document, with removed tables at the end."""
    return tuple(_changes(old, new))


def _changes(old: Document, new: Document) -> Iterator[Change]:
    yield from _option_changes(DOCUMENT, "", old.raw, new.raw, _OF_DOCUMENTS)
    yield from _local_name_changes(old, new)
    for table in new.tables:
        before = old.by_key.get(table.key)
        if before is None:
            yield table_added(table)
        elif before is not table and before != table:
            yield from _table_changes(old, new, before, table)
    for table in old.tables:
        if table.key not in new.by_key:
            yield _table_removed(table)


def _local_name_changes(old: Document, new: Document) -> Iterator[Change]:
    for ref, language, before, after in differing_names(old, new):
        element = element_name(new, ref)
        text = message("Name of {element} in {language} changed", element=element, language=language)
        option = f"{LOCAL_NAME}{language}"
        yield Change(ChangeKind.OPTION, ref, Risk.SAFE, text, option, before, after)


def table_added(table: Table) -> Change:
    """That a table is new."""
    text = message("Table {table} added", table=table.name)
    return Change(ChangeKind.ADDED, TableRef(table.key), Risk.SAFE, text, after=table.name)


def _table_removed(table: Table) -> Change:
    text = message("Table {table} removed", table=table.name)
    return Change(ChangeKind.REMOVED, TableRef(table.key), Risk.DESTROYING, text, before=table.name)


def _table_changes(old: Document, new: Document, before: Table, table: Table) -> Iterator[Change]:
    yield from _name_changes(old, new, before, table)
    yield from _owner_changes(old, new, before, table)
    yield from _option_changes(TableRef(table.key), table.name, before.raw, table.raw, TABLE_PARTS)
    if before.entries != table.entries:
        yield from _entry_changes(old, new, before, table)
    if before.foreign_keys != table.foreign_keys:
        yield from _foreign_key_changes(old, new, before, table)
    if before.unique_keys != table.unique_keys:
        yield from _unique_key_changes(before, table)


def _name_changes(old: Document, new: Document, before: Table, table: Table) -> Iterator[Change]:
    # A nested table that only follows its owner's name has not been renamed itself.
    if own_table_name(old, before) != own_table_name(new, table):
        text = message("Table {old} renamed to {new}", old=before.name, new=table.name)
        ref = TableRef(table.key)
        yield Change(ChangeKind.RENAMED, ref, Risk.SAFE, text, before=before.name, after=table.name)


def _owner_changes(old: Document, new: Document, before: Table, table: Table) -> Iterator[Change]:
    if (before.is_nested, before.owner) == (table.is_nested, table.owner):
        return
    owners = [table_name(document, each.owner) for document, each in ((old, before), (new, table))]
    text = message("{table} moved from {old} to {new}", table=table.name, old=owners[0], new=owners[1])
    ref = TableRef(table.key)
    yield Change(ChangeKind.OPTION, ref, Risk.DESTROYING, text, "owned_by", before.owner, table.owner)


def _entry_changes(old: Document, new: Document, before: Table, table: Table) -> Iterator[Change]:
    """What differs between the entries of a table that is in both documents."""
    were = {entry.ref(table.key): entry for entry in before.entries}
    now = {entry.ref(table.key): entry for entry in table.entries}
    for ref, entry in now.items():
        was = were.get(ref)
        if was is None:
            yield from _entry_added(old, new, table, entry)
        elif was.raw != entry.raw:
            yield from _entry_changed(new, before, ref, was, entry)
    for ref, entry in were.items():
        if ref not in now:
            yield from _entry_removed(old, new, before, entry)
    common = [ref for ref in now if ref in were]
    yield from _order_changes(new, common, [ref for ref in were if ref in now])


def _entry_changed(
    new: Document, before: Table, ref: ElementRef, was: TableEntry, entry: TableEntry
) -> Iterator[Change]:
    name = element_name(new, ref)
    if isinstance(was, Column) and isinstance(entry, Column):
        if was.name != entry.name:
            text = message("Column {old} renamed to {new}", old=f"{before.name}.{was.name}", new=entry.name)
            yield Change(ChangeKind.RENAMED, ref, Risk.SAFE, text, before=was.name, after=entry.name)
        if was.type != entry.type:
            text = message(
                "Type of {column} changed from {old} to {new}", column=name, old=was.type, new=entry.type
            )
            risk = _risk_of_type_change(was.type, entry.type)
            yield Change(ChangeKind.TYPE, ref, risk, text, before=was.type, after=entry.type)
    yield from _option_changes(ref, name, was.raw, entry.raw, ENTRY_PARTS)


def _risk_of_type_change(before: str, after: str) -> Risk:
    if keeps_values(before, after):
        return Risk.SAFE
    return Risk.NARROWING if is_change_allowed(before, after) else Risk.DESTROYING


def _entry_added(old: Document, new: Document, table: Table, entry: TableEntry) -> Iterator[Change]:
    ref = entry.ref(table.key)
    name = element_name(new, ref)
    match entry:
        case Column() if entry.is_link:
            targets = [table_name(new, key.target) for key in table.links.get(entry.key, ())]
            text = message("Link {column} to {target} added", column=name, target=", ".join(targets))
            yield Change(ChangeKind.ADDED, ref, _risk_of_new_column(entry), text, after=entry.name)
        case Column():
            text = message("Column {column} added ({type})", column=name, type=entry.type)
            yield Change(ChangeKind.ADDED, ref, _risk_of_new_column(entry), text, after=entry.name)
        case NestedTableEntry() if entry.table in old.by_key:
            text = message("Entry for {nested} added to {table}", nested=name, table=table.name)
            yield Change(ChangeKind.ADDED, ref, Risk.SAFE, text)
        case ReverseLink() if not _follows_column(old, new, entry):
            text = message("Editing of {column} in {table} added", column=name, table=table.name)
            yield Change(ChangeKind.ADDED, ref, Risk.SAFE, text)
        case _:
            return


def _entry_removed(old: Document, new: Document, before: Table, entry: TableEntry) -> Iterator[Change]:
    ref = entry.ref(before.key)
    name = element_name(old, ref)
    match entry:
        case Column():
            text = message("Column {column} removed", column=name)
            yield Change(ChangeKind.REMOVED, ref, Risk.DESTROYING, text, before=entry.name)
        case NestedTableEntry() if entry.table in new.by_key:
            text = message("Entry for {nested} removed from {table}", nested=name, table=before.name)
            yield Change(ChangeKind.REMOVED, ref, Risk.NARROWING, text)
        case ReverseLink() if not _follows_column(old, new, entry):
            text = message("Editing of {column} in {table} removed", column=name, table=before.name)
            yield Change(ChangeKind.REMOVED, ref, Risk.SAFE, text)
        case _:
            return


def _risk_of_new_column(column: Column) -> Risk:
    """A required column needs a value in existing rows."""
    return Risk.NARROWING if column.flag("not_null") and column.raw.get("default") is None else Risk.SAFE


def _follows_column(old: Document, new: Document, entry: ReverseLink) -> bool:
    """Whether the entry was added or removed with its column or that column's option, itself a change."""
    return reverse_flag(old, entry) != reverse_flag(new, entry)


def reverse_flag(document: Document, entry: ReverseLink) -> bool | None:
    """Whether the link to which an entry belongs is edited elsewhere, None without that column."""
    table = None if entry.table is None else document.by_key.get(entry.table)
    column = None if table is None or entry.column is None else table.by_key.get(entry.column)
    return None if column is None else column.flag("reverse_edit")


def _order_changes(new: Document, now: Sequence[ElementRef], were: Sequence[ElementRef]) -> Iterator[Change]:
    """The smallest set of moved entries that turns one order into the other."""
    if now == were:
        return
    ranks = {ref: rank for rank, ref in enumerate(were)}
    kept = _longest_increasing([ranks[ref] for ref in now])
    for ref in now:
        if ranks[ref] not in kept and not isinstance(ref, TableRef):
            text = message("{column} moved", column=element_name(new, ref))
            yield Change(ChangeKind.MOVED, ref, Risk.SAFE, text, before=ranks[ref], after=now.index(ref))


def _longest_increasing(ranks: Sequence[int]) -> frozenset[int]:
    """The members of a longest increasing subsequence."""
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for rank in ranks:
        at = bisect_left(ends, rank)
        before[rank] = ends[at - 1] if at else None
        ends[at : at + 1] = [rank]
    found: set[int] = set()
    step = ends[-1] if ends else None
    while step is not None:
        found.add(step)
        step = before[step]
    return frozenset(found)


def _foreign_key_changes(old: Document, new: Document, before: Table, table: Table) -> Iterator[Change]:
    """Changes of targets and rules of links that are in both documents."""
    were = {key.all_columns: key for key in before.foreign_keys}
    now = {key.all_columns: key for key in table.foreign_keys}
    for all_columns in dict.fromkeys((*now, *were)):
        columns = tuple(column for column in all_columns if isinstance(column, int))
        if not all(_is_same_column_kind(column, before, table) for column in columns):
            continue
        was, key = were.get(all_columns), now.get(all_columns)
        if was == key:
            continue
        name = columns_name(table, columns)
        ref: ElementRef = ColumnRef(table.key, columns[0]) if columns else TableRef(table.key)
        if was is None or key is None:
            added = message("Foreign key of {column} added", column=name)
            removed = message("Foreign key of {column} removed", column=name)
            yield Change(ChangeKind.KEY, ref, Risk.NARROWING, added if was is None else removed)
            continue
        if was.target != key.target:
            yield _target_change(old, new, ref, name, was, key)
        turned = _has_reverse_edit(before, columns) != _has_reverse_edit(table, columns)
        yield from _rule_changes(ref, name, was, key, turned=turned)


def _unique_key_changes(before: Table, table: Table) -> Iterator[Change]:
    """Unique keys that were added, removed or changed, but not with one of their columns."""
    were = {frozenset(key.all_columns): key for key in before.unique_keys}
    now = {frozenset(key.all_columns): key for key in table.unique_keys}
    for columns, key in now.items():
        name, ref = columns_name(table, key.column_keys), key.ref(table.key)
        was = were.get(columns)
        if was is None:
            # New columns have no values yet that could be repeated.
            risk = Risk.NARROWING if before.by_key.keys() >= set(key.column_keys) else Risk.SAFE
            yield Change(ChangeKind.ADDED, ref, risk, message("{columns} made unique", columns=name))
        elif _unique_key_options(was) != _unique_key_options(key):
            text = message("Unique key of {columns} changed", columns=name)
            yield Change(
                ChangeKind.KEY,
                ref,
                Risk.NARROWING,
                text,
                before=_unique_key_options(was),
                after=_unique_key_options(key),
            )
    for columns, key in were.items():
        if columns not in now and table.by_key.keys() >= set(key.column_keys):
            text = message("{columns} no longer unique", columns=columns_name(table, key.column_keys))
            yield Change(ChangeKind.REMOVED, key.ref(table.key), Risk.SAFE, text)


def _target_change(
    old: Document, new: Document, ref: ElementRef, name: str, was: ForeignKey, key: ForeignKey
) -> Change:
    text = message(
        "{column} links to {new} instead of {old}",
        column=name,
        new=table_name(new, key.target),
        old=table_name(old, was.target),
    )
    return Change(ChangeKind.KEY, ref, Risk.DESTROYING, text, "target", was.target, key.target)


def _rule_changes(
    ref: ElementRef, name: str, was: ForeignKey, key: ForeignKey, *, turned: bool
) -> Iterator[Change]:
    details = key_details(was), key_details(key)
    for option in dict.fromkeys((*details[1], *details[0])):
        # Reverse edit, itself a change, brings its own rule.
        if option == "name" or (option == "on_delete" and turned):
            continue
        before, after = (option_value(option, each) for each in details)
        if before == after:
            continue
        text = message(
            "{column}: {option} changed from {old} to {new}",
            column=name,
            option=option,
            old=shown_value(before),
            new=shown_value(after),
        )
        yield Change(ChangeKind.KEY, ref, Risk.SAFE, text, option, before, after)


def _is_same_column_kind(column: int, before: Table, table: Table) -> bool:
    """Whether a column is in both tables, as a link or as another column in both."""
    was, now = before.by_key.get(column), table.by_key.get(column)
    return was is not None and now is not None and was.is_link == now.is_link


def _has_reverse_edit(table: Table, columns: tuple[int, ...]) -> bool:
    return any(table.by_key[column].flag("reverse_edit") for column in columns)


def _unique_key_options(key: UniqueKey) -> Json:
    """All that a unique key says but its name, such as its group and where only true is unique."""
    details = without(key_details(key), ("name",))
    return {name: value for name in details if (value := option_value(name, details)) is not None}


def _option_changes(
    ref: ElementRef, name: str, old: Json, new: Json, parts: frozenset[str]
) -> Iterator[Change]:
    if old == new:
        return
    for option in dict.fromkeys((*new, *old)):
        before, after = option_value(option, old), option_value(option, new)
        if option not in parts and before != after:
            text = _option_message(name, option, before, after)
            yield Change(
                ChangeKind.OPTION, ref, _option_risk(option, before, after), text, option, before, after
            )


def _option_message(element: str, option: str, before: object, after: object) -> Message:
    name = option_name(option)
    old, new = option_value_text(option, before), option_value_text(option, after)
    if before is None:
        return message("{element}: “{option}” set to {new}", element=element, option=name, new=new)
    if after is None:
        return message("{element}: “{option}” removed, was {old}", element=element, option=name, old=old)
    return message(
        "{element}: “{option}” changed from {old} to {new}", element=element, option=name, old=old, new=new
    )


def _option_risk(option: str, before: object, after: object) -> Risk:
    if after is None and option in _WITH_VALUES:
        return Risk.DESTROYING
    if after is None and option in _NARROWING_OFF:
        return Risk.NARROWING
    if after is not None and option in _NARROWING_ON:
        return Risk.NARROWING
    if option in ("length_min", "length_max", "l10n_languages"):
        return _extent_risk(option, before, after)
    return Risk.SAFE


def _extent_risk(option: str, before: object, after: object) -> Risk:
    if option == "l10n_languages":
        kept = set(map(str, after)) if isinstance(after, list) else set()
        was = set(map(str, before)) if isinstance(before, list) else set()
        return Risk.SAFE if was <= kept else Risk.NARROWING
    if after is None:
        return Risk.SAFE
    if isinstance(before, int) and isinstance(after, int) and (after <= before) == (option == "length_min"):
        return Risk.SAFE
    return Risk.NARROWING


ItemId = tuple["ChangeKind", ElementRef, str]
LOCAL_NAME = "name:"  # begins the option of changes of localized names, before the language


class ChangeKind(Enum):
    """What happened to an element."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    TYPE = "type changed"
    OPTION = "option changed"
    KEY = "key changed"
    MOVED = "moved"


class Risk(IntEnum):
    """The effect of a commit on existing data."""

    SAFE = 0
    NARROWING = 1  # existing rows may violate it, or values are shortened: the commit may fail
    DESTROYING = 2  # values are lost


@dataclass(frozen=True, slots=True)
class Change:
    """One difference; ``ref`` is of the new document, for removed elements of the old one.

    ``before`` and ``after`` are names, types, values of ``option``, or keys of linked tables.
    """

    kind: ChangeKind
    ref: ElementRef
    risk: Risk
    message: Message
    option: str = ""
    before: object = None
    after: object = None

    @property
    def id(self) -> ItemId:
        """What identifies it among the changes between two documents."""
        return self.kind, self.ref, self.option

    @property
    def sign(self) -> str:
        """The symbol beside its color: + ~ → or −."""
        return _SIGNS.get(self.kind, "~")


_SIGNS = {ChangeKind.ADDED: "+", ChangeKind.REMOVED: "−", ChangeKind.RENAMED: "→"}

_TEXTS = {
    (ChangeKind.ADDED, TableRef): mark("{count:{count} table|{count} tables} added"),
    (ChangeKind.REMOVED, TableRef): mark("{count:{count} table|{count} tables} removed"),
    (ChangeKind.RENAMED, TableRef): mark("{count:{count} table|{count} tables} renamed"),
    (ChangeKind.ADDED, ColumnRef): mark("{count:{count} column|{count} columns} added"),
    (ChangeKind.REMOVED, ColumnRef): mark("{count:{count} column|{count} columns} removed"),
    (ChangeKind.RENAMED, ColumnRef): mark("{count:{count} column|{count} columns} renamed"),
    (ChangeKind.TYPE, ColumnRef): mark("{count:{count} type|{count} types} changed"),
    (ChangeKind.KEY, ColumnRef): mark("{count:{count} link|{count} links} changed"),
    (ChangeKind.ADDED, NestedTableRef): mark("{count:{count} nested entry|{count} nested entries} added"),
    (ChangeKind.REMOVED, NestedTableRef): mark("{count:{count} nested entry|{count} nested entries} removed"),
    (ChangeKind.ADDED, ReverseLinkRef): mark("{count:{count} reverse link|{count} reverse links} added"),
    (ChangeKind.REMOVED, ReverseLinkRef): mark("{count:{count} reverse link|{count} reverse links} removed"),
    (ChangeKind.ADDED, UniqueKeyRef): mark("{count:{count} unique key|{count} unique keys} added"),
    (ChangeKind.REMOVED, UniqueKeyRef): mark("{count:{count} unique key|{count} unique keys} removed"),
}
_OTHERS = {
    ChangeKind.OPTION: mark("{count:{count} option|{count} options} changed"),
    ChangeKind.KEY: mark("{count:{count} key|{count} keys} changed"),
    ChangeKind.MOVED: mark("{count:{count} entry|{count} entries} moved"),
}


def summary(changes: Iterable[Change]) -> tuple[Message, ...]:
    """Counts such as ``1 table added``, ``2 columns renamed``, in a fixed order; empty without changes."""
    counts = Counter(_text(change) for change in changes)
    ordered = [*_TEXTS.values(), *_OTHERS.values()]
    return tuple(message(text, count=counts[text]) for text in ordered if text in counts)


def _text(change: Change) -> str:
    return _TEXTS.get((change.kind, type(change.ref))) or _OTHERS[change.kind]


def risk_text(risk: Risk) -> str:
    """What a change may do to the data, empty if nothing."""
    return {
        Risk.SAFE: "",
        Risk.NARROWING: tr("may fail where values do not fit"),
        Risk.DESTROYING: tr("values are lost"),
    }[risk]
