"""The diagram as a DOT file that any Graphviz draws as it stands on the screen; runs none itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot
from typing import TYPE_CHECKING

from cdb_desktop.schema.diagram import Box, Diagram, Link, Mark, Path, Point
from cdb_desktop.schema.diagram_file_label import Ink, label_of

if TYPE_CHECKING:
    from graphviz import Digraph

_PAD = 40.0  # around the whole, as on the screen
_INCH = 72.0
_ARROW = 0.8
# Graphviz draws the signs at the end of a link over the rest of the way to its box: how long they are.
_LONG = {"crowodot": 18.0, "teeodot": 10.5, "teetee": 5.0}


@dataclass(frozen=True, slots=True)
class Hand:
    """How it is written: colours and letters, and what marks mean in the user's language."""

    ink: Ink
    meanings: Mapping[Mark, str]


def dot_of(diagram: Diagram, hand: Hand) -> str:
    """The source: a node for each top-level table with its rows as ports, an edge for each link."""
    from graphviz import Digraph  # noqa: PLC0415  # heavy, and not wanted before something is exported

    ink = hand.ink
    graph = Digraph(
        "schema",
        graph_attr={
            # Places and curves are taken as they are, as by ``neato -n2``; ``-Glayout=dot`` arranges anew.
            "layout": "nop2",
            "notranslate": "true",
            # As on the screen, links lie behind the boxes.
            "outputorder": "edgesfirst",
            "bgcolor": ink.ground,
            "pad": f"{_PAD / _INCH:.3f}",
        },
        node_attr={"shape": "plain", "margin": "0", "fontname": ink.family},
        edge_attr={"dir": "both", "color": ink.line, "penwidth": "1.2", "arrowsize": f"{_ARROW:g}"},
    )
    for box in diagram.boxes:
        _add_box(graph, box, hand)
    for link in diagram.links:
        _add_link(graph, link)
    return str(graph.source)


def _add_box(graph: Digraph, box: Box, hand: Hand) -> None:
    middle = (box.x + box.width / 2, box.y + box.height / 2)
    graph.node(
        f"t{box.table}",
        label_of(box, hand.ink, hand.meanings),
        pos=_spot(middle),
        width=f"{box.width / _INCH:.4f}",
        height=f"{box.height / _INCH:.4f}",
        id=f"t{box.table}",
    )


def _add_link(graph: Digraph, link: Link) -> None:
    wire = link.wire
    tail = "teeodot" if wire.unique else "crowodot"
    head = "teetee" if wire.required else "teeodot"
    graph.edge(
        f"t{wire.source}:c{wire.place.column}",
        f"t{wire.target}:t{wire.linked}",
        pos=_curve(link.path, _LONG[tail] * _ARROW, _LONG[head] * _ARROW),
        arrowtail=tail,
        arrowhead=head,
        id=f"l{wire.place.column}",
    )


def _curve(path: Path, tail: float, head: float) -> str:
    """A spline with room at both ends for the signs that lead to ``s`` and ``e``."""
    inner = (_towards(path[0], path[1], tail), *path[1:-1], _towards(path[-1], path[-2], head))
    return f"s,{_spot(path[0])} e,{_spot(path[-1])} {' '.join(map(_spot, inner))}"


def _towards(start: Point, other: Point, far: float) -> Point:
    across, down = other[0] - start[0], other[1] - start[1]
    length = hypot(across, down) or 1.0
    return (start[0] + across / length * far, start[1] + down / length * far)


def _spot(point: Point) -> str:
    """Graphviz counts from below."""
    return f"{point[0]:.2f},{-point[1]:.2f}"
