"""Lays out the diagram: boxes keep their positions; Graphviz arranges them on request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject

from cdb_desktop.foundation.i18n import Message, tr
from cdb_desktop.schema.commit.saved_ids import AssignedIds
from cdb_desktop.schema.diagram.changes import pair_documents, with_old_texts, with_room
from cdb_desktop.schema.diagram.graph_builder import GraphBuilder
from cdb_desktop.schema.diagram.graphviz_layout import build_diagram, compute_arrangement
from cdb_desktop.schema.diagram.graphviz_process import Graphviz, GraphvizError, find_graphviz
from cdb_desktop.schema.diagram.model import Arrangement, SchemaGraph
from cdb_desktop.schema.diagram.placement import place_boxes, without_blocked_ghosts
from cdb_desktop.schema.diagram.routing import Router
from cdb_desktop.schema.document.element_ref import table_key_of
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.schema.working_copy import EditHistory, WorkingCopy
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.tasks import Tasks

_ARRANGE, _KEEP, _ROUTE = "schema.arrange", "schema.keep", "schema.route"
_ROUTING = 0.02  # seconds of routing at once
_LIVE = 200  # tables, up to which links are routed while a box is dragged
_KNOWN_SHARE = 0.5  # of boxes with a position, below which all are arranged at first
_WRITE_DELAY = 1.0  # seconds

# A step of the undo history that only moved boxes: its title, and the arrangements before and after it.
_Step = tuple[Message, Arrangement, Arrangement]


class DiagramLayoutController(QObject):
    """Shows the document of the page as a diagram and remembers where its boxes are."""

    def __init__(self, store: PageStore, view: DiagramView, tasks: Tasks, local_store: LocalStore) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        self._tasks = tasks
        self._local_store = local_store
        self._engine: Graphviz = find_graphviz()
        self._router = self._resting = Router()
        self._maker = GraphBuilder(view.diagram_scene.diagram_style.fonts.measure)
        self._arrangement = local_store.arrangement()
        self._document: Document | None = None
        self._base: Document | None = None
        self._sheet = SchemaGraph((), ())
        self._history: EditHistory | None = None
        self._steps: list[_Step] = []
        self._before_drag: Arrangement | None = None
        # The arrangement and the place of the view before versions were compared.
        self._left: tuple[Arrangement, tuple[float, int, int]] | None = None
        self._has_room = False  # all versions have a place with enough space
        store.changed.connect(self._show)
        view.moved.connect(self._move)
        view.settled.connect(self._settle)

    @property
    def is_routed(self) -> bool:
        """Whether all links run around boxes."""
        return self._router.is_done

    def arrange(self) -> None:
        """Arranges all boxes with Graphviz, animated; undo restores their positions."""
        if self._sheet.boxes:
            title = tr("Arranging the diagram")
            self._tasks.start(_ARRANGE, self._arrange_anew(), title=title)

    def take_ids(self, ids: AssignedIds) -> None:
        """Replaces the local keys of new tables by the ids that saving has assigned."""
        if ids:
            self._arrangement = self._arrangement.renumbered(ids.tables)

    def make_room(self, document: Document) -> None:
        """Gives all tables of a document a place with enough space, until the comparison is closed.

        So boxes stay where they are while versions are shown whose elements are all in ``document``.
        """
        graph = GraphBuilder(self._view.diagram_scene.diagram_style.fonts.measure).build(document)
        positions = with_room(graph.boxes, place_boxes(graph, self._arrangement.positions))
        self._has_room = self._left is not None
        if self._has_room and positions != self._arrangement.positions:
            self._arrangement = self._arrangement.moved(positions)
            self._draw(moving=True)

    def _show(self, page: PageState) -> None:
        moved = self._apply_history(page.editing.history)
        left = self._begin_or_end_comparison(page)
        # Removed tables are shown in HEAD only.
        base = page.base if page.has_changes else None
        if page.document is not self._document or base is not self._base or moved:
            self._document, self._base = page.document, base
            before = {box.table for box in self._sheet.boxes}
            self._sheet = self._graph(page)
            placed = sum(box.table in self._arrangement.positions for box in self._sheet.boxes)
            if self._sheet.boxes and placed < _KNOWN_SHARE * len(self._sheet.boxes):
                self._tasks.start(_ARRANGE, self._arrange_first())
            else:
                self._draw(moving=moved)
            # A new table that is selected must be large enough to be edited.
            is_new = (
                bool(before)
                and table_key_of(page.selection) in self._view.diagram_scene.tables.keys() - before
            )
            self._view.choose(page.selection, reveal=is_new, readable=is_new)
        else:
            self._view.choose(page.selection, reveal=False)
        if left is not None:
            self._view.go_to(left)

    def _graph(self, page: PageState) -> SchemaGraph:
        """The graph of the page; while versions are compared, with everything that was removed in it."""
        scene = self._view.diagram_scene
        if page.compared is None:
            scene.show_removed(frozenset())
            return self._maker.build(page.document, page.base if page.past is None else None)
        pair = pair_documents(page.compared, page.document)
        scene.show_removed(pair.removed)
        graph = self._maker.build(pair.document)
        measure = scene.diagram_style.fonts.measure
        boxes = tuple(with_old_texts(box, pair.old_texts, measure) for box in graph.boxes)
        if not self._has_room:
            positions = with_room(boxes, place_boxes(graph, self._arrangement.positions))
            self._arrangement = self._arrangement.moved(positions)
        return replace(graph, boxes=boxes)

    def _begin_or_end_comparison(self, page: PageState) -> tuple[float, int, int] | None:
        """Keeps the arrangement while versions are compared, and returns to it.

        Returns where the view was before, at the end of a comparison.
        """
        if page.compared is not None and self._left is None:
            self._left = self._arrangement, self._view.place
            self._document = None
        elif page.compared is None and self._left is not None:
            (self._arrangement, place), self._left = self._left, None
            self._document, self._has_room = None, False
            return place
        return None

    def _draw(self, *, moving: bool = False) -> None:
        diagram = build_diagram(self._sheet, self._arrangement, self._router, limit=_ROUTING)
        is_new = diagram.arrangement.positions != self._arrangement.positions
        self._arrangement = diagram.arrangement
        self._view.show_diagram(diagram, moving=moving)
        if not self._router.is_done:
            self._tasks.start(_ROUTE, self._route_remaining())
        if is_new or moving:
            self._schedule_writing()

    async def _route_remaining(self) -> None:
        """Routes the links of a large diagram step by step, so that the window reacts meanwhile."""
        done = False
        while not done:
            await asyncio.sleep(0)
            done = self._router.route(_ROUTING)
        self._view.diagram_scene.show_links(self._router.links)

    async def _arrange_first(self) -> None:
        try:
            found = await compute_arrangement(self._sheet, self._engine)
        except GraphvizError:
            found = Arrangement()  # the boxes are placed in columns
        every = replace(found, positions={**self._arrangement.positions, **found.positions})
        self._arrangement = without_blocked_ghosts(self._sheet, every)
        self._draw()

    async def _arrange_anew(self) -> None:
        before = self._arrangement
        found = await compute_arrangement(self._sheet, self._engine)
        every = before.moved(found.positions)
        self._arrangement = without_blocked_ghosts(self._sheet, every)
        self._draw(moving=True)
        self._view.fit()
        self._record(before, WorkingCopy.arranged)

    def _move(self, table: int, x: float, y: float) -> None:
        if self._before_drag is None:
            self._before_drag = self._arrangement
            self._resting = self._router
        self._arrangement = self._arrangement.moved({table: (x, y)})
        if len(self._sheet.boxes) > _LIVE:
            self._view.diagram_scene.move_box(table, (x, y))
        else:
            self._router = self._resting.copy()
            self._view.show_diagram(build_diagram(self._sheet, self._arrangement, self._router))

    def _settle(self) -> None:
        before, self._before_drag = self._before_drag, None
        if before is None:
            return
        self._router = self._resting
        self._draw()
        now = self._arrangement.positions
        moved = next((key for key in now if before.positions.get(key) != now[key]), None)
        self._record(before, lambda editing: editing.moved(moved))
        self._schedule_writing()

    def _record(self, before: Arrangement, step: Callable[[WorkingCopy], WorkingCopy]) -> None:
        """Adds an arrangement to the undo history if the page is editable."""
        page = self._store.page
        if page is None or not page.is_editable:
            return
        editing = step(page.editing)
        self._history = editing.history
        self._steps.append((editing.history.states[-1].title, before, self._arrangement))
        self._store.put_editing(editing)

    def _apply_history(self, history: EditHistory) -> bool:
        """Restores the arrangement of an undone or redone step. Returns whether there was one."""
        last, self._history = self._history, history
        if last is None or last is history or len(last.states) != len(history.states):
            return False
        low, high = sorted((last.position, history.position))
        crossed = [state.title for state in history.states[low + 1 : high + 1]]
        steps = [step for step in self._steps if any(step[0] is title for title in crossed)]
        if not steps:
            return False
        back = history.position < last.position
        found = steps[0][1] if back else steps[-1][2]
        self._arrangement = self._arrangement.moved(found.positions)
        return True

    def _schedule_writing(self) -> None:
        if self._left is None and not self._tasks.is_running(_KEEP):
            self._tasks.start(_KEEP, self._write())

    async def _write(self) -> None:
        try:
            await asyncio.sleep(_WRITE_DELAY)
        finally:
            # Also if the task is cancelled because the program ends.
            self._local_store.keep_arrangement(self._arrangement)
