"""Lets Graphviz arrange a graph, and makes diagrams of graphs and arrangements.

DOT for the layout contains only sizes, no text of the document.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.diagram.compaction import compact
from cdb_desktop.schema.diagram.free_space import SPACE
from cdb_desktop.schema.diagram.graphviz_process import Graphviz, GraphvizError
from cdb_desktop.schema.diagram.model import Arrangement, Box, Diagram, Edge, Point, SchemaGraph
from cdb_desktop.schema.diagram.placement import (
    ASPECT,
    WINDOW_ASPECT,
    Layers,
    NewPlaces,
    assign_layers,
    layer_aspect,
    place_boxes,
)
from cdb_desktop.schema.diagram.routing import Router

if TYPE_CHECKING:
    from graphviz import Digraph


_INCH = 72.0
_SPACE_DOWN = (70.0, 80.0)  # of layers from top to bottom; links leave boxes at their sides
_PORT = 2  # the height of the cell around the middle of a row, where links end
_FARTHEST = 10  # layers: longer routes between boxes would push everything apart

_GRAPH = {
    "rankdir": "LR",
    # Links are routed by `routing`; here they only pull boxes together.
    "splines": "false",
    # Network simplex takes most of the time of large layouts and improves them least.
    "nslimit": "0.5",
    "nslimit1": "0.5",
    "mclimit": "0.2",
    "searchsize": "10",
}


def layout_dot(graph: SchemaGraph, space: tuple[float, float] = SPACE, aspect: float = ASPECT) -> str:
    """DOT with the boxes in layers and links between ports; node ``3`` is the fourth box of the graph.

    ``space`` is between layers and between the boxes of one, ``aspect`` that of `assign_layers`.
    """
    from graphviz import Digraph  # noqa: PLC0415  # heavy, and only needed for a layout

    layers = assign_layers(graph, aspect)
    numbers = {box.table: number for number, box in enumerate(graph.boxes)}
    edges = [edge for edge in graph.edges if 1 <= layers[edge.source] - layers[edge.target] <= _FARTHEST]
    ports: dict[int, set[int]] = {box.table: set() for box in graph.boxes}
    for edge in edges:
        ports[edge.source].add(round(edge.source_y))
        ports[edge.target].add(round(edge.target_y))
    dot = Digraph(
        graph_attr={
            **_GRAPH,
            "nodesep": f"{space[1] / _INCH:.2f}",
            "ranksep": f"{space[0] / _INCH:.2f}",
        },
        node_attr={"shape": "plain", "margin": "0", "fontsize": "1"},
        edge_attr={"dir": "none"},
    )
    for box in graph.boxes:
        dot.node(str(numbers[box.table]), f"<{_label(box, sorted(ports[box.table]))}>")
    for edge in edges:
        tail, head = _ports_of(edge, numbers)
        dot.edge(tail, head)
    _add_layers(dot, layers, numbers)
    return str(dot.source)


def parse_layout(plain: str, graph: SchemaGraph) -> Arrangement:
    """The positions in Graphviz's ``plain-ext`` output for the DOT of the graph.

    Raises GraphvizError if it is something else, or has not all boxes.
    """
    try:
        positions = _positions(plain, graph)
    except (ValueError, IndexError):
        positions = {}
    if len(positions) < len(graph.boxes):
        raise GraphvizError(message("Graphviz answered something else than a layout."))
    return Arrangement(positions)


def _positions(plain: str, graph: SchemaGraph) -> dict[int, Point]:
    height = 0.0
    positions: dict[int, Point] = {}
    for line in plain.splitlines():
        kind, *fields = line.split()
        if kind == "graph":
            height = float(fields[2]) * _INCH
        elif kind == "node" and fields[0].isdecimal():
            box = graph.boxes[int(fields[0])]
            x, y = float(fields[1]) * _INCH, height - float(fields[2]) * _INCH
            positions[box.table] = (x - ceil(box.width) / 2, y - ceil(box.height) / 2)
    return positions


def _ports_of(edge: Edge, numbers: dict[int, int]) -> tuple[str, str]:
    """The two ends of an edge: node, port, and the side of it."""
    tail = f"{numbers[edge.source]}:p{round(edge.source_y)}:e"
    return tail, f"{numbers[edge.target]}:p{round(edge.target_y)}:w"


def _add_layers(dot: Digraph, layers: Layers, numbers: dict[int, int]) -> None:
    """A chain of invisible nodes, one for each layer, ranked with the boxes of the layer.

    Each box is linked to the chain: unconnected boxes would be laid out one below the other.
    """
    last = max(layers.values(), default=0)
    for layer in range(last + 1):
        with dot.subgraph() as rank:
            rank.attr(rank="same")
            rank.node(f"r{layer}", label="", shape="point", width="0", style="invis")
            for key, own in layers.items():
                if own == layer:
                    rank.node(str(numbers[key]))
        if layer:
            dot.edge(f"r{layer}", f"r{layer - 1}", style="invis")
    if last:
        for key, layer in layers.items():
            box, rail = str(numbers[key]), f"r{layer - 1 if layer else 1}"
            dot.edge(*((box, rail) if layer else (rail, box)), style="invis")


def _label(box: Box, ports: list[int]) -> str:
    """A column of empty cells: one around each port, the rest between them."""
    width, bottom = ceil(box.width), ceil(box.height)
    cells = []
    y = 0
    for port in ports:
        cells.append(_cell(width, port - _PORT // 2 - y))
        cells.append(_cell(width, _PORT, f' PORT="p{port}"'))
        y = port + _PORT // 2
    cells.append(_cell(width, bottom - y))
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0">{"".join(cells)}</TABLE>'


def _cell(width: int, height: int, port: str = "") -> str:
    return f'<TR><TD{port} FIXEDSIZE="TRUE" WIDTH="{width}" HEIGHT="{height}"></TD></TR>'


async def compute_arrangement(
    graph: SchemaGraph, engine: Graphviz, *, downwards: bool = False, aspect: float = WINDOW_ASPECT
) -> Arrangement:
    """A new arrangement of everything; cancelling the task kills Graphviz. Raises GraphvizError.

    Tables are left of those that they link to, or with ``downwards`` above them. ``aspect`` is the width of
    the window to its height.
    """
    if not graph.boxes:
        return Arrangement()
    plain = await engine.run(("-Tplain-ext",), layout_source(graph, downwards=downwards, aspect=aspect))
    return parse_source_layout(plain.decode(errors="replace"), graph, downwards=downwards)


def layout_source(graph: SchemaGraph, *, downwards: bool = False, aspect: float = WINDOW_ASPECT) -> str:
    """DOT for Graphviz with tables left of those that they link to, or with ``downwards`` above them.

    ``aspect`` is the width of the window to its height.
    """
    if downwards:
        return layout_dot(_turned(graph), _SPACE_DOWN, 1 / aspect)
    return layout_dot(graph, aspect=layer_aspect(aspect))


def parse_source_layout(plain: str, graph: SchemaGraph, *, downwards: bool = False) -> Arrangement:
    """The positions in Graphviz's ``plain-ext`` output for `layout_source` of the graph."""
    if not downwards:
        return compact(graph, parse_layout(plain, graph), SPACE[1])
    turned = _turned(graph)
    positions = compact(turned, parse_layout(plain, turned), _SPACE_DOWN[1]).positions
    return Arrangement({table: (x, y) for table, (y, x) in positions.items()})


def _turned(graph: SchemaGraph) -> SchemaGraph:
    """The graph with width and height exchanged; links end in the middle of boxes."""
    boxes = {box.table: replace(box, width=box.height, height=box.width) for box in graph.boxes}
    edges = tuple(
        replace(edge, source_y=boxes[edge.source].height / 2, target_y=boxes[edge.target].height / 2)
        for edge in graph.edges
    )
    return SchemaGraph(tuple(boxes.values()), edges)


def part_of(graph: SchemaGraph, tables: Collection[int]) -> SchemaGraph:
    """The graph of some boxes and the links between them."""
    boxes = tuple(box for box in graph.boxes if box.table in tables)
    kept = {box.table for box in boxes}
    edges = tuple(edge for edge in graph.edges if edge.source in kept and edge.target in kept)
    return SchemaGraph(boxes, edges)


def build_diagram(
    graph: SchemaGraph,
    arrangement: Arrangement,
    router: Router | None = None,
    *,
    limit: float | None = None,
    places: NewPlaces | None = None,
) -> Diagram:
    """The diagram with the given positions; new boxes get one near their neighbors, or as in ``places``.

    With the ``router`` of the diagram before, only links that a change concerns are routed again, for at most
    about ``limit`` seconds.
    """
    router = router or Router()
    positions = place_boxes(graph, arrangement.positions, places, router.links)
    boxes = tuple(box.at(positions[box.table]) for box in graph.boxes)
    # Positions of removed tables are kept, since undo may restore the tables. No link runs under them.
    ghosts = tuple(ghost.at(positions[ghost.table]) for ghost in graph.ghosts)
    router.update((*boxes, *ghosts), graph.edges)
    router.route(limit)
    return Diagram(boxes, router.links, arrangement.moved(positions), ghosts)
