"""From a sheet to a diagram: arranged by Graphviz when asked for, else with the positions that were kept."""

from __future__ import annotations

from dataclasses import replace

from cdb_desktop.schema.diagram import Arrangement, Box, Diagram, Point, Sheet
from cdb_desktop.schema.diagram_dot import arrangement_of, layout_source
from cdb_desktop.schema.diagram_engine import Engine
from cdb_desktop.schema.diagram_paths import link_between
from cdb_desktop.schema.diagram_placing import placed


async def arranged(sheet: Sheet, engine: Engine) -> Arrangement:
    """A new arrangement of everything by Graphviz, killed when the task is cancelled; raises EngineError."""
    if not sheet.boxes:
        return Arrangement()
    plain = await engine.run(("-Tplain-ext",), layout_source(sheet))
    return arrangement_of(plain.decode(), sheet)


def draw(sheet: Sheet, arrangement: Arrangement) -> Diagram:
    """The diagram with what was kept; boxes that have no place yet get one near their neighbours."""
    positions = placed(sheet, arrangement.positions)
    boxes = {box.table: _at(box, positions[box.table]) for box in sheet.boxes}
    links = tuple(
        link_between(wire, boxes[wire.source], boxes[wire.target], arrangement.routes.get(wire.place.column))
        for wire in sheet.wires
    )
    # Positions of tables that are not there now are kept: undo may bring the tables back.
    ghosts = tuple(_at(ghost, positions[ghost.table]) for ghost in sheet.ghosts)
    return Diagram(tuple(boxes.values()), links, arrangement.moved(positions), ghosts)


def _at(box: Box, position: Point) -> Box:
    return replace(box, x=position[0], y=position[1])
