"""Lets Graphviz arrange a graph, and makes diagrams of graphs and arrangements.

DOT for the layout contains only sizes, no text of the document.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING

from cdb_desktop.foundation.bundle import helper_command
from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.diagram.model import Arrangement, Box, Diagram, Edge, Point, SchemaGraph
from cdb_desktop.schema.diagram.placement import (
    ASPECT,
    FILLED,
    SPACE,
    WINDOW_ASPECT,
    Layers,
    NewPlaces,
    assign_layers,
    place_boxes,
)
from cdb_desktop.schema.diagram.routing import Router
from cdb_desktop.schema.document.json_values import ReasonError

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
    return layout_dot(graph, aspect=aspect * FILLED)


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


_SWEEPS = 8  # over all columns, to and fro
_SLACK = 1.1  # of the height of the highest column without space, for columns that are not full
_SAME = 1.0  # units between the middles of boxes of one layer
# The end of a link at another box: the number of that box, and how much lower it is if the link is straight.
_Ends = list[tuple[int, float, float]]


def compact(graph: SchemaGraph, arrangement: Arrangement, space: float) -> Arrangement:
    """With the boxes of each layer moved up or down: in the same order, near those that they are linked with.

    Graphviz reserves a place in each layer that a link passes. Links are routed around boxes by `routing`, so
    that space stays empty: more than half of large diagrams, which makes all smaller when the whole is shown.
    A layer is a column of boxes with the same middle; their left sides are aligned. ``space`` is between
    boxes of a layer.
    """
    boxes = [box.at(arrangement.positions[box.table]) for box in graph.boxes]
    columns = list(_columns(boxes))
    if len(columns) < 2:
        return arrangement
    highest = max(_height([boxes[at] for at in column], space) for column in columns)
    room = highest * _SLACK
    ends = _ends(graph, boxes, columns)
    tops = [0.0] * len(boxes)
    for column in columns:
        _place(column, boxes, space, room, {at: boxes[at].y for at in column}, tops)
    for sweep in range(_SWEEPS):
        order = columns if sweep % 2 else columns[::-1]
        for column in order:
            wanted = {at: _wanted(at, ends[at], tops) for at in column}
            _place(column, boxes, space, room, wanted, tops)
    positions: dict[int, Point] = {}
    for column in columns:
        left = min(boxes[at].x for at in column)
        for at in column:
            positions[boxes[at].table] = (left, tops[at])
    return arrangement.moved(positions)


def _columns(boxes: Sequence[Box]) -> Iterator[list[int]]:
    """The numbers of the boxes of each layer from top to bottom, the layers from left to right."""
    column: list[int] = []
    middles = [box.x + box.width / 2 for box in boxes]
    for at in sorted(range(len(boxes)), key=lambda at: middles[at]):
        if column and middles[at] - middles[column[-1]] > _SAME:
            yield sorted(column, key=lambda at: boxes[at].y)
            column = []
        column.append(at)
    if column:
        yield sorted(column, key=lambda at: boxes[at].y)


def _ends(graph: SchemaGraph, boxes: Sequence[Box], columns: Sequence[Sequence[int]]) -> list[_Ends]:
    numbers = {box.table: at for at, box in enumerate(boxes)}
    layer = {at: number for number, column in enumerate(columns) for at in column}
    found: list[_Ends] = [[] for _ in boxes]
    for edge in graph.edges:
        source, target = numbers[edge.source], numbers[edge.target]
        far = abs(layer[source] - layer[target])
        if far:
            lower = edge.target_y - edge.source_y
            found[source].append((target, lower, 1 / far))
            found[target].append((source, -lower, 1 / far))
    return found


def _wanted(at: int, ends: _Ends, tops: Sequence[float]) -> float:
    """Where the top of a box is if its links are as straight as possible; where it is if it has none."""
    whole = sum(weight for _, _, weight in ends)
    if not whole:
        return tops[at]
    return sum((tops[other] + lower) * weight for other, lower, weight in ends) / whole


def _height(column: Sequence[Box], space: float) -> float:
    return sum(box.height for box in column) + space * (len(column) - 1)


def _place(
    column: Sequence[int],
    boxes: Sequence[Box],
    space: float,
    room: float,
    wanted: dict[int, float],
    tops: list[float],
) -> None:
    """Sets the tops of a column as near to those that are wanted as its order and its room allow."""
    # Without the heights above each box, tops only have to rise: the means of neighbors that do not
    # (isotonic regression) are the nearest ones that do.
    above, offsets = 0.0, []
    for at in column:
        offsets.append(above)
        above += boxes[at].height + space
    pools: list[tuple[float, int]] = []
    for at, offset in zip(column, offsets, strict=True):
        mean, count = wanted[at] - offset, 1
        while pools and pools[-1][0] > mean:
            other, number = pools.pop()
            mean = (mean * count + other * number) / (count + number)
            count += number
        pools.append((mean, count))
    last = room - (above - space)
    rising = (min(max(mean, 0.0), last) for mean, count in pools for _ in range(count))
    for at, offset, top in zip(column, offsets, rising, strict=True):
        tops[at] = top + offset


TIME_LIMIT = 10.0  # seconds
_NO_CONSOLE = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows opens one for every child otherwise
# Said by a `dot` of systems that package the layouts apart, such as Debian 14: `nop2` belongs to neato's.
_NO_LAYOUT = "Missing layout plugins"
_HELPER = "cdb_desktop.schema.diagram.graphviz_helper"


class GraphvizError(ReasonError):
    """Graphviz failed; ``message`` is the reason."""


@dataclass(frozen=True, slots=True)
class Graphviz:
    """A program that takes Graphviz's arguments, DOT on its standard input, and answers on the output.

    Where it lacks a layout, the Graphviz inside pygraphviz takes over.
    """

    command: tuple[str, ...]

    async def run(self, arguments: Sequence[str], source: str, seconds: float | None = None) -> bytes:
        """The output for DOT ``source``. Raises GraphvizError, also after ``seconds``, else `TIME_LIMIT`."""
        limit = TIME_LIMIT if seconds is None else seconds
        try:
            async with asyncio.timeout(limit):
                return await self._run(arguments, source)
        except TimeoutError as error:
            raise GraphvizError(
                message("Graphviz took more than {seconds} seconds.", seconds=int(limit))
            ) from error
        except OSError as error:
            reason = message("Graphviz could not be started: {reason}.", reason=str(error))
            raise GraphvizError(reason) from error

    async def _run(self, arguments: Sequence[str], source: str) -> bytes:
        pipe = asyncio.subprocess.PIPE
        child = await asyncio.create_subprocess_exec(
            *self.command,
            *arguments,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            creationflags=_NO_CONSOLE,
            start_new_session=True,
        )
        try:
            output, complaints = await child.communicate(source.encode())
        finally:
            if child.returncode is None:
                _kill(child)
                await child.wait()
        if child.returncode != 0 or not output:
            last = complaints.decode(errors="replace").strip().splitlines()[-1:]
            text = " ".join(last) or str(child.returncode)
            inside = Graphviz(helper_command(_HELPER))
            if _NO_LAYOUT in text and self != inside:
                return await inside._run(arguments, source)
            raise GraphvizError(message("Graphviz failed: {reason}.", reason=text))
        return output


def _kill(child: asyncio.subprocess.Process) -> None:
    """Kills a child with its own children: `dot` may be a script, and what it runs would keep the pipes."""
    if sys.platform == "win32":
        child.kill()
        return
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def find_graphviz(dot: str | None = None) -> Graphviz:
    """The program ``dot``, else the ``dot`` of the system, else the Graphviz inside pygraphviz."""
    program = dot or shutil.which("dot")
    if program is not None:
        return Graphviz((program,))
    return built_in_graphviz()


def built_in_graphviz() -> Graphviz:
    """The Graphviz inside pygraphviz."""
    return Graphviz(helper_command(_HELPER))
