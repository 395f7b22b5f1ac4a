"""Links run around tables that come or move; undo and redo restore boxes and routes."""

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from PySide6.QtCore import QPointF

from cdb_desktop.schema.diagram.model import Box, Path
from cdb_desktop.schema.diagram.placement import nearest_free
from cdb_desktop.schema.diff.apply import Restore
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.edits.columns import AddColumn
from cdb_desktop.schema.edits.tables import AddTable, remove_table
from cdb_desktop.schema.working_copy import open_head
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.page.state import PageState
from tests.desktop.patience import until
from tests.desktop.schema.diagram.graphs import crossed, large_model
from tests.desktop.ui.schema.conftest import Bench

CLEAR = 4.0  # from a link to a box at which it does not end
STEPS = ("new", "new", "copy", "paste", "remove", "restore", "drag", "drag", "link")


@pytest.mark.parametrize("seed", range(2))
async def test_no_link_runs_by_a_new_box(bench: Bench, seed: int) -> None:
    """Nor by a copied, restored, removed or dragged one, and undo and redo lead through the same pictures."""
    document = read_document(large_model(14))
    async with bench.with_museum() as controller:
        controller.store.put(PageState(open_head(document, document), may_develop=True))
        diagram = _Diagram(bench, controller, Random(seed))
        await diagram.is_routed(14)
        states = [diagram.state]
        for _ in range(10):
            diagram.change()
            await diagram.is_routed()
            states.append(diagram.state)
            assert diagram.touched() == []
        for state in reversed(states[:-1]):
            bench.actions["schema_undo"].trigger()
            await diagram.is_routed()
            assert diagram.state == state
        for state in states[1:]:
            bench.actions["schema_redo"].trigger()
            await diagram.is_routed()
            assert diagram.state == state


async def test_a_new_table_lies_on_no_link(bench: Bench) -> None:
    """No link has to move for it where there is room; a chosen place stays, and the links move."""
    document = read_document(large_model(14))
    async with bench.with_museum() as controller:
        controller.store.put(PageState(open_head(document, document), may_develop=True))
        diagram = _Diagram(bench, controller, Random(1))
        await diagram.is_routed(14)
        before = diagram.state
        (x, y), (far, low) = diagram.longest_segment()
        middle = QPointF((x + far) / 2, (y + low) / 2)
        bench.view.diagram.centerOn(middle)
        controller.store.apply(AddTable("loan"))
        await diagram.is_routed()
        assert diagram.state[1] == before[1]
        bench.actions["schema_undo"].trigger()
        chosen = AddTable("chosen")
        bench.view.diagram.wanted_places = {chosen.key: (middle.x(), middle.y())}
        controller.store.apply(chosen)
        await diagram.is_routed()
        assert diagram.state[1] != before[1]
        assert diagram.touched() == []


class _Diagram:
    """Changes the model at random, each time by one step of the undo history."""

    def __init__(self, bench: Bench, controller: SchemaController, random: Random) -> None:
        self._bench, self._store, self._random = bench, controller.store, random
        self._view = bench.view.diagram
        self._placed: set[int] = set()
        (self._layout,) = self._view.findChildren(DiagramLayoutController)

    @property
    def state(self) -> tuple[dict[int, tuple[float, float, float, float]], dict[int, Path]]:
        """Where boxes and links are."""
        diagram = self._view.diagram_scene.diagram
        boxes = {box.table: (box.x, box.y, box.width, box.height) for box in self._boxes}
        return boxes, {link.edge.ref.column: link.path for link in diagram.links}

    async def is_routed(self, tables: int = 0) -> None:
        """Waits for all routes."""
        scene = self._view.diagram_scene
        await until(lambda: len(scene.diagram.boxes) >= tables and self._layout.is_routed)
        await until(lambda: not scene.is_moving)

    def longest_segment(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Of all links."""
        segments = (
            segment for link in self._view.diagram_scene.diagram.links for segment in pairwise(link.path)
        )
        return max(segments, key=lambda ends: abs(ends[0][0] - ends[1][0]) + abs(ends[0][1] - ends[1][1]))

    def touched(self) -> list[tuple[int, int]]:
        """Links with the boxes, not their own, that they come too near to."""
        found = []
        for link in self._view.diagram_scene.diagram.links:
            for box in self._boxes:
                if box.table not in {link.edge.source, link.edge.target}:
                    room = CLEAR if box.table in self._placed else 0.0
                    width, height = box.width + 2 * room, box.height + 2 * room
                    wide = replace(box.at((box.x - room, box.y - room)), width=width, height=height)
                    if crossed(link, (wide,)):
                        found.append((link.edge.ref.column, box.table))
        return found

    def change(self) -> None:
        """Makes one step."""
        page = self._store.page
        kind, at = self._random.choice(STEPS), page.editing.history.position
        tables = [box.table for box in self._view.diagram_scene.diagram.boxes]
        table, other = self._random.sample(tables, 2)
        before = set(tables)
        if kind == "copy":
            self._store.select(TableRef(table))
            self._bench.actions["element_duplicate"].trigger()
        elif kind == "paste":
            self._store.select(TableRef(table))
            self._bench.actions["element_copy"].trigger()
            self._bench.actions["element_paste"].trigger()
        elif kind == "remove":
            self._store.apply(remove_table(table, dependents=True))
        elif kind == "restore" and self._view.diagram_scene.removed_tables:
            removed = self._random.choice(sorted(self._view.diagram_scene.removed_tables))
            assert page.base is not None
            self._store.apply(Restore(TableRef(removed), page.base))
        elif kind == "drag":
            self._drag(table)
        elif kind == "link":
            self._store.apply(AddColumn(table, f"link_{at}", "link", target=other))
        else:
            self._view.centerOn(QPointF(*self.longest_segment()[0]))
            self._store.apply(AddTable(f"new_{at}"))
        assert self._store.page.editing.history.position == at + 1, kind
        self._placed |= {box.table for box in self._view.diagram_scene.diagram.boxes} - before

    def _drag(self, table: int) -> None:
        """Drags a table onto a link."""
        (x, y), (far, low) = self.longest_segment()
        box = self._view.diagram_scene.diagram.by_table[table]
        wanted = ((x + far - box.width) / 2, (y + low - box.height) / 2)
        others = [other for other in self._boxes if other.table != table]
        self._view.moved.emit(table, *nearest_free(box, wanted, others))
        self._view.settled.emit()
        self._placed.add(table)

    @property
    def _boxes(self) -> tuple[Box, ...]:
        """Also those of removed tables."""
        diagram = self._view.diagram_scene.diagram
        return (*diagram.boxes, *diagram.ghosts)
