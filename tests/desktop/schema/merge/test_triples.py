"""Properties of merges of generated triples: no edit is lost, and each conflict appears once and matters."""

from collections.abc import Hashable, Iterable
from dataclasses import replace

import pytest

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.diff.compare import ChangeKind, compare
from cdb_desktop.schema.document.element_ref import (
    ColumnRef,
    ElementRef,
    ReverseLinkRef,
    TableRef,
    UniqueKeyRef,
)
from cdb_desktop.schema.document.json_format import write_document
from cdb_desktop.schema.document.json_values import Json
from cdb_desktop.schema.document.model import Column, Document, NestedTableEntry, ReverseLink
from cdb_desktop.schema.document.names import own_table_name, table_name
from cdb_desktop.schema.merge.conflict import Conflict, Side
from cdb_desktop.schema.merge.merge import Merge, merge
from tests.desktop.schema.merge.triples import Triple, triple
from tests.desktop.schema.models import inconsistent_references

_SIDES: tuple[Side, ...] = ("mine", "theirs")
# What single edits of the generator lead to.
_ALLOWED = {"table_empty", "check_type", "table_name_long", "table_name_reserved"}

_seeds = pytest.mark.parametrize(
    "seeds", [range(50), pytest.param(range(10_000), marks=[pytest.mark.long, pytest.mark.timeout(900)])]
)


@_seeds
def test_no_edit_is_lost(seeds: range) -> None:
    """A side that is chosen in all conflicts has all of its changes in the result, which is valid."""
    for seed in seeds:
        generated = triple(seed)
        found = merge(generated.base, generated.theirs, generated.mine)
        for side in _SIDES:
            result = _decided(found, side)
            lost = _lost(found, result.document, side)
            assert not lost, (seed, side, lost)
            assert not _new_codes(found, result.document), (seed, side)
            assert not inconsistent_references(result.document), (seed, side)


@_seeds
def test_each_conflict_appears_once_and_matters(seeds: range) -> None:
    """A conflict about the removal of an element is the only one of it; the choice changes the result."""
    for seed in seeds:
        generated = triple(seed)
        found = merge(generated.base, generated.theirs, generated.mine)
        removed = {conflict.ref for conflict in found.conflicts if conflict.aspect == "removed"}
        for conflict in found.conflicts:
            # A name that is taken follows from a choice.
            is_alone = conflict.aspect in ("removed", "same name") or conflict.ref not in removed
            assert is_alone, (seed, conflict)
            assert _matters(found, conflict), (seed, conflict)
            texts = (str(conflict.mine_result), str(conflict.theirs_result), str(conflict.what))
            assert texts[0] != texts[1], (seed, conflict)
            assert all(texts), (seed, conflict)


@_seeds
def test_unchanged_sides_give_the_other_one(seeds: range) -> None:
    """Attribute by attribute, and in the same order."""
    for seed in seeds:
        generated = triple(seed)
        base, theirs, mine = generated.base, generated.theirs, generated.mine
        for merged, expected in (
            (merge(base, base, mine), mine),
            (merge(base, theirs, base), theirs),
            (merge(base, mine, mine), mine),
        ):
            assert merged.conflicts == (), seed
            assert write_document(merged.document) == write_document(expected), seed


@_seeds
def test_sides_can_be_exchanged(seeds: range) -> None:
    """The same conflicts and, with the same side chosen, the same content; ids of new elements differ."""
    for seed in seeds:
        generated = triple(seed)
        one = merge(generated.base, generated.theirs, generated.mine)
        other = merge(generated.base, generated.mine, generated.theirs)
        assert _places(one.conflicts) == _places(other.conflicts), seed
        if not _has_repeated_names(generated):
            decided = _decided(one, "mine").document, _decided(other, "theirs").document
            assert _content(decided[0]) == _content(decided[1]), seed


def _matters(found: Merge, conflict: Conflict) -> bool:
    """Whether the choice changes the result, with mine or with theirs in all other conflicts."""
    for others in _SIDES:
        choices = {other.id: others for other in found.conflicts}
        one, another = (found.chosen({**choices, conflict.id: side}).document for side in _SIDES)
        if write_document(one) != write_document(another):
            return True
    return False


def _decided(found: Merge, side: Side) -> Merge:
    """After choosing one side everywhere, also in conflicts that follow from choices."""
    while found.undecided:
        found = found.chosen({**found.choices, **{conflict.id: side for conflict in found.undecided}})
    return found


def _lost(found: Merge, result: Document, side: Side) -> list[str]:
    versions = found.versions
    keys = {_ordered(key.ref(table.key)) for table in result.tables for key in table.unique_keys}
    there = _facts(versions.base, result)
    wanted = _facts(versions.base, versions.mine if side == "mine" else versions.theirs)
    return [
        text
        for (kind, ref, *rest), text in wanted.items()
        if (kind, ref, *rest) not in there
        # A key also goes with one of its columns.
        and not (kind is ChangeKind.REMOVED and isinstance(ref, UniqueKeyRef) and ref not in keys)
    ]


def _facts(base: Document, document: Document) -> dict[tuple[Hashable, ...], str]:
    """All changes but of the order, without names that follow from other names."""
    found: dict[tuple[Hashable, ...], str] = {}
    for change in compare(base, document):
        after, ref = change.after, _ordered(change.ref)
        if isinstance(ref, TableRef) and change.kind in (ChangeKind.RENAMED, ChangeKind.ADDED):
            after = own_table_name(document, document.by_key[ref.table])
        # Entries for editing follow from the links of both sides.
        if change.kind is not ChangeKind.MOVED and not (
            isinstance(ref, ReverseLinkRef) and change.kind in (ChangeKind.ADDED, ChangeKind.REMOVED)
        ):
            found[change.kind, ref, change.option, repr(after)] = str(change.message)
    return found


def _ordered(ref: ElementRef) -> ElementRef:
    return replace(ref, columns=tuple(sorted(ref.columns))) if isinstance(ref, UniqueKeyRef) else ref


def _new_codes(found: Merge, document: Document) -> set[str]:
    sides = found.versions.theirs, found.versions.mine
    known = {problem.code for side in sides for problem in find_problems(side)}
    return {problem.code for problem in find_problems(document)} - known - _ALLOWED


def _places(conflicts: Iterable[Conflict]) -> list[str]:
    """Aspects and names of columns and tables, which have other ids after an exchange."""
    refs = (ColumnRef, TableRef)
    return sorted(
        f"{one.aspect.partition(' ')[0]} {one.ref if isinstance(one.ref, refs) and one.base else ''}"
        for one in conflicts
        # Which names are taken depends on choices.
        if one.aspect != "same name"
    )


def _has_repeated_names(generated: Triple) -> bool:
    codes = {problem.code for side in (generated.theirs, generated.mine) for problem in find_problems(side)}
    return not codes.isdisjoint({"table_repeated", "column_repeated"})


def _content(document: Document) -> dict[str, object]:
    """The content by names, without ids and order."""
    columns = {(t.key, c.key): f"{t.name}.{c.name}" for t in document.tables for c in t.columns}
    found: dict[str, object] = {}
    for table in document.tables:
        entries = []
        for entry in table.entries:
            match entry:
                case Column():
                    entries.append(f"{_plain(entry.raw)}")
                case NestedTableEntry():
                    entries.append(f"{table_name(document, entry.table)} {_plain(entry.raw)}")
                case ReverseLink():
                    entries.append(f"{columns[entry.table or 0, entry.column or 0]} {_plain(entry.raw)}")
                case _:
                    entries.append(f"{entry.raw}")
        links = sorted(
            f"{[columns[table.key, one] for one in key.column_keys]} {table_name(document, key.target)} "
            f"{_plain(key.raw)}"
            for key in table.foreign_keys
        )
        unique = sorted(
            str(sorted(columns[table.key, one] for one in key.column_keys)) for key in table.unique_keys
        )
        found[table.name] = _plain(table.raw), sorted(entries), links, unique
    return found


def _plain(raw: Json) -> dict[str, object]:
    ids = ("table_id", "column_id", "other_table_id", "other_column_id", "owned_by")
    return {name: raw[name] for name in sorted(raw) if name not in ids and raw[name] is not False}


def test_former_values_can_be_chosen() -> None:
    """Where that is offered the result has them; elsewhere such a choice is mine."""
    offered = 0
    for seed in range(60):
        generated = triple(seed)
        found = merge(generated.base, generated.theirs, generated.mine)
        result = found.chosen({conflict.id: "base" for conflict in found.conflicts})
        mine = found.chosen({conflict.id: "mine" for conflict in found.conflicts if not conflict.has_base})
        assert {one.id for one in found.conflicts} <= {one.id for one in result.conflicts}, seed
        assert not inconsistent_references(result.document), seed
        for conflict in (one for one in found.conflicts if one.has_base):
            offered += 1
            ref, was = conflict.ref, generated.base
            if isinstance(ref, ColumnRef) and was.contains(ref):
                columns = [one.by_key[ref.table].by_key[ref.column] for one in (was, result.document)]
                values = [column.raw.get(conflict.aspect) for column in columns]
                assert values[0] == values[1], seed
        if not any(conflict.has_base for conflict in found.conflicts):
            assert write_document(result.document) == write_document(mine.document), seed
    assert offered
