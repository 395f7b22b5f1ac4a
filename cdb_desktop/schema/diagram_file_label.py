"""A box of the diagram as an HTML-like label for Graphviz, each line as high and wide as on the screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape

from cdb_desktop.schema.diagram import Box, Mark, Role, Row
from cdb_desktop.schema.places import ColumnPlace

_TABLE = (
    '<TABLE ALIGN="CENTER" BORDER="{border}" COLOR="{line}" BGCOLOR="{ground}" STYLE="ROUNDED" CELLBORDER="0"'
    ' CELLSPACING="0" CELLPADDING="0" FIXEDSIZE="TRUE" WIDTH="{width:.0f}" HEIGHT="{height:.0f}">'
)
_BLANK = "&#160;&#160;"  # Graphviz pads cells on all sides alike
_EDGE = 1
_BLANK_ROOM = 20.0
# One sign for each mark that nearly every typeface has; its meaning stands in the tooltip of the line.
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


@dataclass(frozen=True, slots=True)
class Ink:
    """Colours such as ``#1F5FBF``, a family of fonts, and the size in it of each role."""

    text: str
    muted: str
    line: str
    ground: str
    raised: str
    family: str
    sizes: Mapping[Role, float]


def label_of(box: Box, ink: Ink, meanings: Mapping[Mark, str]) -> str:
    """The label; ports are ``t1`` for the head of a table and ``c11`` for a column."""
    return f"<{_Label(ink, meanings).table(box, Role.TABLE)}>"


@dataclass(frozen=True, slots=True)
class _Label:
    ink: Ink
    meanings: Mapping[Mark, str]

    def table(self, box: Box, role: Role) -> str:
        ink = self.ink
        ground = ink.ground if role is Role.TABLE else ink.raised
        start = _TABLE.format(border=_EDGE, line=ink.line, ground=ground, width=box.width, height=box.height)
        return f"{start}{''.join(self._lines(box, role))}</TABLE>"

    def _lines(self, box: Box, role: Role) -> Iterator[str]:
        """Head, rows and nested tables from top to bottom, and the ground below them."""
        top = 0.0 if role is Role.TABLE else box.y
        width, below = round(box.width) - 2 * _EDGE, top + box.head_height
        yield self._head(box, role, width)
        members: list[Row | Box] = sorted([*box.rows, *box.nested], key=lambda member: member.y)
        for member in members:
            end = member.y + member.height
            if isinstance(member, Box):
                nested = self.table(member, Role.NESTED_TABLE)
                yield _line(_cell(width, end - below, nested, 'VALIGN="BOTTOM"'))
            else:
                yield self._row(member, width)
            below = end
        yield _line(_cell(width, top + box.height - below - 2 * _EDGE, "", ""))

    def _head(self, box: Box, role: Role, width: int) -> str:
        told = ", ".join([box.name, *(self.meanings[mark] for mark in box.marks)])
        ground = f'BGCOLOR="{self.ink.raised}" ' if role is Role.TABLE else ""
        name = f"<B>{self._written(box.name, role)}</B>{self._signs(box.marks)}"
        attributes = f'ALIGN="LEFT" PORT="t{box.table}" {ground}{_told(f"t{box.table}", told)}'
        return _line(_cell(width, box.head_height, _BLANK + name, attributes))

    def _row(self, row: Row, width: int) -> str:
        """Name and marks from the left, the type from the right; they meet where their lengths let them."""
        told = ", ".join([f"{row.name}: {row.type}", *(self.meanings[mark] for mark in row.marks)])
        column = row.place.column if isinstance(row.place, ColumnPlace) else None
        attributes = "" if column is None else f'PORT="c{column}" {_told(f"c{column}", told)}'
        name = _BLANK + self._written(row.name, Role.NAME) + self._signs(row.marks)
        type_ = self._written(row.type, Role.TYPE, muted=True) + _BLANK
        part = self._room(row.name, Role.NAME) + self._room("• " * len(row.marks), Role.TYPE)
        left = round(width * part / (part + self._room(row.type, Role.TYPE)))
        both = _line(
            _cell(left, row.height, name, 'ALIGN="LEFT"'),
            _cell(width - left, row.height, type_, 'ALIGN="RIGHT"'),
        )
        size = f'FIXEDSIZE="TRUE" WIDTH="{width}" HEIGHT="{row.height:.0f}"'
        line = f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0" {size}>{both}</TABLE>'
        return _line(_cell(width, row.height, line, attributes))

    def _room(self, text: str, role: Role) -> float:
        """About how much a text takes of a line, with the blank at its end."""
        return len(text) * self.ink.sizes[role] + _BLANK_ROOM if text else 0.0

    def _signs(self, marks: tuple[Mark, ...]) -> str:
        written = self._written(" ".join(_SIGNS[mark] for mark in marks), Role.TYPE, muted=True)
        return f" {written}" if marks else ""

    def _written(self, text: str, role: Role, *, muted: bool = False) -> str:
        colour = self.ink.muted if muted else self.ink.text
        return f'<FONT COLOR="{colour}" POINT-SIZE="{self.ink.sizes[role]:g}">{_plain(text)}</FONT>'


def _plain(text: str) -> str:
    """A text that means itself: Graphviz reads a backslash even here as the beginning of something else."""
    return escape(text).replace("\\", "\\\\")


def _told(name: str, text: str) -> str:
    """What is shown when a line is pointed at; Graphviz writes it for links only, so each leads to itself."""
    return f'ID="{name}" HREF="#{name}" TITLE="{_plain(text)}"'


def _line(*cells: str) -> str:
    return f"<TR>{''.join(cells)}</TR>" if any(cells) else ""


def _cell(width: int, height: float, content: str, attributes: str) -> str:
    if height < 1:
        return ""
    return f'<TD {attributes} FIXEDSIZE="TRUE" WIDTH="{width}" HEIGHT="{height:.0f}">{content}</TD>'
