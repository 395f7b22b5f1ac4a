"""The diagram under a real pointer: the wheel keeps what is under it, nothing else moves the view."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, QSettings
from PySide6.QtGui import QPainterPath
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from cdb_desktop.schema.diagram.graph_builder import GraphBuilder
from cdb_desktop.schema.diagram.graphviz_layout import build_diagram
from cdb_desktop.schema.diagram.model import Arrangement, RoutedEdge
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.working_copy import open_head as begun
from cdb_desktop.ui.actions import Actions, plain
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.schema.edit_commands import EditCommands
from cdb_desktop.ui.schema.page.action_states import SchemaActionStates
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.menus import enable_menu_key
from tests.desktop.schema.models import PERSON, TITLE, WORK, YEAR, opened
from tests.pointer.conftest import Pointer

CORNERS = ((0.5, 0.5), (0.05, 0.95))


@dataclass(frozen=True)
class Desk:
    """The schema page on the screen with the small museum, and the selection behind it."""

    view: SchemaView
    store: PageStore
    actions: Actions

    @property
    def diagram(self) -> DiagramView:
        """The diagram of the page."""
        return self.view.diagram

    def selected(self) -> ElementRef:
        """What is selected."""
        assert self.store.page is not None
        return self.store.page.selection

    def at(self, place: ElementRef) -> QPointF:
        """The middle of a line of the diagram."""
        rect = self.diagram.line_rect(place)
        assert rect is not None
        return rect.center()

    def scroll(self) -> tuple[QPointF, float]:
        """Where the view is: the scene point in its corner, and the zoom."""
        return self.diagram.mapToScene(QPoint(0, 0)), self.diagram.zoom


@pytest.fixture
def desk(qtbot: QtBot, pointer: Pointer, qapp: QApplication, tmp_path: Path) -> Desk:
    """The page in a window of its own."""
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    settings.setValue("appearance", "light")
    appearance = Appearance(qapp, settings)
    actions = Actions(appearance)
    actions.offer(lambda _right: True)
    actions.show_page("schema")
    view = SchemaView(appearance, settings, actions)
    qtbot.addWidget(view)
    view.addActions([actions[name] for name in actions if not actions.spec(name).scoped])
    view.resize(1280, 700)
    store = PageStore(lambda _words: None, view)
    store.changed.connect(view.show_page)
    store.selected.connect(view.show_selection)
    view.chosen.connect(store.select)
    EditCommands(store, view, actions)
    SchemaActionStates(store, actions, view)
    enable_menu_key(view)
    pointer.show(view)
    store.put(PageState(begun(opened(), opened()), may_develop=True, may_commit=True))
    sheet = GraphBuilder(view.diagram.diagram_scene.diagram_style.fonts.measure).build(opened(), None)
    view.diagram.show_diagram(build_diagram(sheet, Arrangement()))
    pointer.settle()
    return Desk(view, store, actions)


@pytest.mark.parametrize("corner", CORNERS)
def test_the_wheel_keeps_the_point_under_the_pointer(
    desk: Desk, pointer: Pointer, corner: tuple[float, float]
) -> None:
    """Also at the edges, from far away to close up, after the pointer has been elsewhere."""
    port = desk.diagram.viewport()
    for turns in (3, -7, 6):
        place = QPoint(round(port.width() * corner[0]), round(port.height() * corner[1]))
        pointer.move(desk.view.tables.tree)
        pointer.move(port, place)
        before = desk.diagram.viewportTransform().inverted()[0].map(QPointF(place))
        zoom = desk.diagram.zoom
        pointer.wheel(turns)
        now = desk.diagram.viewportTransform().map(before)
        assert (now - QPointF(place)).manhattanLength() <= 2
        assert desk.diagram.zoom != zoom


def test_a_click_from_afar_selects_and_moves_nothing(desk: Desk, pointer: Pointer) -> None:
    """Neither the zoom nor the place changes, for a column as for a table."""
    port = desk.diagram.viewport()
    pointer.move(port)
    pointer.wheel(-5)
    assert desk.diagram.zoom < 0.5
    before = desk.scroll()
    for place in (ColumnRef(WORK, YEAR), TableRef(PERSON), ColumnRef(WORK, TITLE)):
        pointer.click(port, desk.at(place))
        assert desk.selected() == place
        assert desk.scroll() == before


def test_a_click_near_the_edge_moves_nothing(desk: Desk, pointer: Pointer) -> None:
    """A line of which only a part is seen is selected where it is."""
    port = desk.diagram.viewport()
    middle = desk.at(ColumnRef(WORK, YEAR))
    pointer.drag(
        port, QPoint(4, port.height() - 4), QPoint(4, port.height() - 4) - QPoint(0, round(middle.y()) - 5)
    )
    before = desk.scroll()
    pointer.click(port, desk.at(ColumnRef(WORK, YEAR)))
    assert desk.selected() == ColumnRef(WORK, YEAR)
    assert desk.scroll() == before


def test_escape_steps_back_and_moves_nothing(desk: Desk, pointer: Pointer) -> None:
    """From the column to its table, which is out of sight by now."""
    port = desk.diagram.viewport()
    pointer.click(port, desk.at(ColumnRef(WORK, YEAR)))
    pointer.wheel(-6)
    before = desk.scroll()
    desk.view.bottom.open(0)
    pointer.press("Escape")
    assert desk.selected() == TableRef(WORK)
    pointer.press("Escape")
    assert desk.selected() == DOCUMENT
    assert desk.view.bottom.open_tab == 0
    pointer.press("Escape")
    assert desk.view.bottom.open_tab == -1
    assert desk.scroll() == before


def test_opening_the_problems_and_a_smaller_window_move_nothing(desk: Desk, pointer: Pointer) -> None:
    """The diagram was shown as a whole and is not made smaller."""
    before = desk.scroll()
    height = desk.diagram.height()
    desk.view.bottom.open(0)
    pointer.settle()
    assert desk.diagram.height() < height
    assert desk.scroll() == before
    desk.view.resize(1100, 640)
    pointer.settle()
    assert desk.scroll() == before


def test_tree_and_fit_move_the_view(desk: Desk, pointer: Pointer) -> None:
    """What is chosen elsewhere is brought into sight, large enough to be read."""
    port = desk.diagram.viewport()
    pointer.move(port, QPoint(3, 3))
    pointer.wheel(-12)
    tree = desk.view.tables.tree
    index = desk.view.tables.model.index_of(TableRef(WORK))
    pointer.click(tree, tree.viewport().mapTo(tree, tree.visualRect(index).center()))
    assert desk.diagram.zoom >= 0.75
    assert port.rect().contains(desk.at(TableRef(WORK)).toPoint())
    pointer.press("ctrl+0")
    shown = desk.diagram.mapFromScene(desk.diagram.diagram_scene.bounds).boundingRect()
    assert port.rect().adjusted(-2, -2, 2, 2).contains(shown)


def test_menus_act_on_what_was_clicked(desk: Desk, pointer: Pointer) -> None:
    """The ground offers nothing about the table that is selected elsewhere; each part has its own menu."""
    port = desk.diagram.viewport()
    link = desk.diagram.diagram_scene.diagram.links[0]
    desk.store.select(TableRef(PERSON))
    ground = _menu_at(desk, pointer, QPointF(port.width() - 8, port.height() - 8))
    assert desk.selected() == DOCUMENT
    assert {"New table", "Fit to window", "Arrange"} <= ground
    assert not ground & {"Delete", "Rename", "New column"}
    table = _menu_at(desk, pointer, desk.at(TableRef(WORK)))
    assert desk.selected() == TableRef(WORK)
    assert {"Delete", "Rename", "New column"} <= table
    assert not table & {"New table", "Move up", "Fit to window"}
    column = _menu_at(desk, pointer, desk.at(ColumnRef(WORK, YEAR)))
    assert desk.selected() == ColumnRef(WORK, YEAR)
    assert {"Delete", "Rename", "Move up", "Move down"} <= column
    linked = _menu_at(desk, pointer, desk.diagram.viewportTransform().map(_middle_of(link)))
    assert desk.selected() == link.edge.ref
    assert {"Delete", "Go to table person", "Go to table work"} <= linked


def test_the_menu_key_opens_the_menu_at_the_selection(desk: Desk, pointer: Pointer) -> None:
    """Not where the pointer is, which lies elsewhere; in the tree as in the diagram."""
    port, tree = desk.diagram.viewport(), desk.view.tables.tree
    pointer.click(port, desk.at(ColumnRef(WORK, YEAR)))
    pointer.move(desk.view.header)
    for key in ("Menu", "shift+F10"):
        pointer.press(key)
        line = desk.diagram.line_rect(ColumnRef(WORK, YEAR))
        assert line is not None
        assert _popup_position() == port.mapToGlobal(line.toRect().bottomLeft())
        pointer.press("Escape")
    tree.setFocus()
    pointer.press("Menu")
    rect = tree.visualRect(desk.view.tables.model.index_of(ColumnRef(WORK, YEAR)))
    assert _popup_position() == tree.viewport().mapToGlobal(rect.bottomLeft())
    pointer.press("Escape")


def test_the_ground_of_the_tree_has_a_menu_of_its_own(desk: Desk, pointer: Pointer) -> None:
    """It offers nothing about the table that was selected."""
    tree = desk.view.tables.tree
    desk.store.select(TableRef(PERSON))
    pointer.click(tree, QPoint(60, tree.height() - 6), button=3)
    assert "New table" in _entries()
    assert "Delete" not in _entries()
    assert desk.selected() == DOCUMENT
    pointer.press("Escape")


def _menu_at(desk: Desk, pointer: Pointer, place: QPointF) -> set[str]:
    pointer.click(desk.diagram.viewport(), place, button=3)
    found = _entries()
    pointer.press("Escape")
    return found


def _entries() -> set[str]:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return {plain(action.text()) for action in menu.actions() if action.isEnabled()}


def _popup_position() -> QPoint:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu.pos()


def _middle_of(link: RoutedEdge) -> QPointF:
    """A point of a curve with one or more segments."""
    path = QPainterPath(QPointF(*link.path[0]))
    rest = [QPointF(*point) for point in link.path[1:]]
    for one, other, end in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        path.cubicTo(one, other, end)
    return path.pointAtPercent(0.5)
