"""Tests of the groups that new tables join."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cdb_desktop.schema.diagram.group_layout import regions_of, stack_groups
from cdb_desktop.schema.diagram.groups import Groups, made_groups
from cdb_desktop.schema.diagram.joining import (
    NewTables,
    join_by_drag,
    join_by_link,
    join_by_name,
    join_groups,
)
from cdb_desktop.schema.diagram.model import Arrangement, Point, SchemaGraph
from cdb_desktop.schema.document.json_format import read_document
from tests.desktop.schema.diagram.graphs import graph_of, overlapping
from tests.desktop.schema.models import Json, column, link, table

NEW = 100
SHOP = {1: "order", 2: "order_line", 3: "user", 4: "user_address", 5: "color"}
BY_PREFIX = made_groups([("order", (1, 2)), ("user", (3, 4)), ("Other tables", (5,))])
BY_LINKS = made_groups([("order", (1, 3, 5)), ("user_address", (2, 4))])
FAR = (5_000.0, 5_000.0)


def _model(name: str, target: int | None = None) -> SchemaGraph:
    """The tables of a shop and a new one, which may link to one of them."""
    tables: list[Json] = [table(key, each, column(key * 10, "name")) for key, each in SHOP.items()]
    keys = [] if target is None else [link(name, NEW * 10 + 1, "to", target, SHOP[target])]
    columns = [column(NEW * 10, "name")]
    columns += [] if target is None else [column(NEW * 10 + 1, "to", "link")]
    tables.append(table(NEW, name, *columns, foreign_keys=keys))
    return graph_of(read_document({"version": 1, "tables": tables}))


def _start(graph: SchemaGraph, groups: Groups, at: Point = FAR) -> Arrangement:
    old = SchemaGraph(tuple(box for box in graph.boxes if box.table != NEW), ())
    return Arrangement({**stack_groups(old, groups).positions, NEW: at}, groups)


def _joined(
    graph: SchemaGraph, groups: Groups, new: NewTables | None = None, at: Point = FAR
) -> tuple[str | None, Arrangement]:
    """The name of the group that the new table joins, and the arrangement."""
    after = join_groups(_start(graph, groups, at), graph, graph, (NEW,), new or NewTables())
    group = after.groups.by_table.get(NEW)
    return None if group is None else group.name, after


def _inside(graph: SchemaGraph, groups: Groups, key: int) -> Point:
    region = regions_of([box.at(_start(graph, groups).positions[box.table]) for box in graph.boxes], groups)
    return region[key].left + 30.0, region[key].top + 90.0


def test_dragged_tables_join_the_group_where_they_are_dropped() -> None:
    """Elsewhere they stay in theirs, and the others stay where they are."""
    graph = _model("note")
    user, order = _inside(graph, BY_PREFIX, 2), _inside(graph, BY_PREFIX, 1)
    dropped = _start(graph, BY_PREFIX, user).moved({5: user, 1: (order[0] + 5, order[1])})
    after = join_by_drag(dropped, graph, {NEW, 5, 1})
    assert {group.name: group.tables for group in after.groups} == {"order": {1, 2}, "user": {3, 4, 5, NEW}}
    assert after.positions == dropped.positions
    # The region of `order` contains that of `user`.
    corners = {2: (-2_000.0, -2_000.0), NEW: FAR, 1: (user[0] + 5, user[1] + 5), 5: FAR}
    wide = _start(graph, BY_PREFIX).moved(corners)
    wide = replace(wide, groups=wide.groups.assigned((5,), 1)).moved({5: (3_000.0, 3_000.0)})
    assert join_by_drag(wide, graph, {1}) is wide
    far = _start(graph, BY_PREFIX).moved({1: FAR})
    assert join_by_drag(far, graph, {NEW, 1}) is far
    collapsed = replace(dropped, groups=BY_PREFIX.with_collapsed((2,), on=True))
    assert join_by_drag(collapsed, graph, {NEW, 5, 1}) is collapsed


def test_the_place_and_the_original_decide_first() -> None:
    """A place outside all regions is a choice too."""
    graph = _model("order_note", 1)
    inside = _inside(graph, BY_PREFIX, 2)
    assert _joined(graph, BY_PREFIX, NewTables(chosen={NEW: inside}))[0] == "user"
    assert _joined(graph, BY_PREFIX, NewTables(chosen={NEW: FAR}))[0] is None
    assert _joined(graph, BY_PREFIX, NewTables(originals={NEW: 4}))[0] == "user"
    assert _joined(graph, BY_PREFIX.removed(2), NewTables(originals={NEW: 4}))[0] is None
    assert _joined(graph, BY_PREFIX, NewTables(group=3))[0] == "Other tables"
    assert _joined(graph, BY_PREFIX, NewTables(chosen={NEW: FAR}, originals={NEW: 4}, group=3))[0] is None


@pytest.mark.parametrize(
    ("name", "target", "groups", "found"),
    [
        ("order_note", 3, BY_PREFIX, "order"),
        ("OrderNote", None, BY_PREFIX, "order"),
        ("note", 3, BY_PREFIX, None),  # groups by prefix are for names only
        ("note", 5, BY_PREFIX, "Other tables"),
        ("note", 3, BY_LINKS, "order"),
        ("order_note", 4, BY_LINKS, "user_address"),
        ("note", None, BY_LINKS, None),
        ("note", 3, BY_LINKS.assigned((4, 5), None), None),  # made by hand for some tables
    ],
)
def test_names_decide_before_links(name: str, target: int | None, groups: Groups, found: str | None) -> None:
    """The table comes to its group, and covers nothing there."""
    graph = _model(name, target)
    joined, after = _joined(graph, groups)
    assert joined == found
    boxes = tuple(box.at(after.positions[box.table]) for box in graph.boxes)
    assert overlapping(boxes) == []
    assert (after.positions[NEW] == FAR) is (found is None)


def test_a_table_that_appears_in_a_region_is_one_of_its_tables() -> None:
    """Otherwise it would only look like one."""
    graph = _model("note")
    at = _inside(graph, BY_LINKS, 2)
    joined, after = _joined(graph, BY_LINKS, at=at)
    assert joined == "user_address"
    boxes = tuple(box.at(after.positions[box.table]) for box in graph.boxes)
    assert overlapping(boxes) == []
    assert abs(after.positions[NEW][0] - at[0]) + abs(after.positions[NEW][1] - at[1]) < 200


def test_collapsed_groups_take_no_tables() -> None:
    """A new table has to be visible."""
    graph = _model("order_note", 1)
    for groups in (BY_PREFIX, BY_LINKS):
        collapsed = groups.with_collapsed(groups.by_key, on=True)
        start = _start(graph, collapsed)
        for new in (NewTables(), NewTables(originals={NEW: 1}), NewTables(group=1)):
            assert join_groups(start, graph, graph, (NEW,), new) is start


def test_a_typed_name_and_the_first_link_decide_later() -> None:
    """A name brings the table to its group; for a link it does not move."""
    named, linked = _model("user_role"), _model("note", 1)
    in_order = replace(_start(named, BY_PREFIX), groups=BY_PREFIX.assigned((NEW,), 1))
    after = join_by_name(in_order, named, named, NEW)
    assert after.groups.by_table[NEW].name == "user"
    assert after.positions[NEW] != FAR
    assert join_by_name(after, named, named, NEW) is after
    far = _start(linked, BY_LINKS)
    assert join_by_link(far, linked, linked, NEW) is far
    x, y = far.positions[1]
    near = far.moved({NEW: (x - 200.0, y)})
    after = join_by_link(near, linked, linked, NEW)
    assert after.positions == near.positions
    assert (NEW in after.groups.by_table) is not _is_covered(near, linked)


def _is_covered(arrangement: Arrangement, graph: SchemaGraph) -> bool:
    """Whether the region of the first group would cover another one with the new table."""
    groups = arrangement.groups.assigned((NEW,), 1)
    boxes = [box.at(arrangement.positions[box.table]) for box in graph.boxes]
    one, other = regions_of(boxes, groups)[1], regions_of(boxes, groups)[2]
    across = one.left < other.right and other.left < one.right
    return across and one.top < other.bottom and other.top < one.bottom
