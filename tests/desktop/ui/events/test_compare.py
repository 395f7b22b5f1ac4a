"""Tests of comparing and copying selected rows, with the reference server."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from cdb_desktop.events.ticket import CopyFormat
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.controller import CompareDialog
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse
from tests.desktop.ui.finding import awaited_child, child_of
from tests.desktop.ui.menus import entry


async def test_two_selected_events_are_shown_side_by_side(browse: Browse, actions: Actions) -> None:
    """The complete records, the older one at the left; only differences unless all fields are requested."""
    async with browse() as (view, _controller):
        assert not actions["compare"].isEnabled()
        view.table.selectRow(2)
        QTest.keyClick(view.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
        actions["compare"].trigger()
        dialog = await awaited_child(view, CompareDialog)
        paths = {text(dialog, row, 1): row for row in range(dialog.table.rowCount())}
        ids = int(text(dialog, paths["_id"], 2)), int(text(dialog, paths["_id"], 3))
        assert ids[0] < ids[1]
        assert all(text(dialog, row, 0) for row in range(dialog.table.rowCount()))
        dialog.only.setChecked(False)
        signs = [text(dialog, row, 0) for row in range(dialog.table.rowCount())]
        assert sum(map(bool, signs)) == len(paths)
        differ = "differs" if len(paths) == 1 else "differ"
        assert dialog.text == f"{len(paths)} of {len(signs)} values {differ}."
        dialog.close()


async def test_events_that_are_not_adjacent_take_two_actions(browse: Browse) -> None:
    """With one of them selected: the menu of the other one, which a right click selects, and its entry."""
    async with browse() as (view, _controller):
        for is_clicked, row in ((False, 5), (True, 6)):
            view.table.go_to(1)
            events = [view.model.event_at(each) for each in (1, row)]
            ids = sorted(event.id for event in events if event)
            if is_clicked:
                place = view.table.visualRect(view.model.index(row, 1)).center()
                QTest.mouseClick(view.table.viewport(), Qt.MouseButton.RightButton, pos=place)
            right_click(view, row)
            choose(view, "Compare with event")
            dialog = await awaited_child(view, CompareDialog)
            assert [int(text(dialog, 0, column)) for column in (2, 3)] == ids, is_clicked
            dialog.close()
            await until(lambda: view.findChild(CompareDialog) is None)


async def test_rows_are_copied_in_several_formats(browse: Browse) -> None:
    """The context menu copies the visible columns."""
    async with browse() as (view, _controller):
        view.table.go_to(0)
        right_click(view, 0)
        choose(view, "Copy rows as Markdown")
        clipboard = QGuiApplication.clipboard()
        await until(lambda: clipboard.text().startswith("| Id | Time | Type | User | Object |"))
        view.columns.show(("id", "type"))
        view.table.copy_requested.emit(CopyFormat.CSV)
        await until(lambda: clipboard.text().startswith("Id,Type\r\n"))


def text(dialog: CompareDialog, row: int, column: int) -> str:
    """The text of a cell."""
    item = dialog.table.item(row, column)
    return "" if item is None else item.text()


def choose(view: EventsView, prefix: str) -> None:
    """Triggers an entry of the context menu of a row."""
    menu = child_of(view, QMenu, "events.row.menu")
    entry(menu, prefix).trigger()
    menu.close()


def right_click(view: EventsView, row: int) -> None:
    """Clicks a row with the right button."""
    viewport = view.table.viewport()
    place = view.table.visualRect(view.model.index(row, 1)).center()
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(viewport, QContextMenuEvent(reason, place, viewport.mapToGlobal(place)))
