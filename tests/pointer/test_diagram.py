"""Tests of the diagram with a real pointer: the wheel zooms at the pointer, other input does not scroll."""

from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path

import pytest
from PySide6.QtCore import QLineF, QPoint, QPointF, QSettings
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from cdb_desktop.schema.diagram.graph_builder import GraphBuilder
from cdb_desktop.schema.diagram.graphviz_layout import build_diagram
from cdb_desktop.schema.diagram.model import Arrangement, RoutedEdge
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.schema.working_copy import open_head as begun
from cdb_desktop.ui.actions import Actions, plain
from cdb_desktop.ui.schema.commands import EditCommands
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.schema.editor import SchemaActionStates
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.menus import enable_menu_key
from tests.desktop.schema.models import PERSON, TITLE, WORK, YEAR, opened
from tests.pointer.conftest import Pointer

CORNERS = ((0.5, 0.5), (0.05, 0.95))


@dataclass
class MuseumPage:
    """The schema page with the small museum, and its selection."""

    view: SchemaView
    store: PageStore
    actions: Actions
    tasks: Tasks
    local_store: LocalStore

    @property
    def diagram(self) -> DiagramView:
        """The diagram of the page."""
        return self.view.diagram

    def selected(self) -> ElementRef:
        """The selected element."""
        return self.store.page.selection

    def at(self, place: ElementRef) -> QPointF:
        """The center of a line in the diagram."""
        rect = self.diagram.line_rect(place)
        assert rect is not None
        return rect.center()

    def scroll(self) -> tuple[QPointF, float]:
        """The position of the view: the scene point in its corner, and the zoom."""
        return self.diagram.mapToScene(QPoint(0, 0)), self.diagram.zoom


@pytest.fixture
def schema_page(qtbot: QtBot, pointer: Pointer, qapp: QApplication, tmp_path: Path) -> MuseumPage:
    """The page in a separate window."""
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
    page = MuseumPage(view, store, actions, Tasks(lambda _error: None), LocalStore(tmp_path, "museum"))
    EditCommands(page)
    SchemaActionStates(store, actions, view)
    enable_menu_key(view)
    pointer.show(view)
    store.put(PageState(begun(opened(), opened()), may_develop=True, may_commit=True))
    graph = GraphBuilder(view.diagram.diagram_scene.diagram_style.fonts.measure).build(opened(), None)
    view.diagram.show_diagram(build_diagram(graph, Arrangement()))
    pointer.settle()
    return page


def test_the_wheel_keeps_the_point_under_the_pointer(schema_page: MuseumPage, pointer: Pointer) -> None:
    """Also at the edges, at any zoom, and after the pointer was elsewhere."""
    port = schema_page.diagram.viewport()
    for corner, turns in product(CORNERS, (3, -7, 6)):
        place = QPoint(round(port.width() * corner[0]), round(port.height() * corner[1]))
        pointer.move(schema_page.view.tables.tree)
        pointer.move(port, place)
        before = schema_page.diagram.viewportTransform().inverted()[0].map(QPointF(place))
        zoom = schema_page.diagram.zoom
        pointer.wheel(turns)
        now = schema_page.diagram.viewportTransform().map(before)
        assert (now - QPointF(place)).manhattanLength() <= 2
        assert schema_page.diagram.zoom != zoom


def test_a_click_when_zoomed_out_does_not_scroll(schema_page: MuseumPage, pointer: Pointer) -> None:
    """Neither zoom nor position changes, for a column as for a table."""
    port = schema_page.diagram.viewport()
    pointer.move(port)
    pointer.wheel(-5)
    assert schema_page.diagram.zoom < 0.5
    before = schema_page.scroll()
    for place in (ColumnRef(WORK, YEAR), TableRef(PERSON), ColumnRef(WORK, TITLE)):
        pointer.click(port, schema_page.at(place))
        assert schema_page.selected() == place
        assert schema_page.scroll() == before


def test_a_click_near_the_edge_does_not_scroll(schema_page: MuseumPage, pointer: Pointer) -> None:
    """A partly visible line is selected."""
    port = schema_page.diagram.viewport()
    middle = schema_page.at(ColumnRef(WORK, YEAR))
    pointer.drag(
        port, QPoint(4, port.height() - 4), QPoint(4, port.height() - 4) - QPoint(0, round(middle.y()) - 5)
    )
    before = schema_page.scroll()
    pointer.click(port, schema_page.at(ColumnRef(WORK, YEAR)))
    assert schema_page.selected() == ColumnRef(WORK, YEAR)
    assert schema_page.scroll() == before


def test_the_whole_stays_in_view_until_the_user_zooms(schema_page: MuseumPage, pointer: Pointer) -> None:
    """When the problems are opened and the window gets smaller; afterwards neither scrolls the diagram."""
    diagram, height = schema_page.diagram, schema_page.diagram.height()

    def is_whole() -> bool:
        bounds = diagram.mapFromScene(diagram.diagram_scene.bounds).boundingRect()
        return diagram.viewport().rect().contains(bounds)

    schema_page.view.bottom.open(0)
    pointer.settle()
    assert diagram.height() < height
    assert is_whole()
    schema_page.view.resize(1100, 640)
    pointer.settle()
    assert is_whole()
    pointer.move(diagram.viewport())
    pointer.wheel(3)
    before = schema_page.scroll()
    schema_page.view.resize(1200, 680)
    pointer.settle()
    assert schema_page.scroll() == before
    schema_page.view.bottom.close_tabs()
    pointer.settle()
    assert schema_page.scroll() == before


def test_tree_and_fit_move_the_view(schema_page: MuseumPage, pointer: Pointer) -> None:
    """Elements selected elsewhere become visible in a readable size."""
    port = schema_page.diagram.viewport()
    pointer.move(port, QPoint(3, 3))
    pointer.wheel(-12)
    tree = schema_page.view.tables.tree
    index = schema_page.view.tables.model.index_of(TableRef(WORK))
    pointer.click(tree, tree.viewport().mapTo(tree, tree.visualRect(index).center()))
    assert schema_page.diagram.zoom >= 0.75
    assert port.rect().contains(schema_page.at(TableRef(WORK)).toPoint())
    pointer.press("ctrl+0")
    shown = schema_page.diagram.mapFromScene(schema_page.diagram.diagram_scene.bounds).boundingRect()
    assert port.rect().adjusted(-2, -2, 2, 2).contains(shown)


def test_menus_apply_to_the_clicked_element(schema_page: MuseumPage, pointer: Pointer) -> None:
    """The background has no entries for the selected table; each element has its own menu."""
    port = schema_page.diagram.viewport()
    link = schema_page.diagram.diagram_scene.diagram.links[0]
    schema_page.store.select(TableRef(PERSON))
    ground = _menu_at(schema_page, pointer, QPointF(port.width() - 8, port.height() - 8))
    assert schema_page.selected() == DOCUMENT
    assert {"New table", "Fit to window", "Arrange"} <= ground
    assert not ground & {"Delete", "Rename", "New column"}
    table = _menu_at(schema_page, pointer, schema_page.at(TableRef(WORK)))
    assert schema_page.selected() == TableRef(WORK)
    assert {"Delete", "Rename", "New column"} <= table
    assert not table & {"New table", "Move up", "Fit to window"}
    column = _menu_at(schema_page, pointer, schema_page.at(ColumnRef(WORK, YEAR)))
    assert schema_page.selected() == ColumnRef(WORK, YEAR)
    assert {"Delete", "Rename", "Move up", "Move down"} <= column
    linked = _menu_at(schema_page, pointer, schema_page.diagram.viewportTransform().map(_middle_of(link)))
    assert schema_page.selected() == link.edge.ref
    assert {"Delete", "Go to table person", "Go to table work"} <= linked


def test_the_menu_key_opens_the_menu_at_the_selection(schema_page: MuseumPage, pointer: Pointer) -> None:
    """Not at the pointer; in the tree as in the diagram."""
    port, tree = schema_page.diagram.viewport(), schema_page.view.tables.tree
    pointer.click(port, schema_page.at(ColumnRef(WORK, YEAR)))
    pointer.move(schema_page.view.header)
    for key in ("Menu", "shift+F10"):
        pointer.press(key)
        line = schema_page.diagram.line_rect(ColumnRef(WORK, YEAR))
        assert line is not None
        assert _popup_position() == port.mapToGlobal(line.toRect().bottomLeft())
        pointer.press("Escape")
    tree.setFocus()
    pointer.press("Menu")
    rect = tree.visualRect(schema_page.view.tables.model.index_of(ColumnRef(WORK, YEAR)))
    assert _popup_position() == tree.viewport().mapToGlobal(rect.bottomLeft())
    pointer.press("Escape")


def test_the_background_of_the_tree_has_its_own_menu(schema_page: MuseumPage, pointer: Pointer) -> None:
    """It has no entries for the selected table."""
    tree = schema_page.view.tables.tree
    schema_page.store.select(TableRef(PERSON))
    pointer.click(tree, QPoint(60, tree.height() - 6), button=3)
    assert "New table" in _entries()
    assert "Delete" not in _entries()
    assert schema_page.selected() == DOCUMENT
    pointer.press("Escape")


def _menu_at(schema_page: MuseumPage, pointer: Pointer, place: QPointF) -> set[str]:
    pointer.click(schema_page.diagram.viewport(), place, button=3)
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
    """The middle of the longest segment."""
    segments = [QLineF(*one, *other) for one, other in pairwise(link.path)]
    return max(segments, key=QLineF.length).center()
