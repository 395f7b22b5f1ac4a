"""The dictionary as one page of HTML with its diagram, which needs no other file and loads nothing."""

import re
import unicodedata
from collections.abc import Iterator
from html import escape

from cdb_desktop.foundation.bundle import resource
from cdb_desktop.foundation.i18n import language, tr
from cdb_desktop.schema.diagram.dot_export import DotStyle, diagram_dot
from cdb_desktop.schema.diagram.graph_builder import GraphBuilder
from cdb_desktop.schema.diagram.graphviz_layout import Graphviz, build_diagram, compute_arrangement
from cdb_desktop.schema.diagram.model import Role
from cdb_desktop.schema.dictionary.contents import ColumnEntry, Dictionary, TableEntry
from cdb_desktop.schema.diff.compare import Risk, summary
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, table_key_of
from cdb_desktop.schema.document.json_values import plain_text
from cdb_desktop.schema.document.model import Document
from cdb_desktop.vocabulary.times import day_and_time

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
_TONES = {"+": "added", "−": "removed", "→": "renamed", "~": "changed"}


def write_html(dictionary: Dictionary, svg: str, reason: str = "") -> str:
    """The page. ``svg`` is the diagram, empty if there is none; ``reason`` says why."""
    return "\n".join(_page(dictionary, svg, reason)) + "\n"


def _page(dictionary: Dictionary, svg: str, reason: str) -> Iterator[str]:
    source = dictionary.source
    folder = resource("dictionary")
    title = _text(source.title)
    yield f'<!DOCTYPE html>\n<html lang="{language()}">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">'
    yield f"<title>{title}</title>"
    yield f"<style>\n{(folder / 'page.css').read_text(encoding='utf-8')}</style>\n</head>\n<body>"
    yield from _sidebar(dictionary)
    yield f'<main>\n<header><h1>{title}</h1><p class="muted">{_text(dictionary.counts)} · '
    yield f"{_text(tr('as of {time}', time=day_and_time(source.made_at)))}</p></header>"
    yield from _diagram(svg, reason)
    if source.base is not None:
        yield from _changes(dictionary)
    for table in dictionary.tables:
        yield from _table(dictionary, table)
    yield f'<p id="nothing" hidden>{_text(tr("Nothing contains these words."))}</p>'
    yield f"</main>\n<script>\n{(folder / 'page.js').read_text(encoding='utf-8')}</script>\n</body>\n</html>"


def _sidebar(dictionary: Dictionary) -> Iterator[str]:
    label = _text(tr("Search"))
    hint = _text(tr("Search: press /"))
    yield f'<nav aria-label="{_text(tr("Tables"))}">'
    yield f'<input id="search" type="search" placeholder="{hint}" aria-label="{label}" autocomplete="off">'
    counts = _text(tr("{count} of {all}", count="%1", all="%2"))
    yield f'<p id="found" class="muted" aria-live="polite" data-text="{counts}"></p>'
    yield "<ul>"
    for table in dictionary.tables:
        sign = _sign(table.sign)
        names = ", ".join(table.localized.values())
        yield (
            f'<li style="--depth:{min(table.depth, 5)}"><a href="#t{table.key}" title="{_text(names)}">'
            f"{_text(table.short_name)}</a>{sign}</li>"
        )
    yield "</ul>\n</nav>"


def _diagram(svg: str, reason: str) -> Iterator[str]:
    if not svg:
        if reason:
            yield f'<p class="muted">{_text(reason)}</p>'
        return
    buttons = (
        ("in", "+", tr("Zoom in")),
        ("out", "−", tr("Zoom out")),
        ("fit", "⤢", tr("Fit to the width")),
    )
    yield f'<section class="diagram"><h2>{_text(tr("Diagram"))}</h2><div class="zoom">'
    for name, sign, text in buttons:
        label = _text(text)
        yield f'<button type="button" data-zoom="{name}" title="{label}" aria-label="{label}">{sign}</button>'
    yield f'</div><div id="drawing" tabindex="0">{svg}</div></section>'


def _changes(dictionary: Dictionary) -> Iterator[str]:
    base = dictionary.source.base_name
    yield f'<section class="changes"><h2>{_text(tr("Changes since {version}", version=base))}</h2>'
    changes = dictionary.changes
    if not changes:
        yield f'<p class="muted">{_text(tr("There are none."))}</p></section>'
        return
    counts = ", ".join(str(count) for count in summary(changes))
    yield f"<p>{_text(counts)}</p>\n<ul>"
    known = {table.key for table in dictionary.tables}
    columns = {column.key for table in dictionary.tables for column in table.columns}
    risks = {
        Risk.NARROWING: tr("existing values may not fit"),
        Risk.DESTROYING: tr("values are lost"),
    }
    for change in changes:
        anchor = _anchor(change.ref, known, columns)
        text = _text(str(change.message))
        shown = f'<a href="#{anchor}">{text}</a>' if anchor else text
        risk = risks.get(change.risk, "")
        note = f' <span class="risk">{_text(risk)}</span>' if risk else ""
        yield f"<li>{_sign(change.sign)} {shown}{note}</li>"
    yield "</ul></section>"


def _anchor(ref: ElementRef, tables: set[int], columns: set[int | None]) -> str:
    if isinstance(ref, ColumnRef) and ref.column in columns:
        return f"c{ref.column}"
    key = table_key_of(ref)
    return f"t{key}" if key in tables else ""


def _table(dictionary: Dictionary, table: TableEntry) -> Iterator[str]:
    yield f'<section class="table" id="t{table.key}"><h2>{_text(table.name)}{_sign(table.sign)}</h2>'
    names = " · ".join(f"{_text(text)} <small>{_text(key)}</small>" for key, text in table.localized.items())
    if names:
        yield f'<p class="names">{names}</p>'
    if table.comment:
        yield f"<p>{_text(table.comment)}</p>"
    facts = [_text(option) for option in table.options]
    if table.owner is not None:
        place = f'<a href="#t{table.owner[0]}">{_text(table.owner[1])}</a>'
        facts.insert(0, f"{_text(tr('nested in'))} {place}")
    if facts:
        yield f'<p class="muted">{" · ".join(facts)}</p>'
    yield from _columns(dictionary, table)
    if table.unique_keys:
        keys = ", ".join(f"<code>{_text(key)}</code>" for key in table.unique_keys)
        yield f"<p>{_text(tr('Unique:'))} {keys}</p>"
    if table.links_here:
        places = ", ".join(
            f'<a href="#t{key}">{_text(name)}.{_text(column)}</a>' for key, name, column in table.links_here
        )
        yield f"<p>{_text(tr('Linked from:'))} {places}</p>"
    if table.changes:
        lines = "".join(f"<li>{_text(change)}</li>" for change in table.changes)
        yield f'<details class="changes"><summary>{_text(tr("Changes"))}</summary><ul>{lines}</ul></details>'
    yield "</section>"


def _columns(dictionary: Dictionary, table: TableEntry) -> Iterator[str]:
    if not table.columns:
        yield f'<p class="muted">{_text(tr("No columns"))}</p>'
        return
    heads = (tr("Column"), *dictionary.languages, tr("Type"), tr("Properties"))
    cells = "".join(f'<th scope="col">{_text(head)}</th>' for head in heads)
    yield f'<div class="scroll"><table><thead><tr>{cells}</tr></thead><tbody>'
    for column in table.columns:
        identity = f' id="c{column.key}"' if column.key is not None else ""
        sign = _sign(column.sign, _text(", ".join(column.changes)))
        names = "".join(f"<td>{_text(column.localized.get(key, ''))}</td>" for key in dictionary.languages)
        yield (
            f'<tr{identity}><th scope="row"><code>{_text(column.name)}</code>{sign}</th>'
            f'{names}<td class="type">{_type(column)}</td><td>{_text(column.properties)}</td></tr>'
        )
    yield "</tbody></table></div>"


def _type(column: ColumnEntry) -> str:
    if column.target is None:
        return _text(column.type)
    link = f'<a href="#t{column.target}">{_text(column.target_name)}</a>'
    return f"→ {link}" if column.type == "link" else f"{_text(column.type)} {link}"


def _sign(sign: str, title: str = "") -> str:
    if not sign:
        return ""
    hint = f' title="{title}"' if title else ""
    return f' <span class="sign {_TONES.get(sign, "changed")}"{hint}>{sign}</span>'


def _text(text: str) -> str:
    return escape(plain_text(text))


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


async def draw_svg(document: Document, engine: Graphviz) -> str:
    """The diagram as an ``svg`` element for a page of HTML. Raises GraphvizError.

    The ids of the page are those of tables and columns, ``t1`` and ``c11``; hyperlinks lead there. Cancelling
    the task kills Graphviz.
    """
    graph = GraphBuilder(_measure).build(document)
    found = await compute_arrangement(graph, engine)
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
