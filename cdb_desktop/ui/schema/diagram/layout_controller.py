"""Lays out the diagram: boxes keep their positions; Graphviz arranges them on request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypedDict

from PySide6.QtCore import QObject, Signal

from cdb_desktop.foundation.i18n import Message, message, tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.commit.saved_ids import AssignedIds
from cdb_desktop.schema.diagram.changes import boxes_of_pair, pair_documents, with_room
from cdb_desktop.schema.diagram.draft_places import DraftPlace, draft_places, with_draft_places
from cdb_desktop.schema.diagram.graphviz_layout import build_diagram, compute_arrangement
from cdb_desktop.schema.diagram.graphviz_process import (
    Graphviz,
    GraphvizError,
    built_in_graphviz,
    find_graphviz,
)
from cdb_desktop.schema.diagram.group_layout import (
    arrange_groups,
    arrange_part,
    brought_to_group,
    collapse,
    expand_all,
    moved_group,
    region_box,
    stack_groups,
)
from cdb_desktop.schema.diagram.grouping import groups_by_links
from cdb_desktop.schema.diagram.groups import MANY, Groups, group_of_box
from cdb_desktop.schema.diagram.model import Arrangement, Box, Point, SchemaGraph
from cdb_desktop.schema.diagram.placement import (
    NewPlaces,
    place_boxes,
    without_blocked_ghosts,
    without_covered,
)
from cdb_desktop.schema.diagram.reduced_graph import reduced_graph
from cdb_desktop.schema.diagram.routing import Router, Routes
from cdb_desktop.schema.diagram.scope import GroupTables, Part, apply_scope, part_renumbered
from cdb_desktop.schema.diagram.views import Viewport
from cdb_desktop.schema.document.element_ref import DOCUMENT, ElementRef, TableRef, table_key_of
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.schema.working_copy import EditHistory, WorkingCopy
from cdb_desktop.ui.schema.diagram.layout_history import Jump, LayoutHistory
from cdb_desktop.ui.schema.diagram.scope_state import DiagramScope
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.tasks import Tasks

_ARRANGE, _KEEP, _ROUTE = "schema.arrange", "schema.keep", "schema.route"
_ROUTING = 0.02  # seconds of routing at once
_LIVE = 200  # tables, up to which links are routed while a box is dragged
_LIVE_MOVED = 5  # boxes that are dragged together, up to which links are routed meanwhile
_KNOWN_SHARE = 0.5  # of boxes with a position, below which all are arranged at first
_WRITE_DELAY = 1.0  # seconds
_MOST_BROUGHT = 12  # new tables that come to their groups; more are placed below the others
_MOST_REVEALED = 30  # tables of an undone step, above which there is no scrolling to them


class _Shape(TypedDict):
    """Options of `arrange_groups` and `compute_arrangement`."""

    downwards: bool
    aspect: float


class DiagramLayoutController(QObject):
    """Shows the document of the page as a diagram and remembers where its boxes are.

    Signals: ``drawn`` when the diagram has been shown anew · ``renumbered`` with the ids of tables that
    saving has assigned, by the keys before · ``engine_failed`` with the reason why Graphviz could not arrange
    the diagram.
    """

    drawn = Signal()
    renumbered = Signal(object)
    engine_failed = Signal(str)

    def __init__(self, store: PageStore, view: DiagramView, tasks: Tasks, local_store: LocalStore) -> None:
        super().__init__(view)
        # What is shown of the document.
        self.scope = DiagramScope(view)
        self._store = store
        self._view = view
        self._tasks = tasks
        self._local_store = local_store
        self._engine: Graphviz = find_graphviz()
        self._router = self._resting = Router()
        self._former_routes = self._router.routes  # before it was drawn last
        self._builder = view.graph_builder
        self._arrangement = local_store.arrangement()
        self._unplaced: set[int] = set()  # new tables without a place, which the file was searched for
        self._kept_places: Mapping[int, DraftPlace] = {}  # of new tables, as this run has stored them
        self._document: Document | None = None
        self._base: Document | None = None
        # All tables, those that are shown, and these with collapsed groups as boxes.
        self._whole = SchemaGraph((), ())
        self._graph = SchemaGraph((), ())
        self._sheet = SchemaGraph((), ())
        # Each part has an arrangement of its own, so that those of the others stay.
        self._part: Part = None
        self._other_parts: dict[Part, Arrangement] = {}
        self._hidden_while_arranged: set[int] = set()
        self._history = LayoutHistory()
        self._before_drag: Arrangement | None = None
        # The ids of saved tables by their keys before, for arrangements that were begun before the save.
        self._assigned: dict[int, int] = {}
        # The arrangement and the place of the view before versions were compared.
        self._left: tuple[Part, Arrangement, tuple[float, int, int]] | None = None
        self._left_router = self._router
        self._has_room = False  # all versions have a place with enough space
        self._downwards = False
        store.changed.connect(self._show)
        self.scope.changed.connect(self._show_scope)
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
        if len(self._graph.boxes) > _LIVE:
            self._view.prepare_zoom(0.0)
        self.show_arrangement(found, message("Expand all groups"))
        self._view.fit()

    def move_group(self, key: int, x: float, y: float) -> None:
        """Moves the tables of a group by a distance."""
        name = self._arrangement.groups.by_key[key].name
        title = message("Move group {group} in the diagram", group=name)
        self.show_arrangement(moved_group(self._arrangement, key, (x, y)), title)

    def arrange_part(self, tables: frozenset[int]) -> None:
        """Arranges some boxes where they are, animated; undo restores the positions.

        The others stay, unless a region of a group that has grown needs their space.
        """
        if tables & {box.table for box in self._sheet.boxes}:
            title = tr("Arranging the diagram")
            self._tasks.start(_ARRANGE, self._arrange_anew_part(tables), title=title)

    def set_downwards(self, on: bool) -> None:
        """Whether tables are arranged above those that they link to instead of left of them."""
        self._downwards = on

    def move_boxes(self, positions: Mapping[int, Point], title: Message, *, kind: str = "") -> None:
        """Moves boxes as one step with this title, animated.

        Steps of the same ``kind`` that follow one another become one step, as of a key that is repeated.
        """
        page, before = self._store.page, self._arrangement
        self._arrangement = before.moved(positions)
        if self._arrangement == before:
            return
        self._draw(moving=not kind)
        self._schedule_writing()
        now = None if page is None else page.editing.history
        if not kind or now is None or not self._history.extend(now, self._arrangement, self._part, kind):
            self._record(before, lambda editing: editing.drawn(title), kind)

    def box_of(self, table: int) -> Box | None:
        """The box of a top-level table where it is."""
        position = self._arrangement.positions.get(table)
        found = next((box for box in self._sheet.boxes if box.table == table), None)
        return None if found is None or position is None else found.at(position)

    def take_ids(self, ids: AssignedIds) -> None:
        """Replaces the local keys of new tables by the ids that saving has assigned."""
        if ids:
            self._assigned.update(ids.tables)
            self._arrangement = self._arrangement.renumbered(ids.tables)
            self._part = part_renumbered(self._part, ids.tables)
            self._other_parts = {
                part_renumbered(part, ids.tables): arrangement.renumbered(ids.tables)
                for part, arrangement in self._other_parts.items()
            }
            self._history.renumber(ids.tables, ids.columns)
            is_resting = self._router is self._resting
            self._resting = self._renumbered(self._resting, ids)
            self._router = self._resting if is_resting else self._renumbered(self._router, ids)
            self._left_router = self._renumbered(self._left_router, ids)
            if self._before_drag is not None:
                self._before_drag = self._before_drag.renumbered(ids.tables)
            if self._left is not None:
                part, arrangement, place = self._left
                self._left = part_renumbered(part, ids.tables), arrangement.renumbered(ids.tables), place
            self.scope.take_ids(ids.tables)
            self.renumbered.emit(ids.tables)
            self._schedule_writing()

    @staticmethod
    def _renumbered(router: Router, ids: AssignedIds) -> Router:
        """With the same routes, so that a save moves no links."""
        return Router.restored(router.routes.renumbered(ids.tables, ids.columns))

    @property
    def positions(self) -> Mapping[int, Point]:
        """Where the boxes of what is shown are, by their tables."""
        return self._arrangement.positions

    def set_positions(self, part: Part, positions: Mapping[int, Point]) -> None:
        """Sets where the boxes of a part are when it is shown the next time."""
        collapsed = {group_of_box(key) for key in positions} - {None}
        groups = self._arrangement.groups
        groups = Groups(tuple(replace(group, is_collapsed=group.key in collapsed) for group in groups))
        found = Arrangement(positions, groups, self._arrangement.folded)
        if part == self._part:
            self._arrangement = replace(found, positions={**self._arrangement.positions, **positions})
        else:
            self._other_parts[part] = found

    async def make_room(self, document: Document) -> None:
        """Gives all tables of a document that the scope shows a place with enough space.

        So boxes stay where they are while versions are shown whose elements are all in ``document``, until
        the comparison is closed or something else is shown.
        """
        scope, start = self.scope.scope, self._arrangement
        measure = self._view.diagram_scene.diagram_style.fonts.measure
        graph = apply_scope(self._builder.copy().build(document), scope).graph
        positions = await run_in_thread(_with_room, reduced_graph(graph, start, measure), start)
        if self._left is None or self.scope.scope.part != scope.part:
            return
        self._has_room = True
        # What was moved meanwhile stays there.
        here, there = self._arrangement.positions, start.positions
        moved = {key: at for key, at in positions.items() if there.get(key) == here.get(key) != at}
        if moved:
            self._arrangement = self._arrangement.moved(moved)
            self._draw(moving=True)

    def _show(self, page: PageState) -> None:
        former = self._document
        advance = self._history.advance(page.editing.history, self._part, self._kept_routes)
        is_edit, jump = advance.is_edit, advance.jump
        if jump is not None:
            self._show_undone(jump)
            self._apply(jump, page.editing.history)
        moved = jump is not None and bool(jump.steps)
        left = self._begin_or_end_comparison(page)
        # Removed tables are shown in HEAD only.
        base = page.base if page.has_changes else None
        if page.document is not self._document or base is not self._base or moved:
            self._document, self._base = page.document, base
            placed = self._place_draft(page.editing.document)
            before = {box.table for box in self._sheet.boxes}
            known = frozenset(self._arrangement.positions)
            placed_by_user = set(self._view.wanted_places)
            self._whole = self._graph_of(page)
            self._filter(self._new_places(is_edit=is_edit))
            if page.compared is not None and not self._has_room:
                self._spread()
            if self._is_unknown:
                self._tasks.start(_ARRANGE, self._arrange_first(), title=tr("Arranging the diagram"))
            else:
                self._draw(moving=moved, is_edit=is_edit)
            if placed is not None and page.editing.history.position:
                self._history.record(page.editing.history, placed, self._arrangement, self.scope.scope)
            # A new table that is selected must be large enough to be edited.
            is_new = (
                bool(before)
                and table_key_of(page.selection) in self._view.diagram_scene.tables.keys() - before
            )
            readable = is_new and table_key_of(page.selection) not in placed_by_user
            self._choose(page.selection, reveal=is_new, readable=readable)
            added = {box.table for box in self._sheet.boxes} - before - known
            if before and added and is_edit:
                self._view.reveal_boxes(added)
            if jump is not None:
                self._reveal_undone(jump, former, page.document)
        else:
            self._choose(page.selection)
        if left is not None:
            self._view.go_to(left)

    def _place_draft(self, document: Document) -> Arrangement | None:
        """Puts the new tables of a draft that has been restored where they were.

        Returns the arrangement before if that has changed groups.
        """
        before = self._arrangement
        whole = before if self._part is None else self._other_parts[None]
        new = {table.key for table in document.tables if table.key <= 0} - whole.positions.keys()
        is_other, self._unplaced = new != self._unplaced, new
        stored = self._local_store.draft_places() if new and is_other else {}
        if new.isdisjoint(stored):
            return None
        whole = with_draft_places(whole, {table: place for table, place in stored.items() if table in new})
        if self._part is None:
            self._arrangement = whole
        else:
            self._other_parts[None] = whole
            self._arrangement = _with_groups_of(before, whole)
        return None if whole.groups == before.groups else before

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
        scene = self._view.diagram_scene
        if page.compared is None:
            scene.show_removed(frozenset())
            return self._builder.build(page.document, page.base if page.past is None else None)
        pair = pair_documents(page.compared, page.document)
        scene.show_removed(pair.removed)
        graph = self._builder.build(pair.document)
        return replace(graph, boxes=boxes_of_pair(graph.boxes, pair, scene.diagram_style.fonts.measure))

    def _spread(self) -> None:
        """Moves boxes that have grown into others, until the comparison is closed."""
        positions = place_boxes(self._sheet, self._arrangement.positions)
        self._arrangement = self._arrangement.moved(with_room(self._sheet.boxes, positions))

    def _begin_or_end_comparison(self, page: PageState) -> tuple[float, int, int] | None:
        """Keeps the arrangement while versions are compared, and returns to it.

        Returns where the view was before, at the end of a comparison in the same view.
        """
        if page.compared is not None and self._left is None:
            self._tasks.cancel(_ARRANGE)  # its result would be lost with the comparison
            self._left = self._part, self._arrangement, self._view.place
            self._left_router = self._router.copy()
            self._document = None
        elif page.compared is None and self._left is not None:
            (part, before, place), self._left = self._left, None
            self._schedule_writing()
            self._document, self._has_room = None, False
            if part == self._part:
                self._arrangement = before
                # Links are where they were as well: new routes depend on those before.
                self._router = self._resting = self._left_router
                return place
            self._other_parts[part] = before
        return None

    def _show_scope(self, viewport: Viewport | None) -> None:
        """Shows what the scope shows now, at its former position if it was shown before."""
        if self._document is None:
            return
        self._tasks.cancel(_ARRANGE)
        part, before = self.scope.scope.part, {box.table for box in self._graph.boxes}
        is_other = part != self._part
        if is_other:
            self._other_parts[self._part] = self._arrangement
            entered = self._other_parts.pop(part, None) or self._first_arrangement(part)
            self._arrangement = _with_groups_of(entered, self._arrangement)
            self._part = part
            self._router = self._resting = Router()
            self._has_room = False
        self._filter()
        self._uncover({box.table for box in self._graph.boxes} - before)
        if self._is_unknown:
            self._tasks.start(_ARRANGE, self._arrange_first(viewport, anew=True))
            return
        self._bring_new_to_groups()
        if viewport is not None:
            self._view.prepare_zoom(viewport.zoom)
        self._draw()
        self._show_part(viewport, is_other=is_other)

    def _bring_new_to_groups(self) -> None:
        """Places tables that have joined a group in another part, and are shown here for the first time."""
        found, by_table = self._arrangement, self._arrangement.groups.by_table
        new = [box.table for box in self._sheet.boxes if box.table not in found.positions]
        for table in new if len(new) <= _MOST_BROUGHT else ():
            if table in by_table:
                found = brought_to_group(found, (table,), by_table[table].key, self._graph)
        self._arrangement = found

    def _first_arrangement(self, part: Part) -> Arrangement:
        """That of a part which has not been shown before: a group looks as it does among the others."""
        if not isinstance(part, GroupTables):
            return Arrangement()
        whole = self._other_parts.get(None, self._arrangement)
        return Arrangement({key: at for key, at in whole.positions.items() if key in part.tables})

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
        regions = tuple(map(region_box, view.diagram_scene.regions.regions.values()))
        return NewPlaces(view.wanted_places, view.center if is_edit else None, is_chosen, regions)

    def _filter(self, places: NewPlaces | None = None) -> None:
        """Leaves out what the scope does not show."""
        if self._part is None and self.scope.scope.hidden:
            # Hidden boxes keep their space.
            found = place_boxes(self._whole, self._arrangement.positions, places, self._router.links)
            self._arrangement = self._arrangement.moved(found)
        self._graph = self.scope.apply(self._whole)
        self._reduce()

    def _uncover(self, shown: set[int]) -> None:
        """Boxes that were hidden while others were arranged get other positions if they are covered now."""
        found = shown & self._hidden_while_arranged
        if found and self._part is None:
            self._hidden_while_arranged -= found
            self._arrangement = without_covered(self._sheet, self._arrangement, found)

    @property
    def _is_unknown(self) -> bool:
        """Whether so few boxes have a position that all of them have to be arranged."""
        placed = sum(box.table in self._arrangement.positions for box in self._sheet.boxes)
        return bool(self._sheet.boxes) and placed < _KNOWN_SHARE * len(self._sheet.boxes)

    def _draw(self, *, moving: bool = False, is_edit: bool = False) -> None:
        places = self._new_places(is_edit=is_edit)
        self._former_routes = self._router.routes
        # In a large diagram the boxes take a frame of their own, before links are routed.
        limit = 0.0 if len(self._sheet.boxes) > _LIVE else _ROUTING
        diagram = build_diagram(self._sheet, self._arrangement, self._router, limit=limit, places=places)
        self._view.forget_places(diagram.by_table)
        is_new = diagram.arrangement.positions != self._arrangement.positions
        self._arrangement = diagram.arrangement
        self.scope.show_marks()
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

    def retranslate(self) -> None:
        """Shows boxes of collapsed groups and of folded tables, which contain texts, in another language."""
        if self._graph.boxes and self._sheet is not self._graph:
            self._reduce()
            self._draw()

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

    @property
    def _shape(self) -> _Shape:
        """Of new arrangements: that of the window, in which they are shown as a whole then."""
        return {"downwards": self._downwards, "aspect": self._view.aspect}

    async def _computed(self, compute: Callable[[Graphviz], Awaitable[Arrangement]]) -> Arrangement:
        """A new arrangement; if the system's Graphviz fails, from then on by the program's own.

        Raises GraphvizError.
        """
        try:
            return (await compute(self._engine)).renumbered(self._assigned)
        except GraphvizError as error:
            own = built_in_graphviz()
            if self._engine == own:
                raise
            self._engine = own
            reason = tr("{reason} The program's own Graphviz is used from now on.", reason=str(error.message))
            self.engine_failed.emit(reason)
        return (await compute(self._engine)).renumbered(self._assigned)

    async def _arrange_first(self, viewport: Viewport | None = None, *, anew: bool = False) -> None:
        before = groups = self._arrangement.groups
        if not groups and self._part is None and len(self._sheet.boxes) > MANY:
            by_links = await run_in_thread(groups_by_links, self._whole)
            groups = by_links if len(by_links.all) > 1 else groups
        try:
            found = await self._compute(groups)
        except GraphvizError as error:
            # Without groups the boxes are placed in columns when they are drawn.
            found = stack_groups(self._sheet, groups) if groups else Arrangement()
            self.engine_failed.emit(str(error.message))
        every = self._arrangement.moved(found.positions)
        if every.groups == before.renumbered(self._assigned):  # and were not changed meanwhile
            every = replace(every, groups=groups.renumbered(self._assigned))
        self._arrangement = without_blocked_ghosts(self._sheet, every)
        self._draw()
        if anew:
            self._show_part(viewport, is_other=True)

    async def _arrange_anew(self) -> None:
        found = await self._compute(self._arrangement.groups)
        before = self._arrangement  # with what was done meanwhile
        every = before.moved(found.positions)
        self._arrangement = without_blocked_ghosts(self._sheet, every)
        self._hidden_while_arranged |= self.scope.scope.hidden
        self._draw(moving=True)
        self._view.fit()
        self._record(before, WorkingCopy.arranged)

    async def _compute(self, groups: Groups) -> Arrangement:
        """New positions of all boxes, with the tables of a group together. Raises GraphvizError."""
        if groups:
            arrange = partial(arrange_groups, self._sheet, groups, **self._shape)
        else:
            arrange = partial(compute_arrangement, self._sheet, **self._shape)
        return await self._computed(arrange)

    async def _group(self, find: Callable[[SchemaGraph], Groups], title: Message) -> None:
        groups = await run_in_thread(find, self._whole)
        try:
            arrange = partial(arrange_groups, self._graph, groups, **self._shape)
            found = await self._computed(arrange)
        except GraphvizError as error:
            found = stack_groups(self._graph, groups)
            self.engine_failed.emit(str(error.message))
        before = self._arrangement
        every = replace(before.moved(found.positions), groups=groups.renumbered(self._assigned))
        self._arrangement = without_blocked_ghosts(self._graph, every)
        self._hidden_while_arranged |= self.scope.scope.hidden
        self._reduce()
        self._draw(moving=True)
        self._view.fit()
        self._record(before, lambda editing: editing.drawn(title))

    async def _collapse_groups(self) -> None:
        collapsed = self._collapsed
        sheet = self._reduced(collapsed)
        try:
            arrange = partial(arrange_groups, sheet, collapsed.groups, **self._shape)
            found = await self._computed(arrange)
        except GraphvizError as error:
            found = stack_groups(sheet, collapsed.groups)
            self.engine_failed.emit(str(error.message))
        # Tables in no group stay where they are, so that all are there again when the groups are expanded.
        boxes = {key: at for key, at in found.positions.items() if group_of_box(key) is not None}
        before = self._arrangement
        self._arrangement = self._collapsed.moved(found.positions if len(boxes) == len(sheet.boxes) else {})
        self._reduce()
        self._draw(moving=True)
        self._view.fit()
        self._record(before, lambda editing: editing.drawn(message("Collapse all groups")))

    @property
    def _collapsed(self) -> Arrangement:
        """The arrangement with all groups collapsed."""
        keys = [group.key for group in self._arrangement.groups]
        return collapse(self._arrangement, keys, self._graph)

    async def _arrange_anew_part(self, tables: frozenset[int]) -> None:
        start = self._arrangement
        found = await self._computed(
            partial(arrange_part, self._sheet, start, tables, downwards=self._downwards)
        )
        before, start = self._arrangement, start.renumbered(self._assigned)
        tables = frozenset(self._assigned.get(table, table) for table in tables)
        moved = {key: at for key, at in found.positions.items() if start.positions.get(key) != at}
        self._arrangement = without_blocked_ghosts(self._sheet, before.moved(moved))
        self._hidden_while_arranged |= self.scope.scope.hidden
        self._draw(moving=True)
        self._view.reveal_boxes(tables)
        count = len(tables & {box.table for box in self._sheet.boxes})
        title = message("Arrange {count:a table|{count} tables}", count=count)
        self._record(before, lambda editing: editing.drawn(title))

    def _move(self, table: int, x: float, y: float) -> None:
        if self._before_drag is None:
            self._before_drag = self._arrangement
            self._resting = self._router
        start = self._before_drag.positions
        off = (x - start[table][0], y - start[table][1])
        together = self._view.moving_boxes if table in self._view.moving_boxes else frozenset((table,))
        corners = {key: (start[key][0] + off[0], start[key][1] + off[1]) for key in together if key in start}
        self._arrangement = self._arrangement.moved(corners)
        if len(self._sheet.boxes) > _LIVE or len(corners) > _LIVE_MOVED:
            self._view.diagram_scene.move_boxes(corners)
        else:
            self._router = self._resting.copy()
            self._view.show_diagram(build_diagram(self._sheet, self._arrangement, self._router))

    def _settle(self) -> None:
        before, self._before_drag = self._before_drag, None
        if before is None:
            return
        self._router = self._resting
        now = self._arrangement.positions
        moved = [key for key in now if before.positions.get(key) != now[key]]
        self._draw()
        if not moved:
            return  # the drag was cancelled
        group = self._arrangement.groups.by_key.get(group_of_box(moved[0]) or 0)
        if group is not None and len(moved) == 1:
            title = message("Move group {group} in the diagram", group=group.name)
            self._record(before, lambda editing: editing.drawn(title))
        else:
            self._record(before, lambda editing: editing.moved(*moved))
        self._schedule_writing()

    def _record(
        self, before: Arrangement, step: Callable[[WorkingCopy], WorkingCopy], kind: str = ""
    ) -> None:
        """Adds an arrangement to the undo history if the page is editable."""
        page = self._store.page
        if page is None or not page.is_editable:
            return
        editing = step(page.editing)
        routes = self._former_routes
        self._history.record(editing.history, before, self._arrangement, self.scope.scope, kind, routes)
        self._store.put_editing(editing)

    def _apply(self, jump: Jump, now: EditHistory) -> None:
        """Restores the arrangements of undone or redone steps, and the routes: new ones would be others."""
        routes = self._history.routes(now, self._part)
        if routes is not None and self._left is None:
            self._router = self._resting = Router.restored(routes)
        for step in jump.steps:
            found, part = jump.result(step), step.scope.part
            if part == self._part:
                moved = self._arrangement.moved(found.positions)
                self._arrangement = replace(moved, groups=found.groups, folded=found.folded)
            else:
                other = self._other_parts.get(part, Arrangement()).moved(found.positions)
                self._other_parts[part] = replace(other, groups=found.groups, folded=found.folded)
                self._arrangement = _with_groups_of(self._arrangement, found)

    def _kept_routes(self) -> Routes | None:
        """The routes that undo restores; while versions are compared they are those of the comparison."""
        return self._router.routes if self._left is None else None

    def _show_undone(self, jump: Jump) -> None:
        """Shows the part of the schema in which the step was made that is undone or redone last.

        Otherwise nothing would change on the screen, and somebody who presses Ctrl+Z once more loses
        something else: parts have arrangements of their own, which are all in one history. Programs for
        presentations go to the slide of what they undo in the same way. *Back* returns.
        """
        step, scope = jump.last, self.scope.scope
        if step is None:
            return
        if step.scope.part != self._part and step.is_of_part and self.scope.is_known(step.scope):
            self.scope.show(step.scope)
        elif step.tables and step.tables <= scope.hidden:
            self.scope.show(scope.showing(step.tables))

    def _reveal_undone(self, jump: Jump, before: Document | None, now: Document) -> None:
        """Scrolls to what was undone or redone if nothing of it is visible, and shows tables for it."""
        tables = {table for step in jump.steps for table in step.tables}
        if before is not None and before is not now:
            changed = {table.key for table in now.tables if before.by_key.get(table.key) is not table}
            tops = {table: box.table for box in self._whole.boxes for table in box.tables}
            tables |= {tops[key] for key in changed if key in tops}
        if not 0 < len(tables) <= _MOST_REVEALED:
            return
        known = {box.table for box in self._whole.boxes}
        shown = {box.table for box in self._graph.boxes}
        if tables & known and not tables & shown:
            self.scope.show(self.scope.scope.showing(tables & known))
        self._view.reveal_tables(tables)

    def _schedule_writing(self) -> None:
        if self._left is None and not self._tasks.is_running(_KEEP):
            self._tasks.start(_KEEP, self._write())

    async def _write(self) -> None:
        try:
            await asyncio.sleep(_WRITE_DELAY)
        finally:
            # Also if the task is cancelled because the program ends.
            # What is moved while versions are compared is not kept.
            part, whole = (self._part, self._arrangement) if self._left is None else self._left[:2]
            if part is not None:
                whole = _with_groups_of(self._other_parts[None], whole)
            self._local_store.keep_arrangement(whole)
            places = draft_places(whole)
            if places and places != self._kept_places:
                # Other windows write to the file as well; what came last is at its end.
                stored = self._local_store.draft_places()
                others = {table: place for table, place in stored.items() if table not in places}
                self._local_store.keep_draft_places({**others, **places})
                self._kept_places = places


def _with_room(graph: SchemaGraph, arrangement: Arrangement) -> dict[int, Point]:
    return with_room(graph.boxes, place_boxes(graph, arrangement.positions))


def _with_groups_of(arrangement: Arrangement, other: Arrangement) -> Arrangement:
    """With the groups and folded tables of another arrangement; groups that were collapsed stay so."""
    collapsed = {group.key for group in arrangement.groups.collapsed}
    groups = tuple(replace(group, is_collapsed=group.key in collapsed) for group in other.groups)
    return replace(arrangement, groups=Groups(groups), folded=other.folded)
