"""The diagram as a DOT file that Graphviz draws as the screen shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from math import hypot
from typing import TYPE_CHECKING

from cdb_desktop.schema.diagram.model import (
    Box,
    BoxRow,
    Diagram,
    Mark,
    Path,
    Point,
    Role,
    RoutedEdge,
    mark_text,
    rounded,
)
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.json_values import plain_text

if TYPE_CHECKING:
    from graphviz import Digraph


_TABLE = (
    '<TABLE ALIGN="CENTER" BORDER="{border}" COLOR="{line}" BGCOLOR="{ground}" STYLE="ROUNDED" CELLBORDER="0"'
    ' CELLSPACING="0" CELLPADDING="0" FIXEDSIZE="TRUE" WIDTH="{width:.0f}" HEIGHT="{height:.0f}">'
)
_BLANK = "&#160;&#160;"  # Graphviz pads cells on all sides alike
_EDGE = 1
_BLANK_ROOM = 20.0
# A symbol for each mark that nearly every font has; the tooltip of the row explains it.
_SIGNS = {
    Mark.HIERARCHICAL: "↳",
    Mark.IN_POOLS: "∪",
    Mark.TAGS: "#",
    Mark.RIGHTS: "§",
    Mark.REQUIRED: "•",
    Mark.UNIQUE: "¹",
    Mark.CHECKED: "✓",
    Mark.REVERSE_EDIT: "⇄",
}
_PAD = 40.0  # around the whole, as on the screen
_INCH = 72.0
_ARROW = 0.8
_COUNT_ABOVE = 6.5
_COUNT_AT = 28.0  # from a box to the middle of the number of bundled links
# Graphviz draws the signs at the end of a link over the rest of the way to its box: how long they are.
_SIGN_LENGTH = {"crowodot": 18.0, "teeodot": 10.5, "teetee": 5.0, "none": 0.0}


@dataclass(frozen=True, slots=True)
class DotStyle:
    """Colors such as ``#1F5FBF``, a font family and the font size of each role."""

    text: str
    muted: str
    line: str
    ground: str
    raised: str
    family: str
    sizes: Mapping[Role, float]
    heads: Mapping[int, str] = field(default_factory=dict)  # colors of the heads of tables, else ``raised``


def diagram_dot(diagram: Diagram, style: DotStyle) -> str:
    """DOT with a node for each top-level table, its rows as ports, and an edge for each link."""
    from graphviz import Digraph  # noqa: PLC0415  # heavy, and only needed for an export

    dot = Digraph(
        "schema",
        graph_attr={
            # Positions and curves are used unchanged, as by ``neato -n2``; ``-Glayout=dot`` arranges again.
            "layout": "nop2",
            "notranslate": "true",
            # As on the screen, links lie behind the boxes.
            "outputorder": "edgesfirst",
            "bgcolor": style.ground,
            "pad": f"{_PAD / _INCH:.3f}",
        },
        node_attr={"shape": "plain", "margin": "0", "fontname": style.family},
        edge_attr={
            "dir": "both",
            "color": style.line,
            "penwidth": "1.2",
            "arrowsize": f"{_ARROW:g}",
            "fontname": style.family,
            "fontcolor": style.text,
        },
    )
    for box in diagram.boxes:
        _add_box(dot, box, style)
    for link in diagram.links:
        _add_link(dot, link)
    return str(dot.source)


def _add_box(dot: Digraph, box: Box, style: DotStyle) -> None:
    middle = (box.x + box.width / 2, box.y + box.height / 2)
    dot.node(
        f"t{box.table}",
        box_label(box, style),
        pos=_point(middle),
        width=f"{box.width / _INCH:.4f}",
        height=f"{box.height / _INCH:.4f}",
        id=f"t{box.table}",
    )


def _add_link(dot: Digraph, link: RoutedEdge) -> None:
    edge = link.edge
    tail = "none" if not edge.has_source_sign else "teeodot" if edge.unique else "crowodot"
    head = "none" if not edge.has_target_sign else "teetee" if edge.required else "teeodot"
    dot.edge(
        f"t{edge.source}:c{edge.ref.column}",
        f"t{edge.target}:t{edge.linked}",
        pos=_curve(rounded(link.path), _SIGN_LENGTH[tail] * _ARROW, _SIGN_LENGTH[head] * _ARROW),
        arrowtail=tail,
        arrowhead=head,
        **_count(link),
        id=f"l{edge.ref.column}",
    )


def _count(link: RoutedEdge) -> dict[str, str]:
    """The number of links that share the end, above the line."""
    if not link.bundled:
        return {}
    (x, y), (before, _) = link.path[-1], link.path[-2]
    at = (x + (_COUNT_AT if before > x else -_COUNT_AT), y - _COUNT_ABOVE)
    return {"headlabel": f"×{link.bundled}", "head_lp": _point(at), "fontsize": "10"}


def _curve(path: Path, tail: float, head: float) -> str:
    """A spline with space for the symbols at its ends ``s`` and ``e``."""
    inner = (_towards(path[0], path[1], tail), *path[1:-1], _towards(path[-1], path[-2], head))
    return f"s,{_point(path[0])} e,{_point(path[-1])} {' '.join(map(_point, inner))}"


def _towards(start: Point, other: Point, far: float) -> Point:
    across, down = other[0] - start[0], other[1] - start[1]
    length = hypot(across, down) or 1.0
    return (start[0] + across / length * far, start[1] + down / length * far)


def _point(point: Point) -> str:
    """A point as Graphviz writes it: y grows upwards."""
    return f"{point[0]:.2f},{-point[1]:.2f}"


def box_label(box: Box, style: DotStyle) -> str:
    """The label; ports are ``t1`` for the head of a table and ``c11`` for a column."""
    return f"<{_LabelWriter(style).table(box, Role.TABLE)}>"


@dataclass(frozen=True, slots=True)
class _LabelWriter:
    style: DotStyle

    def table(self, box: Box, role: Role) -> str:
        style = self.style
        ground = style.ground if role is Role.TABLE else style.raised
        start = _TABLE.format(
            border=_EDGE, line=style.line, ground=ground, width=box.width, height=box.height
        )
        return f"{start}{''.join(self._lines(box, role))}</TABLE>"

    def _lines(self, box: Box, role: Role) -> Iterator[str]:
        """Head, rows and nested tables from top to bottom, and the space below them."""
        top = 0.0 if role is Role.TABLE else box.y
        width, below = round(box.width) - 2 * _EDGE, top + box.head_height
        yield self._head(box, role, width)
        members: list[BoxRow | Box] = sorted([*box.rows, *box.nested], key=lambda member: member.y)
        for member in members:
            end = member.y + member.height
            if isinstance(member, Box):
                nested = self.table(member, Role.NESTED_TABLE)
                yield _table_row(_cell(width, end - below, nested, 'VALIGN="BOTTOM"'))
            else:
                yield self._row(member, width)
            below = end
        yield _table_row(_cell(width, top + box.height - below - 2 * _EDGE, "", ""))

    def _head(self, box: Box, role: Role, width: int) -> str:
        text = ", ".join([box.name, *(mark_text(mark) for mark in box.marks)])
        color = self.style.heads.get(box.table, self.style.raised)
        ground = f'BGCOLOR="{color}" ' if role is Role.TABLE else ""
        name = f"<B>{self._written(box.name, role)}</B>{self._signs(box.marks)}"
        attributes = f'ALIGN="LEFT" PORT="t{box.table}" {ground}{_link_attributes(f"t{box.table}", text)}'
        return _table_row(_cell(width, box.head_height, _BLANK + name, attributes))

    def _row(self, row: BoxRow, width: int) -> str:
        """Name and marks on the left, the type on the right, the border between them by their lengths."""
        text = ", ".join([f"{row.name}: {row.type}", *(mark_text(mark) for mark in row.marks)])
        column = row.ref.column if isinstance(row.ref, ColumnRef) else None
        attributes = "" if column is None else f'PORT="c{column}" {_link_attributes(f"c{column}", text)}'
        name = _BLANK + self._written(row.name, Role.NAME) + self._signs(row.marks)
        type_ = self._written(row.type, Role.TYPE, muted=True) + _BLANK
        part = self._room(row.name, Role.NAME) + self._room("• " * len(row.marks), Role.TYPE)
        left = round(width * part / (part + self._room(row.type, Role.TYPE)))
        both = _table_row(
            _cell(left, row.height, name, 'ALIGN="LEFT"'),
            _cell(width - left, row.height, type_, 'ALIGN="RIGHT"'),
        )
        size = f'FIXEDSIZE="TRUE" WIDTH="{width}" HEIGHT="{row.height:.0f}"'
        line = f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0" {size}>{both}</TABLE>'
        return _table_row(_cell(width, row.height, line, attributes))

    def _room(self, text: str, role: Role) -> float:
        """About the width of a text with the blank at its end."""
        return len(text) * self.style.sizes[role] + _BLANK_ROOM if text else 0.0

    def _signs(self, marks: tuple[Mark, ...]) -> str:
        written = self._written(" ".join(_SIGNS[mark] for mark in marks), Role.TYPE, muted=True)
        return f" {written}" if marks else ""

    def _written(self, text: str, role: Role, *, muted: bool = False) -> str:
        color = self.style.muted if muted else self.style.text
        return f'<FONT COLOR="{color}" POINT-SIZE="{self.style.sizes[role]:g}">{_escaped(text)}</FONT>'


def _escaped(text: str) -> str:
    """``text`` as HTML in which Graphviz finds no escape sequences and no control characters."""
    return escape(plain_text(text)).replace("\\", "\\\\")


def _link_attributes(name: str, text: str) -> str:
    """A tooltip; Graphviz writes tooltips for hyperlinks only, so each links to itself."""
    return f'ID="{name}" HREF="#{name}" TITLE="{_escaped(text)}"'


def _table_row(*cells: str) -> str:
    return f"<TR>{''.join(cells)}</TR>" if any(cells) else ""


def _cell(width: int, height: float, content: str, attributes: str) -> str:
    if height < 1:
        return ""
    return f'<TD {attributes} FIXEDSIZE="TRUE" WIDTH="{width}" HEIGHT="{height:.0f}">{content}</TD>'
