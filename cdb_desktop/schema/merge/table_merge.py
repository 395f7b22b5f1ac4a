"""Merges one table that is in both versions, and decides which removed tables the other side needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.diff.apply import is_order_disputed, merged_order
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.json_values import Json, option_value, shown_value, without
from cdb_desktop.schema.document.model import (
    OF_KEYS,
    OTHER_PARTS,
    TABLE_PARTS,
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
    column_name,
    columns_name,
    own_table_name,
    table_name,
    unused_name,
)
from cdb_desktop.schema.merge.conflict import (
    ABSENT,
    Choice,
    Conflict,
    Side,
    Text,
    key_conflict,
    name_collision,
    only_changed_by,
    order_conflict,
    removal_conflict,
    side_of,
    value_conflict,
)
from cdb_desktop.schema.merge.matching import (
    OF_COLUMNS,
    EntryId,
    LinkState,
    Versions,
    entry_ids,
    is_column_used,
    is_reverse_changed,
    key_attributes,
    key_content,
    key_ids,
    link_state,
    nested_options,
    table_content,
)

Choose = Callable[[Conflict], Choice]
_KeyType = TypeVar("_KeyType", ForeignKey, UniqueKey)


_REVERSE_EDIT = "reverse_edit"


def merged_attributes(
    ref: ElementRef, element: str, versions: tuple[Json, Json, Json], skipped: frozenset[str], choose: Choose
) -> dict[str, object]:
    """The attributes of base, theirs and mine merged one by one; those in ``skipped`` are theirs."""
    base, theirs, mine = versions
    found = dict(theirs)
    for name in dict.fromkeys((*theirs, *mine, *base)):
        if name in skipped:
            continue
        was, their, my = (each.get(name, ABSENT) for each in (base, theirs, mine))
        side = only_changed_by(was, their, my)
        if side is None:  # Perhaps only hints have changed, which follow names anyway.
            side = only_changed_by(*(option_value(name, each) for each in versions))
        if side is None and option_value(name, theirs) != option_value(name, mine):
            value = _both_changed(ref, element, name, (was, their, my), choose)
        else:
            value = my if side == "mine" else their
        if value is ABSENT:
            found.pop(name, None)
        else:
            found[name] = value
    return found


def _both_changed(
    ref: ElementRef, element: str, name: str, values: tuple[object, object, object], choose: Choose
) -> object:
    was, their, my = values
    if (
        isinstance(their, list)
        and isinstance(my, list)
        and all(isinstance(one, str) for one in (*their, *my))
    ):
        before = was if isinstance(was, list) else []
        kept = [one for one in their if one in my or one not in before]
        return [*kept, *(one for one in my if one not in before and one not in kept)]
    shown = (_shown(each) for each in (was, my, their))
    choice = choose(value_conflict(ref, name, element, name, shown, has_base=True))
    return {"mine": my, "theirs": their, "base": was}[choice]


def _shown(value: object) -> str:
    return "" if value is ABSENT or value is None else shown_value(value)


def _reverse_edit(on: bool, was: object, theirs: object, mine: object) -> object:
    """The attribute as one side has it, with this meaning."""
    values = (mine, theirs) if theirs == was else (theirs, mine)
    return next((value for value in values if (value is True) == on), on)


@dataclass(frozen=True, slots=True)
class MergedLink:
    """The type and the targets of a column, with the side of its keys; ``is_chosen`` after a conflict."""

    state: LinkState
    side: Side
    is_chosen: bool = False


@dataclass(slots=True)
class TableMerge:
    """Merges the versions of a table that is in both; without base both sides have added it.

    ``present`` are the keys of all tables of the result.
    """

    versions: Versions
    key: int
    kept: KeptElements
    present: Collection[int]
    choose: Choose
    _links: dict[int, MergedLink] = field(default_factory=dict)
    _present: set[int] = field(default_factory=set)

    @property
    def _base(self) -> Table | None:
        return self.versions.base.by_key.get(self.key)

    @property
    def _theirs(self) -> Table:
        return self.versions.theirs.by_key[self.key]

    @property
    def _mine(self) -> Table:
        return self.versions.mine.by_key[self.key]

    def merged(self) -> tuple[Table, str]:
        """The table, and its name without that of its owner."""
        base, theirs, mine = self._base, self._theirs, self._mine
        ref, element = TableRef(self.key), mine.name
        raws = ({} if base is None else base.raw, theirs.raw, mine.raw)
        raw = merged_attributes(ref, element, raws, TABLE_PARTS, self.choose)
        own_name = self._own_name()
        owner_side = self._owner_side()
        owned_by = (mine if owner_side == "mine" else theirs).raw.get("owned_by", ABSENT)
        raw.pop("owned_by", None)
        if owned_by is not ABSENT:
            raw["owned_by"] = owned_by
        entries = self._entries()
        return (
            Table(
                raw=raw,
                key=self.key,
                owner=(mine if owner_side == "mine" else theirs).owner,
                entries=entries,
                foreign_keys=self._foreign_keys(),
                unique_keys=self._unique_keys(),
            ),
            own_name,
        )

    # Names and owners

    def _own_name(self) -> str:
        names = [
            own_table_name(document, table)
            for document, table in (
                (self.versions.theirs, self._theirs),
                (self.versions.mine, self._mine),
            )
        ]
        base = self._base
        was = None if base is None else own_table_name(self.versions.base, base)
        return self._name(TableRef(self.key), self._mine.name, was, *names)

    def _name(self, ref: ElementRef, element: str, was: str | None, theirs: str, mine: str) -> str:
        side = only_changed_by(was, theirs, mine)
        if side is not None:
            return theirs if side == "theirs" else mine
        values, has_base = (was or "", mine, theirs), bool(was)
        conflict = value_conflict(ref, "name", element, message("Name"), values, has_base=has_base)
        return {"mine": mine, "theirs": theirs, "base": was or mine}[self.choose(conflict)]

    def _owner_side(self) -> Side:
        base, theirs, mine = self._base, self._theirs, self._mine
        was, their, my = (
            None if each is None else (each.is_nested, each.owner, _of_owned_by(each))
            for each in (base, theirs, mine)
        )
        side = only_changed_by(was, their, my)
        if side is not None:
            return side
        documents = (self.versions.base, self.versions.mine, self.versions.theirs)
        owners = (
            "" if each is None or each.owner is None else table_name(document, each.owner)
            for document, each in zip(documents, (base, mine, theirs), strict=True)
        )
        conflict = value_conflict(TableRef(self.key), "owned_by", mine.name, "owned_by", owners)
        return side_of(self.choose(conflict))

    # Entries

    def _entries(self) -> tuple[TableEntry, ...]:
        base = {} if self._base is None else entry_ids(self._base)
        theirs, mine = entry_ids(self._theirs), entry_ids(self._mine)
        found: dict[EntryId, TableEntry] = {}
        for id_ in dict.fromkeys((*theirs, *mine)):
            entry = self._entry(base.get(id_), theirs.get(id_), mine.get(id_))
            if entry is not None:
                found[id_] = entry
        self._present = {entry.key for entry in found.values() if isinstance(entry, Column)}
        self._separate_names(found)
        prefer_mine = False
        if is_order_disputed(list(base), list(theirs), list(mine)):
            prefer_mine = self.choose(order_conflict(TableRef(self.key), self._mine.name)) == "mine"
        order = merged_order(list(base), list(theirs), list(mine), found.keys(), prefer_mine=prefer_mine)
        return tuple(found[id_] for id_ in order)

    def _entry(
        self, was: TableEntry | None, theirs: TableEntry | None, mine: TableEntry | None
    ) -> TableEntry | None:
        if isinstance(theirs, Column) and isinstance(mine, Column):
            return self._column(was if isinstance(was, Column) else None, theirs, mine)
        one = theirs or mine
        if theirs is None or mine is None:
            is_kept = was is None or self._is_kept(one, "mine" if mine is None else "theirs")
            return one if is_kept else None
        if isinstance(theirs, NestedTableEntry | ReverseLink) and isinstance(mine, type(theirs)):
            ref = theirs.ref(self.key)
            name = table_name(self.versions.theirs, theirs.table)
            raws = ({} if was is None else was.raw, theirs.raw, mine.raw)
            raw = merged_attributes(ref, name, raws, OTHER_PARTS, self.choose)
            return replace(theirs, raw=raw)
        return theirs

    def _is_kept(self, entry: TableEntry | None, remover: Side) -> bool:
        """Whether an entry that one side has removed stays."""
        if isinstance(entry, NestedTableEntry):
            return entry.table in self.kept.tables
        if not isinstance(entry, Column):
            return False
        is_mine = remover == "theirs"
        document = self.versions.mine if is_mine else self.versions.theirs
        table = self._mine if is_mine else self._theirs
        if entry.key in self.kept.settled:
            is_kept = entry.key in self.kept.columns
        else:
            is_kept = is_column_used(
                self.versions.base, document, self.key, entry.key
            ) and remover != self.choose(
                removal_conflict(
                    ColumnRef(self.key, entry.key),
                    column_name(document, self.key, entry.key),
                    remover,
                    self._changes_text(entry),
                )
            )
        if is_kept:
            side: Side = "mine" if is_mine else "theirs"
            self.kept.columns.add(entry.key)
            self._links[entry.key] = MergedLink(link_state(table, entry), side)
        return is_kept

    def _changes_text(self, column: Column) -> Text:
        """Which attributes of a column one side has changed."""
        was = None if self._base is None else self._base.by_key.get(column.key)
        names = dict.fromkeys((*column.raw, *({} if was is None else was.raw)))
        changed = [] if was is None else [one for one in names if was.raw.get(one) != column.raw.get(one)]
        if not changed:
            return message("Changed")
        return message("Changed: {names}", names=", ".join(changed))

    def _column(self, was: Column | None, theirs: Column, mine: Column) -> Column:
        ref = ColumnRef(self.key, theirs.key)
        element = column_name(self.versions.mine, self.key, mine.key)
        raws = ({} if was is None else was.raw, theirs.raw, mine.raw)
        raw = merged_attributes(ref, element, raws, OF_COLUMNS, self.choose)
        old_name = None if was is None else was.name
        raw["name"] = self._name(ref, element, old_name, theirs.name, mine.name)
        link = self._with_target(self._link(ref, element, was, theirs, mine), theirs, mine)
        self._links[theirs.key] = link
        raw["type"] = link.state.type
        values = (each.get(_REVERSE_EDIT, ABSENT) for each in raws)
        value = _reverse_edit(link.state.reverse_edit, *values)
        raw.pop(_REVERSE_EDIT, None)
        if value is not ABSENT:
            raw[_REVERSE_EDIT] = value
        return Column(raw, theirs.key)

    def _separate_names(self, found: dict[EntryId, TableEntry]) -> None:
        """Decides between two columns that get the same name, one from each side."""
        names = {entry.key: entry.name for entry in found.values() if isinstance(entry, Column)}
        sides = [
            {} if table is None else {key: column.name for key, column in table.by_key.items()}
            for table in (self._base, self._theirs, self._mine)
        ]
        former = {key: f"{self._mine.name}.{sides[0].get(key, name)}" for key, name in names.items()}
        others = separate_names(names, sides, former, partial(ColumnRef, self.key), self.choose)
        for key, name in others.items():
            found["column", key] = replace(
                found["column", key], raw={**found["column", key].raw, "name": name}
            )

    # Types and links

    def _link(
        self, ref: ColumnRef, element: str, was: Column | None, theirs: Column, mine: Column
    ) -> MergedLink:
        base = self._base
        before = None if was is None or base is None else link_state(base, was)
        their, my = link_state(self._theirs, theirs), link_state(self._mine, mine)
        if my == their or (my == before and not self._depends_on("mine", their, ref.column)):
            return MergedLink(their, "theirs")
        if their == before and not self._depends_on("theirs", my, ref.column):
            return MergedLink(my, "mine")
        if before is not None and my != before != their and before.is_link and their.is_link and my.is_link:
            mixed = self._mixed(before, their, my)
            if mixed is not None:
                return mixed
        values = (
            "" if state is None else self._state_text(document, state)
            for document, state in (
                (self.versions.base, before),
                (self.versions.mine, my),
                (self.versions.theirs, their),
            )
        )
        side = side_of(self.choose(value_conflict(ref, "type", element, message("Type"), values)))
        return MergedLink(my if side == "mine" else their, side, is_chosen=True)

    def _with_target(self, link: MergedLink, theirs: Column, mine: Column) -> MergedLink:
        """The other side's type if the table that the column links to is not there."""
        other_side: Side = "theirs" if link.side == "mine" else "mine"
        if self._has_targets(link.state):
            return link
        other = link_state(*((self._mine, mine) if other_side == "mine" else (self._theirs, theirs)))
        return MergedLink(other, other_side, is_chosen=True) if self._has_targets(other) else link

    def _has_targets(self, state: LinkState) -> bool:
        return all(target is None or target in self.present for target in state.targets)

    def _depends_on(self, side: Side, other: LinkState, column: int) -> bool:
        """Whether a side has changed what the other side's type or target makes meaningless."""
        base = self._base
        if base is None or column not in base.by_key:
            return False
        is_mine = side == "mine"
        document = self.versions.mine if is_mine else self.versions.theirs
        table = self._mine if is_mine else self._theirs
        before = link_state(base, base.by_key[column])
        if other == before:
            return False
        if is_reverse_changed(self.versions.base, document, self.key, column):
            return True
        if other.type == "link":
            return False
        contents = [
            [key_attributes(one, each, key) for key in each.links.get(column, ())]
            for one, each in ((self.versions.base, base), (document, table))
        ]
        return bool(contents[0]) and contents[0] != contents[1]

    @staticmethod
    def _mixed(before: LinkState, theirs: LinkState, mine: LinkState) -> MergedLink | None:
        """One side has changed the target, the other one where rows are edited; None for a conflict."""
        if mine.targets == before.targets and theirs.reverse_edit == before.reverse_edit:
            return MergedLink(replace(theirs, reverse_edit=mine.reverse_edit), "theirs")
        if theirs.targets == before.targets and mine.reverse_edit == before.reverse_edit:
            return MergedLink(replace(mine, reverse_edit=theirs.reverse_edit), "mine")
        return None

    @staticmethod
    def _state_text(document: Document, state: LinkState) -> Text:
        if state.type != "link":
            return state.type
        targets = ", ".join(table_name(document, target) for target in state.targets)
        if state.reverse_edit:
            return message("link to {target}, edited there", target=targets)
        return message("link to {target}", target=targets)

    # Keys

    def _foreign_keys(self) -> tuple[ForeignKey, ...]:
        base = {} if self._base is None else key_ids(self._base.foreign_keys)
        theirs, mine = key_ids(self._theirs.foreign_keys), key_ids(self._mine.foreign_keys)
        found = {}
        for id_ in dict.fromkeys((*theirs, *mine)):
            key = self._foreign_key(base.get(id_), theirs.get(id_), mine.get(id_))
            if key is not None:
                found[id_] = key
        order = merged_order(list(base), list(theirs), list(mine), found, prefer_mine=False)
        return tuple(found[id_] for id_ in order)

    def _foreign_key(
        self, was: ForeignKey | None, theirs: ForeignKey | None, mine: ForeignKey | None
    ) -> ForeignKey | None:
        columns = (theirs or mine or was or ForeignKey({}, (), {}, None, ())).column_keys
        if not self._present.issuperset(columns):
            return None
        link = self._links.get(columns[0]) if len(columns) == 1 else None
        if link is None:
            # Of a column that only one side has, or of none.
            return self._whole_key(TableRef(self.key), was, theirs, mine)
        chosen = mine if link.side == "mine" else theirs
        if link.is_chosen or chosen is None or theirs is None or mine is None:
            return chosen
        details = ({} if key is None else key_details(key) for key in (was, theirs, mine))
        parts = [[each.get(name) for name in sorted(OF_KEYS)] for each in details]
        if only_changed_by(*parts) == "mine" and theirs.target == mine.target:
            chosen = mine
        ref = ColumnRef(self.key, columns[0])
        element = columns_name(self._mine, columns)
        documents = self.versions.base, self.versions.theirs, self.versions.mine
        base = self._base
        versions = (
            {} if was is None or base is None else key_attributes(documents[0], base, was),
            key_attributes(documents[1], self._theirs, theirs),
            key_attributes(documents[2], self._mine, mine),
        )
        merged = merged_attributes(ref, element, versions, OF_KEYS, self.choose)
        own = versions[1].keys() | versions[2].keys()
        raw = {name: value for name, value in chosen.raw.items() if name in merged or name not in own}
        return replace(chosen, raw={**raw, **merged})

    def _unique_keys(self) -> tuple[UniqueKey, ...]:
        base = {} if self._base is None else key_ids(self._base.unique_keys)
        theirs, mine = key_ids(self._theirs.unique_keys), key_ids(self._mine.unique_keys)
        found = {}
        for id_ in dict.fromkeys((*theirs, *mine)):
            their, my = theirs.get(id_), mine.get(id_)
            one = their or my
            if one is None or not self._present.issuperset(one.column_keys):
                continue
            if (their is None or my is None) and not self.kept.columns.isdisjoint(one.column_keys):
                found[id_] = one
                continue
            key = self._whole_key(one.ref(self.key), base.get(id_), their, my)
            if key is not None:
                found[id_] = key
        order = merged_order(list(base), list(theirs), list(mine), found, prefer_mine=False)
        return tuple(found[id_] for id_ in order)

    def _whole_key(
        self,
        ref: ElementRef,
        was: _KeyType | None,
        theirs: _KeyType | None,
        mine: _KeyType | None,
    ) -> _KeyType | None:
        """The key of the side that changed it: the parts of a key belong together."""
        documents = self.versions.base, self.versions.theirs, self.versions.mine
        tables = self._base, self._theirs, self._mine
        before, their, my = (
            None if key is None or table is None else key_content(document, table, key)
            for document, table, key in zip(documents, tables, (was, theirs, mine), strict=True)
        )
        side = only_changed_by(before, their, my)
        if side is not None:
            return theirs if side == "theirs" else mine
        one, table = (theirs, tables[1]) if mine is None else (mine, tables[2])
        if one is None:
            return None
        texts = (
            self._key_text(each, holder)
            for each, holder in ((was, tables[0]), (mine, tables[2]), (theirs, tables[1]))
        )
        name = columns_name(table, one.column_keys)
        choice = self.choose(key_conflict(ref, f"key {one.name}", name, texts))
        return mine if choice == "mine" else theirs

    @staticmethod
    def _key_text(key: ForeignKey | UniqueKey | None, table: Table | None) -> Text:
        if key is None or table is None:
            return message("No key")
        values = {name: value for name, value in key.raw.items() if name not in OF_KEYS and value is not None}
        options = ", ".join(f"{name}: {shown_value(value)}" for name, value in values.items())
        columns = columns_name(table, key.column_keys)
        return f"{columns} ({options})" if options else columns


def _of_owned_by(table: Table) -> Json:
    """What a nested table says of its owner beside which table it is."""
    owned_by = table.raw.get("owned_by")
    return without(owned_by, OTHER_PARTS) if isinstance(owned_by, Mapping) else {}


def separate_names(
    names: Mapping[int, str],
    versions: Sequence[Mapping[int, str]],
    former: Mapping[int, str],
    ref_of: Callable[[int], ElementRef],
    choose: Choose,
) -> dict[int, str]:
    """Other names for those elements that give way to one with the same name, which the other side gave.

    All names are by the keys of elements: those of the result, of base, theirs and mine, and the whole ones
    that users know.
    """
    base, theirs, mine = versions
    holders: dict[str, list[int]] = {}
    for key, name in names.items():
        holders.setdefault(name, []).append(key)
    taken, found = set(holders), dict[int, str]()
    for name, keys in holders.items():
        my = [key for key in keys if mine.get(key) == name != theirs.get(key)]
        their = [key for key in keys if theirs.get(key) == name != mine.get(key)]
        if len(my) != 1 or len(their) != 1:
            continue
        pair = my[0], their[0]
        # The former name if it is free, else the name with a number.
        free = (base.get(key) for key in pair)
        others = [unused_name(name, taken) if one is None or one in taken else one for one in free]
        sides = [(former.get(key, name), other) for key, other in zip(pair, others, strict=True)]
        at = 1 if choose(name_collision(ref_of(pair[0]), name, *sides)) == "mine" else 0
        found[pair[at]] = others[at]
        taken.add(others[at])
    return found


_MOST_NAMES = 5


@dataclass(slots=True)
class KeptElements:
    """What stays although one side has removed it; ``settled`` are columns that stay or go with a table.

    ``changed`` are tables that have to be merged, since something in them stays.
    """

    tables: set[int] = field(default_factory=set)
    columns: set[int] = field(default_factory=set)
    settled: set[int] = field(default_factory=set)
    changed: set[int] = field(default_factory=set)


def kept_elements(versions: Versions, choose: Callable[[Conflict], Choice]) -> KeptElements:
    """The removed tables that stay, after asking ``choose`` about those that the other side needs."""
    kept = KeptElements()
    sides: tuple[tuple[Side, Document, Document], ...] = (
        ("theirs", versions.theirs, versions.mine),
        ("mine", versions.mine, versions.theirs),
    )
    for remover, other, keeper in sides:
        gone = frozenset(
            key for key in versions.base.by_key if key not in other.by_key and key in keeper.by_key
        )
        if gone:
            _RemovedTables(versions.base, remover, other, keeper, gone).decide(kept, choose)
    return kept


@dataclass(frozen=True, slots=True)
class _Group:
    """A removed table with those nested in it, and the columns that were removed since they link there."""

    table: int
    tables: frozenset[int]
    columns: frozenset[tuple[int, int]]
    links: tuple[tuple[int, int], ...]  # of the other side, from outside


class _RemovedTables:
    """The tables that one side has removed and the other has not."""

    def __init__(
        self, base: Document, remover: Side, without: Document, keeper: Document, gone: frozenset[int]
    ) -> None:
        self._base, self._without, self._keeper = base, without, keeper
        self._remover, self._gone = remover, gone
        self._links = list(self._links_to_gone())

    def decide(self, kept: KeptElements, choose: Callable[[Conflict], Choice]) -> None:
        """Adds what stays."""
        tops = (
            key
            for key in self._base.by_key
            if key in self._gone and self._keeper.by_key[key].owner not in self._gone
        )
        groups = [self._group(key) for key in tops]
        disputed = {group.table for group in groups if self._is_needed(group)}
        of_table = {key: group for group in groups for key in group.tables}
        waiting: list[_Group] = []
        for group in groups:
            kept.settled |= {column for _, column in group.columns}
            if group.table in disputed and choose(self._conflict(group)) != self._remover:
                waiting.append(group)
        # What stays needs the tables that it links to, unless it was decided that they go.
        seen = {group.table for group in waiting}
        while waiting:
            group = waiting.pop()
            self._keep(group, kept)
            for key in self._linked_from(group):
                other = of_table.get(key)
                if other is not None and other.table not in seen | disputed:
                    seen.add(other.table)
                    waiting.append(other)

    def _keep(self, group: _Group, kept: KeptElements) -> None:
        kept.tables |= group.tables
        kept.columns |= {column for _, column in group.columns}
        kept.changed |= {table for table, _ in group.columns}
        owner = self._keeper.by_key[group.table].owner
        if owner is not None:
            kept.changed.add(owner)

    def _group(self, key: int) -> _Group:
        tables = frozenset({key, *self._keeper.nested_below(key)})
        links = tuple(
            (table, column)
            for table, column, target in self._links
            if target in tables and table not in tables
        )
        columns = frozenset(
            (table, column)
            for table, column in links
            if self._is_in(self._base, table, column)
            and table in self._without.by_key
            and not self._is_in(self._without, table, column)
        )
        return _Group(key, tables, columns, links)

    def _is_needed(self, group: _Group) -> bool:
        """Whether the other side has changed the tables, or refers to them in a new or changed column."""
        base, keeper = self._base, self._keeper
        for key in group.tables:
            was, now = base.by_key.get(key), keeper.by_key[key]
            if was is None or (was != now and table_content(base, was) != table_content(keeper, now)):
                return True
            if any(is_reverse_changed(base, keeper, key, column) for column in now.links):
                return True
        if nested_options(base, group.table) != nested_options(keeper, group.table):
            return True
        return any(self._is_new_link(group, *link) for link in group.links)

    def _is_new_link(self, group: _Group, table: int, column: int) -> bool:
        base, keeper = self._base, self._keeper
        if not self._is_in(base, table, column):
            return True
        was = base.by_key[table]
        if not any(key.target in group.tables for key in was.links.get(column, ())):
            return True
        return (table, column) in group.columns and is_column_used(base, keeper, table, column)

    def _conflict(self, group: _Group) -> Conflict:
        name = table_name(self._keeper, group.table)
        nested = [table_name(self._keeper, key) for key in self._keeper.nested_below(group.table)]
        lost = [link for link in group.links if not self._is_in(self._without, *link)]
        was, now = self._base.by_key[group.table], self._keeper.by_key[group.table]
        changes = message("Changed")
        if table_content(self._base, was) == table_content(self._keeper, now):
            used = [link for link in group.links if self._is_new_link(group, *link)]
            if used:
                changes = message("Used by {names}", names=self._names(used))
        others = ", ".join(filter(None, (*nested, self._names(lost))))
        return removal_conflict(TableRef(group.table), name, self._remover, changes, others)

    def _names(self, links: Sequence[tuple[int, int]]) -> str:
        names = [column_name(self._keeper, table, column) for table, column in links[:_MOST_NAMES]]
        return ", ".join(names if len(links) <= _MOST_NAMES else [*names, "…"])

    def _linked_from(self, group: _Group) -> Iterator[int]:
        for key in group.tables:
            table = self._keeper.by_key[key]
            yield from (one.target for one in table.foreign_keys if one.target is not None)
            yield from (
                entry.table
                for entry in table.entries
                if isinstance(entry, NestedTableEntry) and entry.table is not None
            )

    def _links_to_gone(self) -> Iterator[tuple[int, int, int]]:
        """Table, column and target of all links of the other side to the removed tables."""
        for table in self._keeper.referring_to(self._gone):
            for column, keys in table.links.items():
                yield from ((table.key, column, key.target) for key in keys if key.target in self._gone)

    @staticmethod
    def _is_in(document: Document, table: int, column: int) -> bool:
        found = document.by_key.get(table)
        return found is not None and column in found.by_key
