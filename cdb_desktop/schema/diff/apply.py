"""Makes a target equal to a source in chosen differences, and leaves everything else as it is.

So changes are taken over from another model, and taken back: an older version of elements comes into a
document again, with what it needs there.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import msgspec

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.diff.compare import LOCAL_NAME, Change, ChangeKind, ItemId, Risk, reverse_flag
from cdb_desktop.schema.diff.differences import Differences, find_differences
from cdb_desktop.schema.diff.matching import Alignment, MatchBy, align, best_match
from cdb_desktop.schema.document.element_ref import (
    DOCUMENT,
    ColumnRef,
    DocumentRef,
    ElementRef,
    ReverseLinkRef,
    TableRef,
    UniqueKeyRef,
)
from cdb_desktop.schema.document.identity import Identities, Identity, with_identities
from cdb_desktop.schema.document.json_values import ABSENT, Json, option_value
from cdb_desktop.schema.document.local_names import differing_names, with_local_name, with_names_of_new
from cdb_desktop.schema.document.model import (
    ENTRY_PARTS,
    OF_KEYS,
    Column,
    Document,
    ForeignKey,
    NestedTableEntry,
    ReverseLink,
    Table,
    TableEntry,
    UniqueKey,
    UnknownEntry,
)
from cdb_desktop.schema.document.names import (
    element_name,
    nested_name,
    own_table_name,
    table_name,
    with_generated_key_names,
)
from cdb_desktop.schema.edits.edit import EditError, require_table
from cdb_desktop.schema.edits.tables import Removal, removal_of, without_removed

_Item = TypeVar("_Item", bound=Hashable)
_Keys = tuple[int, ...]
EntryRef = ElementRef | bytes  # of a kind that is not known


def with_chosen(differences: Differences, chosen: Collection[ItemId]) -> Document:
    """The target with the chosen differences and all that they need.

    Elements that are not concerned stay the same objects.
    """
    ids = differences.with_ids((), chosen)
    if not ids:
        return differences.target
    application = Application(differences, ids)
    document = application.elements()
    sides = differences.target, differences.source
    document = with_whole_names(document, sides, application.own_names(document))
    for ref, language, _, text in differing_names(*sides):
        if (ChangeKind.OPTION, ref, f"{LOCAL_NAME}{language}") in ids:
            document = with_local_name(document, ref, language, text)
    return document


class Application:
    """Builds a target with chosen differences table by table.

    With the version on which both sides are based the order is that of the side that changed it. Entries of
    unknown kinds and those for editing links elsewhere are then those that neither side has removed.
    ``values`` are those of chosen differences that are in neither side; ABSENT for none.
    """

    def __init__(
        self,
        differences: Differences,
        chosen: Collection[ItemId],
        base: Document | None = None,
        values: Mapping[ItemId, object] | None = None,
    ) -> None:
        self._target, self._source = differences.target, differences.source
        self._shells = differences.shells  # the target with an empty table for each new one
        self._chosen, self._base, self._values = chosen, base, values or {}
        self._concerned = {getattr(id_[1], "table", None) for id_ in chosen}
        self._present = {
            table.key for table in self._shells.tables if self._is_there(TableRef(table.key), table.key)
        }
        self._columns = {
            table.key: self._present_columns(table)
            for table in self._shells.tables
            if table.key in self._present
        }

    def elements(self) -> Document:
        """The document, with the names and ids of elements as each side has them."""
        base = self._source if self._base is None else self._base
        order, theirs, mine = (list(each.by_key) for each in (base, self._target, self._source))
        keys = merged_order(order, theirs, mine, self._present, prefer_mine=False)
        tables = tuple(self._table(self._shells.by_key[key]) for key in keys)
        raw = self._options(DOCUMENT, self._target.raw, self._source.raw)
        document = replace(self._target, raw=raw, tables=tables)
        return without_removed(document, self._gone(document))

    def own_names(self, document: Document) -> dict[int, str]:
        """The names of the document's tables without their owners'."""
        return {key: self._own_name(key) for key in document.by_key}

    def _has(self, kind: ChangeKind, ref: EntryRef, option: str = "") -> bool:
        return (kind, ref, option) in self._chosen

    def _is_there(self, ref: TableRef | ColumnRef, key: int) -> bool:
        """Whether a table is there, or a column of a table that is in both documents."""
        if isinstance(ref, TableRef):
            was, now = key in self._target.by_key, key in self._source.by_key
        else:
            was = key in self._shells.by_key[ref.table].by_key
            now = ref.table in self._source.by_key and key in self._source.by_key[ref.table].by_key
        if was and now:
            return True
        return not self._has(ChangeKind.REMOVED, ref) if was else self._has(ChangeKind.ADDED, ref)

    def _present_columns(self, table: Table) -> frozenset[int]:
        source = self._source.by_key.get(table.key)
        if source is table:
            return frozenset(table.by_key)
        every = dict.fromkeys((*table.by_key, *(() if source is None else source.by_key)))
        return frozenset(key for key in every if self._is_there(ColumnRef(table.key, key), key))

    # Tables

    def _table(self, table: Table) -> Table:
        source = self._source.by_key.get(table.key)
        if source is None or source is table or source == table:
            return table
        is_merged = self._base is not None and not _is_alike(table, source)
        is_concerned = is_merged or table.key in self._concerned
        if not is_concerned and not self._follows(table, source):
            return table
        ref = TableRef(table.key)
        raw, owner = self._options(ref, table.raw, source.raw), table.owner
        if self._has(ChangeKind.OPTION, ref, "owned_by"):
            raw, owner = _with_attribute(raw, source.raw, "owned_by"), source.owner
        found = replace(table, raw=raw, owner=owner, entries=tuple(self._entries(table, source)))
        foreign_keys = tuple(self._foreign_keys(table, source))
        unique_keys = tuple(self._unique_keys(table, source))
        found = replace(found, foreign_keys=foreign_keys, unique_keys=unique_keys)
        return table if found == table else found

    def _follows(self, table: Table, source: Table) -> bool:
        """Whether entries of the table follow differences of other tables."""
        were = {entry.ref(table.key) for entry in table.entries}
        return were != {entry.ref(table.key) for entry in source.entries}

    def _options(
        self, ref: ElementRef, was: Mapping[str, object], now: Mapping[str, object]
    ) -> Mapping[str, object]:
        """The attributes with those options that are chosen."""
        if was == now:
            return was
        raw = was
        before = None if self._base is None else element_attributes(self._base, ref)
        for option in dict.fromkeys((*now, *was)):
            is_chosen = option != "owned_by" and self._has(ChangeKind.OPTION, ref, option)
            if is_chosen or (before is not None and _is_rewritten(option, before, was, now)):
                raw = self._with_own(raw, now, (ChangeKind.OPTION, ref, option), option)
        return raw

    def _with_own(self, raw: Json, now: Json, id_: ItemId, name: str) -> Json:
        """The attributes with one of the source, or with the value of this difference."""
        value = self._values.get(id_, now.get(name, ABSENT))
        return _with_attribute(raw, {} if value is ABSENT else {name: value}, name)

    def _entries(self, table: Table, source: Table) -> Iterator[TableEntry]:
        were, now = entries_by_ref(table), entries_by_ref(source)
        base = None if self._base is None else entries_by_ref(self._base.by_key.get(table.key))
        is_new = table.key not in self._target.by_key
        found: dict[EntryRef, TableEntry] = {}
        for ref in dict.fromkeys((*were, *now)):
            is_alone = (ref in were) != (ref in now)
            if base is not None and is_alone and isinstance(ref, bytes | ReverseLinkRef):
                entry = None if ref in base else were.get(ref, now.get(ref))
            else:
                entry = self._entry(ref, were.get(ref), now.get(ref), is_new=is_new)
            if entry is not None:
                found[ref] = entry
        prefer_mine = self._has(ChangeKind.MOVED, TableRef(table.key))
        if base is None:
            base = were if prefer_mine else now
        order = merged_order(list(base), list(were), list(now), found, prefer_mine=prefer_mine)
        for at, ref in enumerate(now):
            if ref in found and self._has(ChangeKind.MOVED, ref):
                order.remove(ref)
                before = [one for one in list(now)[:at] if one in found]
                order.insert(order.index(before[-1]) + 1 if before else 0, ref)
        yield from (found[ref] for ref in order)

    def _entry(
        self, ref: EntryRef, was: TableEntry | None, now: TableEntry | None, *, is_new: bool
    ) -> TableEntry | None:
        if isinstance(ref, bytes):
            return now if is_new else was
        if was is not None and now is not None:
            return self._both(ref, was, now)
        one = was or now
        if isinstance(one, Column) and isinstance(ref, ColumnRef):
            is_there = one.key in self._columns[ref.table]
        elif isinstance(one, NestedTableEntry):
            is_there = self._has_nested_entry(ref, one, was is not None)
        else:
            is_there = isinstance(one, ReverseLink) and self._has_reverse_entry(ref, one, was is not None)
        return one if is_there else None

    def _has_nested_entry(self, ref: ElementRef, entry: NestedTableEntry, was: bool) -> bool:
        nested = entry.table
        if nested is not None and nested not in (self._target.by_key if not was else self._source.by_key):
            return nested in self._present  # It comes and goes with its table.
        return not self._has(ChangeKind.REMOVED, ref) if was else self._has(ChangeKind.ADDED, ref)

    def _has_reverse_entry(self, ref: ElementRef, entry: ReverseLink, was: bool) -> bool:
        kind = ChangeKind.REMOVED if was else ChangeKind.ADDED
        if self._has(kind, ref):
            return not was
        flags = [reverse_flag(document, entry) for document in (self._shells, self._source)]
        if flags[0] == flags[1]:
            return was
        # It follows the column, or the column's option.
        if entry.table is None or entry.column not in self._columns.get(entry.table, ()):
            return False
        if None in flags:
            return True
        column = ColumnRef(entry.table, entry.column or 0)
        return self._has(ChangeKind.OPTION, column, "reverse_edit") != was

    def _both(self, ref: ElementRef, was: TableEntry, now: TableEntry) -> TableEntry:
        raw = self._options(ref, was.raw, now.raw)
        if isinstance(was, Column):
            if self._has(ChangeKind.RENAMED, ref):
                raw = self._with_own(raw, now.raw, (ChangeKind.RENAMED, ref, ""), "name")
            if self._has(ChangeKind.TYPE, ref):
                raw = _with_attribute(raw, now.raw, "type")
        return was if raw is was.raw else replace(was, raw=raw)

    # Keys

    def _key_order(
        self,
        table: Table,
        were: Mapping[_Item, object],
        now: Mapping[_Item, object],
        keys_of: Callable[[Table], Mapping[_Item, object]],
    ) -> list[_Item]:
        """The keys of both sides in the order of the side that changed it."""
        base = None if self._base is None else self._base.by_key.get(table.key)
        if base is None:
            return list(dict.fromkeys((*were, *now)))
        return merged_order(list(keys_of(base)), list(were), list(now), {**were, **now}, prefer_mine=False)

    def _foreign_keys(self, table: Table, source: Table) -> Iterator[ForeignKey]:
        were, now = _foreign_keys_by_columns(table), _foreign_keys_by_columns(source)
        for all_columns in self._key_order(table, were, now, _foreign_keys_by_columns):
            columns = tuple(column for column in all_columns if isinstance(column, int))
            if not self._columns[table.key].issuperset(columns):
                continue
            key = self._foreign_key(table, source, columns, were.get(all_columns), now.get(all_columns))
            if key is not None:
                yield key

    def _foreign_key(
        self, table: Table, source: Table, columns: _Keys, was: ForeignKey | None, now: ForeignKey | None
    ) -> ForeignKey | None:
        sides = {self._side(table, source, column) for column in columns}
        if True in sides:
            return now
        if False in sides:
            return was
        ref: ElementRef = ColumnRef(table.key, columns[0]) if columns else TableRef(table.key)
        if was is None or now is None:
            return now if self._has(ChangeKind.KEY, ref) else was
        return self._merged_key(ref, was, now)

    def _side(self, table: Table, source: Table, column: int) -> bool | None:
        """Whether a column's type is that of the source; None if it is a link, or not, in both."""
        was, now = table.by_key.get(column), source.by_key.get(column)
        if was is None or now is None:
            return was is None
        if was.is_link == now.is_link:
            return None
        return self._has(ChangeKind.TYPE, ColumnRef(table.key, column))

    def _merged_key(self, ref: ElementRef, was: ForeignKey, now: ForeignKey) -> ForeignKey:
        raw = was.raw
        for rule in dict.fromkeys((*now.raw, *was.raw)):
            if rule in OF_KEYS:
                continue
            is_of_edit = self._base is None and rule == "on_delete"
            follows = is_of_edit and self._has(ChangeKind.OPTION, ref, "reverse_edit")
            if follows or (rule and self._has(ChangeKind.KEY, ref, rule)):
                raw = self._with_own(raw, now.raw, (ChangeKind.KEY, ref, rule), rule)
        found = was if raw is was.raw else replace(was, raw=raw)
        if self._has(ChangeKind.KEY, ref, "columns"):
            found = replace(found, columns=now.columns)
        if self._has(ChangeKind.KEY, ref, "referenced_table") and was.target == now.target:
            found = replace(found, target_raw=now.target_raw, target_columns=now.target_columns)
        if not self._has(ChangeKind.KEY, ref, "target"):
            return found
        return replace(found, target_raw=now.target_raw, target=now.target, target_columns=now.target_columns)

    def _unique_keys(self, table: Table, source: Table) -> Iterator[UniqueKey]:
        were, now = _unique_keys_by_columns(table), _unique_keys_by_columns(source)
        for columns in self._key_order(table, were, now, _unique_keys_by_columns):
            was, own = were.get(columns), now.get(columns)
            if any(not self._columns[table.key].issuperset(key.column_keys) for key in (was, own) if key):
                continue
            if was is None:
                if own is not None and self._has(ChangeKind.ADDED, own.ref(table.key)):
                    yield own
            elif own is None:
                if not self._has(ChangeKind.REMOVED, was.ref(table.key)):
                    yield was
            else:
                is_changed = any(self._has(ChangeKind.KEY, key.ref(table.key)) for key in (was, own))
                yield own if is_changed else was

    # Names and references of the result

    def _gone(self, document: Document) -> Removal:
        """What one of the sides has and the document has not."""
        sides = self._target, self._source
        tables = {key for side in sides for key in side.by_key} - document.by_key.keys()
        columns = (self._target.column_keys | self._source.column_keys).difference(*self._columns.values())
        dependent = removal_of(document, map(TableRef, tables))
        return Removal(dependent.tables | tables, dependent.columns | columns)

    def _own_name(self, key: int) -> str:
        is_source = key not in self._target.by_key or self._has(ChangeKind.RENAMED, TableRef(key))
        side = self._source if is_source else self._target
        return own_table_name(side, side.by_key[key])


def with_whole_names(document: Document, sides: Sequence[Document], own_names: Mapping[int, str]) -> Document:
    """The document, made of both sides, with the ids and names of its elements in all references.

    ``own_names`` are those of tables without their owners'. Generated names of keys are made again.
    """
    tables: dict[int, Identity] = {}
    columns: dict[int, Identity] = {}
    for table in document.tables:
        versions = [side.by_key[table.key] for side in sides if table.key in side.by_key]
        name, id_ = _whole_name(document, table, own_names), _id_of(versions)
        if table.name != name or any((one.name, one.id) != (name, id_) for one in versions):
            tables[table.key] = Identity(table.key, id_, name)
        if any(one.entries != table.entries for one in versions):
            columns |= _column_identities(table, versions)
    identities = Identities(tables, columns)
    if identities:
        (document,) = with_identities((document,), identities)
    known = [side.by_key for side in sides]
    changed = [
        table.key for table in document.tables if all(one.get(table.key) is not table for one in known)
    ]
    return with_generated_key_names(document, changed, *sides)


def _column_identities(table: Table, versions: Sequence[Table]) -> dict[int, Identity]:
    found: dict[int, Identity] = {}
    for column in table.columns:
        same = [one.by_key[column.key] for one in versions if column.key in one.by_key]
        id_ = _id_of(same)
        if any((one.name, one.id) != (column.name, id_) for one in same):
            found[column.key] = Identity(column.key, id_, column.name)
    return found


def _id_of(versions: Iterable[Table | Column]) -> int | None:
    return next((one.id for one in versions if one.id is not None), None)


def _whole_name(document: Document, table: Table, own_names: Mapping[int, str]) -> str:
    name, seen = own_names[table.key], {table.key}
    above = None if table.owner is None else document.by_key.get(table.owner)
    while above is not None and above.key not in seen:
        seen.add(above.key)
        name = nested_name(own_names[above.key], name)
        above = None if above.owner is None else document.by_key.get(above.owner)
    return name


def entries_by_ref(table: Table | None) -> dict[EntryRef, TableEntry]:
    """The entries by their references, those of unknown kinds by their content; none without a table."""
    found: dict[EntryRef, TableEntry] = {}
    if table is None:
        return found
    for entry in table.entries:
        ref: EntryRef = entry.ref(table.key)
        if isinstance(entry, UnknownEntry):
            ref = msgspec.json.encode(entry.raw, order="deterministic")
            while ref in found:
                ref += b" "
        found[ref] = entry
    return found


def _foreign_keys_by_columns(table: Table) -> dict[tuple[int | str, ...], ForeignKey]:
    return {key.all_columns: key for key in table.foreign_keys}


def _unique_keys_by_columns(table: Table) -> dict[frozenset[int | str], UniqueKey]:
    return {frozenset(key.all_columns): key for key in table.unique_keys}


def element_attributes(document: Document, ref: ElementRef) -> Json:
    """The attributes of an element but its parts, none without it."""
    if isinstance(ref, DocumentRef):
        return document.raw
    table = document.by_key.get(ref.table)
    if table is not None and isinstance(ref, TableRef):
        return table.raw
    entry = entries_by_ref(table).get(ref)
    return {} if entry is None else entry.raw


def _is_alike(table: Table, source: Table) -> bool:
    """Whether only attributes of keys differ, such as names that follow other elements."""
    return (
        (table.raw, table.entries) == (source.raw, source.entries)
        and list(_foreign_keys_by_columns(table)) == list(_foreign_keys_by_columns(source))
        and list(_unique_keys_by_columns(table)) == list(_unique_keys_by_columns(source))
    )


def _is_rewritten(option: str, base: Json, theirs: Json, mine: Json) -> bool:
    """Whether mine has another value with the same meaning, such as false for none, and theirs has not."""
    values = [each.get(option, ABSENT) for each in (base, theirs, mine)]
    same = option_value(option, theirs) == option_value(option, mine)
    return same and option not in ENTRY_PARTS and values[0] == values[1] != values[2]


def _with_attribute(
    raw: Mapping[str, object], source: Mapping[str, object], name: str
) -> Mapping[str, object]:
    """The attributes with one of the source, or without it if the source lacks it."""
    found = {key: value for key, value in raw.items() if key != name or name in source}
    if name in source:
        found[name] = source[name]
    return found


def is_order_disputed(base: Sequence[_Item], theirs: Sequence[_Item], mine: Sequence[_Item]) -> bool:
    """Whether both sides have changed the order of the common items, in different ways."""
    was, their_order, my_order = _common_orders(base, theirs, mine)
    return was not in (their_order, my_order) and their_order != my_order


def merged_order(
    base: Sequence[_Item],
    theirs: Sequence[_Item],
    mine: Sequence[_Item],
    present: Collection[_Item],
    *,
    prefer_mine: bool,
) -> list[_Item]:
    """The items in ``present`` in the order of the side that changed it, else of the preferred one.

    Items of one side only follow what they follow there; between the same neighbors theirs come first.
    Each of ``present`` is in ``theirs`` or in ``mine``, and no list has an item twice.
    """
    was, their_order, my_order = _common_orders(base, theirs, mine)
    by_mine = their_order == was if was in (their_order, my_order) else prefer_mine
    first, second = (mine, theirs) if by_mine and my_order != was else (theirs, mine)
    found = [item for item in first if item in present]
    known, other = set(found), set(second)
    if known.issuperset(item for item in second if item in present):
        return found
    last: _Item | None = None
    for item in second:
        if item not in known and item in present:
            at = 0 if last is None else found.index(last) + 1
            # Items that only the first list has stay together.
            while first is theirs and at < len(found) and found[at] not in other:
                at += 1
            found.insert(at, item)
            known.add(item)
        if item in known:
            last = item
    return found


def _common_orders(
    base: Sequence[_Item], theirs: Sequence[_Item], mine: Sequence[_Item]
) -> tuple[list[_Item], list[_Item], list[_Item]]:
    common = set(base) & set(theirs) & set(mine)
    was, their_order, my_order = ([item for item in each if item in common] for each in (base, theirs, mine))
    return was, their_order, my_order


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


@dataclass(frozen=True, slots=True)
class ImportSource:
    """``align`` returns the source with the keys of a target; ``names`` are localized (wire §5).

    ``best`` returns how the elements are best found, None if only names are possible. ``losses`` are texts
    about what is not taken over.
    """

    name: str
    align: Callable[[Document, MatchBy], Alignment]
    best: Callable[[Document], MatchBy] | None = None
    names: Mapping[str, object] = field(default_factory=dict)
    losses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Proposal:
    """The differences of a target and a source, and the ids of both.

    ``best`` is how elements are best found.
    """

    source: ImportSource
    by: MatchBy
    best: MatchBy
    alignment: Alignment
    differences: Differences

    def result(self, chosen: frozenset[ItemId]) -> Document:
        """The target with the chosen differences; new elements have the localized names of the source."""
        document = with_chosen(self.differences, chosen)
        new = [
            ref
            for kind, ref, _ in chosen
            if kind is ChangeKind.ADDED and isinstance(ref, TableRef | ColumnRef)
        ]
        return with_names_of_new(document, self.alignment.document, self.source.names, new)


def propose(source: ImportSource, target: Document, by: MatchBy | None = None) -> Proposal:
    """What taking over the source would change in the target."""
    best = MatchBy.NAMES if source.best is None else source.best(target)
    by = by or best
    alignment = source.align(target, by)
    return Proposal(source, by, best, alignment, find_differences(target, alignment.document))


def model_source(name: str, document: Document, names: Mapping[str, object]) -> ImportSource:
    """A whole model, of a file or of a service."""
    return ImportSource(
        name,
        lambda target, by: align(document, target, by),
        lambda target: best_match(document, target),
        names,
    )
