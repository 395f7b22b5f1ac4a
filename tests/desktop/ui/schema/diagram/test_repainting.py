"""Tests of what is painted again after a change: not much, but everything that looks different."""

import numpy as np
from PySide6.QtCore import QEvent, QObject, QRect
from PySide6.QtGui import QImage, QPaintEvent
from PySide6.QtWidgets import QApplication

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn
from cdb_desktop.schema.edits.tables import RenameTable, remove_table
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.diagram.style import KEYS
from cdb_desktop.ui.schema.diagram.view import DiagramView
from tests.desktop.patience import until
from tests.desktop.schema.models import PERSON, PICTURE, WORK
from tests.desktop.ui.schema.conftest import Bench

_ROUNDING = 6  # levels of a color by which lines differ that are clipped elsewhere


class _Painted(QObject):
    """Records what is painted again of a viewport."""

    def __init__(self, view: DiagramView) -> None:
        super().__init__(view)
        self.rect = QRect()
        view.viewport().installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if isinstance(event, QPaintEvent):
            self.rect = self.rect.united(event.rect())
        return False


async def test_an_edit_paints_its_box_only(bench: Bench) -> None:
    """With the handles beside it, but not the rest of the diagram."""
    async with bench.with_museum() as controller:
        view, app = bench.view.diagram, QApplication.instance()
        assert isinstance(app, QApplication)
        column = _first_column(controller, PERSON)
        controller.store.select(TableRef(PERSON))
        view.zoom_in()
        app.sendPostedEvents()
        painted = _Painted(view)
        assert controller.store.apply(RenameColumn(column, "x"))
        app.sendPostedEvents()
        row, whole = view.line_rect(column), view.viewport().rect()
        assert row is not None
        assert painted.rect.contains(row.toRect().intersected(whole))
        assert painted.rect.width() * painted.rect.height() < whole.width() * whole.height() / 2


async def test_nothing_of_the_picture_before_is_left(bench: Bench) -> None:
    """After edits, moves and other selections it looks as if everything had been painted again."""
    async with bench.with_museum() as controller:
        view, store = bench.view.diagram, controller.store
        (layout,) = view.findChildren(DiagramLayoutController)
        view.zoom_in()
        await until(lambda: not _on_screen(view).isNull())
        for change in (
            lambda: store.select(TableRef(WORK)),
            lambda: store.apply(
                RenameColumn(_first_column(controller, WORK), "a_name_that_needs_more_space")
            ),
            lambda: store.apply(AddColumn(PERSON, "added", "text", 0)),
            lambda: view.nudged.emit(24.0, 16.0),
            lambda: store.apply(RenameTable(PERSON, "people_of_all_kinds")),
            lambda: store.apply(remove_table(PICTURE, dependents=True)),
            bench.actions["schema_undo"].trigger,
        ):
            change()
            await until(lambda: layout.is_routed and not view.diagram_scene.is_moving)
            QApplication.sendPostedEvents()
            found = _on_screen(view)
            view.viewport().repaint()
            assert _is_alike(found, _on_screen(view))


async def test_links_that_changed_while_they_were_hidden_are_shown_at_a_larger_zoom(bench: Bench) -> None:
    """At small zooms the items of links are hidden and not updated."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        scene = view.diagram_scene
        middle = view.viewport().rect().center().toPointF()
        view._zoom_to(KEYS * 0.7, middle)
        controller.store.select(TableRef(WORK))
        assert controller.store.apply(remove_table(PICTURE, dependents=True))
        (layout,) = view.findChildren(DiagramLayoutController)
        await until(lambda: layout.is_routed)
        view._zoom_to(1.0, middle)
        links = {link.edge.ref.column: link for link in scene.diagram.links}
        assert links
        assert {key: item.link for key, item in scene.links.items()} == links
        assert all(item.scene() is scene for item in scene.links.values())
        ends = {key: link.edge for key, link in links.items()}
        for key, item in scene.links.items():
            is_near = WORK in (ends[key].ref.table, ends[key].linked)
            assert (item.zValue() > -1.5) == is_near or bool(item.link.bundled)


def _first_column(controller: SchemaController, table: int) -> ColumnRef:
    page = controller.store.page
    return ColumnRef(table, page.document.by_key[table].columns[0].key)


def _on_screen(view: DiagramView) -> QImage:
    """What was painted, without painting it again."""
    return view.screen().grabWindow(view.winId()).toImage().convertToFormat(QImage.Format.Format_RGB32)


def _is_alike(one: QImage, other: QImage) -> bool:
    if one == other:
        return True
    first, second = (np.frombuffer(image.constBits(), np.uint8).astype(np.int16) for image in (one, other))
    return bool((np.abs(first - second) <= _ROUNDING).all())
