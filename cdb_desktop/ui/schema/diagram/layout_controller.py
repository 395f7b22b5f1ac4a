"""Draws the state of the diagram: boxes keep their positions; Graphviz arranges them on request."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from cdb_desktop.foundation.i18n import Message, message, tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.commit.saved_ids import AssignedIds
from cdb_desktop.schema.diagram.changes import boxes_of_pair, pair_documents, with_room
from cdb_desktop.schema.diagram.graph_builder import reduced_graph
from cdb_desktop.schema.diagram.graphviz_layout import (
    Graphviz,
    GraphvizError,
    build_diagram,
    built_in_graphviz,
    compute_arrangement,
    find_graphviz,
)
from cdb_desktop.schema.diagram.group_layout import (
    arrange_groups,
    arrange_part,
    collapse,
    expand_all,
    moved_group,
    stack_groups,
)
from cdb_desktop.schema.diagram.grouping import groups_by_links
from cdb_desktop.schema.diagram.groups import MANY, Groups, group_of_box
from cdb_desktop.schema.diagram.model import Arrangement, Box, Point, SchemaGraph
from cdb_desktop.schema.diagram.placement import NewPlaces, place_boxes, without_blocked_ghosts
from cdb_desktop.schema.diagram.routing import Router, Routes
from cdb_desktop.schema.diagram.scope import Scope, ScopedGraph, apply_scope
from cdb_desktop.schema.diagram.state import DiagramState, Jump
from cdb_desktop.schema.diagram.views import DraftPlace, Viewport, draft_places
from cdb_desktop.schema.document.element_ref import DOCUMENT, ElementRef, TableRef, table_key_of
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.tasks import Tasks, Work

_ARRANGE, _KEEP, _ROUTE = "schema.arrange", "schema.keep", "schema.route"
_ROUTING = 0.02  # seconds of routing at once
_LIVE = 200  # tables, up to which links are routed while a box is dragged
_LIVE_MOVED = 5  # boxes that are dragged together, up to which links are routed meanwhile
_KNOWN_SHARE = 0.5  # of boxes with a position, below which all are arranged at first
_WRITE_DELAY = 1.0  # seconds
_MOST_REVEALED = 30  # tables of an undone step, above which there is no scrolling to them


class DiagramLayoutController(QObject):
    """Shows the document of the page as a diagram in its `DiagramState`, and writes where its boxes are.

    ``whole`` are all tables, ``shown`` those that the scope shows, ``reduced`` these with collapsed groups as
    boxes and without hidden columns.

    Signals: ``drawn`` when the diagram has been shown anew · ``scope_changed`` when something else is to be
    shown · ``applied`` when the graph or the scope has changed · ``renumbered`` with the ids of tables that
    saving has assigned, by the keys before.
    """

    drawn = Signal()
    scope_changed = Signal()
    applied = Signal()
    renumbered = Signal(object)

    def __init__(self, store: PageStore, view: DiagramView, tasks: Tasks, local_store: LocalStore) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        self._tasks = tasks
        self._local_store = local_store
        self.state = DiagramState(arrangements={None: local_store.arrangement()})
        self._source: tuple[Document | None, Document | None] = (None, None)  # what is drawn, and its base
        self._searched: frozenset[int] = frozenset()  # new tables of which no place is stored
        self.whole = self.reduced = SchemaGraph((), ())
        self.shown = ScopedGraph(self.whole)
        self._router = Router()
        self._drag: tuple[Arrangement, Router] | None = None  # as they were before boxes were dragged
        self.arranger = DiagramArranger(self, view, tasks)
        store.changed.connect(self._show)
        view.moved.connect(self._move)
        view.settled.connect(self._settle)
        view.diagram_scene.signs_changed.connect(self._show_changed_columns)

    @property
    def is_routed(self) -> bool:
        """Whether all links run around boxes."""
        return self._router.is_done

    @property
    def arrangement(self) -> Arrangement:
        """Where boxes are, and how they are grouped and folded."""
        return self.state.arrangement

    @property
    def graph(self) -> SchemaGraph:
        """The tables and links that are shown, also those in collapsed groups."""
        return self.shown.graph

    def show(
        self,
        scope: Scope,
        viewport: Viewport | None = None,
        positions: Mapping[int, Point] | None = None,
    ) -> None:
        """Shows something else, with boxes at these positions; `back` returns to what is shown now."""
        state = self.state if positions is None else self.state.placed(scope.part, positions)
        self.go_to(state.showing(scope, self._view.visible_part), viewport)
        self.scope_changed.emit()

    def leave_part(self) -> None:
        """Shows what was shown before the part of the schema that is shown now."""
        self.go_to(*self.state.without_part())

    def go_to(self, state: DiagramState, viewport: Viewport | None = None) -> None:
        """Shows another state of what is shown, at its former position if it was shown before."""
        has_changed = viewport is not None or state.scope != self.state.scope
        is_other = self._take(state)
        if has_changed and self._source[0] is not None:
            self.arranger.cancel()
            self._refresh(viewport, is_other=is_other)
            self.scope_changed.emit()

    def show_arrangement(self, arrangement: Arrangement, title: Message) -> None:
        """Shows another arrangement, as one step of the undo history."""
        before, routes = self.arrangement, self._router.routes
        self.state = self.state.arranged(arrangement)
        self._reduce()
        self._draw(moving=True)
        self._record(before, title, routes)

    def show_first(self, arrangement: Arrangement, viewport: Viewport | None) -> None:
        """Shows an arrangement of what has not been shown before: what is to be visible of it, or all."""
        self.state = self.state.arranged(arrangement)
        self._draw()
        self._show_part(viewport, is_other=True)

    def expand_groups(self) -> None:
        """Expands all groups; their tables are where they were."""
        keys = [group.key for group in self.arrangement.groups.collapsed]
        found = expand_all(self.arrangement, keys, self.graph, self.reduced)
        if len(self.graph.boxes) > _LIVE:
            self._view.prepare_zoom(0.0)
        self.show_arrangement(found, message("Expand all groups"))
        self._view.fit()

    def move_group(self, key: int, x: float, y: float) -> None:
        """Moves the tables of a group by a distance."""
        name = self.arrangement.groups.by_key[key].name
        title = message("Move group {group} in the diagram", group=name)
        self.show_arrangement(moved_group(self.arrangement, key, (x, y)), title)

    def move_boxes(
        self, positions: Mapping[int, Point], title: Message | None = None, *, kind: str = ""
    ) -> None:
        """Moves boxes as one step, animated.

        Steps of the same ``kind`` that follow one another become one step, as of a key that is repeated.
        """
        page, before, routes = self._store.page, self.arrangement, self._router.routes
        after = before.moved(positions)
        if after == before:
            return
        self.state = self.state.arranged(after)
        self._draw(moving=not kind)
        self._schedule_writing()
        history = None
        if kind:
            scope, now = self.state.scope, page.editing.history
            history = self.state.history.extended(now, self.arrangement, scope.part, kind)
        if history is None:
            self._record(before, title or self._title_of_move(positions), routes, kind)
        else:
            self.state = replace(self.state, history=history)

    def box_of(self, table: int) -> Box | None:
        """The box of a top-level table where it is."""
        position = self.arrangement.positions.get(table)
        found = next((box for box in self.reduced.boxes if box.table == table), None)
        return None if found is None or position is None else found.at(position)

    def take_ids(self, ids: AssignedIds) -> None:
        """Replaces the local keys of new tables by the ids that saving has assigned."""
        if ids:
            self.state = self.state.renumbered(ids.tables, ids.columns)
            self._router = _renumbered(self._router, ids)
            if self._drag is not None:
                arrangement, router = self._drag
                self._drag = arrangement.renumbered(ids.tables), _renumbered(router, ids)
            self.renumbered.emit(ids.tables)
            self._schedule_writing()

    async def make_room(self, document: Document) -> None:
        """Gives all tables of a document that the scope shows a place with enough space.

        So boxes stay where they are while versions are shown whose elements are all in ``document``, until
        the comparison is closed or something else is shown.
        """
        scope, start = self.state.scope, self.arrangement
        measure = self._view.diagram_scene.diagram_style.fonts.measure
        graph = apply_scope(self._view.graph_builder.copy().build(document), scope).graph
        positions = await run_in_thread(_with_room, reduced_graph(graph, start, measure), start)
        comparison = self.state.comparison
        if comparison is None or self.state.scope.part != scope.part:
            return
        self.state = replace(self.state, comparison=replace(comparison, has_room=True))
        # What was moved meanwhile stays there.
        here, there = self.arrangement.positions, start.positions
        moved = {key: at for key, at in positions.items() if there.get(key) == here.get(key) != at}
        if moved:
            self.state = self.state.moved(moved)
            self._draw(moving=True)

    def _show(self, page: PageState) -> None:
        """Shows what has changed on the page, which may be that something was undone or redone."""
        view, now, comparison = self._view, page.editing.history, self.state.comparison
        is_edit = self.state.history.is_left_for(now)
        state, jump = self.state.advanced(now, self._router.routes)
        if page.compared is None:
            state = state.resumed()
        if jump is not None:
            state = state.jumped(jump, view.visible_part)
        if page.compared is not None:
            state = state.compared(view.place, self._router.routes)
        has_turned = (comparison is None) != (state.comparison is None)
        shows_other = state.scope != self.state.scope
        is_moved = jump is not None and bool(jump.results)
        # Removed tables are shown in HEAD only.
        source, former = (page.document, page.base if page.has_changes else None), self._source
        self._source = source
        if has_turned or is_moved or source[0] is not former[0] or source[1] is not former[1]:
            state = state.with_draft(self._draft(page.editing.document, state))
            is_other = self._take(state, restores=jump is not None or has_turned)
            self.whole = self._graph_of(page)
            before = set() if is_other else {box.table for box in self.reduced.boxes}
            known, wanted = self.arrangement.positions.keys(), set(view.wanted_places)
            self._refresh(is_other=is_other, is_edit=is_edit, moving=is_moved)
            if shows_other:
                self.scope_changed.emit()
            # A new table that is selected must be large enough to be edited.
            chosen = table_key_of(page.selection)
            is_new = bool(before) and chosen in view.diagram_scene.tables.keys() - before
            self._choose(page.selection, reveal=is_new, readable=is_new and chosen not in wanted)
            added = {box.table for box in self.reduced.boxes} - before - known
            if before and added and is_edit:
                view.reveal_boxes(added)
            if jump is not None:
                self._reveal_undone(jump, former[0], page.document)
        else:
            self.state = state
            self._choose(page.selection)
        if comparison is not None and state.comparison is None:
            self._schedule_writing()
            if state.scope.part == comparison.part:
                view.go_to(comparison.place)

    def _take(self, state: DiagramState, *, restores: bool = False) -> bool:
        """Goes on to another state, and to its routes. Returns whether it shows another part."""
        before = self.state
        if (state.scope, state.comparison is None) != (before.scope, before.comparison is None):
            self.arranger.cancel()
        is_other = state.scope.part != before.scope.part
        routes = state.routes if restores else None
        if routes is not None or is_other:
            self._router = Router() if routes is None else Router.restored(routes)
            if self._drag is not None:
                self._drag = self._drag[0], self._router
        self.state = state
        return is_other

    def _refresh(
        self,
        viewport: Viewport | None = None,
        *,
        is_other: bool = False,
        is_edit: bool = False,
        moving: bool = False,
    ) -> None:
        """Draws what the state shows of the whole; if few boxes have a position, they are arranged first."""
        before = {box.table for box in self.graph.boxes}
        if self.state.scope.part is None and self.state.scope.hidden:
            # Hidden boxes keep their space.
            places, links = self._new_places(is_edit=is_edit), self._router.links
            self.state = self.state.moved(place_boxes(self.whole, self.arrangement.positions, places, links))
        self.state = self.state.joined(self.whole)
        self.shown = apply_scope(self.whole, self.state.scope)
        self._reduce()
        self.applied.emit()
        self.state = self.state.decided(self.reduced, {box.table for box in self.graph.boxes} - before)
        if self.state.comparison is not None and not self.state.comparison.has_room:
            # Boxes that have grown into others are moved until the comparison is closed.
            self.state = self.state.moved(_with_room(self.reduced, self.arrangement))
        positions = self.arrangement.positions
        placed = sum(box.table in positions for box in self.reduced.boxes)
        if placed < _KNOWN_SHARE * len(self.reduced.boxes):
            self.arranger.arrange_first(viewport)
            return
        self.state = self.state.with_new_in_groups(self.reduced, self.graph)
        if viewport is not None:
            self._view.prepare_zoom(viewport.zoom)
        self._draw(moving=moving, is_edit=is_edit)
        self._show_part(viewport, is_other=is_other)

    def _draft(self, document: Document, state: DiagramState) -> Mapping[int, DraftPlace]:
        """Where the new tables of a draft were that has been restored."""
        known = state.arrangements[None].positions.keys()
        new = {table.key for table in document.tables if table.key <= 0} - known
        if new <= self._searched:
            return {}
        stored = self._local_store.draft_places()
        self._searched = frozenset(new - stored.keys())
        return {table: place for table, place in stored.items() if table in new}

    def _choose(self, ref: ElementRef, *, reveal: bool = False, readable: bool = False) -> None:
        """Shows the selection of the page; a selected group, which only the diagram has, stays selected."""
        scene = self._view.diagram_scene
        chosen = scene.diagram_style.selection
        if ref == DOCUMENT and isinstance(chosen, TableRef):
            group = group_of_box(chosen.table)
            if group is not None and (chosen.table in scene.tables or group in scene.regions.regions):
                return
        self._view.choose(ref, reveal=reveal, readable=readable)

    def _graph_of(self, page: PageState) -> SchemaGraph:
        """The graph of the page; while versions are compared, with everything that was removed in it."""
        scene, builder = self._view.diagram_scene, self._view.graph_builder
        if page.compared is None:
            scene.show_removed(frozenset())
            return builder.build(page.document, page.base if page.past is None else None)
        pair = pair_documents(page.compared, page.document)
        scene.show_removed(pair.removed)
        graph = builder.build(pair.document)
        return replace(graph, boxes=boxes_of_pair(graph.boxes, pair, scene.diagram_style.fonts.measure))

    def _show_part(self, viewport: Viewport | None, *, is_other: bool) -> None:
        if viewport is not None:
            self._view.show_part(viewport)
        elif is_other:
            self._view.fit()

    def _new_places(self, *, is_edit: bool) -> NewPlaces:
        """Where new boxes go: those of an edit into view."""
        view = self._view
        is_chosen = is_edit and view.chosen_center is not None
        # In the region of a group a table would look like one of its tables.
        regions = tuple(view.diagram_scene.regions.regions.values())
        return NewPlaces(view.wanted_places, view.center if is_edit else None, is_chosen, regions)

    def _draw(self, *, moving: bool = False, is_edit: bool = False) -> None:
        before, places = self.arrangement.positions, self._new_places(is_edit=is_edit)
        # In a large diagram the boxes take a frame of their own, before links are routed.
        limit = 0.0 if len(self.reduced.boxes) > _LIVE else _ROUTING
        diagram = build_diagram(self.reduced, self.arrangement, self._router, limit=limit, places=places)
        for table in self._view.wanted_places.keys() & diagram.by_table.keys():
            del self._view.wanted_places[table]
        self.state = self.state.arranged(diagram.arrangement)
        edges = self.shown.paths.edges if self.shown.paths else ()
        self._view.diagram_scene.show_scope(self.shown.beyond, frozenset(edge.ref for edge in edges))
        self._view.show_diagram(diagram, moving=moving)
        self.drawn.emit()
        if not self._router.is_done:
            self._tasks.start(_ROUTE, self._route_remaining())
        if moving or diagram.arrangement.positions != before:
            self._schedule_writing()

    def _reduce(self) -> None:
        """Collapses groups and folds tables: the last change of the graph before it is drawn."""
        self.reduced = self.reduced_by(self.arrangement)

    def reduced_by(self, arrangement: Arrangement) -> SchemaGraph:
        """The graph that is shown with groups and folded tables of another arrangement."""
        style = self._view.diagram_scene.diagram_style
        return reduced_graph(self.graph, arrangement, style.fonts.measure, style.signs.keys())

    def _show_changed_columns(self) -> None:
        if self.arrangement.folded:
            self._reduce()
            self._draw()

    async def _route_remaining(self) -> None:
        """Routes the links of a large diagram step by step, so that the window reacts meanwhile."""
        done = False
        while not done:
            await asyncio.sleep(0)
            done = self._router.route(_ROUTING)
        self._view.diagram_scene.show_links(self._router.links)

    def _move(self, table: int, x: float, y: float) -> None:
        if self._drag is None:
            self._drag = self.arrangement, self._router
        before, router = self._drag
        table = self.state.assigned.get(table, table)  # saving has given it an id meanwhile
        start = before.positions
        off = (x - start[table][0], y - start[table][1])
        together = self._view.moving_boxes if table in self._view.moving_boxes else frozenset((table,))
        corners = {key: (start[key][0] + off[0], start[key][1] + off[1]) for key in together if key in start}
        self.state = self.state.moved(corners)
        if len(self.reduced.boxes) > _LIVE or len(corners) > _LIVE_MOVED:
            self._view.diagram_scene.move_boxes(corners)
        else:
            self._router = router.copy()
            self._view.show_diagram(build_diagram(self.reduced, self.arrangement, self._router))

    def _settle(self) -> None:
        if self._drag is None:
            return
        (before, self._router), self._drag = self._drag, None
        now, routes = self.arrangement.positions, self._router.routes
        moved = [key for key in now if before.positions.get(key) != now[key]]
        self._draw()
        if moved:  # and the drag was not cancelled
            self._record(before, self._title_of_move(moved), routes)
            self._schedule_writing()

    def _title_of_move(self, boxes: Collection[int]) -> Message:
        if len(boxes) > 1:
            return message("Move {count} tables in the diagram", count=len(boxes))
        (box,) = boxes
        group = self.arrangement.groups.by_key.get(group_of_box(box) or 0)
        if group is not None:
            return message("Move group {group} in the diagram", group=group.name)
        names = {each.table: each.name for each in self.reduced.boxes}
        return message("Move {table} in the diagram", table=names.get(box, "?"))

    def _record(self, before: Arrangement, title: Message, routes: Routes, kind: str = "") -> None:
        """Adds the arrangement to the undo history if the page is editable; ``routes`` are those before."""
        page = self._store.page
        if page.is_editable:
            editing = page.editing.changed(title, page.editing.document)
            self.state = self.state.recorded(editing.history, before, kind, routes)
            self._store.put_editing(editing)

    def _reveal_undone(self, jump: Jump, before: Document | None, now: Document) -> None:
        """Scrolls to what was undone or redone if nothing of it is visible, and shows tables for it."""
        tables = {table for step, _ in jump.results for table in step.tables}
        if before is not None and before is not now:
            changed = {table.key for table in now.tables if before.by_key.get(table.key) is not table}
            tops = {table: box.table for box in self.whole.boxes for table in box.tables}
            tables |= {tops[key] for key in changed if key in tops}
        if not 0 < len(tables) <= _MOST_REVEALED:
            return
        known = {box.table for box in self.whole.boxes}
        shown = {box.table for box in self.graph.boxes}
        if tables & known and not tables & shown:
            self.show(self.state.scope.showing(tables & known))
        self._view.reveal_tables(tables)

    def _schedule_writing(self) -> None:
        if self.state.comparison is None and not self._tasks.is_running(_KEEP):
            self._tasks.start(_KEEP, self._write())

    async def _write(self) -> None:
        try:
            await asyncio.sleep(_WRITE_DELAY)
        finally:
            # Also if the task is cancelled because the program ends.
            whole = self.state.kept_arrangement
            self._local_store.keep_arrangement(whole)
            places = draft_places(whole)
            if places:
                # Other windows write to the file as well; what came last is at its end.
                stored = self._local_store.draft_places()
                others = {table: place for table, place in stored.items() if table not in places}
                if {**stored, **places} != stored:
                    self._local_store.keep_draft_places({**others, **places})


class DiagramArranger(QObject):
    """Arranges boxes of the diagram with Graphviz, animated; undo restores their positions.

    Signals: ``failed`` with the reason why Graphviz could not arrange the diagram.
    """

    failed = Signal(str)

    def __init__(self, layout: DiagramLayoutController, view: DiagramView, tasks: Tasks) -> None:
        super().__init__(layout)
        self._layout = layout
        self._view = view
        self._tasks = tasks
        self._engine: Graphviz = find_graphviz()
        self._downwards = False

    @property
    def _arrangement(self) -> Arrangement:
        return self._layout.arrangement

    def arrange(self) -> None:
        """Arranges all boxes with Graphviz, animated; undo restores their positions."""
        if self._layout.reduced.boxes:
            self._start(self._arrange_anew())

    def arrange_part(self, tables: frozenset[int]) -> None:
        """Arranges some boxes where they are, animated; undo restores the positions.

        The others stay, unless a region of a group that has grown needs their space.
        """
        if tables & {box.table for box in self._layout.reduced.boxes}:
            self._start(self._arrange_part(tables))

    def group(self, find: Callable[[SchemaGraph], Groups], title: Message) -> None:
        """Puts all tables into the groups that ``find`` returns, and arranges them; undo restores both."""
        self._start(self._group(find, title))

    def collapse_groups(self) -> None:
        """Collapses all groups, and arranges their boxes; the tables keep their positions."""
        self._start(self._collapse_groups())

    def _start(self, work: Work) -> None:
        self._tasks.start(_ARRANGE, work, title=tr("Arranging the diagram"))

    def set_downwards(self, on: bool) -> None:
        """Whether tables are arranged above those that they link to instead of left of them."""
        self._downwards = on

    async def _computed(
        self,
        compute: Callable[[Graphviz], Awaitable[Arrangement]],
        instead: Callable[[], Arrangement] | None = None,
    ) -> Arrangement:
        """A new arrangement; if the system's Graphviz fails, from then on by the program's own.

        ``instead`` makes one if that fails too. Raises GraphvizError without it.
        """
        own = built_in_graphviz()
        try:
            found = await compute(self._engine)
        except GraphvizError as error:
            if self._engine != own:
                self._engine = own
                reason = str(error.message)
                self.failed.emit(
                    tr("{reason} The program's own Graphviz is used from now on.", reason=reason)
                )
                return await self._computed(compute, instead)
            if instead is None:
                raise
            self.failed.emit(str(error.message))
            found = instead()
        return found.renumbered(self._layout.state.assigned)

    def _compute(self, graph: SchemaGraph, groups: Groups) -> Callable[[Graphviz], Awaitable[Arrangement]]:
        """Computes new positions of all boxes, with the tables of a group together.

        Their shape is that of the window, in which they are shown as a whole then.
        """
        arrange = partial(arrange_groups, graph, groups) if groups else partial(compute_arrangement, graph)
        return partial(arrange, downwards=self._downwards, aspect=self._view.aspect)

    def cancel(self) -> None:
        """Ends what is being arranged: its result would be of something else than what is shown."""
        self._tasks.cancel(_ARRANGE)

    def arrange_first(self, viewport: Viewport | None) -> None:
        """Arranges all boxes because few have a position, in groups if they are many; shows ``viewport``."""
        self._start(self._arrange_first(viewport))

    async def _arrange_first(self, viewport: Viewport | None) -> None:
        before = groups = self._arrangement.groups
        if not groups and self._layout.state.scope.part is None and len(self._layout.reduced.boxes) > MANY:
            by_links = await run_in_thread(groups_by_links, self._layout.whole)
            groups = by_links if len(by_links.all) > 1 else groups

        def stack() -> Arrangement:
            # Without groups the boxes are placed in columns when they are drawn.
            return stack_groups(self._layout.reduced, groups) if groups else Arrangement()

        found = await self._computed(self._compute(self._layout.reduced, groups), stack)
        every, assigned = self._arrangement.moved(found.positions), self._layout.state.assigned
        if every.groups == before.renumbered(assigned):  # and were not changed meanwhile
            every = replace(every, groups=groups.renumbered(assigned))
        self._layout.show_first(without_blocked_ghosts(self._layout.reduced, every), viewport)

    async def _arrange_anew(self) -> None:
        found = await self._computed(self._compute(self._layout.reduced, self._arrangement.groups))
        # With what was done meanwhile.
        self._show_arranged(self._arrangement.moved(found.positions), message("Arrange the diagram"))

    async def _arrange_part(self, tables: frozenset[int]) -> None:
        start, sheet = self._arrangement, self._layout.reduced
        found = await self._computed(partial(arrange_part, sheet, start, tables, downwards=self._downwards))
        assigned = self._layout.state.assigned
        start = start.renumbered(assigned)
        tables = frozenset(assigned.get(table, table) for table in tables)
        moved = {key: at for key, at in found.positions.items() if start.positions.get(key) != at}
        count = len(tables & {box.table for box in self._layout.reduced.boxes})
        title = message("Arrange {count:a table|{count} tables}", count=count)
        self._show_arranged(self._arrangement.moved(moved), title, tables)

    async def _group(self, find: Callable[[SchemaGraph], Groups], title: Message) -> None:
        groups = await run_in_thread(find, self._layout.whole)
        graph = self._layout.graph
        found = await self._computed(self._compute(graph, groups), partial(stack_groups, graph, groups))
        moved = self._arrangement.moved(found.positions)
        self._show_arranged(replace(moved, groups=groups.renumbered(self._layout.state.assigned)), title)

    async def _collapse_groups(self) -> None:
        collapsed = self._collapsed
        sheet = self._layout.reduced_by(collapsed)
        arrange = self._compute(sheet, collapsed.groups)
        found = await self._computed(arrange, partial(stack_groups, sheet, collapsed.groups))
        # Tables in no group stay where they are, so that all are there again when the groups are expanded.
        boxes = [key for key in found.positions if group_of_box(key) is not None]
        positions = found.positions if len(boxes) == len(sheet.boxes) else {}
        self._show_arranged(self._collapsed.moved(positions), message("Collapse all groups"))

    @property
    def _collapsed(self) -> Arrangement:
        """The arrangement with all groups collapsed."""
        keys = [group.key for group in self._arrangement.groups]
        return collapse(self._arrangement, keys, self._layout.graph)

    def _show_arranged(self, arrangement: Arrangement, title: Message, tables: Collection[int] = ()) -> None:
        """Shows what Graphviz has arranged, ``tables`` or everything, as one step of the undo history."""
        undecided = self._layout.state.undecided | self._layout.state.scope.hidden
        self._layout.state = replace(self._layout.state, undecided=undecided)
        if self._layout.graph.ghosts:
            arrangement = without_blocked_ghosts(self._layout.reduced_by(arrangement), arrangement)
        self._layout.show_arrangement(arrangement, title)
        if tables:
            self._view.reveal_boxes(tables)
        else:
            self._view.fit()


def _with_room(graph: SchemaGraph, arrangement: Arrangement) -> dict[int, Point]:
    return with_room(graph.boxes, place_boxes(graph, arrangement.positions))


def _renumbered(router: Router, ids: AssignedIds) -> Router:
    """With the same routes, so that a save moves no links."""
    return Router.restored(router.routes.renumbered(ids.tables, ids.columns))
