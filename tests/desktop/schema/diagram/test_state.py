"""The state of the diagram: parts with their arrangements, the way back, comparisons, undo and redo."""

from dataclasses import replace

import pytest

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.diagram import state
from cdb_desktop.schema.diagram.groups import box_key, made_groups
from cdb_desktop.schema.diagram.model import Arrangement, Box, SchemaGraph
from cdb_desktop.schema.diagram.routing import Router
from cdb_desktop.schema.diagram.scope import GroupTables, Neighborhood, Scope, ViewTables
from cdb_desktop.schema.diagram.state import DiagramState, Jump
from cdb_desktop.schema.diagram.views import DraftPlace, Viewport
from cdb_desktop.schema.working_copy import EMPTY, EditHistory, new_history

A, B, C, D = (Arrangement({1: (x, 0.0)}) for x in (0.0, 10.0, 20.0, 30.0))
FOCUS, VIEW = Scope(Neighborhood(frozenset((1,)))), Scope(ViewTables(7))
HERE, THERE = Viewport(1.0, (0.0, 0.0)), Viewport(0.5, (9.0, 9.0))
NUDGE = "nudge"
ROUTES = Router().routes
GROUPS = made_groups([("first", (1, 2)), ("second", (3,))])


def _step(history: EditHistory, title: str) -> EditHistory:
    return history.changed(message(title), EMPTY)


@pytest.fixture
def start() -> EditHistory:
    return new_history(EMPTY)


@pytest.fixture
def diagram(start: EditHistory) -> DiagramState:
    """With one table, at `A`."""
    return DiagramState(arrangements={None: A}).advanced(start, ROUTES)[0]


def _after(diagram: DiagramState, now: EditHistory, arrangement: Arrangement, kind: str = "") -> DiagramState:
    """After a step that gave an arrangement."""
    return diagram.arranged(arrangement).recorded(now, diagram.arrangement, kind)


def _jump(diagram: DiagramState, now: EditHistory) -> Jump:
    jump = diagram.advanced(now, ROUTES)[1]
    assert jump is not None
    return jump


def _jumped(diagram: DiagramState, now: EditHistory) -> DiagramState:
    found, jump = diagram.advanced(now, ROUTES)
    assert jump is not None
    return found.jumped(jump, HERE)


def test_steps_are_undone_from_the_last_and_redone_from_the_first(
    diagram: DiagramState, start: EditHistory
) -> None:
    one = _step(start, "one")
    two = _step(one, "two")
    diagram = _after(_after(diagram, one, B), two, C)
    undo = _jump(diagram, two.jumped(0))
    assert [result for _, result in undo.results] == [B, A]
    assert undo.last is undo.results[-1][0]
    undone = _jumped(diagram, two.jumped(0))
    assert undone.arrangement == A
    redo = _jump(undone, two)
    assert [result for _, result in redo.results] == [B, C]
    assert _jumped(undone, two).arrangement == C


def test_an_edit_after_a_step_is_what_a_jump_ends_with(diagram: DiagramState, start: EditHistory) -> None:
    one = _step(start, "one")
    edited = _step(one, "edit")
    diagram = _after(diagram, one, B)
    assert not diagram.history.is_left_for(one)
    assert diagram.history.is_left_for(edited)
    diagram, jump = diagram.advanced(edited, ROUTES)
    assert jump is None
    assert _jump(diagram, edited.jumped(0)).last is not None
    redo = _jump(_jumped(diagram, edited.jumped(0)), edited)
    assert redo.last is None
    assert [result for _, result in redo.results] == [B]


def test_a_repeated_key_extends_its_step(
    diagram: DiagramState, start: EditHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = _step(start, "nudge")
    diagram = _after(diagram, one, B, NUDGE)
    history = diagram.history.extended(one, C, None, NUDGE)
    assert history is not None
    undo = _jump(replace(diagram, history=history), one.undone())
    assert [(step.before, step.after) for step, _ in undo.results] == [(A, C)]
    assert history.extended(one.undone(), D, None, NUDGE) is None, "it was undone"
    assert history.extended(one, D, VIEW.part, NUDGE) is None, "another part is shown"
    assert history.extended(one, D, None, "other") is None, "another key"
    two = _step(one, "arrange")
    assert _after(diagram, two, C).history.extended(two, D, None, NUDGE) is None, "another step"
    monkeypatch.setattr(state, "_REPEATED_SECONDS", 0.0)
    assert history.extended(one, D, None, NUDGE) is None, "after a pause"


def test_steps_that_can_no_longer_be_redone_are_forgotten(diagram: DiagramState, start: EditHistory) -> None:
    one = _step(start, "one")
    other = _step(one.undone(), "other")
    diagram = _after(_jumped(_after(diagram, one, B), one.undone()), other, C)
    assert [(step.before, step.after) for step in diagram.history.steps] == [(A, C)]


def test_a_step_concerns_what_it_moves_folds_or_groups(diagram: DiagramState, start: EditHistory) -> None:
    """Tables without a position before or after are not moved."""
    before = Arrangement({1: (0.0, 0.0), 2: (0.0, 0.0), 3: (0.0, 0.0)}, GROUPS)
    after = before.moved({2: (5.0, 0.0), 9: (0.0, 0.0)})
    after = replace(after, groups=GROUPS.described(2, "renamed", 1), folded=frozenset((4,)))
    (step,) = _after(diagram.arranged(before), _step(start, "one"), after).history.steps
    assert step.tables == {2, 3, 4}
    assert step.is_of_part
    (step,) = _after(
        diagram.arranged(before), _step(start, "two"), replace(before, folded=step.after.folded)
    ).history.steps
    assert not step.is_of_part


def test_routes_of_a_state_return_with_it(diagram: DiagramState, start: EditHistory) -> None:
    """After undo, and after a comparison; while versions are compared they are those of other documents."""
    one, before, after = _step(start, "one"), Router().routes, Router().routes
    diagram = diagram.arranged(B).recorded(one, A, routes=before)
    undone = diagram.advanced(one.undone(), after)[0]
    assert undone.routes is before
    assert undone.advanced(one, before)[0].routes is after
    compared = undone.compared((1.0, 0, 0), after)
    assert compared.routes is None
    assert compared.advanced(one, before)[0].resumed().advanced(one.undone(), before)[0].routes is after
    for number in range(state._MOST_ROUTES + 1):
        diagram = replace(diagram, history=diagram.history.with_routes(message(str(number)), None, before))
    assert len(diagram.history.routes) == state._MOST_ROUTES
    assert diagram.routes is None


def test_each_part_has_places_of_its_own_and_all_share_groups(diagram: DiagramState) -> None:
    """But groups are collapsed in a part only; a part of a group begins as it looks among the others."""
    collapsed = GROUPS.with_collapsed([1], on=True)
    diagram = diagram.arranged(replace(A, groups=collapsed, folded=frozenset((3,))))
    focus = diagram.in_scope(FOCUS)
    named = focus.arrangement.groups.described(1, "renamed", 5)
    focus = focus.arranged(Arrangement({1: (5.0, 5.0)}, named))
    back = focus.in_scope(Scope()).arrangement
    assert (back.positions, back.folded) == (A.positions, frozenset())
    assert [(group.name, group.is_collapsed) for group in back.groups] == [
        ("renamed", True),
        ("second", False),
    ]
    assert focus.kept_arrangement == back
    assert focus.in_scope(Scope()).in_scope(FOCUS).arrangement.positions == {1: (5.0, 5.0)}
    group = diagram.moved({3: (1.0, 1.0)}).in_scope(Scope(GroupTables(1, frozenset((1, 2)))))
    assert group.arrangement.positions == A.positions


def test_a_view_is_shown_as_it_was_saved(diagram: DiagramState) -> None:
    diagram = diagram.arranged(replace(A, groups=GROUPS))
    shown = diagram.placed(VIEW.part, {box_key(2): (1.0, 2.0), 1: (3.0, 4.0)}).in_scope(VIEW).arrangement
    assert shown.positions == {box_key(2): (1.0, 2.0), 1: (3.0, 4.0)}
    assert [group.key for group in shown.groups.collapsed] == [2]
    assert diagram.placed(None, {2: (1.0, 2.0)}).arrangement.positions == {**A.positions, 2: (1.0, 2.0)}


def test_the_way_back(diagram: DiagramState) -> None:
    """Leads to what was visible; a part is left with all its steps, and deleted views are left out."""
    wider = Scope(Neighborhood(frozenset((1,)), 2))
    there = diagram.showing(FOCUS, HERE).showing(FOCUS.hiding((1,)), THERE).in_scope(FOCUS.hiding((2,)))
    assert there.showing(there.scope, THERE) == there
    found, viewport = there.back()
    assert (found.scope, viewport) == (FOCUS, THERE)
    found, viewport = there.without_part()
    assert (found.scope, viewport, found.former) == (Scope(), HERE, ())
    assert diagram.back() == (diagram, None)
    assert diagram.without_part() == (diagram, None)
    assert diagram.in_scope(FOCUS).without_part()[0].scope == Scope()
    viewed = diagram.showing(VIEW, HERE).showing(wider, THERE)
    assert viewed.without_view(7)[0].former == ((Scope(), HERE),)
    assert viewed.without_view(8)[0].former == viewed.former
    assert diagram.showing(VIEW, HERE).without_view(7)[0].scope == Scope()
    cycle = diagram.showing(VIEW, HERE).showing(Scope(), THERE)
    assert cycle.without_view(7)[0].former == ()


def test_undo_shows_the_part_in_which_the_step_was_made(diagram: DiagramState, start: EditHistory) -> None:
    """Unless it is a view that was deleted; hidden tables that it moved are shown."""
    one = _step(start, "one")
    viewed = _after(diagram.in_scope(VIEW).arranged(B), one, C).in_scope(Scope())
    undone = _jumped(viewed, one.undone())
    assert (undone.scope, undone.arrangement.positions) == (VIEW, B.positions)
    assert undone.former == ((Scope(), HERE),)
    deleted = _jumped(viewed.without_view(7)[0], one.undone())
    assert (deleted.scope, deleted.arrangements[VIEW.part].positions) == (Scope(), B.positions)
    assert _jumped(undone.without_view(7)[0].showing(VIEW, HERE), one).scope == VIEW
    hidden = _after(diagram, one, B).in_scope(Scope(hidden=frozenset((1, 2))))
    assert _jumped(hidden, one.undone()).scope == Scope(hidden=frozenset((2,)))
    grouped = _after(diagram.in_scope(VIEW).arranged(B), one, replace(B, groups=GROUPS)).in_scope(Scope())
    shared = _jumped(grouped, one.undone())
    assert (shared.scope, shared.arrangement.groups.all) == (Scope(), ()), "groups are those of all parts"


def test_what_is_moved_while_versions_are_compared_returns(diagram: DiagramState) -> None:
    """In all parts; what is stored meanwhile is that of before."""
    compared = diagram.compared((1.0, 2, 3), ROUTES)
    assert compared.comparison is not None
    assert compared.comparison.place == (1.0, 2, 3)
    roomy = replace(compared, comparison=replace(compared.comparison, has_room=True))
    moved = roomy.arranged(B).compared((9.0, 9, 9), ROUTES)
    assert moved.kept_arrangement == A
    assert moved.comparison == roomy.comparison
    elsewhere = moved.in_scope(FOCUS)
    assert elsewhere.comparison is not None
    assert not elsewhere.comparison.has_room
    assert elsewhere.resumed().arrangements[None] == A
    assert moved.resumed().arrangement == A
    assert diagram.resumed() is diagram


def test_new_tables_are_shown_in_any_part(diagram: DiagramState) -> None:
    """But not those that were there at first, nor those that return."""
    first, more = _graph(1, -5), _graph(1, -5, -6, 8)
    shown = diagram.in_scope(FOCUS).joined(first)
    assert shown.scope == FOCUS
    assert shown.joined(more).scope == FOCUS.showing((-6,))
    assert shown.joined(more).in_scope(FOCUS).joined(first).joined(more).scope == FOCUS
    assert diagram.joined(first).joined(more).scope == Scope()


def test_tables_that_were_hidden_while_others_were_arranged(diagram: DiagramState) -> None:
    """They get another place when they are shown again, if a box is there now."""
    graph = _graph(1, 2, 3)
    placed = replace(diagram.moved({2: (0.0, 0.0), 3: (900.0, 0.0)}), undecided=frozenset((2, 3, 4)))
    shown = placed.decided(graph, (2, 3))
    assert shown.arrangement.positions.keys() == {1, 3}
    assert shown.undecided == {4}
    assert placed.in_scope(FOCUS).decided(graph, (2,)).undecided == {2, 3, 4}


def test_tables_of_groups_come_to_their_groups(diagram: DiagramState) -> None:
    graph = _graph(1, 2, 3)
    grouped = diagram.arranged(replace(A, groups=GROUPS))
    assert grouped.with_new_in_groups(graph, graph).arrangement.positions.keys() == {1, 2}
    many = _graph(1, 2, *range(10, 30))
    assert grouped.with_new_in_groups(many, many) == grouped


def test_a_restored_draft_has_its_places_and_groups(diagram: DiagramState, start: EditHistory) -> None:
    """Undo takes the groups back."""
    places = {-5: DraftPlace((7.0, 7.0), "first", 2)}
    restored = _step(start, "Restore")
    diagram = diagram.advanced(restored, ROUTES)[0].in_scope(FOCUS)
    found = diagram.with_draft(places)
    assert found.arrangements[None].positions[-5] == (7.0, 7.0)
    assert found.arrangement.groups.by_table[-5].name == "first"
    assert not _jumped(found, restored.undone()).arrangement.groups
    assert diagram.with_draft({}) is diagram
    assert found.with_draft({-6: DraftPlace((8.0, 8.0))}).history == found.history


def test_saving_renumbers_new_tables(diagram: DiagramState, start: EditHistory) -> None:
    """Everywhere: in arrangements, scopes, steps and what returns after a comparison."""
    one, focus = _step(start, "one"), Scope(Neighborhood(frozenset((-5,))))
    placed = diagram.arranged(Arrangement({-5: (1.0, 1.0)}))
    moved = _after(placed.in_scope(focus), one, Arrangement({-5: (2.0, 2.0)}))
    moved = replace(moved, undecided=frozenset((-5,))).joined(_graph(-5))
    old = moved.compared((1.0, 0, 0), ROUTES).showing(focus.hiding((-5,)), HERE)
    new = old.renumbered({-5: 9}, {})
    assert "-5" not in str(replace(new, assigned={}, known=frozenset()))
    assert new.scope == Scope(Neighborhood(frozenset((9,))), hidden=frozenset((9,)))
    assert new.arrangements[None].positions == {9: (1.0, 1.0)}
    assert new.resumed().arrangement.positions == {9: (2.0, 2.0)}
    assert new.history.steps[0].tables == old.history.steps[0].renumbered({-5: 9}).tables
    assert new.history.routes.keys() == {(id(one.states[1].title), new.scope.part)}
    assert new.assigned == {-5: 9}
    assert (new.known, new.undecided) == (frozenset((-5, 9)), frozenset((9,)))
    assert new.renumbered({-6: 10}, {}).assigned == {-5: 9, -6: 10}


def _graph(*tables: int) -> SchemaGraph:
    boxes = (Box(table, f"t{table}", (), 0.0, 0.0, 100.0, 50.0, 20.0, ()) for table in tables)
    return SchemaGraph(tuple(boxes), ())
