"""Properties of promotions of generated pairs of models, whose ids differ."""

from collections.abc import Sequence
from random import Random

import pytest

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.diff.apply import Restore, reverted, with_chosen
from cdb_desktop.schema.diff.compare import Change, ChangeKind, ItemId, compare
from cdb_desktop.schema.diff.differences import Differences, find_differences
from cdb_desktop.schema.diff.matching import MatchBy, align
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import (
    AddColumn,
    ChangeType,
    RenameColumn,
    SetColumnOptions,
    SetLinkTarget,
    SetReverseEdit,
)
from cdb_desktop.schema.edits.edit import Edit, EditError
from cdb_desktop.schema.edits.tables import (
    AddNestedTable,
    AddTable,
    Remove,
    RenameTable,
    SetTableOptions,
    remove_column,
    remove_table,
)
from cdb_desktop.schema.working_copy import new_history
from tests.desktop.schema.diff.pairs import pair
from tests.desktop.schema.merge.triples import RandomEdits
from tests.desktop.schema.models import (
    ARTIST,
    MARK,
    NOTE,
    NOTE_SOURCE,
    NOTE_TEXT,
    PERSON,
    PERSON_BORN,
    PERSON_NAME,
    PICTURE,
    PLACE,
    TITLE,
    WORK,
    YEAR,
    apply,
    changed,
    column,
    column_named,
    inconsistent_references,
    link,
    museum,
    named,
    opened,
    table,
    unique,
)

_ARTIST = ColumnRef(WORK, ARTIST)
_pairs = pytest.mark.parametrize(
    "seeds", [range(20), pytest.param(range(20, 1000), marks=[pytest.mark.long, pytest.mark.timeout(900)])]
)


@_pairs
def test_the_chosen_difference_is_empty_and_nothing_else_has_changed(seeds: range) -> None:
    for seed in seeds:
        source, target = pair(seed)
        by = MatchBy.NAMES if seed % 2 else MatchBy.IDS
        found = find_differences(target, align(source, target, by).document)
        for share in (0.3, 0.7, 1.0):
            chosen = _chosen(found, Random(seed), share)
            result = with_chosen(found, chosen)
            left = _ids(result, found.source)
            assert left == found.all_ids - chosen, (seed, share, left ^ (found.all_ids - chosen))
            done = _ids(target, result)
            assert done == chosen, (seed, share, done ^ chosen)
            assert not inconsistent_references(result), (seed, share)


@pytest.mark.parametrize(
    "edits",
    [
        (RenameColumn(ColumnRef(WORK, TITLE), "year"), RenameColumn(ColumnRef(WORK, YEAR), "title")),
        (RenameTable(PERSON, "place"), RenameTable(PLACE, "person")),
        (SetLinkTarget(_ARTIST, PLACE), SetReverseEdit(_ARTIST, on=True)),
    ],
)
def test_differences_that_belong_together_need_one_another(edits: tuple[Edit, Edit]) -> None:
    """Exchanged names, and a link with where its rows are edited; other differences need nothing."""
    source = opened()
    for edit in (*edits, SetTableOptions(WORK, {"comment": "x"})):
        source = edit.apply_to(source)
    found = find_differences(opened(), source)
    comment = ChangeKind.OPTION, TableRef(WORK), "comment"
    together = found.all_ids - {comment}
    assert len(together) == 2
    assert all(found.with_ids((), [id_]) == together for id_ in together)
    assert found.with_ids((), [comment]) == {comment}


def test_losses_and_risky_types_are_risks() -> None:
    """Texts hold every number; other changes that may fail are no risks."""
    source, born = opened(), ColumnRef(PERSON, PERSON_BORN)
    for edit in (
        ChangeType(ColumnRef(WORK, YEAR), "text"),
        ChangeType(ColumnRef(WORK, TITLE), "number"),
        SetColumnOptions(born, {"not_null": True}),
    ):
        source = edit.apply_to(source)
    found = find_differences(opened(), source)
    assert found.all_ids - found.risks == {
        (ChangeKind.TYPE, ColumnRef(WORK, YEAR), ""),
        (ChangeKind.OPTION, born, "not_null"),
    }
    assert found.risks == {(ChangeKind.TYPE, ColumnRef(WORK, TITLE), "")}


def _chosen(found: Differences, random: Random, share: float) -> frozenset[ItemId]:
    ids = [item.id for item in found.items if random.random() < share]
    return found.with_ids((), ids)


def _ids(old: Document, new: Document) -> frozenset[ItemId]:
    return find_differences(old, new).all_ids


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
    for edit in (
        remove_table(NOTE, dependents=True),
        remove_column(ColumnRef(WORK, YEAR), dependents=True),
        coin,
        side,
    ):
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
    for edit in (coin, side, hoard, found, AddColumn(hoard.key, "side", "link", target=side.key)):
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


@pytest.mark.parametrize(
    "ref", [*(ColumnRef(WORK, key) for key in (TITLE, YEAR, ARTIST)), *map(TableRef, (NOTE, MARK, PICTURE))]
)
def test_an_element_is_restored_completely(ref: TableRef | ColumnRef) -> None:
    """A column with its position, link, unique keys and id; a table with those nested in it and its entry."""
    head = opened()
    removal = Remove((ref,), dependents=True)
    without = apply(head, removal)
    assert compare(head, without)
    assert compare(head, apply(without, Restore(ref, head))) == ()


def test_unique_keys_that_differ_in_automatic_columns_are_restored() -> None:
    """With a column come all keys that it was in; one of them that is missing is a difference."""
    key = unique("work__note", text=NOTE_TEXT)
    with_owner = {**key, "columns": [{"auto_column_uplink": True}, *key["columns"]]}
    head = opened(changed(museum(), NOTE, unique_keys=[with_owner, key]))
    text = ColumnRef(NOTE, NOTE_TEXT)
    restored = apply(apply(head, remove_column(text, dependents=True)), Restore(text, head))
    assert restored.by_key[NOTE].unique_keys == head.by_key[NOTE].unique_keys
    alone = opened(changed(museum(), NOTE, unique_keys=[key]))
    changes = compare(head, alone)
    assert len(changes) == 1
    assert compare(head, reverted(changes, head, alone)[0]) == ()


def test_links_are_restored_one_by_one() -> None:
    """The table is restored first; without it, a link to it is refused."""
    head, artist = opened(), ColumnRef(WORK, ARTIST)
    without = apply(head, remove_table(PERSON, dependents=True))
    with pytest.raises(EditError, match="Restore person first"):
        apply(without, Restore(artist, head))
    with_table = apply(without, Restore(TableRef(PERSON), head))
    assert ARTIST not in with_table.by_key[WORK].by_key
    with_artist = apply(with_table, Restore(artist, head))
    assert compare(head, apply(with_artist, Restore(ColumnRef(NOTE, NOTE_SOURCE), head))) == ()


def test_a_name_that_is_used_again_is_given_up_first() -> None:
    """No other element goes or is renamed for a restored one."""
    head, name = opened(), ColumnRef(PERSON, PERSON_NAME)
    removed = apply(head, remove_column(name, dependents=True))
    without = apply(removed, AddColumn(PERSON, "name", "text"))
    for document in (without, apply(removed, RenameColumn(ColumnRef(PERSON, PERSON_BORN), "name"))):
        with pytest.raises(EditError, match="Another element is named person"):
            apply(document, Restore(name, head))
    renamed = RenameColumn(column_named(without, "person", "name"), "surname")
    found = apply(apply(without, renamed), Restore(name, head)).by_key[PERSON]
    assert {column.name for column in found.columns} == {"name", "born", "surname"}


def test_later_edits_are_kept() -> None:
    """Only the removed element is restored."""
    head = opened()
    changed = apply(apply(head, remove_table(PICTURE, dependents=True)), RenameTable(WORK, "opus"))
    found = apply(changed, Restore(TableRef(PICTURE), head))
    assert found.by_key[WORK].name == "opus"


def test_elements_that_are_not_in_head_are_refused() -> None:
    """An existing element cannot be restored again."""
    head, place = opened(), ColumnRef(WORK, YEAR)
    without = apply(head, remove_column(place, dependents=True))
    with pytest.raises(EditError, match="new and empty"):
        apply(without, Restore(place, without))
    with pytest.raises(EditError, match="already"):
        apply(head, Restore(place, head))
