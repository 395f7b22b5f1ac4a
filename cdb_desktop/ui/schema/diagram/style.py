"""How the diagram looks: fonts, colors and the marks beside names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.checks.validation import Severity
from cdb_desktop.schema.diagram.groups import NO_GROUPS, Groups, group_of_box
from cdb_desktop.schema.diagram.heat import HeatKind, TableHeat
from cdb_desktop.schema.diagram.model import Box, Diagram, Edge, Mark, Role
from cdb_desktop.schema.document.element_ref import DOCUMENT, ElementRef, TableRef
from cdb_desktop.ui.schema.page.findings import severity_color, sign_color
from cdb_desktop.ui.theme.measures import CAPTION, scaled
from cdb_desktop.ui.theme.tokens import Tokens

ROWS = 0.42  # the zoom from which all rows are shown
_HEAD_OPACITY, _GROUP_OPACITY = 0.16, 0.34
# The color and opacity of each level of use.
_HEAT = (("accent", 0.16), ("warning", 0.16), ("warning", 0.34), ("export", 0.48), ("danger", 0.52))
HIT, _WALKED_OPACITY = 0.22, 0.5  # opacities of what a search has found
HIT_FILL = 0.6  # of the color of hits, in boxes without rows
KEYS = 0.245  # the zoom from which heads are shown with rows that are keys or links
SIZE_BAR = 4.0  # pixels: height of the bar at the bottom of a box that grows with the rows of the table


@dataclass(slots=True)
class DiagramStyle:
    """What all items of a scene need to paint themselves. The scene updates it."""

    fonts: DiagramFonts
    tokens: Tokens
    signs: Mapping[ElementRef, str]
    severities: Mapping[ElementRef, Severity]
    selection: ElementRef = DOCUMENT
    # The table or group whose box contains the selection.
    selected_box: int | None = None
    chosen_boxes: frozenset[int] = frozenset()  # of several selected tables
    linked: frozenset[ElementRef] = frozenset()  # rows and heads at the ends of highlighted links
    kinds: Mapping[int, TableKind] = field(default_factory=dict)  # of top-level tables
    visible: QRectF | None = None  # what is painted of the scene; None for everything
    beyond: Mapping[int, int] = field(default_factory=dict)  # links of tables with others that are not shown
    path: frozenset[ElementRef] = frozenset()  # the columns of links that are highlighted as a path
    hits: frozenset[ElementRef] = frozenset()  # of the search
    hit: ElementRef = DOCUMENT  # the one that is walked to
    groups: Groups = NO_GROUPS
    is_file: bool = False  # painted into a file or on paper: all lines grow with the drawing
    on_part: Callable[[ElementRef], None] | None = None  # called before a head or row is painted
    removed: frozenset[ElementRef] = frozenset()  # elements that are painted struck through
    note: Callable[[ElementRef], str] = lambda _ref: ""  # what tooltips say of an element
    use_note: Callable[[ElementRef], str] = lambda _ref: ""  # what they say of the use of a table
    heat: Mapping[int, TableHeat] | None = None  # of top-level tables, while their use is shown
    heat_kind: HeatKind = HeatKind.WRITES  # what the levels of ``heat`` are about
    sides: Mapping[ElementRef, SideMarks] = field(default_factory=dict)  # of a merge

    def state_color(self, ref: ElementRef) -> QColor | None:
        """The color of a problem or else of a change; None if there is neither."""
        severity, sign = self.severities.get(ref), self.signs.get(ref)
        if ref in self.sides:
            return self.sides[ref].color(self.tokens)
        if self.heat is not None:
            return None  # two meanings of a color would be confused
        if severity is not None:
            return severity_color(severity, self.tokens)
        return sign_color(sign, self.tokens) if sign else None


@dataclass(frozen=True, slots=True)
class SideMarks:
    """How both sides of a merge have changed an element: the sign of each side, empty for none.

    ``is_decided`` is whether its conflicts are, None if it has none.
    """

    mine: str = ""
    theirs: str = ""
    is_decided: bool | None = None

    @property
    def text(self) -> str:
        """The mark of a conflict, or the signs with the direction of their side, for small zooms."""
        if self.is_decided is not None:
            return DECIDED if self.is_decided else CONFLICT
        return (f"{MINE}{self.mine}" if self.mine else "") + (f"{THEIRS}{self.theirs}" if self.theirs else "")

    def color(self, tokens: Tokens) -> QColor:
        """The color of the side that has changed it, of a conflict if that is not decided."""
        if self.is_decided is False:
            return QColor(tokens.danger)
        return QColor(tokens.accent if self.mine else tokens.session if self.theirs else tokens.good)


CONFLICT, DECIDED = "≠", "✓"  # marks of conflicts
MINE, THEIRS = "◂", "▸"


class TableKind(Enum):
    """What the links make of a table; decides the color of its head."""

    LINKING = "linking"
    LIST = "list"
    ALONE = "alone"


def thin_pen(color: QColor | str, width: float = 1.0, *, is_file: bool = False) -> QPen:
    """A pen that is equally wide at every zoom; in a file it grows with the drawing."""
    pen = QPen(QColor(color), width)
    pen.setCosmetic(not is_file)
    return pen


def box_rect(box: Box) -> QRectF:
    """Where a box is."""
    return QRectF(box.x, box.y, box.width, box.height)


def table_kinds(diagram: Diagram) -> dict[int, TableKind]:
    """The kinds of the top-level tables."""
    linking = {link.edge.source for link in diagram.links if link.edge.source != link.edge.target}
    linked = {link.edge.target for link in diagram.links}
    return {
        box.table: TableKind.LINKING
        if box.table in linking
        else TableKind.LIST
        if box.table in linked
        else TableKind.ALONE
        for box in diagram.boxes
    }


def kind_color(kind: TableKind, tokens: Tokens) -> QColor:
    """The color of heads, translucent."""
    colors = {TableKind.LINKING: tokens.accent, TableKind.LIST: tokens.session, TableKind.ALONE: tokens.muted}
    return translucent(QColor(colors[kind]), _HEAD_OPACITY)


def kind_text(kind: TableKind) -> str:
    """What the color of a head means."""
    return {
        TableKind.LINKING: tr("links to other tables"),
        TableKind.LIST: tr("is only linked to"),
        TableKind.ALONE: tr("has no links"),
    }[kind]


# Hues that people with any kind of color vision can tell apart (Okabe and Ito), adapted to both grounds.
_LIGHT_GROUPS = ("#0072B2", "#C77400", "#00855F", "#B8578F", "#3C9CD7", "#C4501B", "#8C7B00", "#6B6B6B")
_DARK_GROUPS = ("#4C9BE8", "#E69F00", "#1DB58C", "#D98BB8", "#7CC8F2", "#EE7A45", "#D9CC4A", "#A9B0B8")


def group_color(color: int, tokens: Tokens) -> QColor:
    """The color of a group with this number; regions and labels are mixed of it and the ground."""
    colors = _DARK_GROUPS if QColor(tokens.ground).lightnessF() < 0.5 else _LIGHT_GROUPS
    return QColor(colors[color % len(colors)])


def group_color_name(color: int) -> str:
    """What the color of a group is called."""
    return (
        tr("Blue"),
        tr("Orange"),
        tr("Green"),
        tr("Pink"),
        tr("Light blue"),
        tr("Red"),
        tr("Yellow"),
        tr("Gray"),
    )[color % len(_LIGHT_GROUPS)]


def head_color(style: DiagramStyle, table: int) -> QColor:
    """The color of the head of a top-level table, or of the box of a collapsed group."""
    group = style.groups.by_key.get(group_of_box(table) or 0)
    if group is not None:
        return translucent(group_color(group.color, style.tokens), _GROUP_OPACITY)
    if style.heat is not None:
        return heat_color(style.heat.get(table, TableHeat()).level, style.tokens)
    return kind_color(style.kinds.get(table, TableKind.ALONE), style.tokens)


def heat_color(level: int | None, tokens: Tokens) -> QColor:
    """The color of a level of use, translucent; None if it is unknown."""
    if level is None:
        return translucent(QColor(tokens.muted), 0.06)
    name, opacity = _HEAT[level]
    return translucent(QColor(getattr(tokens, name)), opacity)


def solid_head_color(style: DiagramStyle, table: int) -> QColor:
    """The color of the head of a top-level table, as it looks on the ground."""
    if style.heat is not None or group_of_box(table) is not None:
        return _on_ground(head_color(style, table), style.tokens)
    return QColor(_solid(style.kinds.get(table, TableKind.ALONE), style.tokens))


@lru_cache(maxsize=16)
def _solid(kind: TableKind, tokens: Tokens) -> QColor:
    return _on_ground(kind_color(kind, tokens), tokens)


def box_color(style: DiagramStyle, table: int) -> QColor:
    """The color of a box that shows no rows: of a hit in it, or that of its head."""
    if TableRef(table) in style.hits:
        return mixed(QColor(style.tokens.mark), QColor(style.tokens.ground), HIT_FILL)
    return solid_head_color(style, table)


def _on_ground(color: QColor, tokens: Tokens) -> QColor:
    return mixed(QColor(color.name()), QColor(tokens.ground), color.alphaF())


def hit_color(style: DiagramStyle, ref: ElementRef) -> QColor:
    """The ground of an element that a search has found; stronger for the hit that is walked to."""
    return translucent(QColor(style.tokens.mark), _WALKED_OPACITY if ref == style.hit else HIT)


def name_lines(name: str, room: float, width: Callable[[str], float]) -> list[str]:
    """A name, wrapped after ``_`` if it is wider than ``room``."""
    if width(name) <= room:
        return [name]
    *firsts, last = name.split("_")
    lines: list[str] = []
    for part in (*(f"{first}_" for first in firsts), last):
        joined = f"{lines[-1]}{part}" if lines else part
        if lines and width(joined) <= room:
            lines[-1] = joined
        else:
            lines.append(part)
    return lines


def translucent(color: QColor, opacity: float) -> QColor:
    """``color`` with an opacity from 0 to 1."""
    result = QColor(color)
    result.setAlphaF(opacity)
    return result


def mixed(color: QColor, other: QColor, part: float) -> QColor:
    """An opaque color with ``part`` of ``color``; a translucent pen would be painted several times slower."""
    rest = 1 - part
    return QColor.fromRgbF(
        color.redF() * part + other.redF() * rest,
        color.greenF() * part + other.greenF() * rest,
        color.blueF() * part + other.blueF() * rest,
    )


BADGE = 5.0  # half the size of a badge


def paint_badge(
    painter: QPainter, middle: QPointF, text: str, colors: tuple[QColor, QColor], font: QFont
) -> None:
    """Paints the sign of a change or problem; each has a shape of its own.

    ``colors`` are those of the badge and of the ground.
    """
    color, ground = colors
    box = QRectF(middle.x() - BADGE, middle.y() - BADGE, 2 * BADGE, 2 * BADGE)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    ink = ground
    if text == "~":
        painter.drawRoundedRect(box, 1.5, 1.5)
    elif text == "→":
        reach = BADGE + 1.5
        painter.drawPolygon(
            [middle + QPointF(*at) for at in ((-reach, 0), (0, -reach), (reach, 0), (0, reach))]
        )
    elif text == "−":
        painter.setPen(QPen(color, 1.4))
        painter.setBrush(ground)
        painter.drawEllipse(middle, BADGE - 0.7, BADGE - 0.7)
        ink = color
    else:
        painter.drawEllipse(middle, BADGE, BADGE)
    _paint_centered(painter, box, text, ink, font)


def _paint_centered(painter: QPainter, rect: QRectF, text: str, ink: QColor, font: QFont) -> None:
    painter.setFont(font)
    painter.setPen(ink)
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, text)


def paint_conflict(
    painter: QPainter, middle: QPointF, is_decided: bool, colors: tuple[QColor, QColor], font: QFont
) -> None:
    """Paints the mark of a conflict, a square; ``colors`` are those of the mark and of the ground."""
    half = BADGE + 1
    box = QRectF(middle.x() - half, middle.y() - half, 2 * half, 2 * half)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colors[0])
    painter.drawRoundedRect(box, 2, 2)
    _paint_centered(painter, box, DECIDED if is_decided else CONFLICT, colors[1], font)


def paint_beyond(painter: QPainter, rect: QRectF, text: str, tokens: Tokens, font: QFont) -> None:
    """Paints the number of links with tables that are not shown."""
    painter.setPen(QPen(QColor(tokens.accent), rect.height() / 14))
    painter.setBrush(QColor(tokens.selected))
    painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
    _paint_centered(painter, rect, text, QColor(tokens.accent), font)


MARK = 11.0  # width and height of a mark

_BOLD = QFont.Weight.DemiBold


class DiagramFonts:
    """The font of each role, derived from the window's font."""

    def __init__(self, font: QFont) -> None:
        self._fonts = {
            Role.TABLE: scaled(font, 1.0, _BOLD),
            Role.NESTED_TABLE: scaled(font, CAPTION, _BOLD),
            Role.NAME: QFont(font),
            Role.TYPE: scaled(font, CAPTION),
            Role.MARK: scaled(font, CAPTION, _BOLD),
        }
        self._metrics = {role: QFontMetricsF(own) for role, own in self._fonts.items()}
        self._widths: dict[tuple[str, Role], float] = {}

    def font(self, role: Role) -> QFont:
        return self._fonts[role]

    def measured_font(self, role: Role) -> QFont:
        """The font in which texts are measured, on whatever they are painted."""
        return self._fonts[role]

    def measure(self, text: str, role: Role) -> tuple[float, float]:
        """The size of a text for the layout of the diagram; marks are painted and have a fixed size."""
        if role is Role.MARK:
            return MARK, MARK
        return self.width(text, role), self._metrics[role].height()

    def width(self, text: str, role: Role) -> float:
        found = self._widths.get((text, role))
        if found is None:
            found = self._widths[(text, role)] = self._metrics[role].horizontalAdvance(text)
        return found

    def height(self, role: Role) -> float:
        """The height of a line."""
        return self._metrics[role].height()

    def baseline(self, role: Role, top: float, height: float) -> float:
        """The baseline of a text that is centered vertically."""
        metrics = self._metrics[role]
        return top + (height + metrics.ascent() - metrics.descent()) / 2


_WIDTH = 1.2


def paint_mark(painter: QPainter, mark: Mark, left: float, middle: float, color: QColor) -> None:
    """Paints a mark at the right of ``left``, centered vertically at ``middle``."""
    painter.save()
    painter.translate(left, middle - MARK / 2)
    pen = QPen(color, _WIDTH)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for line in _LINES.get(mark, ()):
        painter.drawPolyline(line)
    if mark in _RINGS:
        painter.drawEllipse(QRectF(*_RINGS[mark]))
    if mark in _ARCS:
        *rect, start = _ARCS[mark]
        painter.drawArc(QRectF(*rect), start * 16, 180 * 16)
    if mark in _DOTS:
        x, y, radius = _DOTS[mark]
        painter.setBrush(color)
        painter.drawEllipse(QPointF(x, y), radius, radius)
    painter.restore()


def _polygons(*lines: tuple[float, ...]) -> list[QPolygonF]:
    return [QPolygonF([QPointF(*line[at : at + 2]) for at in range(0, len(line), 2)]) for line in lines]


# What marks consist of: lines through points, ellipses in rectangles, halves of ellipses, and filled circles.
_LINES = {
    Mark.HIERARCHICAL: _polygons((3, 2, 3, 9), (3, 5, 8, 5), (3, 9, 8, 9)),
    Mark.IN_POOLS: _polygons((1.5, 2.5, 1.5, 8), (9.5, 2.5, 9.5, 8)),
    Mark.TAGS: _polygons((4, 1.5, 3, 9.5), (8, 1.5, 7, 9.5), (1.5, 4, 9.5, 4), (1.5, 7, 9.5, 7)),
    Mark.RIGHTS: _polygons((2, 5, 9, 5, 9, 10, 2, 10, 2, 5)),
    Mark.UNIQUE: _polygons((5, 5.5, 10, 5.5), (9.5, 5.5, 9.5, 8), (7.5, 5.5, 7.5, 7.5)),
    Mark.CHECKED: _polygons((2, 6, 4.5, 8.5, 9.5, 2.5)),
    Mark.REVERSE_EDIT: _polygons(
        (1.5, 4, 9.5, 4), (1.5, 7.5, 9.5, 7.5), (7.5, 2, 9.5, 4), (3.5, 9.5, 1.5, 7.5)
    ),
}
_RINGS = {Mark.IN_POOLS: (1.5, 1.0, 8.0, 3.0), Mark.UNIQUE: (1.0, 3.5, 4.0, 4.0)}
_ARCS = {Mark.IN_POOLS: (1.5, 6.5, 8, 3, 180), Mark.RIGHTS: (3.5, 1, 4, 7, 0)}
_DOTS = {Mark.HIERARCHICAL: (3.0, 2.0, 1.0), Mark.REQUIRED: (5.5, 5.5, 1.6)}


def beyond_text(count: int) -> str:
    """What the number at a box means."""
    return tr(
        "{count:One link|{count} links} with tables that are not shown: click to show them", count=count
    )


def link_text(edge: Edge, table: str, column: str, target: str) -> str:
    """What a link connects, how many rows may be at its ends, and its rule, for tooltips."""
    rows = (
        tr("one row of {table}", table=table)
        if edge.unique
        else tr("any number of rows of {table}", table=table)
    )
    linked = (
        tr("exactly one of {target}", target=target)
        if edge.required
        else tr("one of {target} or none", target=target)
    )
    lines = [f"{table}.{column} → {target}", f"{rows} → {linked}"]
    if edge.on_delete:
        rules = {
            "cascade": tr("it is deleted too"),
            "restrict": tr("this is refused"),
            "set null": tr("the column becomes empty"),
            "set default": tr("the column gets its default"),
        }
        rule = f"{rules.get(edge.on_delete, '')} (on delete {edge.on_delete})".strip()
        lines.append(tr("When the row of {target} is deleted: {rule}", target=target, rule=rule))
    return "\n".join(lines)


def group_link_text(edge: Edge, source: str, target: str) -> str:
    """How many links there are between two boxes of which one is a group, for tooltips."""
    return tr(
        "{count:one link|{count} links} from {source} to {target}",
        count=edge.count,
        source=source,
        target=target,
    )
