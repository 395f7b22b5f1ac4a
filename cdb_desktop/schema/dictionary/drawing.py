"""The diagram of a dictionary as SVG that Graphviz draws, with links to the tables of the page."""

from __future__ import annotations

import re
import unicodedata

from cdb_desktop.schema.diagram.dot_export import DotStyle, diagram_dot
from cdb_desktop.schema.diagram.graph_builder import GraphBuilder
from cdb_desktop.schema.diagram.graphviz_layout import build_diagram, compute_arrangement
from cdb_desktop.schema.diagram.graphviz_process import Graphviz
from cdb_desktop.schema.diagram.model import Arrangement, Role
from cdb_desktop.schema.document.model import Document

# The colors are exchanged for those of the page, which has light and dark ones: each occurs only here.
COLORS = {"text": "#010203", "muted": "#010204", "line": "#010205", "ground": "#010206", "raised": "#010207"}
FAMILY = "DejaVu Sans"

_SIZES = {Role.TABLE: 13.0, Role.NESTED_TABLE: 12.0, Role.NAME: 12.0, Role.TYPE: 11.0, Role.MARK: 11.0}
_WIDTH = 0.62  # of a character, in parts of the size of a wide sans-serif font
_BOLD = 1.12
_HEIGHT = 1.25
_TIME_LIMIT = 120.0  # seconds
_HEADER = re.compile(r"\A.*?(?=<svg\b)", re.DOTALL)
_ID = re.compile(r'(<g id=")')
_COMMENT = re.compile(r"<!--.*?-->\s*", re.DOTALL)


async def draw_svg(document: Document, engine: Graphviz, arrangement: Arrangement | None = None) -> str:
    """The diagram as an ``svg`` element for a page of HTML. Raises GraphvizError.

    Without an arrangement everything is arranged anew. The ids of the page are those of tables and columns,
    ``t1`` and ``c11``; hyperlinks lead there. Cancelling the task kills Graphviz.
    """
    graph = GraphBuilder(_measure).build(document)
    found = arrangement or await compute_arrangement(graph, engine)
    style = DotStyle(
        text=COLORS["text"],
        muted=COLORS["muted"],
        line=COLORS["line"],
        ground=COLORS["ground"],
        raised=COLORS["raised"],
        family=FAMILY,
        sizes=_SIZES,
    )
    drawn = await engine.run(("-Tsvg",), diagram_dot(build_diagram(graph, found), style), _TIME_LIMIT)
    svg = _COMMENT.sub("", _HEADER.sub("", drawn.decode()))
    return _ID.sub(r"\1d-", svg).strip()


def _measure(text: str, role: Role) -> tuple[float, float]:
    """About the size of a text in the font of a browser; wide characters take twice the room."""
    size = _SIZES[role]
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    bold = _BOLD if role in (Role.TABLE, Role.NESTED_TABLE) else 1.0
    return (len(text) + wide) * size * _WIDTH * bold, size * _HEIGHT
