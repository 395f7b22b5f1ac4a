"""What the diagram shows now, and the way back to what it showed before."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from cdb_desktop.schema.diagram.model import SchemaGraph
from cdb_desktop.schema.diagram.paths import Paths, shortest_paths
from cdb_desktop.schema.diagram.scope import PathsBetween, Scope, ScopedGraph, ViewTables, apply_scope
from cdb_desktop.schema.diagram.views import Viewport
from cdb_desktop.ui.schema.diagram.view import DiagramView

_MOST_BACK = 50


class DiagramScope(QObject):
    """The scope of the diagram, like the zoom a state of the view and no part of the undo history.

    Signals: ``changed`` with the Viewport to show, None to choose one, when something else is to be shown ·
    ``applied`` when the graph or the scope has changed.
    """

    changed = Signal(object)
    applied = Signal()

    def __init__(self, view: DiagramView) -> None:
        super().__init__(view)
        self._view = view
        self._former: list[tuple[Scope, Viewport]] = []
        self._known: set[int] = set()
        self._deleted_views: set[int] = set()
        self.scope = Scope()
        self.whole = SchemaGraph((), ())
        self.shown = ScopedGraph(self.whole)
        self.paths: Paths | None = None

    @property
    def can_go_back(self) -> bool:
        """Whether something else was shown before."""
        return bool(self._former)

    def apply(self, graph: SchemaGraph) -> SchemaGraph:
        """The part of the graph of the whole schema that is shown. New tables of an edit always are."""
        keys = {box.table for box in graph.boxes}
        new = {key for key in keys - self._known if key < 0} if self._known else set()
        self._known |= keys
        self.whole = graph
        if new and self.scope.part is not None:
            self.scope = self.scope.showing(new)
        scope = self.scope
        if scope.part is not None:
            # A table that became a nested one is shown with its owner.
            scope = scope.renumbered({table: box.table for box in graph.boxes for table in box.tables})
        self.shown = apply_scope(graph, scope)
        self.paths = None
        if isinstance(scope.part, PathsBetween):
            self.paths = shortest_paths(graph.edges, scope.part.start, scope.part.end)
        self.applied.emit()
        return self.shown.graph

    def show_marks(self) -> None:
        """Marks the boxes that have links with tables that are not shown, and the links of a path."""
        edges = self.paths.edges if self.paths else ()
        self._view.diagram_scene.show_scope(self.shown.beyond, frozenset(edge.ref for edge in edges))

    def show(self, scope: Scope, viewport: Viewport | None = None) -> None:
        """Shows something else; `back` returns to what is shown now."""
        if isinstance(scope.part, ViewTables):
            self._deleted_views.discard(scope.part.view)  # it was brought back
        if scope != self.scope:
            self._former = [*self._former[-_MOST_BACK:], (self.scope, self._view.visible_part)]
            self.scope = scope
        self.changed.emit(viewport)

    def adjust(self, scope: Scope) -> None:
        """Shows something else instead of what is shown now, to which there is no way back."""
        if scope != self.scope:
            self.scope = scope
            self.changed.emit(None)

    def back(self) -> None:
        """Shows what was shown before."""
        if self._former:
            self.scope, viewport = self._former.pop()
            self.changed.emit(viewport)

    def leave_part(self) -> None:
        """Shows what was shown before the part of the schema that is shown now."""
        part = self.scope.part
        while self._former and self._former[-1][0].part == part:
            self._former.pop()
        if self._former:
            self.back()
        elif part is not None:
            self.scope = Scope()
            self.changed.emit(None)

    def is_known(self, scope: Scope) -> bool:
        """Whether a scope can be shown: not if it is a named view that was deleted."""
        return not any(_shows_view(scope, view) for view in self._deleted_views)

    def forget_view(self, view: int) -> None:
        """Leaves a named view that is not there any more, and takes it out of the way back."""
        self._deleted_views.add(view)
        former: list[tuple[Scope, Viewport]] = []
        for scope, viewport in self._former:
            # What is the same before and after the view is one step.
            if not _shows_view(scope, view) and (not former or former[-1][0] != scope):
                former.append((scope, viewport))
        if former and former[-1][0] == self.scope:
            former.pop()
        self._former = former
        if _shows_view(self.scope, view):
            self.leave_part()

    def take_ids(self, tables: Mapping[int, int]) -> None:
        """Replaces the local keys of new tables by the ids that saving has assigned."""
        self.scope = self.scope.renumbered(tables)
        self._former = [(scope.renumbered(tables), viewport) for scope, viewport in self._former]
        self._known |= set(tables.values())


def _shows_view(scope: Scope, view: int) -> bool:
    return isinstance(scope.part, ViewTables) and scope.part.view == view
