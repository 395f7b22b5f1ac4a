"""Tests of groups: found by links and prefixes, collapsed, expanded and assigned."""

from collections import Counter
from random import Random

import pytest

from cdb_desktop.schema.diagram.graph_builder import reduced_graph
from cdb_desktop.schema.diagram.group_layout import (
    brought_to_group,
    collapse,
    expand,
    expand_all,
    regions_of,
    stack_groups,
)
from cdb_desktop.schema.diagram.grouping import find_communities, groups_by_links, groups_by_prefix
from cdb_desktop.schema.diagram.groups import COLORS, NO_GROUPS, Groups, box_key, group_of_box, made_groups
from cdb_desktop.schema.diagram.model import Arrangement, Box, SchemaGraph
from cdb_desktop.schema.document.element_ref import new_key
from cdb_desktop.schema.document.json_format import read_document
from tests.desktop.schema.diagram.graphs import graph_of, large_model, measure, overlapping, region_boxes
from tests.desktop.schema.models import column, table

SIZES = (2, 15, 100, 300)


def _graph(tables: int) -> SchemaGraph:
    return graph_of(read_document(large_model(tables)))


def _arranged(graph: SchemaGraph) -> Arrangement:
    groups = groups_by_links(graph)
    return Arrangement(stack_groups(graph, groups).positions, groups)


def _shown(graph: SchemaGraph, arrangement: Arrangement) -> tuple[Box, ...]:
    reduced = reduced_graph(graph, arrangement, measure)
    return tuple(box.at(arrangement.positions[box.table]) for box in reduced.boxes)


@pytest.mark.parametrize("tables", SIZES)
def test_every_table_is_in_exactly_one_group(tables: int) -> None:
    """Of both ways to find them; the same model gives the same groups."""
    graph = _graph(tables)
    for find in (groups_by_links, groups_by_prefix):
        groups = find(graph)
        members = Counter(table for group in groups for table in group.tables)
        assert members == dict.fromkeys((box.table for box in graph.boxes), 1)
        assert len({group.name for group in groups}) == len(groups.all)
        assert find(_graph(tables)) == groups


def test_a_thousand_tables_are_about_twenty_groups() -> None:
    """None of them has more than twice as many tables as the average, or fewer than three."""
    groups = groups_by_links(_graph(1000))
    assert 15 <= len(groups.all) <= 25
    sizes = [len(group.tables) for group in groups]
    assert max(sizes) <= 110
    assert min(sizes) >= 3


def test_communities_are_those_with_most_links_inside() -> None:
    """Two triangles with one link in between are two; a node without links is one of its own."""
    pairs = [("a", "b"), ("b", "c"), ("a", "c"), ("d", "e"), ("e", "f"), ("d", "f"), ("c", "d")]
    weights: dict[str, dict[str, float]] = {name: {} for name in "abcdefg"}
    for one, other in pairs:
        weights[one][other] = weights[other][one] = 1.0
    assert find_communities(weights) == [["a", "b", "c"], ["d", "e", "f"], ["g"]]


def test_prefixes_skip_what_all_names_have() -> None:
    """Tables that share their prefix with no other are together."""
    names = ["app_order", "app_order_line", "app_user", "appUserRole", "app_tax"]
    tables = [table(number, name, column(number, "a")) for number, name in enumerate(names, start=1)]
    groups = groups_by_prefix(graph_of(read_document({"version": 1, "tables": tables})))
    assert [(group.name, sorted(group.tables)) for group in groups] == [
        ("app_order", [1, 2]),
        ("app_user", [3, 4]),
        ("Other tables", [5]),
    ]


@pytest.mark.parametrize("tables", SIZES)
def test_collapsing_and_expanding_restores_all(tables: int) -> None:
    """One group and all of them, with the same positions as before."""
    graph = _graph(tables)
    before = _arranged(graph)
    keys = [group.key for group in before.groups]
    for chosen in ([keys[0]], keys[1:], keys):
        after = collapse(before, chosen, graph)
        reduced = reduced_graph(graph, after, measure)
        assert {group.key for group in after.groups.collapsed} == set(chosen)
        assert expand(after, chosen, graph, reduced) == before
        assert expand_all(after, chosen, graph, reduced) == before


@pytest.mark.parametrize("tables", SIZES)
def test_counts_of_links_add_up(tables: int) -> None:
    """Whatever is collapsed, each link that is not inside of one box is counted once."""
    graph, random = _graph(tables), Random(tables)
    arrangement = _arranged(graph)
    keys = [group.key for group in arrangement.groups]
    for _ in range(5):
        chosen = random.sample(keys, random.randint(1, len(keys)))
        after = collapse(arrangement, chosen, graph)
        shown = reduced_graph(graph, after, measure)
        owner = {table: group.box for group in after.groups.collapsed for table in group.tables}
        ends = Counter(
            (owner.get(edge.source, edge.source), owner.get(edge.target, edge.target)) for edge in graph.edges
        )
        outside = {pair: count for pair, count in ends.items() if pair[0] != pair[1] or pair[0] > 0}
        found: Counter[tuple[int, int]] = Counter()
        for edge in shown.edges:
            found[edge.source, edge.target] += edge.count
        assert found == outside
        assert len({edge.ref.column for edge in shown.edges}) == len(shown.edges)
        boxes = {box.table for box in shown.boxes}
        assert boxes == {owner.get(box.table, box.table) for box in graph.boxes}


def test_a_collapsed_group_names_tables_and_links() -> None:
    """Its box has its number of tables, and a row with a number for each box that it links to."""
    graph = _graph(100)
    arrangement = _arranged(graph)
    group = arrangement.groups.all[0]
    shown = reduced_graph(graph, collapse(arrangement, (group.key,), graph), measure)
    box = next(box for box in shown.boxes if box.table == group.box)
    assert (box.name, box.rows[0].name) == (group.name, f"{len(group.tables)} tables")
    leaving = [edge for edge in shown.edges if edge.source == group.box]
    counts = [int(row.type.removeprefix("→ ×")) for row in box.rows[1:]]
    assert sum(counts) == sum(edge.count for edge in leaving) > 0
    assert counts[:-1] == sorted(counts[:-1], reverse=True)
    ends = {round(edge.source_y) for edge in leaving}
    assert ends == {round(row.y + row.height / 2) for row in box.rows[1:]}


def test_expanding_a_moved_box_moves_its_tables_and_makes_space() -> None:
    """No table covers another one."""
    graph = _graph(100)
    arrangement = _arranged(graph)
    keys = [group.key for group in arrangement.groups]
    after = collapse(arrangement, keys, graph)
    boxes = {box_key(key): (number * 400.0, number % 2 * 300.0) for number, key in enumerate(keys)}
    after = after.moved(boxes)
    for key in keys:
        after = expand(after, (key,), graph, reduced_graph(graph, after, measure))
        assert overlapping(_shown(graph, after)) == []
    assert not after.groups.collapsed
    assert overlapping(region_boxes(after, graph)) == []


def test_expanding_all_restores_what_was_arranged_meanwhile() -> None:
    """Boxes of collapsed groups may have been moved anywhere."""
    graph = _graph(100)
    arrangement = _arranged(graph)
    keys = [group.key for group in arrangement.groups]
    after = collapse(arrangement, keys, graph)
    after = after.moved({box_key(key): (0.0, number * 90.0) for number, key in enumerate(keys)})
    assert expand_all(after, keys, graph, reduced_graph(graph, after, measure)) == arrangement


def test_a_table_is_in_one_group_at_a_time() -> None:
    """Assigning takes it out of the former group, which is removed when it is empty."""
    groups = made_groups([("one", (1, 2)), ("two", (3,))])
    moved = groups.assigned((3,), 1)
    assert [(group.name, sorted(group.tables)) for group in moved] == [("one", [1, 2, 3])]
    apart = moved.assigned((1,), None)
    assert 1 not in apart.by_table
    fresh = apart.with_new("three", (2, 9))
    assert [(group.name, sorted(group.tables)) for group in fresh] == [("one", [3]), ("three", [2, 9])]
    assert fresh.all[0].color != fresh.all[1].color
    assert [group.name for group in fresh.removed(1)] == ["three"]
    described = fresh.described(1, "first", COLORS + 2)
    assert (described.by_key[1].name, described.by_key[1].color) == ("first", 2)


def test_an_assigned_table_comes_to_the_others() -> None:
    """It covers no other table, and all others stay."""
    graph = _graph(100)
    arrangement = _arranged(graph)
    first, second = arrangement.groups.all[:2]
    moved = min(second.tables)
    before = Arrangement(arrangement.positions, arrangement.groups.assigned((moved,), first.key))
    after = brought_to_group(before, (moved,), first.key, graph)
    assert {key for key in after.positions if after.positions[key] != before.positions[key]} == {moved}
    assert overlapping(_shown(graph, after)) == []
    region, far = (regions_of(_shown(graph, each), each.groups)[first.key] for each in (arrangement, before))
    own = regions_of(_shown(graph, after), after.groups)[first.key]
    assert own.bottom - region.bottom < far.width + far.height


def test_scattered_tables_come_to_their_group_one_by_one() -> None:
    """The region stays small, and covers no other one."""
    graph = _graph(100)
    arrangement = _arranged(graph)
    first, *others = arrangement.groups
    chosen = [min(group.tables) for group in others]
    before = Arrangement(arrangement.positions, arrangement.groups.assigned(chosen, first.key))
    after = brought_to_group(before, chosen, first.key, graph)
    shown = _shown(graph, after)
    assert overlapping(shown) == []
    areas = [
        each.width * each.height
        for each in (
            regions_of(boxes, groups)[first.key]
            for boxes, groups in ((_shown(graph, arrangement), arrangement.groups), (shown, after.groups))
        )
    ]
    assert areas[1] < 2.5 * areas[0]


def test_keys_of_boxes_are_no_keys_of_tables() -> None:
    """Neither of new tables nor of those of the service."""
    assert group_of_box(box_key(7)) == 7
    assert group_of_box(1) is None
    assert all(group_of_box(new_key()) is None for _ in range(100))
    assert group_of_box(-(1 << 62)) is None


def test_only_tables_with_ids_are_kept() -> None:
    """New tables get theirs when HEAD is saved; groups of new tables only have none that last."""
    groups = made_groups([("one", (1, -2)), ("two", (-3,))])
    arrangement = Arrangement(
        {1: (0.0, 0.0), -2: (1.0, 1.0), box_key(1): (2.0, 2.0)}, groups, frozenset({-2})
    )
    assert arrangement.lasting() == Arrangement(
        {1: (0.0, 0.0), box_key(1): (2.0, 2.0)}, made_groups([("one", (1,))])
    )
    numbered = arrangement.renumbered({-2: 20, -3: 30}).lasting()
    assert numbered.groups.by_key[2].tables == {30}
    assert numbered.folded == {20}
    assert not NO_GROUPS.lasting()
    assert isinstance(numbered.groups, Groups)
