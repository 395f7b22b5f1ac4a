"""Properties of promotions of generated pairs of models, whose ids differ."""

from __future__ import annotations

from random import Random

import pytest

from cdb_desktop.schema.diff.apply import with_chosen
from cdb_desktop.schema.diff.compare import ChangeKind, ItemId
from cdb_desktop.schema.diff.differences import Differences, find_differences
from cdb_desktop.schema.diff.matching import MatchBy, align
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import RenameColumn, SetLinkTarget, SetReverseEdit
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.edits.tables import RenameTable, SetTableOptions
from tests.desktop.schema.diff.pairs import pair
from tests.desktop.schema.models import (
    ARTIST,
    PERSON,
    PLACE,
    TITLE,
    WORK,
    YEAR,
    inconsistent_references,
    opened,
)

_ARTIST = ColumnRef(WORK, ARTIST)
_pairs = pytest.mark.parametrize(
    "seeds", [range(40), pytest.param(range(40, 1000), marks=[pytest.mark.long, pytest.mark.timeout(900)])]
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


def _chosen(found: Differences, random: Random, share: float) -> frozenset[ItemId]:
    ids = [item.id for item in found.items if random.random() < share]
    return found.with_ids((), ids)


def _ids(old: Document, new: Document) -> frozenset[ItemId]:
    return find_differences(old, new).all_ids
