"""The commands of the diagram: links that are drawn, moving boxes by keyboard, aligning several of them."""

from __future__ import annotations

from PySide6.QtCore import QObject

from cdb_desktop.foundation.i18n import Message, message, tr
from cdb_desktop.schema.checks.validation import new_name_problem
from cdb_desktop.schema.diagram.placement import BoxOrder, aligned
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.edits.columns import LinkProposal, propose_link
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.view import SchemaView

_OF_SEVERAL = ("boxes_left", "boxes_top", "boxes_across", "boxes_down")


class DiagramCommands(QObject):
    """Applies to the store and the layout what is done in the diagram."""

    def __init__(
        self, store: PageStore, view: SchemaView, actions: Actions, layout: DiagramLayoutController
    ) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        self._layout = layout
        diagram = view.diagram
        view.diagram_panel.name_editor.set_check(self._name_problem)
        diagram.link_drawn.connect(self._link)
        diagram.nudged.connect(self._nudge)
        actions["boxes_all"].triggered.connect(diagram.choose_all_boxes)
        actions["boxes_left"].triggered.connect(self._align_left)
        actions["boxes_top"].triggered.connect(self._align_top)
        actions["boxes_across"].triggered.connect(self._spread_across)
        actions["boxes_down"].triggered.connect(self._spread_down)
        actions["boxes_arrange"].triggered.connect(self._arrange)
        actions["arrange_down"].toggled.connect(layout.arranger.set_downwards)
        layout.arranger.set_downwards(actions["arrange_down"].isChecked())
        self._actions = actions
        diagram.diagram_scene.boxes_chosen.connect(self._update_actions)
        diagram.diagram_scene.selection_changed.connect(self._update_actions)
        layout.drawn.connect(self._update_actions)
        store.changed.connect(self._follow)
        self._update_actions()

    def _follow(self, page: PageState) -> None:
        self._view.diagram.set_propose_link(self._propose if page.is_editable else None)

    def _update_actions(self) -> None:
        """Enables what is for several selected tables."""
        has_several = bool(self._view.diagram.chosen_boxes)
        why = "" if has_several else tr("Select several tables in the diagram first.")
        for name in _OF_SEVERAL:
            self._actions.set_possible(name, has_several, why)
        can_arrange = bool(self._arranged_tables)
        self._actions.set_possible("boxes_arrange", can_arrange, "" if can_arrange else why)

    def _propose(self, source: TableRef | ColumnRef, target: int, as_new: bool) -> LinkProposal:
        page = self._store.page
        return propose_link(page.document, page.editing.current, source, target, as_new=as_new)

    def _link(self, proposal: LinkProposal) -> None:
        if proposal.edit is not None:
            self._store.apply(proposal.edit, proposal.ref)
        else:
            self._view.notice.show_text("warning", str(proposal.text))

    def _name_problem(self, ref: ElementRef, name: str) -> Message | None:
        page = self._store.page
        if not isinstance(ref, TableRef | ColumnRef) or not page.document.contains(ref):
            return None
        return new_name_problem(page.document, ref, name)

    def _nudge(self, across: float, down: float) -> None:
        tables = self._view.diagram.moving_boxes
        boxes = [box for box in map(self._layout.box_of, tables) if box is not None]
        if boxes:
            positions = {box.table: (box.x + across, box.y + down) for box in boxes}
            self._layout.move_boxes(positions, kind=f"nudge {sorted(tables)}")

    def _align_left(self) -> None:
        self._align(BoxOrder.LEFT)

    def _align_top(self) -> None:
        self._align(BoxOrder.TOP)

    def _spread_across(self) -> None:
        self._align(BoxOrder.ACROSS)

    def _spread_down(self) -> None:
        self._align(BoxOrder.DOWN)

    def _align(self, how: BoxOrder) -> None:
        found = map(self._layout.box_of, sorted(self._view.diagram.chosen_boxes))
        boxes = [box for box in found if box is not None]
        if len(boxes) > 1:
            title = (
                message("Align {count} tables", count=len(boxes))
                if how in (BoxOrder.LEFT, BoxOrder.TOP)
                else message("Space {count} tables evenly", count=len(boxes))
            )
            self._layout.move_boxes(aligned(boxes, how), title)

    def _arrange(self) -> None:
        self._layout.arranger.arrange_part(self._arranged_tables)

    @property
    def _arranged_tables(self) -> frozenset[int]:
        """The selected boxes, or those of the selected group."""
        diagram = self._view.diagram
        group = self._layout.arrangement.groups.by_key.get(diagram.chosen_group or 0)
        shown = diagram.diagram_scene.tables.keys()
        return diagram.chosen_boxes or (frozenset() if group is None else group.tables.intersection(shown))
