"""Tests of taking changes back, also those of a model of another service."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.diff.apply import reverted
from cdb_desktop.schema.diff.compare import Change, ChangeKind, compare
from cdb_desktop.schema.diff.matching import MatchBy, align
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import AddColumn, AddLink, RenameColumn
from cdb_desktop.schema.edits.tables import AddNestedTable, AddTable, RemoveColumn, RemoveTable
from cdb_desktop.schema.working_copy import new_history
from tests.desktop.schema.merge.triples import RandomEdits
from tests.desktop.schema.models import (
    NOTE,
    PLACE,
    TITLE,
    WORK,
    YEAR,
    column,
    inconsistent_references,
    link,
    museum,
    named,
    opened,
    table,
)


@pytest.mark.parametrize(
    "seeds", [range(60), pytest.param(range(1000), marks=[pytest.mark.long, pytest.mark.timeout(600)])]
)
def test_changes_are_taken_back(seeds: range) -> None:
    """All of them give the former document; of some, each is gone or reported, and nothing breaks."""
    for seed in seeds:
        random = Random(seed)
        drawer, history = RandomEdits(random), new_history(opened())
        for _ in range(random.randint(1, 6)):
            history = drawer.step(history)
        changes = list(compare(opened(), history.document))
        random.shuffle(changes)
        for chosen in (changes, changes[::2], changes[:1]):
            document, left = reverted(chosen, opened(), history.document)
            still = compare(opened(), document)
            assert not [one for one in chosen if one in still and one not in left], (seed, left)
            assert chosen is not changes or still == left == (), (seed, still)
            assert _new_tables(history.document, document) <= _tables(chosen, opened()), seed
            assert _new_tables(document, history.document) <= _tables(chosen, history.document), seed
            assert inconsistent_references(document) == [], seed
            codes = {problem.code for problem in find_problems(document)}
            # A table may lose the only column that it got.
            assert codes <= {
                "delete_rule",
                "table_empty",
                *(one.code for one in find_problems(history.document)),
            }, seed


def test_one_change_is_taken_back_alone() -> None:
    """A column comes without a nested table of its table; an added table goes with its nested one."""
    base, coin = opened(), AddTable("coin")
    side = AddNestedTable(coin.key, "side")
    document = base
    for edit in (RemoveTable(NOTE, True), RemoveColumn(ColumnRef(WORK, YEAR), True), coin, side):
        document = edit.apply_to(document)
    for ref in (ColumnRef(WORK, YEAR), TableRef(coin.key)):
        chosen = [one for one in compare(base, document) if one.ref == ref]
        document, left = reverted(chosen, base, document)
        assert left == ()
    assert document.by_key.keys() == base.by_key.keys() - {NOTE, *base.nested_below(NOTE)}
    assert document.by_key[WORK].unique_keys == base.by_key[WORK].unique_keys


def test_a_new_table_stays_without_its_link_to_one_that_goes() -> None:
    """The other columns of the new table are not those whose change is taken back."""
    base, coin, hoard = opened(), AddTable("coin"), AddTable("hoard")
    side, found = AddNestedTable(coin.key, "side"), AddColumn(hoard.key, "found", "date")
    document = base
    for edit in (coin, side, hoard, found, AddLink(hoard.key, "side", side.key)):
        document = edit.apply_to(document)
    chosen = [one for one in compare(base, document) if one.ref == TableRef(coin.key)]
    document, left = reverted(chosen, base, document)
    assert left == ()
    assert document.by_key.keys() == {*base.by_key, hoard.key}
    assert document.by_key[hoard.key].by_key.keys() == {found.key}
    assert document.by_key[hoard.key].foreign_keys == ()


def test_exchanged_names_are_taken_back_together() -> None:
    """One of them alone would rename the other column too."""
    base, document = opened(), opened()
    for key, name in ((TITLE, "other"), (YEAR, "title"), (TITLE, "year")):
        document = RenameColumn(ColumnRef(WORK, key), name).apply_to(document)
    changes = compare(base, document)
    assert reverted(changes, base, document) == (base, ())
    assert reverted(changes[:1], base, document) == (document, changes[:1])


def _new_tables(before: Document, after: Document) -> set[int]:
    """The tables that have come."""
    return after.by_key.keys() - before.by_key.keys()


def _tables(changes: Sequence[Change], document: Document) -> set[int]:
    """The tables of a document that were added or removed, with those nested in them."""
    kinds = (ChangeKind.ADDED, ChangeKind.REMOVED)
    roots = [one.ref.table for one in changes if one.kind in kinds and isinstance(one.ref, TableRef)]
    return {key for root in roots for key in (root, *document.nested_below(root))}


def test_tables_of_a_foreign_model_are_taken_over_as_new() -> None:
    """They have no ids and link to the tables of the same names here; what was not selected stays."""
    guide = table(90, "guide", column(90, "title"), column(91, "place", "link"))
    guide["foreign_keys"] = [link("guide", 91, "place", 51, "place")]
    place = table(51, "place", column(92, "name", "text_l10n"))
    base = opened()
    file = align(opened({**museum(), "tables": [guide, place]}), base, MatchBy.NAMES).document
    wanted = [one for one in compare(file, base) if one.before == "guide"]
    document, left = reverted(wanted, file, base)
    assert left == ()
    assert {one.name for one in document.tables} == {"guide", *(one.name for one in base.tables)}
    found = named(document, "guide")
    assert (found.id, found.columns[0].id) == (None, None)
    assert found.foreign_keys[0].target == PLACE
    assert find_problems(document) == ()
