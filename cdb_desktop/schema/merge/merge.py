"""Merges three versions of a document by the ids of tables and columns.

    base ── theirs            matched: the same element has the same key in all versions
        └── mine              kept_elements: removed tables that the other side needs
                              each difference between theirs and mine is that of one side, or a conflict
                              theirs with the differences that are mine is the result

What only one side has changed is taken from it. What both have changed in different ways is a conflict, which
appears once; without a choice mine is taken. Merging again with choices gives their result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import MappingProxyType

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.checks.validation import Problem, Severity, find_problems
from cdb_desktop.schema.diff.apply import (
    Application,
    element_attributes,
    entries_by_ref,
    is_order_disputed,
    with_whole_names,
)
from cdb_desktop.schema.diff.compare import Change, ChangeKind, ItemId
from cdb_desktop.schema.document.element_ref import (
    ColumnRef,
    ElementRef,
    NestedTableRef,
    ReverseLinkRef,
    TableRef,
    UniqueKeyRef,
    table_key_of,
)
from cdb_desktop.schema.document.json_values import (
    ABSENT,
    Json,
    int_attribute,
    option_value,
    shown_value,
    without,
)
from cdb_desktop.schema.document.local_names import merged_local_names
from cdb_desktop.schema.document.model import (
    OF_KEYS,
    VERSION_ATTRIBUTES,
    Column,
    Document,
    ForeignKey,
    ReverseLink,
    Table,
    UniqueKey,
    key_details,
)
from cdb_desktop.schema.document.names import (
    columns_name,
    element_name,
    own_table_name,
    table_name,
    unused_name,
)
from cdb_desktop.schema.edits.edit import reverse_entry
from cdb_desktop.schema.merge.conflict import (
    Choice,
    Choices,
    Conflict,
    ConflictId,
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
from cdb_desktop.schema.merge.matching import Versions, matched
from cdb_desktop.schema.merge.removed_tables import KeptElements, kept_elements

Choose = Callable[[Conflict], Choice]
_REVERSE_EDIT = "reverse_edit"
_REMOVED = ChangeKind.REMOVED
_OF_LINKS = ((ChangeKind.KEY, "target"), (ChangeKind.OPTION, _REVERSE_EDIT))
_NO_CHOICES: Choices = MappingProxyType({})


@dataclass(frozen=True)
class Merge:
    """A merged document, and the conflicts in the order of the document."""

    versions: Versions
    choices: Choices
    document: Document
    conflicts: tuple[Conflict, ...]

    @property
    def undecided(self) -> tuple[Conflict, ...]:
        """The conflicts without a choice."""
        return tuple(conflict for conflict in self.conflicts if conflict.id not in self.choices)

    @property
    def their_changes(self) -> tuple[Change, ...]:
        """What they have changed since base."""
        return self.versions.their_changes.all

    @property
    def my_changes(self) -> tuple[Change, ...]:
        """What I have changed since base."""
        return self.versions.my_changes.all

    @cached_property
    def new_problems(self) -> tuple[Problem, ...]:
        """Errors of the result that neither side has: changes that do not fit together."""
        sides = self.versions.theirs, self.versions.mine
        known = {(problem.ref, problem.code) for side in sides for problem in find_problems(side)}
        errors = (one for one in find_problems(self.document) if one.severity is Severity.ERROR)
        return tuple(one for one in errors if (one.ref, one.code) not in known)

    def chosen(self, choices: Choices) -> Merge:
        """The same versions merged with other choices."""
        return _merge(self.versions, choices)


def merge(base: Document, theirs: Document, mine: Document, choices: Choices = _NO_CHOICES) -> Merge:
    """Merges the changes of two documents since ``base``."""
    return _merge(matched(base, theirs, mine), choices)


def _merge(versions: Versions, choices: Choices) -> Merge:
    merger = _Merger(versions, choices)
    document = merger.merged()
    keys = dict.fromkeys((*versions.theirs.by_key, *versions.mine.by_key))
    places = {key: at for at, key in enumerate(keys)}
    found = sorted(merger.conflicts.values(), key=lambda one: places.get(table_key_of(one.ref) or 0, -1))
    return Merge(versions, choices, document, tuple(found))


class _Merger:
    """Merges once; ``conflicts`` are those that were found."""

    def __init__(self, versions: Versions, choices: Choices) -> None:
        self._versions = versions
        self._base, self._theirs, self._mine = versions.base, versions.theirs, versions.mine
        self._choices = choices
        self.conflicts: dict[ConflictId, Conflict] = {}
        self._kept = KeptElements()
        self._links: dict[ColumnRef, MergedLink] = {}
        self._owner_sides: dict[int, Side] = {}
        self._values: dict[ItemId, object] = {}  # of the result that neither side has
        self._own_names: dict[int, str] = {}

    def merged(self) -> Document:
        """The merged document."""
        versions = self._versions
        self._kept = kept_elements(versions, self._choose)
        chosen = set(self._my_differences())
        application = Application(versions.differences, chosen, self._base, self._values)
        document = application.elements()
        names = merged_local_names(*(each.local_names for each in (self._base, self._theirs, self._mine)))
        document = replace(document, raw=self._with_versions(dict(document.raw)), local_names=names, tag="")
        document = self._with_column_names(self._with_reverse_entries(document))
        own_names = self._table_names(document, {**application.own_names(document), **self._own_names})
        return with_whole_names(document, (self._theirs, self._mine), own_names)

    def _choose(self, conflict: Conflict) -> Choice:
        self.conflicts[conflict.id] = conflict
        choice = self._choices.get(conflict.id, "mine")
        return "mine" if choice == "base" and not conflict.has_base else choice

    def _tables(self, key: int) -> tuple[Table | None, Table, Table]:
        """The versions of a table that is in both: base, theirs and mine."""
        return self._base.by_key.get(key), self._theirs.by_key[key], self._mine.by_key[key]

    # Which of the differences between theirs and mine the result takes from mine. What both sides have
    # changed in different ways is added to the conflicts.

    def _my_differences(self) -> Iterator[ItemId]:
        for change in self._versions.differences.items:
            if self._takes_mine(change):
                yield change.id
            # A rule that usually follows where rows are edited is no difference of its own.
            kind, ref, option = ChangeKind.KEY, change.ref, "on_delete"
            is_edited_there = change.option == _REVERSE_EDIT
            if is_edited_there and isinstance(ref, ColumnRef) and self._takes_my_rule(ref, option):
                yield kind, ref, option

    def _takes_mine(self, change: Change) -> bool:
        """Whether the result is as in mine."""
        kind, ref, option = change.id
        key = table_key_of(ref)
        if key is not None and (key not in self._theirs.by_key or change.id == (_REMOVED, TableRef(key), "")):
            is_kept = key not in self._base.by_key or key in self._kept.tables
            return is_kept == (key in self._mine.by_key)
        is_whole = kind in (ChangeKind.ADDED, ChangeKind.REMOVED)
        if isinstance(ref, UniqueKeyRef):
            return self._takes_my_unique_key(ref)
        if option == "owned_by" or (is_whole and isinstance(ref, NestedTableRef)):
            return self._owner_side(ref.nested if isinstance(ref, NestedTableRef) else key or 0) == "mine"
        if is_whole and isinstance(ref, ColumnRef):
            return self._keeps_column(ref) == (kind is ChangeKind.ADDED)
        if isinstance(ref, TableRef | ColumnRef):
            return self._takes_my_attribute(kind, ref, option)
        return self._takes_my_option(ref, option)

    def _takes_my_attribute(self, kind: ChangeKind, ref: TableRef | ColumnRef, option: str) -> bool:
        if kind is ChangeKind.RENAMED:
            return self._takes_my_name(ref)
        if kind is ChangeKind.MOVED and isinstance(ref, TableRef):
            return self._takes_my_order(ref)
        is_link = kind is ChangeKind.TYPE or (kind, option) in _OF_LINKS
        if is_link and isinstance(ref, ColumnRef):
            return self._takes_my_link(ref, option)
        if kind is ChangeKind.KEY:
            return self._takes_my_rule(ref, option)
        return self._takes_my_option(ref, option)

    def _takes_my_option(self, ref: ElementRef, option: str) -> bool:
        if isinstance(ref, NestedTableRef | ReverseLinkRef):
            table = ref.nested if isinstance(ref, NestedTableRef) else ref.other_table
            element = table_name(self._theirs, table)
        else:
            element = element_name(self._mine, ref)
        raws = (element_attributes(one, ref) for one in (self._base, self._theirs, self._mine))
        return self._takes_my_value(ChangeKind.OPTION, ref, option, element, tuple(raws))

    def _takes_my_value(
        self, kind: ChangeKind, ref: ElementRef, name: str, element: str, versions: tuple[Json, ...]
    ) -> bool:
        """About one attribute of base, theirs and mine."""
        was, their, my = (each.get(name, ABSENT) for each in versions)
        side = only_changed_by(was, their, my)
        if side is None:  # Perhaps only hints have changed, which follow names anyway.
            side = only_changed_by(*(option_value(name, each) for each in versions))
        if side is not None:
            return side == "mine"
        if all(isinstance(one, list) and all(isinstance(each, str) for each in one) for one in (their, my)):
            self._values[kind, ref, name] = _united(was, their, my)
            return True
        shown = (_shown(each) for each in (was, my, their))
        choice = self._choose(value_conflict(ref, name, element, name, shown, has_base=True))
        if choice == "base":
            self._values[kind, ref, name] = was
        return choice != "theirs"

    def _takes_my_name(self, ref: TableRef | ColumnRef) -> bool:
        was, theirs, mine = (_own_name(each, ref) for each in (self._base, self._theirs, self._mine))
        side = only_changed_by(was, theirs, mine)
        if side is not None:
            return side == "mine"
        values, element = (was or "", mine or "", theirs or ""), element_name(self._mine, ref)
        conflict = value_conflict(ref, "name", element, message("Name"), values, has_base=bool(was))
        choice = self._choose(conflict)
        if choice == "base" and isinstance(ref, TableRef):
            self._own_names[ref.table] = was or ""
        elif choice == "base":
            self._values[ChangeKind.RENAMED, ref, ""] = was
        return choice != "theirs"

    def _takes_my_order(self, ref: TableRef) -> bool:
        orders = (list(entries_by_ref(table)) for table in self._tables(ref.table))
        if not is_order_disputed(*orders):
            return False
        return self._choose(order_conflict(ref, element_name(self._mine, ref))) == "mine"

    def _owner_side(self, key: int) -> Side:
        if key not in self._owner_sides:
            self._owner_sides[key] = self._found_owner_side(key)
        return self._owner_sides[key]

    def _found_owner_side(self, key: int) -> Side:
        base, theirs, mine = tables = self._tables(key)
        side = only_changed_by(*(None if each is None else (each.is_nested, each.owner) for each in tables))
        if side is not None:
            return side
        documents = (self._base, self._mine, self._theirs)
        owners = (
            "" if each is None or each.owner is None else table_name(document, each.owner)
            for document, each in zip(documents, (base, mine, theirs), strict=True)
        )
        return side_of(self._choose(value_conflict(TableRef(key), "owned_by", mine.name, "owned_by", owners)))

    # Columns

    def _keeps_column(self, ref: ColumnRef) -> bool:
        """Whether a column that only one side has is in the result."""
        base = self._base.by_key.get(ref.table)
        if base is None or ref.column not in base.by_key:
            return True
        if ref.column in self._kept.settled:
            return ref.column in self._kept.columns
        keeper: Side = "mine" if self._mine.contains(ref) else "theirs"
        remover: Side = "theirs" if keeper == "mine" else "mine"
        document = self._versions.document(keeper)
        if ref not in self._versions.changes(keeper).columns:
            return False
        was, now = base.by_key[ref.column].raw, document.by_key[ref.table].by_key[ref.column].raw
        changed = [one for one in dict.fromkeys((*now, *was)) if was.get(one) != now.get(one)]
        changes = message("Changed: {names}", names=", ".join(changed)) if changed else message("Changed")
        conflict = removal_conflict(ref, element_name(document, ref), remover, changes)
        if self._choose(conflict) == remover:
            return False
        self._kept.columns.add(ref.column)
        return True

    def _takes_my_link(self, ref: ColumnRef, option: str) -> bool:
        """About the type of a column, the tables that it links to, or whether its rows are edited there."""
        state, mine = self._link(ref).state, link_state(self._mine, ref)
        if option == _REVERSE_EDIT:
            return state.reverse_edit == mine.reverse_edit
        return (state.type, state.targets) == (mine.type, mine.targets)

    def _link(self, ref: ColumnRef) -> MergedLink:
        if ref not in self._links:
            self._links[ref] = self._found_link(ref)
        return self._links[ref]

    def _found_link(self, ref: ColumnRef) -> MergedLink:
        """The state of one side, the other one's if the table that the column links to is not there."""
        link = self._merged_link(ref)
        if self._has_targets(link.state):
            return link
        side: Side = "theirs" if link.side == "mine" else "mine"
        other = link_state(self._versions.document(side), ref)
        is_there = self._has_targets(other)
        return MergedLink(other, side, is_chosen=True) if is_there else link

    def _merged_link(self, ref: ColumnRef) -> MergedLink:
        before, their, my = (link_state(each, ref) for each in (self._base, self._theirs, self._mine))
        if my == their or (my == before and not self._depends_on("mine", their, before, ref)):
            return MergedLink(their, "theirs")
        if their == before and not self._depends_on("theirs", my, before, ref):
            return MergedLink(my, "mine")
        if my != before != their and before.is_link and their.is_link and my.is_link:
            # One side has changed the target, the other one where rows are edited.
            if my.targets == before.targets and their.reverse_edit == before.reverse_edit:
                return MergedLink(replace(their, reverse_edit=my.reverse_edit), "theirs")
            if their.targets == before.targets and my.reverse_edit == before.reverse_edit:
                return MergedLink(replace(my, reverse_edit=their.reverse_edit), "mine")
        values = (
            state.text(document)
            for document, state in ((self._base, before), (self._mine, my), (self._theirs, their))
        )
        element = element_name(self._mine, ref)
        side = side_of(self._choose(value_conflict(ref, "type", element, message("Type"), values)))
        return MergedLink(my if side == "mine" else their, side, is_chosen=True)

    def _has_targets(self, state: LinkState) -> bool:
        return all(target is None or self._is_present(target) for target in state.targets)

    def _is_present(self, key: int) -> bool:
        is_everywhere = key in self._theirs.by_key and key in self._mine.by_key
        return is_everywhere or key not in self._base.by_key or key in self._kept.tables

    def _depends_on(self, side: Side, other: LinkState, before: LinkState, ref: ColumnRef) -> bool:
        """Whether a side has changed what the other side's type or target makes meaningless."""
        if other == before:
            return False
        changes = self._versions.changes(side).columns.get(ref, ())
        if any(isinstance(change.ref, ReverseLinkRef) for change in changes):
            return True
        return other.type != "link" and any(one.kind is ChangeKind.KEY and one.ref == ref for one in changes)

    # Keys

    def _takes_my_rule(self, ref: TableRef | ColumnRef, option: str) -> bool:
        """About one rule of a foreign key, or about the whole key if only one side has it."""
        link = self._link(ref) if isinstance(ref, ColumnRef) else None
        if link is not None and link.is_chosen:
            return link.side == "mine"
        keys = [key_of(document, ref) for document in (self._base, self._theirs, self._mine)]
        if option == "":
            return self._takes_my_key(TableRef(ref.table), keys)
        details = tuple({} if key is None else key_details(key) for key in keys)
        if option in OF_KEYS:
            return only_changed_by(*(each.get(option) for each in details)) == "mine"
        element = element_name(self._mine, ref)
        return self._takes_my_value(ChangeKind.KEY, ref, option, element, details)

    def _takes_my_unique_key(self, ref: UniqueKeyRef) -> bool:
        keys = [key_of(document, ref) for document in (self._base, self._theirs, self._mine)]
        columns = [ColumnRef(ref.table, column) for column in ref.columns]
        if None in keys[1:] and not self._kept.columns.isdisjoint(ref.columns):
            return keys[2] is not None
        if not all(self._theirs.contains(column) or self._keeps_column(column) for column in columns):
            return False
        one = keys[1] or keys[2]
        return self._takes_my_key(one.ref(ref.table) if isinstance(one, UniqueKey) else ref, keys)

    def _takes_my_key(self, ref: ElementRef, keys: Sequence[ForeignKey | UniqueKey | None]) -> bool:
        """The key of the side that changed it: the parts of a key belong together."""
        contents = (None if key is None else without(key_details(key), ("name",)) for key in keys)
        side = only_changed_by(*contents)
        if side is not None:
            return side == "mine"
        tables = dict(zip(("base", "theirs", "mine"), self._tables(table_key_of(ref) or 0), strict=True))
        was, theirs, mine = keys
        texts = (
            _key_text(each, holder)
            for each, holder in ((was, tables["base"]), (mine, tables["mine"]), (theirs, tables["theirs"]))
        )
        one, table = (theirs, tables["theirs"]) if mine is None else (mine, tables["mine"])
        if one is None:
            return False
        name = columns_name(table, one.column_keys)
        return self._choose(key_conflict(ref, f"key {one.name}", name, texts)) == "mine"

    # The result as a whole

    def _with_versions(self, raw: dict[str, object]) -> dict[str, object]:
        """Numbers only grow: with those of the later version."""
        versions = self._versions
        for name in VERSION_ATTRIBUTES:
            was, their, my = (
                int_attribute(each.raw, name) for each in (versions.base, versions.theirs, versions.mine)
            )
            if my is not None and my != was and (their is None or their == was or my > their):
                raw[name] = my
        return raw

    def _with_reverse_entries(self, document: Document) -> Document:
        """The document with an entry for each link that is edited elsewhere, and without any other.

        The column and its entry are in different tables, so that they may come from different sides. What
        does not fit in one of the versions stays as it is.
        """
        wanted, present = _reverse_links(document), _reverse_entries(document)
        if wanted == present:
            return document
        sides = self._versions.theirs, self._versions.mine
        allowed = [_reverse_links(each) ^ _reverse_entries(each) for each in sides]
        tables = dict(document.by_key)
        for place in sorted((wanted ^ present).difference(*allowed)):
            other, table = tables[place[0]], tables.get(place[1])
            ref = ReverseLinkRef(*place)
            if place in present:
                kept = tuple(entry for one, entry in entries_by_ref(other).items() if one != ref)
                tables[other.key] = replace(other, entries=kept)
            elif table is not None:
                tables[other.key] = self._with_reverse_entry(other, table, place[2])
        return document.with_tables(
            *(table for key, table in tables.items() if document.by_key[key] is not table)
        )

    def _with_reverse_entry(self, other: Table, table: Table, column: int) -> Table:
        ref = ReverseLinkRef(other.key, table.key, column)
        for document in (self._versions.theirs, self._versions.mine):
            source = document.by_key.get(other.key)
            order = list(entries_by_ref(source).items())
            at = next((at for at, (key, _) in enumerate(order) if key == ref), None)
            if at is None:
                continue
            before = {key for key, _ in order[:at]}
            places = [place for place, key in enumerate(entries_by_ref(other)) if key in before]
            place = places[-1] + 1 if places else 0
            return replace(other, entries=(*other.entries[:place], order[at][1], *other.entries[place:]))
        return replace(other, entries=(*other.entries, reverse_entry(table, table.by_key[column])))

    def _with_column_names(self, document: Document) -> Document:
        """The document after deciding between columns of a table that get the same name."""
        versions = (self._base, self._theirs, self._mine)
        for table in document.tables:
            names = {column.key: column.name for column in table.columns}
            if len(set(names.values())) == len(names):
                continue
            tables = [each.by_key.get(table.key) for each in versions]
            sides = [
                {} if each is None else {key: column.name for key, column in each.by_key.items()}
                for each in tables
            ]
            mine = table_name(self._mine, table.key)
            former = {key: f"{mine}.{sides[0].get(key, name)}" for key, name in names.items()}
            others = separate_names(names, sides, former, partial(ColumnRef, table.key), self._choose)
            entries = (
                replace(entry, raw={**entry.raw, "name": others[entry.key]})
                if isinstance(entry, Column) and entry.key in others
                else entry
                for entry in table.entries
            )
            document = document.with_tables(replace(table, entries=tuple(entries)))
        return document

    def _table_names(self, document: Document, names: Mapping[int, str]) -> dict[int, str]:
        """The names without those of owners after deciding between tables that get the same name."""
        versions = (self._base, self._theirs, self._mine)
        owned: dict[int | None, dict[int, str]] = {}
        for table in document.tables:
            owned.setdefault(table.owner, {})[table.key] = names[table.key]
        found = dict(names)
        for same in owned.values():
            if len(set(same.values())) == len(same):
                continue
            sides = [
                {key: own_table_name(one, one.by_key[key]) for key in same if key in one.by_key}
                for one in versions
            ]
            former = {key: table.name for key, table in versions[0].by_key.items()}
            found |= separate_names(same, sides, former, TableRef, self._choose)
        return found


@dataclass(frozen=True, slots=True)
class LinkState:
    """The type of a column, the tables that it links to, and whether its rows are edited there."""

    type: str
    targets: tuple[int | None, ...]
    reverse_edit: bool

    @property
    def is_link(self) -> bool:
        """Whether it is a link with one target."""
        return self.type == "link" and len(self.targets) == 1

    def text(self, document: Document) -> Text:
        """The state as users read it."""
        if self.type != "link":
            return self.type
        targets = ", ".join(table_name(document, target) for target in self.targets)
        if self.reverse_edit:
            return message("link to {target}, edited there", target=targets)
        return message("link to {target}", target=targets)


_NO_STATE = LinkState("", (), reverse_edit=False)


def link_state(document: Document, ref: ColumnRef) -> LinkState:
    """The state of a column; that of one without a type where it is not there."""
    if not document.contains(ref):
        return _NO_STATE
    table = document.by_key[ref.table]
    column = table.by_key[ref.column]
    targets = tuple(key.target for key in table.links.get(ref.column, ()))
    return LinkState(column.type, targets, column.flag(_REVERSE_EDIT))


@dataclass(frozen=True, slots=True)
class MergedLink:
    """The state of a column, with the side of its keys; ``is_chosen`` after a conflict."""

    state: LinkState
    side: Side
    is_chosen: bool = False


def key_of(document: Document, ref: TableRef | ColumnRef | UniqueKeyRef) -> ForeignKey | UniqueKey | None:
    """The foreign key of a link, that of automatic columns for a table, or a unique key."""
    table = document.by_key.get(ref.table)
    keys: Iterable[ForeignKey | UniqueKey] = () if table is None else table.foreign_keys
    columns: Collection[int] = ()
    if isinstance(ref, UniqueKeyRef):
        keys, columns = () if table is None else table.unique_keys, ref.columns
    elif isinstance(ref, ColumnRef):
        columns = (ref.column,)
    return next((key for key in keys if set(key.column_keys) == set(columns)), None)


def _key_text(key: ForeignKey | UniqueKey | None, table: Table | None) -> Text:
    if key is None or table is None:
        return message("No key")
    values = {name: value for name, value in key.raw.items() if name not in OF_KEYS and value is not None}
    options = ", ".join(f"{name}: {shown_value(value)}" for name, value in values.items())
    columns = columns_name(table, key.column_keys)
    return f"{columns} ({options})" if options else columns


def _own_name(document: Document, ref: TableRef | ColumnRef) -> str | None:
    table = document.by_key.get(ref.table)
    if table is None or isinstance(ref, TableRef):
        return None if table is None else own_table_name(document, table)
    column = table.by_key.get(ref.column)
    return None if column is None else column.name


def _united(was: object, theirs: object, mine: object) -> list[object]:
    """The texts of both lists but those that one side has removed."""
    before = was if isinstance(was, list) else []
    their, my = theirs if isinstance(theirs, list) else [], mine if isinstance(mine, list) else []
    kept = [one for one in their if one in my or one not in before]
    return [*kept, *(one for one in my if one not in before and one not in kept)]


def _shown(value: object) -> str:
    return "" if value is ABSENT or value is None else shown_value(value)


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


def _reverse_links(document: Document) -> set[tuple[int, int, int]]:
    """The target, the table and the column of each link that is edited in its target."""
    return {
        (key.target, table.key, column)
        for table in document.tables
        for column, keys in table.links.items()
        if table.by_key[column].is_link and table.by_key[column].flag("reverse_edit")
        for key in keys
        if key.target is not None and key.target in document.by_key
    }


def _reverse_entries(document: Document) -> set[tuple[int, int, int]]:
    """The table of each entry, and the table and the column that it names."""
    return {
        (table.key, entry.table, entry.column)
        for table in document.tables
        for entry in table.entries
        if isinstance(entry, ReverseLink) and entry.table is not None and entry.column is not None
    }
