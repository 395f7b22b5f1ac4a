"""Tests of actions on hits, with the reference server."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from cdb_desktop.events.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.compare.controller import CompareDialog
from cdb_desktop.ui.events.search.panel import SearchPanel
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.vocabulary.event_text import object_text, user_text
from cdb_desktop.vocabulary.pattern import PatternKind
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse, popup

_ROWS = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows


async def found(view: EventsView, actions: Actions, typed: str = "type=OBJECT_DELETE") -> SearchPanel:
    """The hits of a search."""
    await until(lambda: view.model.rowCount() >= 2000)
    actions["search_all"].trigger()
    panel = view.panels.search
    panel.text.setText(typed)
    panel.kind.setCurrentIndex(panel.kind.findData(PatternKind.KEY))
    panel.search()
    await until(lambda: panel.go.text() == "Search" and panel.model.rowCount() > 2)
    return panel


def right_click(panel: SearchPanel, row: int) -> QMenu:
    """Clicks a hit with the right button."""
    table = panel.table
    place = table.visualRect(panel.model.index(row, 1)).center()
    reason = QContextMenuEvent.Reason.Mouse
    select(panel, row)
    QApplication.sendEvent(
        table.viewport(), QContextMenuEvent(reason, place, table.viewport().mapToGlobal(place))
    )
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def choose(menu: QMenu, prefix: str) -> None:
    """Triggers an entry of the menu."""
    (entry,) = (one for one in menu.actions() if one.text().startswith(prefix))
    assert entry.isEnabled()
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(entry).center())


def select(panel: SearchPanel, *rows: int) -> None:
    """Selects several hits."""
    panel.table.setFocus()
    panel.table.clearSelection()
    for row in rows:
        panel.table.selectionModel().select(panel.model.index(row, 0), _ROWS)


async def test_hits_have_user_and_object(browse: Browse, actions: Actions) -> None:
    """In separate columns, with space for the text."""
    async with browse() as (view, _controller):
        panel = await found(view, actions)
        assert [one.name for one in panel.model.columns] == [
            "id",
            "time",
            "type",
            "user",
            "object",
            "where",
            "piece",
        ]
        event = panel.model.hits[0].event
        assert panel.model.index(0, 4).data() == object_text(event)
        assert event.objecttype
        assert panel.table.columnWidth(6) > 100


async def test_the_menu_of_a_hit_filters_by_it(browse: Browse, actions: Actions) -> None:
    """As the menu of a row does."""
    async with browse() as (view, controller):
        panel = await found(view, actions)
        choose(right_click(panel, 1), "Only OBJECT_DELETE")
        await until(lambda: controller.query == Query(types=("OBJECT_DELETE",)))


async def test_hits_are_counted_by_their_values(browse: Browse, actions: Actions) -> None:
    """For each of their fields; choosing a count selects its hits."""
    async with browse() as (view, _controller):
        panel = await found(view, actions)
        hits = panel.model.hits
        panel.counts.click()
        menu = popup()
        assert isinstance(menu, QMenu)
        lines = [one.text() for one in menu.actions() if not one.isSeparator()]
        assert lines[:2] == ["Type · 1", f"OBJECT_DELETE\t{len(hits)}"]
        (user, number), *_others = Counter(user_text(hit.event) for hit in hits).most_common()
        assert f"{user}\t{number}" in lines
        choose(menu, f"{user}\t")
        assert {user_text(event) for event in panel.table.selected_events} == {user}
        assert len(panel.table.selected_rows) == number
        assert panel.table.hasFocus()


async def test_selected_hits_are_copied(browse: Browse, actions: Actions) -> None:
    """As rows for a spreadsheet by shortcut, as ids by the menu."""
    async with browse() as (view, _controller):
        panel = await found(view, actions)
        ids = [hit.event.id for hit in panel.model.hits]
        select(panel, 0, 2)
        QTest.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        lines = QGuiApplication.clipboard().text().splitlines()
        assert [line.split("\t")[0] for line in lines] == [str(ids[0]), str(ids[2])]
        assert lines[0].endswith("\ttype\tOBJECT_DELETE")
        assert view.count.text.startswith("Copied hits: 2")
        choose(right_click(panel, 1), "Copy ids")
        assert QGuiApplication.clipboard().text() == str(ids[1])


async def test_two_hits_are_compared(browse: Browse, actions: Actions) -> None:
    """The shortcut applies to the hits while they have the focus."""
    async with browse() as (view, _controller):
        panel = await found(view, actions)
        ids = sorted(panel.model.hits[row].event.id for row in (0, 2))
        select(panel, 0, 2)
        await until(panel.table.hasFocus)
        actions["compare"].trigger()
        await until(lambda: view.findChild(CompareDialog) is not None)
        sheet = view.findChild(CompareDialog)
        assert isinstance(sheet, CompareDialog)
        titles = [sheet.table.horizontalHeaderItem(place) for place in range(sheet.table.columnCount())]
        header_texts = " ".join(one.text() for one in titles if one is not None).replace(",", "")
        assert all(str(one) in header_texts for one in ids)
        sheet.reject()
