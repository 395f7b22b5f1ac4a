"""Tests of routes: horizontal and vertical segments that avoid boxes, and ends that are spread or bundled."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdb_desktop.schema.diagram.model import Box, Edge, Path, Point, RoutedEdge, rounded
from cdb_desktop.schema.diagram.placement import stack_layers
from cdb_desktop.schema.diagram.routing import Router, direct_links
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.json_format import read_document
from tests.desktop.schema.diagram.graphs import crossed, graph_of, large_model

_WIRE = Edge(ColumnRef(1, 5), 2, 1, 30.0, 2, 10.0)
_BOX = Box(1, "one", (), 0.0, 0.0, 100.0, 60.0, 20.0, ())


@pytest.mark.parametrize(
    ("corner", "start", "end"),
    [
        ((300.0, 0.0), (100.0, 30.0), (300.0, 10.0)),
        ((-300.0, 500.0), (0.0, 30.0), (-200.0, 510.0)),
        ((50.0, 100.0), (100.0, 30.0), (150.0, 110.0)),
        ((-5.0, 100.0), (100.0, 30.0), (95.0, 110.0)),
    ],
)
def test_ends_are_on_the_facing_sides(corner: Point, start: Point, end: Point) -> None:
    """A route leads right or left, or around the nearer sides if one box is above the other."""
    path = _path(corner)
    assert (path[0], path[-1]) == (start, end)


def test_a_loop_is_outside_its_box() -> None:
    """A table may link to itself."""
    (link,) = route_links([_BOX], [replace(_WIRE, target=1, linked=1)])
    assert (link.path[0], link.path[-1]) == ((100.0, 30.0), (100.0, 10.0))
    assert min(x for x, _ in link.path[1:-1]) > _BOX.right


@given(st.integers(0, 10_000_000), st.sampled_from([0, 1, 3, 28]))
@settings(max_examples=15, deadline=None)
def test_no_link_crosses_a_box(seed: int, gap: int) -> None:
    """Wherever boxes are, and after each move of one, as long as they do not overlap."""
    random = Random(seed)
    boxes = _scattered(random, gap)
    edges = _random_edges(random, boxes)
    router = Router()
    for _ in range(4):
        router.update(boxes, edges)
        assert router.route()
        for link in router.links:
            _check(link, boxes)
        number = random.randrange(len(boxes))
        others = [*boxes[:number], *boxes[number + 1 :]]
        for _ in range(20):
            moved = boxes[number].at((random.randint(0, 1200), random.randint(0, 900)))
            if all(_apart(moved, other, gap) for other in others):
                boxes[number] = moved


def test_a_move_changes_only_links_of_the_box_and_beside_it() -> None:
    """All other links are the same objects."""
    graph = graph_of(read_document(large_model(60)))
    positions = stack_layers(graph).positions
    boxes = [box.at(positions[box.table]) for box in graph.boxes]
    router = Router()
    router.update(boxes, graph.edges)
    router.route()
    before = {link.edge.ref: link for link in router.links}
    moved = boxes[40]
    boxes[40] = moved.at((moved.x, moved.y + 9))
    router.update(boxes, graph.edges)
    router.route()
    same = [link for link in router.links if link is before[link.edge.ref]]
    assert len(same) > 0.8 * len(before)
    assert all(
        link not in same for link in router.links if moved.table in (link.edge.source, link.edge.target)
    )


def test_links_to_a_head_are_spread_or_bundled() -> None:
    """Up to three end at points of their own; more share one, and those that may be empty another one."""
    target = replace(_BOX, table=99, x=600.0, y=300.0)
    sources = [replace(_BOX, table=n, y=n * 90.0) for n in range(8)]
    edges = [Edge(ColumnRef(n, 100 + n), 99, n, 30.0, 99, 10.0, required=n % 2 == 0) for n in range(8)]
    few = route_links([*sources, target], edges[:3])
    assert len({link.path[-1] for link in few}) == 3
    assert [link.bundled for link in few] == [0, 0, 0]
    many = route_links([*sources, target], edges)
    for required in (True, False):
        links = [link for link in many if link.edge.required is required]
        assert len({link.path[-1] for link in links}) == 1
        assert sorted(link.bundled for link in links) == [0, 0, 0, 4]
    assert len({link.path[-1] for link in many}) == 2


def test_parallel_links_lie_side_by_side() -> None:
    """Vertical segments between two columns of boxes have tracks of their own."""
    sources = [replace(_BOX, table=n, y=n * 90.0) for n in range(6)]
    targets = [replace(_BOX, table=10 + n, x=400.0, y=n * 90.0 + 600) for n in range(6)]
    edges = [Edge(ColumnRef(n, 100 + n), 10 + n, n, 30.0, 10 + n, 10.0) for n in range(6)]
    turns = sorted(link.path[1][0] for link in route_links([*sources, *targets], edges))
    assert all(other - one >= 5 for one, other in pairwise(turns))


def test_links_that_wait_are_shown_without_regard_to_boxes() -> None:
    """Nothing is missing while a large diagram is being routed."""
    between = replace(_BOX, table=3, x=200.0, y=0.0)
    boxes = [_BOX, between, replace(_BOX, table=2, x=400.0)]
    router = Router()
    router.update(boxes, [_WIRE])
    assert not router.is_done
    assert not router.route(0)
    assert crossed(router.links[0], tuple(boxes)) == ["one"]
    assert router.route(10.0)
    assert crossed(router.links[0], tuple(boxes)) == []
    assert [link.path for link in direct_links(router.links, {box.table: box for box in boxes})] == [
        ((100.0, 30.0), (250.0, 30.0), (250.0, 10.0), (400.0, 10.0))
    ]


def test_a_removed_obstacle_straightens_the_link() -> None:
    """A link that went around a box does so no longer when the box is elsewhere."""
    between = replace(_BOX, table=3, x=200.0, y=-10.0)
    boxes = [_BOX, between, replace(_BOX, table=2, x=400.0, y=20.0)]
    router = Router()
    router.update(boxes, [_WIRE])
    router.route()
    assert len(router.links[0].path) > 2
    boxes[1] = between.at((200.0, 900.0))
    router.update(boxes, [_WIRE])
    router.route()
    assert router.links[0].path == ((100.0, 30.0), (400.0, 30.0))


def test_a_drag_past_other_boxes_leaves_no_trace() -> None:
    """The links of a box that was covered for a moment lead again from the side at which they did."""
    boxes = [_BOX, replace(_BOX, table=2, x=400.0, y=20.0), replace(_BOX, table=3, x=200.0, y=500.0)]
    router = Router()
    router.update(boxes, [_WIRE])
    router.route()
    before = router.links
    resting = router.copy()
    for moved, used in ((boxes[2].at((60.0, 0.0)), router), (boxes[2].at((200.0, 800.0)), resting)):
        for each in {id(router): router, id(used): used}.values():
            each.update([*boxes[:2], moved], [_WIRE])
            assert each.route()
    assert router.links == resting.links == before


def test_corners_are_round() -> None:
    """The curve begins and ends where the path does and has three points for each segment and corner."""
    path = ((0.0, 0.0), (50.0, 0.0), (50.0, 80.0), (90.0, 80.0))
    points = rounded(path)
    assert (points[0], points[-1]) == (path[0], path[-1])
    assert len(points) == 1 + 3 * (3 + 2)
    # Graphviz takes the direction of the symbols at both ends from them.
    assert points[0][0] < points[1][0]
    assert points[-2][0] < points[-1][0]
    assert all(0 <= x <= 90 and 0 <= y <= 80 for x, y in points)


def _path(corner: Point) -> Path:
    target = replace(_BOX, table=2, x=corner[0], y=corner[1])
    return route_links([_BOX, target], [_WIRE])[0].path


def _check(link: RoutedEdge, boxes: list[Box]) -> None:
    by_table = {box.table: box for box in boxes}
    source, target = by_table[link.edge.source], by_table[link.edge.target]
    (left, top), (right, bottom) = link.path[0], link.path[-1]
    assert left in (source.x, source.right)
    assert top == source.y + link.edge.source_y
    assert right in (target.x, target.right)
    assert abs(bottom - target.y - link.edge.target_y) <= 8
    assert all(one[0] == other[0] or one[1] == other[1] for one, other in pairwise(link.path))
    assert crossed(link, tuple(boxes)) == []


def _apart(box: Box, other: Box, gap: int) -> bool:
    return (
        box.x >= other.right + gap
        or other.x >= box.right + gap
        or box.y >= other.bottom + gap
        or other.y >= box.bottom + gap
    )


def _scattered(random: Random, gap: int) -> list[Box]:
    boxes: list[Box] = []
    for number in range(random.randint(8, 80)):
        size = random.randint(40, 200), random.randint(40, 300)
        box = Box(number, "", (), random.randint(0, 1200), random.randint(0, 900), *size, 24.0, ())
        if all(_apart(box, other, gap) for other in boxes):
            boxes.append(box)
    return boxes


def _random_edges(random: Random, boxes: list[Box]) -> list[Edge]:
    edges = []
    for number in range(2 * len(boxes)):
        source, target = random.choice(boxes), random.choice(boxes)
        y = random.uniform(5, source.height - 5)
        edges.append(
            Edge(
                ColumnRef(source.table, number),
                target.table,
                source.table,
                y,
                target.table,
                12.0,
                required=number % 3 > 0,
            )
        )
    return edges


def route_links(boxes: Sequence[Box], edges: Sequence[Edge]) -> tuple[RoutedEdge, ...]:
    """All links of a diagram, routed."""
    router = Router()
    router.update(boxes, edges)
    router.route()
    return router.links
