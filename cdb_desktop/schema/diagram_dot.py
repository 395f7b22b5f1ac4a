"""The sheet as DOT for a layout, and the layout read back; no text of the model goes there, only sizes."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import TYPE_CHECKING

from cdb_desktop.schema.diagram import Arrangement, Box, Path, Point, Sheet, Wire
from cdb_desktop.schema.diagram_layers import SPACE, Layers, layers_of

if TYPE_CHECKING:
    from graphviz import Digraph

_INCH = 72.0
_PORT = 2  # the height of the cell around the middle of a row, where a link meets it
_FARTHEST = 10  # layers: longer ways between the boxes would push everything apart

_GRAPH = {
    "rankdir": "LR",
    "nodesep": f"{SPACE[1] / _INCH:.2f}",
    "ranksep": f"{SPACE[0] / _INCH:.2f}",
    # Network simplex takes most of the time of large layouts and improves them least.
    "nslimit": "0.5",
    "nslimit1": "0.5",
    "mclimit": "0.2",
    "searchsize": "10",
}


def layout_source(sheet: Sheet) -> str:
    """DOT with the boxes in their layers, links from port to port; node ``3`` is the sheet's fourth box."""
    from graphviz import Digraph  # noqa: PLC0415  # heavy, and not wanted before something is arranged

    layers = layers_of(sheet)
    numbers = {box.table: number for number, box in enumerate(sheet.boxes)}
    wires = [wire for wire in sheet.wires if 1 <= layers[wire.source] - layers[wire.target] <= _FARTHEST]
    ports: dict[int, set[int]] = {box.table: set() for box in sheet.boxes}
    for wire in wires:
        ports[wire.source].add(round(wire.source_y))
        ports[wire.target].add(round(wire.target_y))
    graph = Digraph(
        graph_attr=_GRAPH,
        node_attr={"shape": "plain", "margin": "0", "fontsize": "1"},
        edge_attr={"dir": "none"},
    )
    for box in sheet.boxes:
        graph.node(str(numbers[box.table]), f"<{_label(box, sorted(ports[box.table]))}>")
    for wire in wires:
        tail, head = _ends(wire, numbers)
        graph.edge(tail, head)
    _add_layers(graph, layers, numbers)
    return str(graph.source)


def arrangement_of(plain: str, sheet: Sheet) -> Arrangement:
    """The positions and routes in Graphviz's ``plain-ext`` output for the sheet's DOT."""
    height = 0.0
    positions: dict[int, Point] = {}
    routes: dict[tuple[str, str], Path] = {}
    for line in plain.splitlines():
        kind, *words = line.split()
        if kind == "graph":
            height = float(words[2]) * _INCH
        elif kind == "node" and words[0].isdecimal():
            box = sheet.boxes[int(words[0])]
            x, y = float(words[1]) * _INCH, height - float(words[2]) * _INCH
            positions[box.table] = (x - ceil(box.width) / 2, y - ceil(box.height) / 2)
        elif kind == "edge":
            numbers = [float(number) * _INCH for number in words[3 : 3 + 2 * int(words[2])]]
            points = zip(numbers[::2], numbers[1::2], strict=True)
            tail, head = (end.replace('"', "") for end in words[:2])
            routes[(tail, head)] = tuple((x, height - y) for x, y in points)
    return Arrangement(positions, dict(_routes_of(sheet, routes)))


def _routes_of(sheet: Sheet, routes: dict[tuple[str, str], Path]) -> Iterator[tuple[int, Path]]:
    numbers = {box.table: number for number, box in enumerate(sheet.boxes)}
    for wire in sheet.wires:
        route = routes.get(_ends(wire, numbers))
        if route is not None:
            yield wire.place.column, route


def _ends(wire: Wire, numbers: dict[int, int]) -> tuple[str, str]:
    """The two ends of an edge: node, port, and the side of it."""
    tail = f"{numbers[wire.source]}:p{round(wire.source_y)}:e"
    return tail, f"{numbers[wire.target]}:p{round(wire.target_y)}:w"


def _add_layers(graph: Digraph, layers: Layers, numbers: dict[int, int]) -> None:
    """A rail of unseen nodes, one for each layer, with the layer's boxes at its side.

    Each box is tied to the rail: boxes that nothing holds together would be laid out one below the other.
    """
    last = max(layers.values(), default=0)
    for layer in range(last + 1):
        with graph.subgraph() as rank:
            rank.attr(rank="same")
            rank.node(f"r{layer}", label="", shape="point", width="0", style="invis")
            for key, own in layers.items():
                if own == layer:
                    rank.node(str(numbers[key]))
        if layer:
            graph.edge(f"r{layer}", f"r{layer - 1}", style="invis")
    if last:
        for key, layer in layers.items():
            box, rail = str(numbers[key]), f"r{layer - 1 if layer else 1}"
            graph.edge(*((box, rail) if layer else (rail, box)), style="invis")


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
