"""Tests of what the diagram shows at each zoom, its highlights, its legend, and drags in large models."""

from dataclasses import replace
from itertools import product

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QMouseEvent, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from cdb_desktop.schema.diagram.heat import TableHeat
from cdb_desktop.schema.diagram.model import RoutedEdge
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, TableRef
from cdb_desktop.ui.schema.diagram import layout_controller
from cdb_desktop.ui.schema.diagram.heat_item import HeatItem
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.diagram.legend import Legend
from cdb_desktop.ui.schema.diagram.panel import NameEditor
from cdb_desktop.ui.schema.diagram.regions import _DARK_FILL, _FILL
from cdb_desktop.ui.schema.diagram.style import KEYS, ROWS, group_color, link_text, mixed
from cdb_desktop.ui.schema.diagram.table_item import _elided, _tops
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.theme.measures import scaled
from cdb_desktop.ui.theme.tokens import DARK, LIGHT, Tokens
from tests.desktop.patience import until
from tests.desktop.schema.diagram.graphs import crossed, overlapping
from tests.desktop.schema.models import ARTIST, PERSON, TITLE, WORK
from tests.desktop.ui.finding import focus_widget
from tests.desktop.ui.schema.conftest import Bench
from tests.desktop.ui.theme.test_tokens import contrast

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


async def test_names_have_one_size_below_the_zoom_of_keys(bench: Bench) -> None:
    """Farther out no box covers the name of another; closer the boxes paint their own texts."""
    async with bench.with_museum():
        view = bench.view.diagram
        heights = []
        for zoom in (KEYS * 0.8, KEYS * 0.4):
            view._zoom_to(zoom, QPointF(view.viewport().rect().center()))
            assert not view.diagram_scene.tables[WORK].isVisible()
            heights.append(_dark_rows(view, TableRef(WORK)))
        assert heights[0] == heights[1] > 6
        view._zoom_to(ROWS, QPointF(view.viewport().rect().center()))
        assert view.diagram_scene.tables[WORK].isVisible()


async def test_far_out_the_name_is_the_table(bench: Bench) -> None:
    """Also where it is wider than its box: it is selected, dragged and renamed in place."""
    async with bench.with_museum() as controller:
        view, scene = bench.view.diagram, bench.view.diagram.diagram_scene
        view._zoom_to(0.06, QPointF(view.viewport().rect().center()))
        view.viewport().grab()
        count = len(scene.tables)
        table, item = next(each for each in scene.tables.items() if scene.name_size(each[0]) is not None)
        rect = view.line_rect(TableRef(table))
        area = view.mapFromScene(item.sceneBoundingRect()).boundingRect()
        assert rect is not None
        at = QPoint(round(rect.left()) + 3, round(rect.center().y()))
        assert at.x() < area.left() - 2, "beside the box"
        QTest.mouseClick(view.viewport(), LEFT, pos=at)
        assert controller.store.page.selection == TableRef(table)
        view.viewport().grab()
        assert view._tip(at).startswith(item.box.name)
        QTest.mouseDClick(view.viewport(), LEFT, pos=at)
        field = QApplication.focusWidget()
        assert isinstance(field, NameEditor)
        assert field.text() == item.box.name
        assert abs(field.geometry().center().y() - at.y()) < 3
        QTest.keyClick(field, Qt.Key.Key_Escape)
        assert len(scene.tables) == count


async def test_far_out_the_keyboard_goes_from_table_to_table(bench: Bench) -> None:
    """A column that is selected elsewhere selects the box that contains it."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        controller.store.select(ColumnRef(WORK, TITLE))
        view._zoom_to(0.2, QPointF(view.viewport().rect().center()))
        view.setFocus()
        style = view.diagram_scene.diagram_style
        assert style.selected_box == WORK
        before = view.diagram_scene.tables[WORK].x()
        QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: view.diagram_scene.tables[WORK].x() > before)
        found = set()
        for key in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Left, Qt.Key.Key_Right) * 2:
            QTest.keyClick(view, key)
            found.add(controller.store.page.selection)
        assert len(found - {ColumnRef(WORK, TITLE)}) > 1
        assert all(isinstance(ref, TableRef) for ref in found - {ColumnRef(WORK, TITLE)})


async def test_a_column_that_is_a_stroke_shows_that_it_is_selected(bench: Bench) -> None:
    """Its tooltip is its name."""
    async with bench.with_museum():
        view = bench.view.diagram
        view._zoom_to(0.35, QPointF(view.viewport().rect().center()))
        item, line = next(
            (item, line)
            for item in view.diagram_scene.tables.values()
            for line in item._small_texts(0.35).others
            if item.line_at(QPointF(9, line.middle), 0.35) == line
        )
        view.centerOn(item)
        at = view.mapFromScene(item.mapToScene(line.left + 20, line.middle))
        assert view._tip(at).startswith(f"{line.name} · {line.type}")
        accent = QColor(view.diagram_scene.diagram_style.tokens.accent)
        assert view.viewport().grab().toImage().pixelColor(at) != accent
        QTest.mouseClick(view.viewport(), LEFT, pos=at)
        assert view.viewport().grab().toImage().pixelColor(at) == accent


async def test_the_legend_explains_all_signs_and_covers_what_is_behind_it(bench: Bench) -> None:
    """Screen readers read it, a narrow window stacks it, and a double-click on it adds no table there."""
    async with bench.with_museum() as controller:
        panel, legend = bench.view.diagram_panel, bench.view.findChild(Legend, "schema.legend")
        assert isinstance(legend, Legend)
        assert not legend.isVisible()
        bench.actions["schema_legend"].trigger()
        for text in ("exactly one row", "must have a value", "Renamed", "is only linked to"):
            assert text in legend.accessibleDescription()
        wide = legend.size()
        bench.view.resize(800, 640)
        assert (legend.width() < wide.width(), legend.height() > wide.height()) == (True, True)
        assert panel.rect().contains(legend.geometry())
        parent = legend.parentWidget()
        assert parent is not None
        assert parent.childAt(legend.geometry().center()) is legend
        before = controller.store.page.document
        QTest.mouseDClick(legend, LEFT)
        assert controller.store.page.document is before


async def test_the_rectangle_of_a_line_is_where_it_is_painted(bench: Bench) -> None:
    """A field for its name is over the name, and screen readers find the line at the pointer."""
    async with bench.with_museum():
        view = bench.view.diagram
        for zoom, item in product((KEYS, 0.33, 0.41, ROWS, 1.0), view.diagram_scene.tables.values()):
            view._zoom_to(zoom, QPointF(view.viewport().rect().center()))
            view.centerOn(item)
            texts = [line for line, _ in item._small_texts(zoom).marked] if zoom < ROWS else item.lines[1:]
            for line in (item.lines[0], *texts):
                rect = view.line_rect(line.ref)
                assert rect is not None
                found = view.diagram_scene.line_at(view.mapToScene(rect.center().toPoint()))
                assert found is not None
                assert found[1].ref == line.ref


@pytest.mark.parametrize("zoom", [0.15, 0.5])
async def test_a_field_for_a_name_is_within_the_view(bench: Bench, zoom: float) -> None:
    """Also if its line is at the lower edge."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        view._zoom_to(zoom, QPointF(view.viewport().rect().center()))
        title = ColumnRef(WORK, TITLE)
        rect = view.line_rect(title)
        assert rect is not None
        bar = view.verticalScrollBar()
        bar.setRange(-5000, 5000)
        bar.setValue(bar.value() - round(view.viewport().height() - 1 - rect.bottom()))
        view.chosen.emit(title)
        assert controller.store.page.selection == title
        view.setFocus()
        bench.actions["element_rename"].trigger()
        field = QApplication.focusWidget()
        assert isinstance(field, NameEditor)
        assert view.viewport().rect().contains(field.geometry())


async def test_a_click_selects_the_text_that_is_painted_there(bench: Bench) -> None:
    """Between the zooms of keys and of rows, where texts are larger than the lines of the box."""
    zoom = 0.33
    async with bench.with_museum() as controller:
        view, style = bench.view.diagram, bench.view.diagram.diagram_scene.diagram_style
        view._zoom_to(zoom, QPointF(view.viewport().rect().center()))
        item = view.diagram_scene.tables[WORK]
        view.centerOn(item)
        area = view.mapFromScene(item.sceneBoundingRect()).boundingRect()
        texts = item._small_texts(zoom)
        painted = {line.ref: line for line, _ in texts.marked}
        found = set()
        for y in range(area.top() + 3, area.bottom() - 2):
            at = QPoint(area.center().x(), y)
            QTest.mouseClick(view.viewport(), LEFT, pos=at)
            ref = controller.store.page.selection
            found.add(ref)
            if y < area.top() + texts.head_bottom - 1:
                assert ref == TableRef(WORK)
            if ref in painted:
                image = view.viewport().grab().toImage()
                right = view.mapFromScene(item.mapToScene(painted[ref].right, 0)).x() - 4
                # The color of the selection; at the edge of the line it may end a part of a pixel above.
                around = {image.pixelColor(right, each).name() for each in (y - 1, y)}
                assert around != {QColor(style.tokens.ground).name()}
        assert found >= painted.keys()
        assert len(painted) > 2


async def test_the_link_under_the_pointer_is_highlighted_with_both_ends(bench: Bench) -> None:
    """The highlight ends when the pointer has left it. Its tooltip names its rule, as does that of another.

    A selected link column highlights the table that it links to; the row itself shows the selection.
    """
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        style = view.diagram_scene.diagram_style
        link = next(link for link in view.diagram_scene.diagram.links if link.edge.linked == PERSON)
        _hover(view, _middle_of(view, link))
        assert style.linked == {link.edge.ref, TableRef(PERSON)}
        _hover(view, QPoint(2, 2))
        assert style.linked == frozenset()
        assert view._tip(_middle_of(view, link)).startswith("work.")
        edge = replace(link.edge, required=True, unique=False, on_delete="set null")
        assert link_text(edge, "work", "artist", "person").splitlines() == [
            "work.artist → person",
            "any number of rows of work → exactly one of person",
            "When the row of person is deleted: the column becomes empty (on delete set null)",
        ]
        controller.store.select(ColumnRef(WORK, ARTIST))
        assert TableRef(PERSON) in style.linked
        controller.store.select(DOCUMENT)
        assert style.linked == frozenset()


async def test_gauges_cover_no_neighbor(bench: Bench) -> None:
    """However near tables are, at every zoom that has gauges."""
    async with bench.with_museum():
        view = bench.view.diagram
        scene = view.diagram_scene
        upper = scene.tables[PERSON].box
        gauges = next(item for item in scene.items() if isinstance(item, HeatItem))
        for gap in (1.0, 12.0, 28.0):
            view.moved.emit(WORK, upper.x, upper.bottom + gap)
            view.settled.emit()
            scene.show_heat({WORK: TableHeat(4, 0, 12345)}, lambda _ref: "")
            for zoom in (1.0, 0.6, 0.3):
                view._zoom_to(zoom, QPointF(view.viewport().rect().center()))
                view.centerOn(upper.x, upper.bottom)
                pictures = []
                for is_shown in (True, False):
                    gauges.setVisible(is_shown)
                    pictures.append(view.viewport().grab().toImage())
                # Its own gauge is at its upper edge.
                rect = QRectF(upper.x, upper.y + upper.height / 2, upper.width, upper.height / 2)
                lower = view.mapFromScene(rect).boundingRect().adjusted(0, 0, 0, -1)
                assert pictures[0] != pictures[1]
                assert pictures[0].copy(lower) == pictures[1].copy(lower), (gap, zoom)


async def test_a_new_table_is_readable_from_far_out(bench: Bench) -> None:
    """At a zoom of 20 % the view zooms in to the new table, and its name can be typed."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        view._zoom_to(0.2, QPointF(view.viewport().rect().center()))
        view.setFocus()
        bench.actions["table_new"].trigger()
        rect = view.line_rect(controller.store.page.selection)
        assert rect is not None
        assert view.viewport().rect().contains(rect.toRect())
        assert rect.height() > 15
        field = focus_widget()
        QTest.keyClicks(field, "guestbook")
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert any(table.name == "guestbook" for table in controller.store.page.document.tables)


async def test_links_of_a_large_model_are_routed_when_a_box_is_dropped(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it is dragged they follow it and ignore other boxes."""
    monkeypatch.setattr(layout_controller, "_LIVE", 2)
    async with bench.with_museum():
        view = bench.view.diagram
        start, port = _middle(view, TableRef(WORK)), view.viewport()
        QTest.mousePress(port, LEFT, pos=start)
        scene = view.diagram_scene
        # Onto the table that it links to.
        onto = _middle(view, TableRef(PERSON)) + QPoint(0, 30)
        for at in (start + QPoint(20, 20), onto):
            _move(view, at, LEFT)
        box = scene.tables[WORK].box
        links = [each.link for each in scene.links.values() if each.link.edge.source == WORK]
        assert links
        assert {link.path[0][0] for link in links} <= {box.x, box.right}
        away = onto + QPoint(0, 200)
        _move(view, away, LEFT)
        QTest.mouseRelease(port, LEFT, pos=away)
        (layout,) = view.findChildren(DiagramLayoutController)
        await until(lambda: layout.is_routed)
        diagram = scene.diagram
        assert diagram.by_table[WORK].y > box.y
        assert overlapping(diagram.boxes) == []
        assert [link for link in diagram.links if crossed(link, diagram.boxes)] == []


def _middle(view: DiagramView, ref: TableRef) -> QPoint:
    item = view.diagram_scene.tables[ref.table]
    return view.mapFromScene(item.pos() + QPointF(item.box.width / 2, item.box.head_height / 2))


def _middle_of(view: DiagramView, link: RoutedEdge) -> QPoint:
    (x, y), (far, low) = link.path[0], link.path[1]
    return view.mapFromScene(QPointF((x + far) / 2, (y + low) / 2))


def _hover(view: DiagramView, at: QPoint) -> None:
    _move(view, at, Qt.MouseButton.NoButton)


def _move(view: DiagramView, at: QPoint, button: Qt.MouseButton) -> None:
    port = view.viewport()
    glob = QPointF(port.mapToGlobal(at))
    QApplication.sendEvent(
        port, QMouseEvent(QEvent.Type.MouseMove, QPointF(at), glob, Qt.MouseButton.NoButton, button, NONE)
    )


def _dark_rows(view: DiagramView, ref: TableRef) -> int:
    """The number of rows of pixels with the color of texts in the middle of a box."""
    image = view.viewport().grab().toImage()
    text = QColor(view.diagram_scene.diagram_style.tokens.text).lightness()
    item = view.diagram_scene.tables[ref.table]
    middle = view.mapFromScene(item.pos() + QPointF(item.box.width / 2, item.box.height / 2))
    columns, rows = range(middle.x() - 12, middle.x() + 12), range(middle.y() - 14, middle.y() + 14)
    return sum(any(abs(image.pixelColor(x, y).lightness() - text) < 60 for x in columns) for y in rows)


@pytest.mark.parametrize("part", [0.0, 0.4, 0.8])
def test_underscores_are_visible_in_rows_far_out(qapp: QApplication, part: float) -> None:
    """Wherever the line begins between two pixels."""
    font = scaled(qapp.font(), 0.72)
    metrics = QFontMetricsF(font)
    image = QImage(60, 30, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with QPainter(image) as painter:
        rect = QRectF(4, 8 + part, 50, metrics.height() - 1)
        _elided(painter, (font, metrics), rect, "_", "#000000")
    dark = [y for x in range(60) for y in range(30) if image.pixelColor(x, y).lightness() < 128]
    assert len(dark) >= 3


def test_texts_at_small_zooms_stay_in_their_box_and_apart() -> None:
    """Those of the last rows are moved up instead of being left out; more than fit are."""
    assert _tops([10.0, 50.0, 54.0], 5, 60, 9) == [10.0, 42.0, 51.0]
    assert _tops([1.0, 2.0], 5, 60, 9) == [5.0, 14.0]
    assert _tops([10.0, 11.0, 12.0], 5, 25, 9) == [7.0, 16.0]
    assert _tops([10.0], 20, 22, 9) == []


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_links_of_large_diagrams_can_be_seen_on_every_ground(tokens: Tokens) -> None:
    """With a contrast of 3:1 at least, on the ground and in the regions of groups."""
    ground = QColor(tokens.ground)
    part = _DARK_FILL if ground.lightnessF() < 0.5 else _FILL
    grounds = [ground, *(mixed(group_color(number, tokens), ground, part) for number in range(8))]
    for color in (tokens.edge, tokens.handle):
        assert min(contrast(color, each.name()) for each in grounds) >= 3
