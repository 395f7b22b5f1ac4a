"""Tests of named views and their storage."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from cdb_desktop.schema.diagram.groups import box_key, made_groups
from cdb_desktop.schema.diagram.model import Arrangement
from cdb_desktop.schema.diagram.views import (
    DraftPlace,
    NamedView,
    Viewport,
    draft_places,
    saved_tables,
    unused_id,
    with_draft_places,
    with_view,
    without_view,
)
from cdb_desktop.schema.document.element_ref import new_key
from cdb_desktop.schema.edits.tables import AddTable, RenameTable, remove_table
from cdb_desktop.schema.files.local_store import LocalStore
from tests.desktop.schema.models import PERSON, WORK, opened

_parts = st.floats(min_value=-9e5, max_value=9e5)
_points = st.tuples(_parts, _parts)
_POSITIONS = {WORK: (1.5, -2.0), PERSON: (300.0, 40.25)}


def _view(name: str = "People", id_: int = 1) -> NamedView:
    tables = saved_tables(opened(), _POSITIONS, _POSITIONS)
    return NamedView(id_, name, False, tables, Viewport(0.5, (10.0, 20.0)))


@settings(max_examples=15)
@given(st.dictionaries(st.integers(min_value=1), _points, max_size=5), _points, st.text(max_size=20))
def test_views_are_read_as_they_were_written(
    tmp_path_factory: object,
    positions: dict[int, tuple[float, float]],
    center: tuple[float, float],
    name: str,
) -> None:
    """With any positions and names."""
    folder = Path(str(tmp_path_factory.mktemp("views")))  # type: ignore[attr-defined]
    view = NamedView(7, name, True, saved_tables(opened(), positions, positions), Viewport(0.3, center))
    store = LocalStore(folder, "https://db.example.org", "jo")
    store.keep_views((view,))
    assert store.views() == (view,)
    # Users share views, services do not.
    assert LocalStore(folder, "https://db.example.org", "sam").views() == (view,)
    assert LocalStore(folder, "https://other.example.org", "jo").views() == ()


def test_a_damaged_file_of_views_is_set_aside(tmp_path: Path) -> None:
    """Also one with positions outside of any diagram."""
    store = LocalStore(tmp_path, "https://db.example.org")
    far = NamedView(1, "x", True, (), Viewport(1.0, (1e9, 0.0)))
    store.keep_views((far,))
    assert store.views() == ()
    [kept] = tmp_path.iterdir()
    assert ".views.json" in kept.name
    assert kept.suffix != ".json"


def test_views_survive_renames_and_removals() -> None:
    """Tables are found by their ids; a removed table keeps its position for undo."""
    view, document = _view(), RenameTable(WORK, "artwork").apply_to(opened())
    assert view.positions(document) == _POSITIONS
    assert view.positions(remove_table(WORK, dependents=True).apply_to(document)) == _POSITIONS


def test_new_tables_are_found_after_saving_and_by_name() -> None:
    """The key of a new table ends with the program, its name does not."""
    edit = AddTable("guestbook")
    document = edit.apply_to(opened())
    tables = saved_tables(document, {edit.key}, {edit.key: (5.0, 6.0)})
    view = NamedView(1, "New", False, tables, Viewport(1.0, (0.0, 0.0)))
    assert view.positions(document) == {edit.key: (5.0, 6.0)}
    again = AddTable("guestbook")
    assert view.positions(again.apply_to(opened())) == {again.key: (5.0, 6.0)}
    assert view.renumbered({edit.key: 77}).positions(opened()) == {77: (5.0, 6.0)}


def test_names_and_ids_of_views_are_unique() -> None:
    """A view replaces one with its name; a renamed one stays the same view."""
    views = with_view((), _view("b", 1))
    views = with_view(views, _view("A", unused_id(views)))
    assert [(view.name, view.id) for view in views] == [("A", 2), ("b", 1)]
    views = with_view(views, _view("A", 3))
    assert [(view.name, view.id) for view in views] == [("A", 3), ("b", 1)]
    views = with_view(views, _view("c", 1))
    assert [(view.name, view.id) for view in views] == [("A", 3), ("c", 1)]
    assert [view.id for view in without_view(views, 3)] == [1]


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
