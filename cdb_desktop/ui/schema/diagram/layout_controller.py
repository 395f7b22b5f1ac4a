"""Lays out the diagram: boxes keep their positions; Graphviz arranges them on request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from cdb_desktop.foundation.i18n import Message, message, tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.commit.saved_ids import AssignedIds
from cdb_desktop.schema.diagram.graph_builder import GraphBuilder
from cdb_desktop.schema.diagram.graphviz_layout import build_diagram, compute_arrangement
from cdb_desktop.schema.diagram.graphviz_process import Graphviz, GraphvizError, find_graphviz
from cdb_desktop.schema.diagram.group_layout import (
    arrange_groups,
    collapse,
    expand_all,
    moved_group,
    stack_groups,
)
from cdb_desktop.schema.diagram.grouping import groups_by_links
from cdb_desktop.schema.diagram.groups import MANY, Groups, group_of_box
from cdb_desktop.schema.diagram.model import Arrangement, SchemaGraph
from cdb_desktop.schema.diagram.placement import without_blocked_ghosts
from cdb_desktop.schema.diagram.reduced_graph import reduced_graph
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
    """Shows the document of the page as a diagram and remembers where its boxes are.

    Signals: ``drawn`` when the diagram has been shown anew.
    """

    drawn = Signal()

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
        self._graph = SchemaGraph((), ())
        self._sheet = SchemaGraph((), ())
        self._history: EditHistory | None = None
        self._steps: list[_Step] = []
        self._before_drag: Arrangement | None = None
        store.changed.connect(self._show)
        view.moved.connect(self._move)
        view.settled.connect(self._settle)
        view.diagram_scene.signs_changed.connect(self._show_changed_columns)

    @property
    def is_routed(self) -> bool:
        """Whether all links run around boxes."""
        return self._router.is_done

    def arrange(self) -> None:
        """Arranges all boxes with Graphviz, animated; undo restores their positions."""
        if self._sheet.boxes:
            title = tr("Arranging the diagram")
            self._tasks.start(_ARRANGE, self._arrange_anew(), title=title)

    @property
    def arrangement(self) -> Arrangement:
        """Where boxes are, and how they are grouped and folded."""
        return self._arrangement

    @property
    def graph(self) -> SchemaGraph:
        """The tables and links that are shown, also those in collapsed groups."""
        return self._graph

    @property
    def reduced(self) -> SchemaGraph:
        """The same with collapsed groups as boxes and without hidden columns."""
        return self._sheet

    def show_arrangement(self, arrangement: Arrangement, title: Message) -> None:
        """Shows another arrangement, as one step of the undo history."""
        before, self._arrangement = self._arrangement, arrangement
        self._reduce()
        self._draw(moving=True)
        self._record(before, lambda editing: editing.drawn(title))

    def group(self, find: Callable[[SchemaGraph], Groups], title: Message) -> None:
        """Puts all tables into the groups that ``find`` returns, and arranges them; undo restores both."""
        self._tasks.start(_ARRANGE, self._group(find, title), title=tr("Arranging the diagram"))

    def collapse_groups(self) -> None:
        """Collapses all groups, and arranges their boxes; the tables keep their positions."""
        self._tasks.start(_ARRANGE, self._collapse_groups(), title=tr("Arranging the diagram"))

    def expand_groups(self) -> None:
        """Expands all groups; their tables are where they were."""
        keys = [group.key for group in self._arrangement.groups.collapsed]
        found = expand_all(self._arrangement, keys, self._graph, self._sheet)
        self.show_arrangement(found, message("Expand all groups"))
        self._view.fit()

    def move_group(self, key: int, x: float, y: float) -> None:
        """Moves the tables of a group by a distance."""
        name = self._arrangement.groups.by_key[key].name
        title = message("Move group {group} in the diagram", group=name)
        self.show_arrangement(moved_group(self._arrangement, key, (x, y)), title)

    def take_ids(self, ids: AssignedIds) -> None:
        """Replaces the local keys of new tables by the ids that saving has assigned."""
        if ids:
            self._arrangement = self._arrangement.renumbered(ids.tables)
            self._steps = [
                (title, before.renumbered(ids.tables), after.renumbered(ids.tables))
                for title, before, after in self._steps
            ]

    def _show(self, page: PageState) -> None:
        moved = self._apply_history(page.editing.history)
        # Removed tables are shown in HEAD only.
        base = page.base if page.past is None else None
        if page.document is not self._document or base is not self._base or moved:
            self._document, self._base = page.document, base
            before = {box.table for box in self._sheet.boxes}
            self._graph = self._maker.build(page.document, base)
            self._reduce()
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

    def _draw(self, *, moving: bool = False) -> None:
        diagram = build_diagram(self._sheet, self._arrangement, self._router, limit=_ROUTING)
        is_new = diagram.arrangement.positions != self._arrangement.positions
        self._arrangement = diagram.arrangement
        self._view.show_diagram(diagram, moving=moving)
        self.drawn.emit()
        if not self._router.is_done:
            self._tasks.start(_ROUTE, self._route_remaining())
        if is_new or moving:
            self._schedule_writing()

    def _reduce(self) -> None:
        """Collapses groups and folds tables: the last change of the graph before it is drawn."""
        self._sheet = self._reduced(self._arrangement)

    def _reduced(self, arrangement: Arrangement) -> SchemaGraph:
        style = self._view.diagram_scene.diagram_style
        return reduced_graph(self._graph, arrangement, style.fonts.measure, style.signs.keys())

    def _show_changed_columns(self) -> None:
        if self._arrangement.folded:
            self._reduce()
            self._draw()

    async def _route_remaining(self) -> None:
        """Routes the links of a large diagram step by step, so that the window reacts meanwhile."""
        done = False
        while not done:
            await asyncio.sleep(0)
            done = self._router.route(_ROUTING)
        self._view.diagram_scene.show_links(self._router.links)

    async def _arrange_first(self) -> None:
        if not self._arrangement.groups and len(self._sheet.boxes) > MANY:
            groups = await run_in_thread(groups_by_links, self._graph)
            if len(groups.all) > 1:
                self._arrangement = replace(self._arrangement, groups=groups)
        try:
            found = await self._compute()
        except GraphvizError:
            # Without groups the boxes are placed in columns when they are drawn.
            groups = self._arrangement.groups
            found = stack_groups(self._sheet, groups) if groups else Arrangement()
        every = self._arrangement.moved(found.positions)
        self._arrangement = without_blocked_ghosts(self._sheet, every)
        self._draw()

    async def _arrange_anew(self) -> None:
        before = self._arrangement
        found = await self._compute()
        every = before.moved(found.positions)
        self._arrangement = without_blocked_ghosts(self._sheet, every)
        self._draw(moving=True)
        self._view.fit()
        self._record(before, WorkingCopy.arranged)

    async def _compute(self) -> Arrangement:
        """New positions of all boxes, with the tables of a group together. Raises GraphvizError."""
        groups = self._arrangement.groups
        if groups:
            return await arrange_groups(self._sheet, groups, self._engine)
        return await compute_arrangement(self._sheet, self._engine)

    async def _group(self, find: Callable[[SchemaGraph], Groups], title: Message) -> None:
        before = self._arrangement
        groups = await run_in_thread(find, self._graph)
        try:
            found = await arrange_groups(self._graph, groups, self._engine)
        except GraphvizError:
            found = stack_groups(self._graph, groups)
        every = replace(before.moved(found.positions), groups=groups)
        self._arrangement = without_blocked_ghosts(self._graph, every)
        self._reduce()
        self._draw(moving=True)
        self._view.fit()
        self._record(before, lambda editing: editing.drawn(title))

    async def _collapse_groups(self) -> None:
        before = self._arrangement
        keys = [group.key for group in before.groups]
        collapsed = collapse(before, keys, self._graph)
        sheet = self._reduced(collapsed)
        try:
            found = await arrange_groups(sheet, collapsed.groups, self._engine)
        except GraphvizError:
            found = stack_groups(sheet, collapsed.groups)
        # Tables in no group stay where they are, so that all are there again when the groups are expanded.
        boxes = {key: at for key, at in found.positions.items() if group_of_box(key) is not None}
        self._arrangement = collapsed.moved(found.positions if len(boxes) == len(sheet.boxes) else {})
        self._reduce()
        self._draw(moving=True)
        self._view.fit()
        self._record(before, lambda editing: editing.drawn(message("Collapse all groups")))

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
        group = self._arrangement.groups.by_key.get(group_of_box(moved or 0) or 0)
        if group is not None:
            title = message("Move group {group} in the diagram", group=group.name)
            self._record(before, lambda editing: editing.drawn(title))
        else:
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
        moved = self._arrangement.moved(found.positions)
        self._arrangement = replace(moved, groups=found.groups, folded=found.folded)
        return True

    def _schedule_writing(self) -> None:
        if not self._tasks.is_running(_KEEP):
            self._tasks.start(_KEEP, self._write())

    async def _write(self) -> None:
        try:
            await asyncio.sleep(_WRITE_DELAY)
        finally:
            # Also if the task is cancelled because the program ends.
            self._local_store.keep_arrangement(self._arrangement)
