"""Tests of the diagram as a DOT file: Graphviz keeps the positions of the diagram."""

import re
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import msgspec
import pytest

from cdb_desktop.foundation.bundle import helper_command
from cdb_desktop.schema.diagram import graphviz_helper, model
from cdb_desktop.schema.diagram.dot_export import DotStyle, diagram_dot
from cdb_desktop.schema.diagram.graphviz_layout import Graphviz, GraphvizError, build_diagram, find_graphviz
from cdb_desktop.schema.diagram.model import Diagram, Role
from cdb_desktop.schema.diagram.placement import stack_layers
from cdb_desktop.schema.edits.tables import RenameTable
from tests.desktop.schema.diagram.graphs import graph_of
from tests.desktop.schema.models import NOTE, PERSON, WORK, apply, opened

SVG = "{http://www.w3.org/2000/svg}"
SIZES = dict.fromkeys(Role, 12.0)
STYLE = DotStyle("#1B1F24", "#57606A", "#B9C0C9", "#FFFFFF", "#F6F7F9", "DejaVu Sans", SIZES)
ENGINES = [find_graphviz(), Graphviz(helper_command(graphviz_helper.__name__))]


def _diagram() -> Diagram:
    found = build_diagram(graph_of(), stack_layers(graph_of()))
    # No program would place the boxes there, so a new layout is detected.
    return build_diagram(graph_of(), found.arrangement.moved({WORK: (-321.0, 77.0), PERSON: (1234.0, -50.0)}))


@pytest.mark.parametrize("engine", ENGINES, ids=["dot", "pygraphviz"])
async def test_boxes_and_links_keep_their_positions(engine: Graphviz) -> None:
    """The tolerance is Graphviz's rounding."""
    diagram = _diagram()
    drawn = msgspec.json.decode(await engine.run(("-Tjson",), diagram_dot(diagram, STYLE)))
    places = {one["name"]: _numbers(one["pos"]) for one in drawn["objects"]}
    # Newer versions have their origin in the lower left corner, whatever is set.
    shift = [there - here for there, here in zip(places[f"t{WORK}"], _middle(diagram, WORK), strict=True)]
    for box in diagram.boxes:
        assert places[f"t{box.table}"] == _near(_middle(diagram, box.table), shift)
    routes = {one["id"]: one["pos"] for one in drawn["edges"]}
    assert len(routes) == len(diagram.links) > 3
    for link in diagram.links:
        assert _ends(routes[f"l{link.edge.ref.column}"]) == _near(_end_points(link.path), [*shift, *shift])


async def test_a_dot_without_the_layout_is_replaced(tmp_path: Path) -> None:
    """Debian 14 packages it apart; other failures are reported."""
    program = tmp_path / "dot"
    for complaint in ("Layout was not done.  Missing layout plugins?", "syntax error"):
        program.write_text(f"#!/bin/sh\ncat >/dev/null\necho 'Error: {complaint}' >&2\nexit 1\n", "utf-8")
        program.chmod(0o755)
        run = find_graphviz(str(program)).run(("-Tsvg",), diagram_dot(_diagram(), STYLE))
        if complaint == "syntax error":
            with pytest.raises(GraphvizError, match=complaint):
                await run
        else:
            assert b"</svg>" in await run


async def test_texts_stay_texts_with_the_line_height_of_the_screen() -> None:
    """They can be searched, read aloud and copied; symbols have tooltips."""
    diagram = _diagram()
    svg = await _svg(diagram)
    texts = {"".join(one.itertext()).strip(): float(one.get("y", "nan")) for one in svg.iter(f"{SVG}text")}
    assert {"work", "work__note", "title", "year", "text_oneline", "→ person"} <= texts.keys()
    titles = {one.get("{http://www.w3.org/1999/xlink}title") for one in svg.iter(f"{SVG}a")}
    assert "title: text_oneline, must have a value, unique" in titles
    work = diagram.by_table[WORK]
    title, note = work.rows[0], next(box for box in work.nested if box.table == NOTE)
    apart = note.y + note.head_height / 2 - title.y - title.height / 2
    assert texts["work__note"] - texts["title"] == pytest.approx(apart, abs=2)


async def test_links_are_behind_the_boxes() -> None:
    """As on the screen, no line crosses the text of a table."""
    kinds = [one.get("class") for one in (await _svg(_diagram())).iter(f"{SVG}g")]
    assert kinds.index("node") > len(kinds) - 1 - kinds[::-1].index("edge")


@pytest.mark.parametrize("name", ["<b>", 'a"b', "a\\Nb", "a & b", "ümläut"])
async def test_names_are_escaped_for_graphviz(name: str) -> None:
    """A model may contain any name, even invalid ones."""
    document = apply(opened(), RenameTable(PERSON, name))
    diagram = build_diagram(graph_of(document), stack_layers(graph_of(document)))
    svg = await _svg(diagram)
    assert name in {"".join(one.itertext()) for one in svg.iter(f"{SVG}text")}


async def _svg(diagram: Diagram) -> Element:
    drawn = await find_graphviz().run(("-Tsvg",), diagram_dot(diagram, STYLE))
    return fromstring(drawn)  # noqa: S314  # Graphviz is our own child


def _middle(diagram: Diagram, table: int) -> list[float]:
    box = diagram.by_table[table]
    return [box.x + box.width / 2, -box.y - box.height / 2]


def _near(point: list[float], shift: list[float]) -> object:
    return pytest.approx([at + by for at, by in zip(point, shift, strict=True)], abs=1.2)


def _numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?[\d.]+(?:e[+-]?\d+)?", text)]


def _ends(route: str) -> list[float]:
    """The points after ``s`` and ``e``."""
    found = {part[0]: _numbers(part[2:]) for part in route.split() if part[0] in "se"}
    return [*found["s"], *found["e"]]


def _end_points(path: model.Path) -> list[float]:
    return [path[0][0], -path[0][1], path[-1][0], -path[-1][1]]
