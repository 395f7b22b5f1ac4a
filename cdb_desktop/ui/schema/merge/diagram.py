"""The merged model as a diagram: changes of both sides in two colors, conflicts resolved at the box."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.diagram.changes import pair_documents, with_room
from cdb_desktop.schema.diagram.graph_builder import GraphBuilder
from cdb_desktop.schema.diagram.graphviz_layout import build_diagram
from cdb_desktop.schema.diagram.model import Arrangement, Diagram, SchemaGraph
from cdb_desktop.schema.diagram.placement import place_boxes
from cdb_desktop.schema.diagram.routing import Router
from cdb_desktop.schema.diff.compare import Change
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef, table_key_of
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.merge.conflict import Choice, Conflict, ConflictId
from cdb_desktop.schema.merge.merge import Merge
from cdb_desktop.ui.schema.diagram.legend import LegendStrip, side_lines
from cdb_desktop.ui.schema.diagram.style import ROWS, SideMarks
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, TIGHT
from cdb_desktop.ui.widgets.menus import context_menu
from cdb_desktop.ui.widgets.object_names import named

_WIDTH, _HEIGHT = 640, 260
_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class MergeDiagram(QWidget):
    """The diagram. A click on an element with a conflict, Enter or Space opens the choices.

    Signals: ``chosen`` with the id of a conflict and the Choice · ``revealed`` with the id of the conflict
    of the element that was selected · ``output_requested`` with the view that is to be written, its
    document, and how many conflicts are decided.
    """

    chosen = Signal(object, str)
    revealed = Signal(object)
    output_requested = Signal(object, object, str)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.view = named("schema.merge.diagram", DiagramView(appearance, self))
        self.view.setAccessibleName(tr("Diagram of the merge"))
        self._picture: MergePicture | None = None
        self._is_selecting = False
        self._choices: Mapping[ConflictId, Choice] = {}
        self._conflicts: dict[ElementRef, list[Conflict]] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(TIGHT)
        layout.addWidget(self.view, stretch=1)
        self.export = named("schema.merge.export", QPushButton(tr("&Export…"), self))
        self.export.setAutoDefault(False)
        self.export.setEnabled(False)
        self.export.clicked.connect(self._request_output)
        foot = QHBoxLayout()
        foot.setSpacing(GAP)
        legend = LegendStrip(appearance, "schema.merge.legend", self)
        legend.show_lines(side_lines(tr("conflict: click to choose")))
        foot.addWidget(legend, stretch=1)
        foot.addWidget(self.export)
        layout.addLayout(foot)
        self.view.chosen.connect(self._select)
        self.view.menu_requested.connect(lambda ref, _edge, at: self._open_menu(ref, at))

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(_WIDTH, _HEIGHT)

    @property
    def merge(self) -> Merge | None:
        """The merge that is shown, None before the first picture."""
        return None if self._picture is None else self._picture.merge

    def show_picture(self, picture: MergePicture, choices: Mapping[ConflictId, Choice]) -> None:
        """Shows the result of a merge with everything that a side has removed."""
        self._picture = picture
        self.export.setEnabled(True)
        self.view.diagram_scene.show_removed(picture.removed)
        self.view.show_diagram(picture.diagram)
        self.show_choices(choices)

    def show_choices(self, choices: Mapping[ConflictId, Choice]) -> None:
        """Shows which conflicts are decided."""
        self._choices = choices
        if self._picture is not None:
            self._mark(self._picture.merge)

    def reveal(self, conflict: Conflict | None) -> None:
        """Selects the element of a conflict."""
        ref = None if conflict is None else self._painted_ref(conflict.ref)
        # What was clicked is visible, and clicks do not scroll.
        if ref is not None and not self._is_selecting:
            self.view.choose(ref, reveal=True, readable=True)

    def _request_output(self) -> None:
        if self._picture is not None:
            conflicts = self._picture.merge.conflicts
            done = sum(conflict.id in self._choices for conflict in conflicts)
            count = len(conflicts)
            decided = tr("{done} of {count} decided", done=done, count=count) if count else ""
            self.output_requested.emit(self.view, self._picture.document, decided)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        ref = self.view.diagram_scene.diagram_style.selection
        rect = self.view.line_rect(ref)
        if event.key() in _OPENING and ref in self._conflicts and rect is not None:
            self._open_menu(ref, self.view.viewport().mapToGlobal(rect.bottomLeft().toPoint()))
        else:
            super().keyPressEvent(event)

    def _mark(self, merge: Merge) -> None:
        """Shows the signs of both sides, and which conflicts are decided."""
        mine, theirs = _signs(merge.my_changes), _signs(merge.their_changes)
        self._conflicts = {}
        for conflict in merge.conflicts:
            ref = self._painted_ref(conflict.ref)
            for place in () if ref is None else dict.fromkeys((ref, *self._tables_around(ref))):
                self._conflicts.setdefault(place, []).append(conflict)
        decided = {
            ref: all(each.id in self._choices for each in found) for ref, found in self._conflicts.items()
        }
        sides = {
            ref: SideMarks(mine.get(ref, ""), theirs.get(ref, ""), decided.get(ref))
            for ref in (*mine, *theirs, *decided)
        }
        self.view.diagram_scene.show_sides(sides, self._note)

    def _tables_around(self, ref: ElementRef) -> Iterator[ElementRef]:
        """The table of an element and those that it is nested in, where conflicts are seen from afar."""
        key, seen = table_key_of(ref), set[int]()
        while key is not None and key not in seen and self._picture is not None:
            seen.add(key)
            yield TableRef(key)
            table = self._picture.document.by_key.get(key)
            key = None if table is None else table.owner

    def _note(self, ref: ElementRef) -> str:
        merge = self.merge
        if merge is None:
            return ""
        lines = [tr("Mine: {change}", change=str(one.message)) for one in merge.my_changes if one.ref == ref]
        lines += [
            tr("Theirs: {change}", change=str(one.message)) for one in merge.their_changes if one.ref == ref
        ]
        lines += [
            tr("Conflict: {what}", what=str(conflict.what)) for conflict in self._conflicts.get(ref, ())
        ]
        return "\n".join(lines)

    def _painted_ref(self, ref: ElementRef) -> ElementRef | None:
        """The line of an element, or the head of the table that contains it."""
        if self.view.diagram_scene.line_of(ref) is not None:
            return ref
        key = table_key_of(ref)
        if key is None:
            return None
        return TableRef(key) if self.view.diagram_scene.line_of(TableRef(key)) is not None else None

    def _select(self, ref: ElementRef) -> None:
        """Selects what was clicked, and opens its choices; from afar a click on the box is enough."""
        if ref not in self._conflicts and self.view.zoom < ROWS:
            ref = next((one for one in self._tables_around(ref) if one in self._conflicts), ref)
        self.view.choose(ref, reveal=False)
        rect = self.view.line_rect(ref)
        if ref in self._conflicts and rect is not None:
            self._is_selecting = True
            self.revealed.emit(self._conflicts[ref][0].id)
            self._is_selecting = False
            if self.view.underMouse():
                self._open_menu(ref, self.view.viewport().mapToGlobal(rect.bottomLeft().toPoint()))

    def _open_menu(self, ref: ElementRef, at: QPoint) -> None:
        """Opens the choices of all conflicts of an element."""
        conflicts = self._conflicts.get(ref, ())
        if not conflicts:
            return
        menu = context_menu(self, "schema.merge.menu")
        for conflict in conflicts:
            menu.addSection(" · ".join(filter(None, (conflict.element, str(conflict.what)))))
            for choice, text in _choices(conflict):
                action = menu.addAction(text)
                action.setCheckable(True)
                action.setChecked(self._choices.get(conflict.id) == choice)
                action.triggered.connect(
                    lambda _checked=False, id_=conflict.id, choice=choice: self.chosen.emit(id_, choice)
                )
        menu.popup(at)


def _choices(conflict: Conflict) -> Iterator[tuple[Choice, str]]:
    yield "mine", tr("Mine: {change}", change=str(conflict.mine_result))
    yield "theirs", tr("Theirs: {change}", change=str(conflict.theirs_result))
    if conflict.has_base:
        yield "base", tr("As before: {change}", change=str(conflict.base_result))


def _signs(changes: Iterable[Change]) -> dict[ElementRef, str]:
    """The sign of each element that a side has changed; keys and entries count for their table."""
    found: dict[ElementRef, str] = {}
    for change in changes:
        key = table_key_of(change.ref)
        if isinstance(change.ref, TableRef | ColumnRef):
            found.setdefault(change.ref, change.sign)
        if key is not None:
            found.setdefault(TableRef(key), "~")
    return found


@dataclass(frozen=True)
class MergePicture:
    """The diagram of ``document``, the result of a merge with everything that a side has removed."""

    merge: Merge
    document: Document
    removed: frozenset[ElementRef]
    diagram: Diagram


class MergePictures:
    """Makes one picture after the other: boxes keep their places, and links their ways as far as possible."""

    def __init__(self, builder: GraphBuilder, arrangement: Arrangement) -> None:
        """``arrangement`` has the positions of the tables in the diagram of the page."""
        self._builder = builder
        self._arrangement = arrangement
        self._router = Router()
        self._routing = threading.Lock()

    async def make(self, merge: Merge) -> MergePicture:
        """The picture of a merge; all but the texts, which are measured in this thread, is done in others."""
        document, removed = await run_in_thread(_with_removed, merge)
        graph = self._builder.build(document)
        diagram = await run_in_thread(self._diagram, graph)
        return MergePicture(merge, document, removed, diagram)

    def _diagram(self, graph: SchemaGraph) -> Diagram:
        # The thread of a cancelled call runs to its end.
        with self._routing:
            positions = with_room(graph.boxes, place_boxes(graph, self._arrangement.positions))
            self._arrangement = Arrangement(positions)
            return build_diagram(graph, self._arrangement, self._router)


def _with_removed(merge: Merge) -> tuple[Document, frozenset[ElementRef]]:
    """The result with what a side has removed, and what that is."""
    versions, whole = merge.versions, merge.document
    removed: frozenset[ElementRef] = frozenset()
    for side in (versions.theirs, versions.mine, versions.base):
        pair = pair_documents(side, whole)
        whole, removed = pair.document, removed | pair.removed
    return whole, removed
