"""Merges three versions of a document by the ids of tables and columns.

    base ── theirs            matched: the same element has the same key in all versions
        └── mine              kept_elements: removed tables that the other side needs
                              TableMerge: one table after the other, attribute by attribute
                              names, hints and generated names of the result are made again

What only one side has changed is taken from it. What both have changed in different ways is a conflict, which
appears once; without a choice mine is taken. Merging again with choices gives their result.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

from cdb_desktop.schema.checks.validation import Problem, Severity, find_problems
from cdb_desktop.schema.diff.apply import merged_order, with_whole_names
from cdb_desktop.schema.diff.compare import Change, compare
from cdb_desktop.schema.document.element_ref import DOCUMENT, TableRef
from cdb_desktop.schema.document.json_values import int_attribute
from cdb_desktop.schema.document.local_names import merged_local_names
from cdb_desktop.schema.document.model import VERSION_ATTRIBUTES, Document, ReverseLink, Table
from cdb_desktop.schema.document.names import own_table_name
from cdb_desktop.schema.edits.edit import reverse_entry
from cdb_desktop.schema.edits.tables import removal_of, without_removed
from cdb_desktop.schema.merge.conflict import Choice, Choices, Conflict, ConflictId, Side
from cdb_desktop.schema.merge.matching import Versions, entry_ids, is_reverse_changed, matched, table_content
from cdb_desktop.schema.merge.table_merge import (
    KeptElements,
    TableMerge,
    kept_elements,
    merged_attributes,
    separate_names,
)

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

    @cached_property
    def their_changes(self) -> tuple[Change, ...]:
        """What they have changed since base."""
        return compare(self.versions.base, self.versions.theirs)

    @cached_property
    def my_changes(self) -> tuple[Change, ...]:
        """What I have changed since base."""
        return compare(self.versions.base, self.versions.mine)

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
    return Merge(versions, choices, document, tuple(merger.conflicts.values()))


class _Merger:
    """Merges once; ``conflicts`` are those that were found."""

    def __init__(self, versions: Versions, choices: Choices) -> None:
        self._versions = versions
        self._choices = choices
        self.conflicts: dict[ConflictId, Conflict] = {}
        self._own_names: dict[int, str] = {}

    def merged(self) -> Document:
        """The merged document."""
        base, theirs, mine = self._versions.base, self._versions.theirs, self._versions.mine
        kept = kept_elements(self._versions, self._choose)
        every = dict.fromkeys((*theirs.by_key, *mine.by_key))
        present = {key: None for key in every if self._is_present(key, kept)}
        gone = every.keys() - present.keys()
        tables = {key: self._table(key, kept, present.keys(), gone) for key in present}
        versions = (base.raw, theirs.raw, mine.raw)
        raw = merged_attributes(
            DOCUMENT, "", versions, frozenset((*VERSION_ATTRIBUTES, "tables")), self._choose
        )
        orders = list(base.by_key), list(theirs.by_key), list(mine.by_key)
        keys = merged_order(*orders, tables, prefer_mine=False)
        names = merged_local_names(base.local_names, theirs.local_names, mine.local_names)
        document = Document(self._with_versions(raw), tuple(tables[key] for key in keys), names)
        document = self._without_removed(document)
        document = self._with_reverse_entries(document)
        self._separate_names(document)
        return with_whole_names(document, (theirs, mine), self._own_names)

    def _choose(self, conflict: Conflict) -> Choice:
        self.conflicts[conflict.id] = conflict
        choice = self._choices.get(conflict.id, "mine")
        return "mine" if choice == "base" and not conflict.has_base else choice

    def _is_present(self, key: int, kept: KeptElements) -> bool:
        versions = self._versions
        is_everywhere = key in versions.theirs.by_key and key in versions.mine.by_key
        return is_everywhere or key not in versions.base.by_key or key in kept.tables

    def _table(self, key: int, kept: KeptElements, present: Collection[int], gone: Collection[int]) -> Table:
        versions = self._versions
        base, theirs, mine = (one.by_key.get(key) for one in (versions.base, versions.theirs, versions.mine))
        side: Side | None = None
        if theirs is None or mine is None:
            side = "mine" if theirs is None else "theirs"
        elif theirs is not mine and theirs != mine:
            if base is not None and key not in kept.changed:
                side = self._unchanged_side(base, theirs, mine)
            if side is not None and not (theirs if side == "theirs" else mine).refers_to.isdisjoint(gone):
                side = None
        elif key not in kept.changed:
            side = "theirs"
        if side is not None:
            document = versions.mine if side == "mine" else versions.theirs
            table = document.by_key[key]
            self._own_names[key] = own_table_name(document, table)
            return table
        work = TableMerge(versions, key, kept, present, self._choose)
        table, self._own_names[key] = work.merged()
        return table

    def _unchanged_side(self, base: Table, theirs: Table, mine: Table) -> Side | None:
        """The side whose table is the result since the other one has not changed it."""
        versions = self._versions
        was = None if base in (theirs, mine) else table_content(versions.base, base)
        sides: tuple[tuple[Side, Table, Document], ...] = (
            ("theirs", mine, versions.mine),
            ("mine", theirs, versions.theirs),
        )
        for side, table, document in sides:
            if table != base and (was is None or table_content(document, table) != was):
                continue
            # The entries through which links are edited are in other tables.
            is_used = any(is_reverse_changed(versions.base, document, base.key, one) for one in base.links)
            return None if is_used else side
        return None

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

    def _without_removed(self, document: Document) -> Document:
        """The document without what refers to elements that were removed."""
        versions = (self._versions.base, self._versions.theirs, self._versions.mine)
        gone = {key for each in versions for key in each.by_key} - document.by_key.keys()
        return without_removed(document, removal_of(document, map(TableRef, gone))) if gone else document

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
            id_ = ("reverse", *place[1:])
            if place in present:
                kept = tuple(entry for one, entry in entry_ids(other).items() if one != id_)
                tables[other.key] = replace(other, entries=kept)
            elif table is not None:
                tables[other.key] = self._with_reverse_entry(other, table, place[2])
        return document.with_tables(
            *(table for key, table in tables.items() if document.by_key[key] is not table)
        )

    def _with_reverse_entry(self, other: Table, table: Table, column: int) -> Table:
        id_ = ("reverse", table.key, column)
        for document in (self._versions.theirs, self._versions.mine):
            source = document.by_key.get(other.key)
            order = [] if source is None else list(entry_ids(source).items())
            at = next((at for at, (key, _) in enumerate(order) if key == id_), None)
            if at is None:
                continue
            before = {key for key, _ in order[:at]}
            places = [place for place, key in enumerate(entry_ids(other)) if key in before]
            place = places[-1] + 1 if places else 0
            return replace(other, entries=(*other.entries[:place], order[at][1], *other.entries[place:]))
        return replace(other, entries=(*other.entries, reverse_entry(table, table.by_key[column])))

    def _separate_names(self, document: Document) -> None:
        """Decides between two tables that get the same name, one from each side."""
        versions = (self._versions.base, self._versions.theirs, self._versions.mine)
        owned: dict[int | None, dict[int, str]] = {}
        for table in document.tables:
            owned.setdefault(table.owner, {})[table.key] = self._own_names[table.key]
        for names in owned.values():
            if len(set(names.values())) == len(names):
                continue
            sides = [
                {key: own_table_name(one, one.by_key[key]) for key in names if key in one.by_key}
                for one in versions
            ]
            former = {key: table.name for key, table in versions[0].by_key.items()}
            self._own_names |= separate_names(names, sides, former, TableRef, self._choose)


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
