"""Tests that the sheets of the event browser show all they say, in German and with large letters."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QFont, QFontInfo
from PySide6.QtWidgets import QApplication, QDialog, QPushButton, QWidget

from cdb_desktop.events.query import QueryPart
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.shell.settings.language import LanguageSetting
from tests.desktop.patience import until
from tests.desktop.ui.clipping import clipped
from tests.desktop.ui.events.conftest import Browse, popup

LETTERS = 1.25


@pytest.fixture
def _large_german(qapp: QApplication, settings: QSettings) -> Iterator[None]:
    usual = qapp.font()
    large = QFont(usual)
    large.setPointSizeF(QFontInfo(usual).pointSizeF() * LETTERS)
    qapp.setFont(large)
    settings.setValue("language", "de")
    language = LanguageSetting(qapp, settings)
    yield
    language.choose("en")
    qapp.setFont(usual)


@pytest.mark.usefixtures("_large_german")
async def test_no_sheet_is_cut(browse: Browse, actions: Actions) -> None:
    """Neither its words nor its lists, and it stays on the screen."""
    async with browse() as (view, controller):
        await until(lambda: view.has_rows)
        view.table.go_to(0)
        await until(lambda: (shown := view.inspector.details) and shown.is_whole)
        for part in (QueryPart.TYPE, QueryPart.USER, QueryPart.DATE):
            view.filter_controller.edit(part, view.filter_bar)
            check_sheet()
        for name in ("jump", "order", "columns", "highlight"):
            actions[name].trigger()
            check_sheet()
        assert controller.query.parts == ()


def check_sheet() -> None:
    """All of the open sheet can be seen."""
    sheet = popup()
    layout = sheet.layout()
    assert layout is not None
    room = sheet.screen().availableGeometry()
    assert clipped(sheet) == []
    assert sheet.height() >= min(layout.totalHeightForWidth(sheet.width()), room.height())
    assert room.contains(sheet.geometry())
    sheet.close()


async def test_buttons_of_a_sheet_have_one_height(browse: Browse, actions: Actions) -> None:
    """Cancel, the next step and all others, in dialogs and popups."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        view.table.go_to(2)
        for name in ("delete_selected", "export_options", "summary"):
            actions[name].trigger()
            await until(lambda: QApplication.activeModalWidget() is not None)
            sheet = QApplication.activeModalWidget()
            assert isinstance(sheet, QDialog)
            await until(lambda: len(heights(sheet)) == 1)  # noqa: B023
            sheet.reject()
        for name in ("filter", "jump", "columns", "order"):
            if name == "filter":
                view.filter_controller.edit(QueryPart.TYPE, view.filter_bar.chip(QueryPart.TYPE))
            else:
                actions[name].trigger()
            await until(lambda: QApplication.activePopupWidget() is not None)
            opened = popup()
            assert len(heights(opened)) == 1, name
            opened.hide()
            opened.deleteLater()


def heights(sheet: QWidget) -> set[int]:
    """Those of all buttons with words."""
    return {one.height() for one in sheet.findChildren(QPushButton) if one.isVisible() and one.text()}
