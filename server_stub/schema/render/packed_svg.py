"""The simpler layout as SVG, with the ids of Graphviz's pictures."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from server_stub.schema.document.model import Schema
from server_stub.schema.render.dot import ACCENT, GROUND, MUTED, RAISED, RULE, SIMPLE_TITLE, TEXT
from server_stub.schema.render.packed_layout import INDENT, LINE, Box, Line, Link, pack

_FONT = "DejaVu Sans Mono, Menlo, Consolas, monospace"
_BASELINE = 11


def packed_svg(schema: Schema) -> bytes:
    """The picture, whose title says that it is the simpler one."""
    layout = pack(schema)
    width, height = layout.width, layout.height
    start = (
        '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{_FONT}" font-size="10">\n'
        f"<title>{SIMPLE_TITLE}</title>\n"
        f'<rect width="{width}" height="{height}" fill="{GROUND}"/>\n'
    )
    parts = [start, *_links(layout.links)]
    for box in layout.boxes:
        parts.extend(_box(box))
    parts.append("</svg>\n")
    return "".join(parts).encode()


def _links(links: tuple[Link, ...]) -> Iterator[str]:
    paths: dict[int, list[str]] = {}
    for link in links:
        path = "M" + "L".join(f"{x},{y}" for x, y in link.points)
        paths.setdefault(link.column_id, []).append(path)
    for column_id, drawn in paths.items():
        path = f'<path fill="none" stroke="{MUTED}" d="{"".join(drawn)}"/>'
        yield f'<g id="l{column_id}" class="edge">{path}</g>\n'


def _box(box: Box) -> Iterator[str]:
    """A table as a group with its lines; nested tables are groups within it."""
    open_until: list[int] = []
    for place, line in enumerate(box.lines):
        while open_until and place == open_until[-1]:
            open_until.pop()
            yield "</g>\n"
        y = box.y + place * LINE
        if line.is_head:
            open_until.append(place + line.lines)
            yield _head(box, line, y)
        elif line.column is None:
            yield _texts(box, line, y) + "\n"
        else:
            detail = f"{line.table.name}.{line.column.name}: {line.column.type}"
            required = ", required" if line.column.not_null else ""
            title = f"<title>{escape(detail + required)}</title>"
            yield f'<g id="c{line.column.id}">{title}{_texts(box, line, y)}</g>\n'
    yield "</g>\n" * len(open_until)


def _head(box: Box, line: Line, y: int) -> str:
    indent = line.depth * INDENT
    ground = RAISED if line.depth else GROUND
    kind = "nested" if line.depth else "node"
    return (
        f'<g id="t{line.table.id}" class="{kind}"><title>{escape(line.table.name)}</title>'
        f'<rect x="{box.x + indent}" y="{y}" width="{box.width - 2 * indent}" height="{line.lines * LINE}" '
        f'rx="3" fill="{ground}" stroke="{RULE}"/>{_texts(box, line, y)}\n'
    )


def _texts(box: Box, line: Line, y: int) -> str:
    left = box.x + line.depth * INDENT + INDENT
    right = box.x + box.width - line.depth * INDENT - INDENT
    is_link = line.right.startswith("→")
    name_color = ACCENT if line.is_head and not line.depth else TEXT if line.is_head or line.column else MUTED
    is_bold = line.is_head or (line.column is not None and line.column.not_null)
    bold = ' font-weight="bold"' if is_bold else ""
    texts = f'<text x="{left}" y="{y + _BASELINE}" fill="{name_color}"{bold}>{escape(line.left)}</text>'
    if line.right:
        color = ACCENT if is_link else MUTED
        at = f'x="{right}" y="{y + _BASELINE}"'
        texts += f'<text {at} fill="{color}" text-anchor="end">{escape(line.right)}</text>'
    return texts
