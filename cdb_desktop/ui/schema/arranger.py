"""Brings document and diagram together: boxes are kept where they are, `dot` runs when it is asked to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject

from cdb_desktop.foundation.i18n import Message
from cdb_desktop.schema.commit.head import AssignedIds
from cdb_desktop.schema.diagram.graph_builder import GraphBuilder
from cdb_desktop.schema.diagram.graphviz_layout import build_diagram, compute_arrangement
from cdb_desktop.schema.diagram.graphviz_process import Graphviz, GraphvizError, find_graphviz
from cdb_desktop.schema.diagram.model import Arrangement, SchemaGraph
from cdb_desktop.schema.diagram.placement import without_blocked_ghosts
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.schema.working_copy import EditHistory, WorkingCopy
from cdb_desktop.ui.schema.diagram_view import DiagramView
from cdb_desktop.ui.schema.page import Page
from cdb_desktop.ui.schema.store import Store
from cdb_desktop.ui.tasks import Tasks

_ARRANGE, _KEEP = "schema.arrange", "schema.keep"
_ENOUGH = 0.5  # the share of boxes with a place below which a first arrangement is made
_REST = 1.0  # seconds after which a new arrangement is written down

# A step of the history that only arranged: its title, and the arrangements before and after it.
_Step = tuple[Message, Arrangement, Arrangement]


class Arranger(QObject):
    """Keeps the diagram in step with what is shown."""

    def __init__(self, store: Store, view: DiagramView, tasks: Tasks, keeping: LocalStore) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        self._tasks = tasks
        self._keeping = keeping
        self._engine: Graphviz = find_graphviz()
        self._maker = GraphBuilder(view.drawing.look.fonts.measure)
        self._arrangement = keeping.arrangement()
        self._document: Document | None = None
        self._base: Document | None = None
        self._sheet = SchemaGraph((), ())
        self._history: EditHistory | None = None
        self._steps: list[_Step] = []
        self._before_drag: Arrangement | None = None
        store.changed.connect(self._show)
        view.moved.connect(self._move)
        view.settled.connect(self._settle)

    def arrange(self) -> None:
        """Lets `dot` find a place for every box; the boxes glide there, and undo brings them back."""
        if self._sheet.boxes:
            title = self.tr("Arranging the diagram")
            self._tasks.start(_ARRANGE, self._arrange_anew(), title=title)

    def take_ids(self, ids: AssignedIds) -> None:
        """Saving has given ids: what was kept by local keys is kept by them."""
        if ids:
            self._arrangement = self._arrangement.renumbered(ids.tables, ids.columns)

    def _show(self, page: Page) -> None:
        moved = self._follow_history(page.editing.history)
        # A version that was committed has lost nothing.
        base = page.base if page.past is None else None
        if page.document is not self._document or base is not self._base or moved:
            self._document, self._base = page.document, base
            self._sheet = self._maker.build(page.document, base)
            placed = sum(box.table in self._arrangement.positions for box in self._sheet.boxes)
            if self._sheet.boxes and placed < _ENOUGH * len(self._sheet.boxes):
                self._tasks.start(_ARRANGE, self._arrange_first())
            else:
                self._draw(moving=moved)
        self._view.choose(page.selection, reveal=False)

    def _draw(self, *, moving: bool = False) -> None:
        diagram = build_diagram(self._sheet, self._arrangement)
        is_new = diagram.arrangement.positions != self._arrangement.positions
        self._arrangement = diagram.arrangement
        self._view.show_diagram(diagram, moving=moving)
        if is_new or moving:
            self._keep()

    async def _arrange_first(self) -> None:
        try:
            found = await compute_arrangement(self._sheet, self._engine)
        except GraphvizError:
            found = Arrangement()  # boxes in plain columns are better than none
        every = replace(found, positions={**self._arrangement.positions, **found.positions})
        self._arrangement = without_blocked_ghosts(self._sheet, every)
        self._draw()

    async def _arrange_anew(self) -> None:
        before = self._arrangement
        found = await compute_arrangement(self._sheet, self._engine)
        every = Arrangement({**before.positions, **found.positions}, found.routes)
        self._arrangement = without_blocked_ghosts(self._sheet, every)
        self._draw(moving=True)
        self._view.fit()
        self._record(before, WorkingCopy.arranged)

    def _move(self, table: int, x: float, y: float) -> None:
        if self._before_drag is None:
            self._before_drag = self._arrangement
        self._arrangement = self._arrangement.moved({table: (x, y)})
        self._view.show_diagram(build_diagram(self._sheet, self._arrangement))

    def _settle(self) -> None:
        before, self._before_drag = self._before_drag, None
        if before is None:
            return
        now = self._arrangement.positions
        moved = next((key for key in now if before.positions.get(key) != now[key]), None)
        self._record(before, lambda editing: editing.moved(moved))
        self._keep()

    def _record(self, before: Arrangement, step: Callable[[WorkingCopy], WorkingCopy]) -> None:
        """Makes an arrangement a step that can be undone, for those who make steps."""
        page = self._store.page
        if page is None or not page.is_editable:
            return
        editing = step(page.editing)
        self._history = editing.history
        self._steps.append((editing.history.states[-1].title, before, self._arrangement))
        self._store.put_editing(editing)

    def _follow_history(self, history: EditHistory) -> bool:
        """Whether an arrangement has been undone or made again, which it then is here."""
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
        self._arrangement = Arrangement({**self._arrangement.positions, **found.positions}, found.routes)
        return True

    def _keep(self) -> None:
        if not self._tasks.is_running(_KEEP):
            self._tasks.start(_KEEP, self._write())

    async def _write(self) -> None:
        try:
            await asyncio.sleep(_REST)
        finally:
            # At the end of the program there is no later.
            self._keeping.keep_arrangement(self._arrangement)
