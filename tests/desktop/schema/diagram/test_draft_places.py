"""Where the new tables of a draft are in the diagram."""

from __future__ import annotations

from dataclasses import replace

from cdb_desktop.schema.diagram.groups import box_key, made_groups
from cdb_desktop.schema.diagram.model import Arrangement
from cdb_desktop.schema.diagram.views import DraftPlace, draft_places, with_draft_places
from cdb_desktop.schema.document.element_ref import new_key

NEW, OTHER, LAST = new_key(), new_key(), new_key()
ARRANGEMENT = Arrangement(
    {1: (0.0, 0.0), NEW: (10.0, 20.0), OTHER: (30.0, 0.0), LAST: (50.0, 0.0), box_key(1): (7.0, 7.0)},
    made_groups([("works", (1, NEW)), ("plans", (OTHER,))]),
    frozenset({1, NEW}),
)


def test_only_new_tables_have_places() -> None:
    assert draft_places(ARRANGEMENT) == {
        NEW: DraftPlace((10.0, 20.0), "works", 0, True),
        OTHER: DraftPlace((30.0, 0.0), "plans", 1),
        LAST: DraftPlace((50.0, 0.0)),
    }


def test_what_was_stored_and_the_places_are_the_arrangement_again() -> None:
    """A group that has only new tables is made again, and found by its name."""
    stored = ARRANGEMENT.lasting()
    places = draft_places(ARRANGEMENT)
    assert with_draft_places(stored, places) == ARRANGEMENT
    renamed = replace(stored, groups=stored.groups.described(1, "art", 5))
    found = with_draft_places(renamed, places).groups
    assert [(group.name, group.tables) for group in found] == [
        ("art", frozenset({1})),
        ("works", frozenset({NEW})),
        ("plans", frozenset({OTHER})),
    ]
    assert with_draft_places(stored, {}) == stored
