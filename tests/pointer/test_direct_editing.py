"""Editing in the diagram with a real pointer and keyboard: links, several boxes, new tables, names, moves."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn
from cdb_desktop.ui.actions import plain
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.diagram.gestures import LinkDrag, handle_centers
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.schema.form.dialogs import LinkDialog, RemovalDialog
from cdb_desktop.ui.schema.page.state import PageState
from tests.desktop.conftest import appearance, settings
from tests.desktop.schema.diagram.graphs import overlapping
from tests.desktop.schema.merge.museum_merges import merged
from tests.desktop.schema.models import ARTIST, NOTE, PERSON, PICTURE, PLACE, TITLE, WORK, YEAR
from tests.desktop.ui.schema.commit.merge_dialogs import open_merge_dialog, until_merged
from tests.desktop.ui.schema.conftest import Bench, bench
from tests.pointer.conftest import Pointer

__all__ = ["appearance", "bench", "settings"]

_MOST_ENTRIES = 200


@dataclass(frozen=True)
class Hand:
    """The pointer in the diagram of the museum."""

    bench: Bench
    controller: SchemaController
    pointer: Pointer

    @property
    def view(self) -> DiagramView:
        return self.bench.view.diagram

    @property
    def port(self) -> QWidget:
        return self.view.viewport()

    @property
    def page(self) -> PageState:
        return self.controller.store.page

    def selected(self) -> ElementRef:
        """The selection of the page."""
        return self.page.selection

    @property
    def titles(self) -> list[str]:
        """The steps that can be undone."""
        history = self.page.editing.history
        return [str(state.title) for state in history.states[1 : history.position + 1]]

    def at(self, ref: ElementRef) -> QPointF:
        """The middle of a line."""
        rect = self.view.line_rect(ref)
        assert rect is not None
        return rect.center()

    def corner(self, table: int) -> QPointF:
        """The position of a box in the scene."""
        return self.view.diagram_scene.tables[table].pos()

    def handle(self, ref: ElementRef) -> QPointF:
        """The right handle of a line."""
        found = self.view.diagram_scene.line_of(ref)
        assert found is not None
        return handle_centers(self.view, *found)[1]

    @contextmanager
    def drawing(self, ref: ElementRef, target: ElementRef) -> Iterator[LinkDrag]:
        """A link that is drawn to a target, until the button is released."""
        self.pointer.move(self.port, self.at(ref))
        self.pointer.hold(self.port, self.handle(ref))
        self.pointer.move(self.port, self.at(target))
        try:
            gesture = self.view._gesture
            assert isinstance(gesture, LinkDrag)
            yield gesture
        finally:
            self.pointer.release()

    def free_point(self) -> QPointF:
        """A point of the background in the viewport."""
        return QPointF(60, self.port.height() - 60)

    def band(self, *tables: int) -> None:
        """Drags a rubber band around boxes, and holds Shift."""
        boxes = [
            self.view.mapFromScene(self.view.diagram_scene.tables[table].sceneBoundingRect()).boundingRect()
            for table in tables
        ]
        whole = boxes[0]
        for box in boxes:
            whole = whole.united(box)
        around = whole.adjusted(-6, -6, 6, 6)
        with self.pointer.holding("shift"):
            self.pointer.drag(self.port, around.topLeft(), around.bottomRight())

    def choose(self, text: str) -> None:
        """Chooses an entry of the open menu by keyboard."""
        for _ in range(_MOST_ENTRIES):
            menu = QApplication.activePopupWidget()
            assert isinstance(menu, QMenu)
            active = menu.activeAction()
            if [plain(action.text()) for action in menu.actions() if action is active] == [text]:
                self.pointer.press("Return")
                return
            self.pointer.press("Down")
        raise TimeoutError

    def entries(self) -> set[str]:
        """The enabled entries of the open menu."""
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        return {plain(action.text()) for action in menu.actions() if action.isEnabled()}


@contextmanager
def _hand(bench: Bench, controller: SchemaController, pointer: Pointer) -> Iterator[Hand]:
    pointer.show(bench.view)
    bench.view.diagram.fit()
    pointer.settle()
    yield Hand(bench, controller, pointer)


async def test_links_are_drawn_from_handles(bench: Bench, pointer: Pointer) -> None:
    """From columns and heads, with a preview; Escape cancels, and a nested table is refused with a reason."""
    async with bench.with_museum() as controller:
        added = AddColumn(WORK, "owner", "text_oneline")
        controller.store.apply(added)
        owner = ColumnRef(WORK, added.key)
        with _hand(bench, controller, pointer) as hand:
            with hand.drawing(owner, TableRef(PERSON)) as drag:
                assert drag.proposal is not None
                assert str(drag.proposal.text) == "work.owner becomes a link to person"
                pointer.press_in_drag("Escape")
            assert hand.titles == ["Add column work.owner"]
            with hand.drawing(owner, TableRef(PERSON)):
                pass
            assert hand.titles[1:] == ["Change the type of work.owner from text_oneline to link"]
            assert hand.selected() == owner
            with hand.drawing(owner, TableRef(PLACE)) as drag:
                assert drag.proposal is not None
                assert str(drag.proposal.text) == "work.owner links to place instead of person"
            with hand.drawing(ColumnRef(WORK, YEAR), TableRef(PERSON)) as drag:
                assert drag.proposal is not None
                assert str(drag.proposal.note) == "year is committed and keeps its type."
            assert hand.titles[-1] == "Add link work.person to person"
            assert hand.page.document.by_key[WORK].columns[2].name == "person"
            with hand.drawing(TableRef(PERSON), TableRef(NOTE)) as drag:
                assert drag.proposal is not None
                assert drag.proposal.edit is None
            assert "nested" in bench.view.notice.text
            with hand.drawing(TableRef(PLACE), TableRef(PERSON)):
                pass
            assert hand.titles[-1] == "Add link place.person to person"
            steps = len(hand.titles)
            hand.port.setFocus()
            pointer.click(hand.port, hand.at(ColumnRef(WORK, ARTIST)))
            pointer.press("shift+F2")
            await pointer.until(lambda: bool(bench.view.findChildren(LinkDialog)))
            pointer.type("place")
            pointer.press("Return")
            pointer.click(bench.view.findChildren(LinkDialog)[0].accept_button)
            assert hand.titles[steps:] == ["Link work.artist to place"]


async def test_several_boxes(bench: Bench, pointer: Pointer) -> None:
    """Rubber band, Ctrl+click and Ctrl+A; moved, aligned, duplicated and deleted as one step each."""
    async with bench.with_museum() as controller:
        with _hand(bench, controller, pointer) as hand:
            view = hand.view
            hand.band(PERSON, PLACE)
            assert view.chosen_boxes == {PERSON, PLACE}
            assert hand.selected() in (TableRef(PERSON), TableRef(PLACE))
            pointer.click(hand.port, hand.at(TableRef(WORK)), keys="ctrl")
            assert view.chosen_boxes == {PERSON, PLACE, WORK}
            pointer.click(hand.port, hand.at(TableRef(PLACE)), keys="ctrl")
            assert view.chosen_boxes == {PERSON, WORK}
            before = {table: hand.corner(table) for table in (PERSON, WORK, PLACE)}
            start = hand.at(TableRef(PERSON))
            pointer.drag(hand.port, start, start + QPointF(20, 30))
            moved = QPointF(20, 30) / view.zoom
            assert (hand.corner(WORK) - before[WORK] - moved).manhattanLength() < 1
            assert hand.corner(PLACE) == before[PLACE]
            assert hand.titles == ["Move 2 tables in the diagram"]
            pointer.press("ctrl+z")
            await pointer.until(lambda: hand.corner(WORK) == before[WORK])
            assert hand.corner(PERSON) == before[PERSON]
            bench.actions["boxes_top"].trigger()
            await pointer.until(lambda: hand.corner(PERSON).y() == hand.corner(WORK).y())
            assert hand.titles == ["Align 2 tables"]
            pointer.click(hand.port, hand.at(TableRef(WORK)), button=3)
            assert {"Duplicate", "Delete", "Selected tables", "Arrange the selected"} <= hand.entries()
            assert "Rename" not in hand.entries()
            pointer.press("Escape")
            pointer.press("ctrl+d")
            assert hand.titles[-1] == "Duplicate 2 tables"
            copies = view.chosen_boxes
            assert len(copies) == 2
            names = {hand.page.document.by_key[key].name for key in copies}
            assert names == {"person_2", "work_2"}
            assert overlapping(view.diagram_scene.diagram.boxes) == []
            pointer.press("Delete")
            await pointer.until(lambda: bool(bench.view.findChildren(RemovalDialog)))
            pointer.press("Return")
            await pointer.until(lambda: hand.titles[-1] == "Remove 2 tables")
            assert copies.isdisjoint(hand.page.document.by_key)
            hand.port.setFocus()
            pointer.press("ctrl+a")
            assert view.chosen_boxes == {PERSON, PLACE, WORK, PICTURE}
            pointer.press("Escape")
            assert not view.chosen_boxes
            assert hand.selected() == DOCUMENT
            pointer.click(hand.port, hand.at(TableRef(PICTURE)))
            pointer.press("shift+Right")
            assert len(view.chosen_boxes & {PICTURE, WORK, PERSON}) == 2
            assert hand.selected() in (TableRef(WORK), TableRef(PERSON))


async def test_tables_are_inserted_and_renamed_in_place(bench: Bench, pointer: Pointer) -> None:
    """At the pointer, by double click and menu; a name that is not possible is refused with the reason."""
    async with bench.with_museum() as controller:
        with _hand(bench, controller, pointer) as hand:
            editor = bench.view.diagram_panel.name_editor
            point = hand.view.mapToScene(hand.free_point().toPoint())
            pointer.double_click(hand.port, hand.free_point())
            assert editor.isVisible()
            pointer.type("loan")
            pointer.press("Return")
            assert hand.titles == ["Add table loan"]
            added = hand.page.document.tables[-1]
            assert (hand.corner(added.key) - point).manhattanLength() < 3
            pointer.press("ctrl+z")
            assert hand.titles == []
            pointer.click(hand.port, hand.at(ColumnRef(WORK, TITLE)))
            pointer.press("F2")
            assert editor.isVisible()
            pointer.type("year")
            assert editor.reason == "Two columns have the name year."
            pointer.press("Return")
            assert editor.isVisible()
            pointer.press("Escape")
            assert not editor.isVisible()
            pointer.double_click(hand.port, hand.at(ColumnRef(WORK, TITLE)))
            pointer.type("heading")
            pointer.press("Return")
            assert hand.titles == ["Rename column work.title to heading"]
            pointer.click(hand.port, hand.free_point(), button=3)
            hand.choose("New table")
            await pointer.until(editor.isVisible)
            pointer.press("Escape")
            assert hand.titles[1:] == ["Add table new_table"]
            pointer.press("ctrl+z")
            pointer.click(hand.port, hand.at(TableRef(PLACE)))
            pointer.press("ctrl+c")
            point = hand.view.mapToScene(hand.free_point().toPoint())
            pointer.click(hand.port, hand.free_point(), button=3)
            hand.choose("Paste")
            assert hand.titles[1:] == ["Paste table place"]
            pasted = hand.view.diagram_scene.tables[hand.page.document.tables[-1].key]
            assert (pasted.sceneBoundingRect().center() - point).manhattanLength() < 5


async def test_boxes_are_moved_and_arranged_by_keyboard(bench: Bench, pointer: Pointer) -> None:
    """Repeated keys are one step; only selected boxes are arranged, also from top to bottom."""
    async with bench.with_museum() as controller:
        with _hand(bench, controller, pointer) as hand:
            before = hand.corner(PLACE)
            pointer.click(hand.port, hand.at(TableRef(PLACE)))
            pointer.press("ctrl+Right", "ctrl+Right", "ctrl+shift+Down")
            assert hand.corner(PLACE) == before + QPointF(16, 40)
            assert hand.titles == ["Move place in the diagram"]
            pointer.press("ctrl+z")
            await pointer.until(lambda: hand.corner(PLACE) == before)
            hand.band(PERSON, PLACE)
            pointer.click(hand.port, hand.at(TableRef(WORK)), keys="ctrl")
            picture = hand.corner(PICTURE)
            bench.actions["arrange_down"].setChecked(True)
            pointer.press("alt+shift+r")
            await pointer.until(lambda: hand.titles == ["Arrange 3 tables"])
            assert hand.corner(PICTURE) == picture
            work = hand.view.diagram_scene.tables[WORK].box
            await pointer.until(lambda: hand.corner(WORK) == QPointF(work.x, work.y))
            assert hand.corner(PERSON).y() >= work.bottom
            assert overlapping(hand.view.diagram_scene.diagram.boxes) == []


async def test_a_past_version_is_only_arranged(bench: Bench, pointer: Pointer) -> None:
    """There are no handles, double clicks add and rename nothing, and boxes move."""
    async with bench.with_museum() as controller:
        page = controller.store.page
        controller.store.put(PageState(page.editing, past=page.editing.current, may_develop=True))
        with _hand(bench, controller, pointer) as hand:
            pointer.click(hand.port, hand.at(ColumnRef(WORK, YEAR)))
            assert hand.view._handles.source_at(hand.handle(ColumnRef(WORK, YEAR))) is None
            pointer.double_click(hand.port, hand.free_point())
            pointer.double_click(hand.port, hand.at(TableRef(WORK)))
            assert not bench.view.diagram_panel.name_editor.isVisible()
            hand.band(PERSON, PLACE)
            before = hand.corner(PERSON)
            start = hand.at(TableRef(PLACE))
            pointer.drag(hand.port, start, start + QPointF(0, 25))
            assert hand.corner(PERSON) != before
            pointer.press("Delete", "ctrl+d")
            assert hand.titles == []
            assert len(hand.page.document.tables) == len(page.document.tables)


async def test_a_conflict_is_decided_at_its_box(bench: Bench, pointer: Pointer) -> None:
    """A click on the box opens the choices; the list shows what was chosen."""
    async with bench.with_museum() as controller:
        pointer.show(bench.view)
        ref = ColumnRef(WORK, TITLE)
        found = merged((RenameColumn(ref, "heading"),), (RenameColumn(ref, "caption"),))
        dialog, _ = await open_merge_dialog(controller, found)
        await pointer.until(lambda: dialog.isActiveWindow() and dialog.diagram.view.line_rect(ref))
        rect = dialog.diagram.view.line_rect(ref)
        assert rect is not None
        pointer.click(dialog.diagram.view.viewport(), rect.center())
        menu = dialog.diagram.findChildren(QMenu, "schema.merge.menu")[-1]
        assert menu.isVisible()
        before = next(action for action in menu.actions() if plain(action.text()).startswith("As before"))
        pointer.click(menu, menu.actionGeometry(before).center())
        await until_merged(dialog)
        assert dialog.merge.document.by_key[WORK].by_key[TITLE].name == "title"
        assert dialog.accept_button.isEnabled()
        pointer.press("Escape")
