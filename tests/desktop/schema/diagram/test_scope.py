"""Tests of the parts of a schema that a diagram shows, compared with simple and slow algorithms."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.schema.diagram.model import Arrangement, Box, Edge, SchemaGraph
from cdb_desktop.schema.diagram.placement import without_covered
from cdb_desktop.schema.diagram.scope import (
    MOST_PATHS,
    Direction,
    Neighborhood,
    PathsBetween,
    Scope,
    ViewTables,
    apply_scope,
    part_renumbered,
    shortest_paths,
    tables_beyond,
)
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.edits.tables import remove_table
from tests.desktop.schema.diagram.graphs import graph_of
from tests.desktop.schema.models import NOTE, PERSON, PICTURE, PLACE, WORK, opened

_TABLES = range(1, 8)
_links = st.lists(st.tuples(st.sampled_from(_TABLES), st.sampled_from(_TABLES)), max_size=12)
_steps = st.integers(min_value=0, max_value=4)


def _graph(links: list[tuple[int, int]]) -> SchemaGraph:
    boxes = tuple(Box(table, f"t{table}", (), 0, 0, 10, 10, 5, ()) for table in _TABLES)
    return SchemaGraph(boxes, tuple(Edge(ColumnRef(a, n), b, a, 0, b, 0) for n, (a, b) in enumerate(links)))


def _shown(graph: SchemaGraph, scope: Scope) -> set[int]:
    return {box.table for box in apply_scope(graph, scope).graph.boxes}


@given(_links, st.sampled_from(_TABLES), _steps, st.sampled_from(Direction))
def test_a_focus_shows_exactly_the_tables_within_its_steps(
    links: list[tuple[int, int]], start: int, steps: int, direction: Direction
) -> None:
    """Step by step, each table that is linked with one that is reached; in the direction that is chosen."""
    reached = {start}
    for _ in range(steps):
        found = set(reached)
        for source, target in links:
            if source in reached and direction is not Direction.INCOMING:
                found.add(target)
            if target in reached and direction is not Direction.OUTGOING:
                found.add(source)
        reached = found
    scope = Scope(Neighborhood(frozenset((start,)), steps, direction))
    assert _shown(_graph(links), scope) == reached


@given(_links, st.sampled_from(_TABLES), st.sampled_from(_TABLES))
def test_paths_are_all_shortest_ones(links: list[tuple[int, int]], start: int, end: int) -> None:
    """Compared with all orders of the tables."""
    if start == end:
        return
    linked = {frozenset(link) for link in links}
    others = [table for table in _TABLES if table not in (start, end)]
    every = [
        (start, *between, end)
        for count in range(len(others) + 1)
        for between in permutations(others, count)
        if all(frozenset(pair) in linked for pair in zip((start, *between), (*between, end), strict=True))
    ]
    shortest = min(map(len, every), default=0)
    expected = {path for path in every if len(path) == shortest}
    paths = shortest_paths(_graph(links).edges, start, end)
    found = {(start, *(step.following for step in path)) for path in paths.paths}
    assert paths.length == (shortest - 1 if expected else None)
    assert paths.total == len(expected)
    assert found == expected
    assert paths.tables == {table for path in expected for table in path}
    assert all(
        {step.table, step.following} == {edge.source, edge.target}
        for path in paths.paths
        for step in path
        for edge in step.edges
    )


def test_many_paths_are_counted_and_only_the_first_are_listed() -> None:
    """A chain of diamonds has a number of paths that doubles with each."""
    edges = []
    for number in range(0, 30, 3):
        for middle in (number + 1, number + 2):
            edges += [(number, middle), (middle, number + 3)]
    links = tuple(Edge(ColumnRef(a, n), b, a, 0, b, 0) for n, (a, b) in enumerate(edges))
    paths = shortest_paths(links, 0, 30)
    assert (paths.length, paths.total, len(paths.paths)) == (20, 1024, MOST_PATHS)


@given(_links, st.frozensets(st.sampled_from(_TABLES)), st.frozensets(st.sampled_from(_TABLES)))
def test_hidden_tables_and_their_links_are_left_out(
    links: list[tuple[int, int]], hidden: frozenset[int], again: frozenset[int]
) -> None:
    """The marks count the links with them; showing tables again is the opposite of hiding them."""
    graph = _graph(links)
    scope = Scope().hiding(hidden)
    shown = apply_scope(graph, scope)
    assert {box.table for box in shown.left_out} == hidden
    there = set(_TABLES) - hidden
    for table in there:
        beyond = [link for link in links if table in link and not there.issuperset(link)]
        assert shown.beyond.get(table, 0) == len(beyond)
        others = {other for link in beyond for other in link if other != table}
        assert set(tables_beyond(graph, there, table)) == others
    assert all({edge.source, edge.target} <= there for edge in shown.graph.edges)
    assert _shown(graph, scope.showing(again)) == there | again
    assert scope.showing_all() == Scope()


def test_nested_tables_count_with_their_owner() -> None:
    """The link of a table nested in work is one of work."""
    graph = graph_of()
    assert _shown(graph, Scope(Neighborhood(frozenset((PERSON,))))) == {PERSON, WORK}
    shown = apply_scope(graph, Scope(PathsBetween(PERSON, PICTURE)))
    assert {box.table for box in shown.graph.boxes} == {PERSON, WORK, PICTURE}
    assert NOTE in {nested.table for box in shown.graph.boxes for nested in box.nested}


def test_added_tables_are_shown_with_a_part() -> None:
    """Until they are hidden."""
    graph = graph_of()
    scope = Scope(Neighborhood(frozenset((PERSON,)), 0)).showing((PLACE,))
    assert _shown(graph, scope) == {PERSON, PLACE}
    assert _shown(graph, scope.hiding((PLACE,))) == {PERSON}


def test_removed_tables_are_shown_where_they_were_chosen() -> None:
    """A focus leaves other removed tables out; hiding works for them too."""
    document = opened()
    graph = graph_of(remove_table(PICTURE).apply_to(document), document)
    assert [ghost.table for ghost in apply_scope(graph, Scope()).graph.ghosts] == [PICTURE]
    assert apply_scope(graph, Scope().hiding((PICTURE,))).graph.ghosts == ()
    assert apply_scope(graph, Scope(Neighborhood(frozenset((WORK,))))).graph.ghosts == ()
    view = apply_scope(graph, Scope(ViewTables(1, frozenset((WORK, PICTURE)))))
    assert [ghost.table for ghost in view.graph.ghosts] == [PICTURE]
    assert apply_scope(graph, Scope(ViewTables(1))).graph.ghosts == graph.ghosts


@pytest.mark.parametrize(
    ("part", "renumbered"),
    [
        (None, None),
        (Neighborhood(frozenset((-5, 1)), 2), Neighborhood(frozenset((50, 1)), 2)),
        (PathsBetween(1, -5), PathsBetween(1, 50)),
        (ViewTables(3, frozenset((-5, 2))), ViewTables(3, frozenset((50, 2)))),
        (ViewTables(3), ViewTables(3)),
    ],
)
def test_saving_renumbers_what_is_shown(part: object, renumbered: object) -> None:
    """New tables get their ids when HEAD is saved."""
    assert part_renumbered(part, {-5: 50}) == renumbered  # type: ignore[arg-type]
    scope = Scope(added=frozenset((-5,)), hidden=frozenset((-5, 7))).renumbered({-5: 50})
    assert (scope.added, scope.hidden) == (frozenset((50,)), frozenset((50, 7)))


def test_boxes_that_others_cover_lose_their_positions() -> None:
    """Only those that were hidden; the covering boxes stay."""
    graph = _graph([])
    positions = {table: (100.0 * table, 0.0) for table in _TABLES} | {2: (100.0, 0.0)}
    left = without_covered(graph, Arrangement(positions), {2, 3}).positions
    assert left.keys() == set(_TABLES) - {2}
