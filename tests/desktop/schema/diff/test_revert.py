"""Tests of reverting single changes: the change is gone, and repeated for all nothing is left."""

from __future__ import annotations

from random import Random

import pytest

from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.diff.revert import comparable, reverted, reverting_edit
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.edit import EditError
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.schema.validation.validate import find_problems
from cdb_desktop.schema.working_copy import new_history
from tests.desktop.schema.merge.triples import RandomEdits
from tests.desktop.schema.models import (
    PERSON,
    PLACE,
    changed,
    column,
    inconsistent_references,
    link,
    museum,
    opened,
    table,
)

_MOST_STEPS = 60


@pytest.mark.parametrize(
    "seeds", [range(60), pytest.param(range(1000), marks=[pytest.mark.long, pytest.mark.timeout(600)])]
)
def test_reverting_all_changes_gives_the_former_document(seeds: range) -> None:
    """In any order; each step is valid, and what cannot be reverted is nothing but the owner of a table."""
    for seed in seeds:
        random = Random(seed)
        drawer, history = RandomEdits(random), new_history(opened())
        for _ in range(random.randint(1, 6)):
            history = drawer.step(history)
        document = _reverted(history.document, random)
        left = [str(change.message) for change in compare(opened(), document)]
        assert left == [], seed
        assert inconsistent_references(document) == [], seed
        assert {problem.code for problem in find_problems(document)} <= {"delete_rule"}, seed


def _reverted(document: Document, random: Random) -> Document:
    source = opened()
    for _ in range(_MOST_STEPS):
        changes = list(compare(source, document))
        random.shuffle(changes)
        for change in changes:
            edit = reverting_edit(change, source, document)
            if edit is None:
                continue
            assert str(edit.title(document))
            try:
                document = edit.apply_to(document)
            except EditError:
                # Another change has to be reverted first.
                continue
            break
        else:
            return document
    return document


def test_several_changes_are_reverted_in_an_order_that_is_possible() -> None:
    """A link and the table that it points to come back together; what follows from them is no remainder."""
    for seed in range(60):
        random = Random(seed)
        drawer, history = RandomEdits(random), new_history(opened())
        for _ in range(random.randint(1, 6)):
            history = drawer.step(history)
        changes = list(compare(opened(), history.document))
        random.shuffle(changes)
        document, left = reverted(changes, opened(), history.document)
        assert left == tuple(one for one in compare(opened(), document)), seed
        assert inconsistent_references(document) == [], seed
        chosen = changes[::2]
        partly, _ = reverted(chosen, opened(), history.document)
        assert inconsistent_references(partly) == [], seed


def test_a_foreign_model_is_compared_by_names() -> None:
    """One with other ids; a model of the same service keeps its ids, so that a rename is one."""
    base = opened()
    renamed = RenameTable(PERSON, "people").apply_to(base)
    assert comparable(renamed, base) is renamed
    foreign = museum()
    foreign["tables"] = [table(40 + at, one["name"]) for at, one in enumerate(museum()["tables"])]
    found = comparable(opened(foreign), base)
    assert [one.key for one in found.tables] == [one.key for one in base.tables]
    assert compare(base, opened(changed(museum(), PERSON, comment="x")))[0].option == "comment"


def test_tables_of_a_foreign_model_are_taken_over_as_new() -> None:
    """They have no ids and link to the tables of the same names here; what was not selected stays."""
    guide = table(90, "guide", column(90, "title"), column(91, "place", "link"))
    guide["foreign_keys"] = [link("guide", 91, "place", 51, "place")]
    place = table(51, "place", column(92, "name", "text_l10n"))
    base = opened()
    file = comparable(opened({**museum(), "tables": [guide, place]}), base)
    wanted = [one for one in compare(file, base) if one.before == "guide"]
    document, left = reverted(wanted, file, base)
    assert left == ()
    assert [one.name for one in document.tables] == [*(one.name for one in base.tables), "guide"]
    found = document.tables[-1]
    assert (found.id, found.columns[0].id) == (None, None)
    assert found.foreign_keys[0].target == PLACE
    assert find_problems(document) == ()
