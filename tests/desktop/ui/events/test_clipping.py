"""Tests that dialogs and popups of the event browser are not clipped, in German with a large font."""

import gc
import warnings
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QFont, QFontInfo
from PySide6.QtWidgets import QApplication, QDialog, QPushButton, QWidget

from cdb_desktop.queries.query import QueryPart
from cdb_desktop.ui.actions import Actions
from tests.desktop.conftest import SetLanguage
from tests.desktop.patience import until
from tests.desktop.ui.clipping import clipped
from tests.desktop.ui.events.conftest import Browse, active_popup

LETTERS = 1.25


@pytest.fixture
def _large_german(qapp: QApplication, set_language: SetLanguage) -> Iterator[None]:
    usual = qapp.font()
    large = QFont(usual)
    large.setPointSizeF(QFontInfo(usual).pointSizeF() * LETTERS)
    qapp.setFont(large)
    set_language("de")
    yield
    qapp.setFont(usual)


@pytest.mark.usefixtures("_large_german")
async def test_nothing_is_clipped(browse: Browse, actions: Actions) -> None:
    """Neither texts nor lists, and each one fits on the screen."""
    async with browse() as (view, controller):
        view.table.go_to(0)
        await until(lambda: (shown := view.inspector.details) and shown.is_whole)
        for part in (QueryPart.TYPE, QueryPart.USER, QueryPart.DATE):
            view.filter_controller.edit(part, view.filter_bar)
            check_visible()
        for name in ("jump", "order", "columns", "highlight"):
            actions[name].trigger()
            check_visible()
        assert controller.query.parts == ()
        await until(lambda: not any(map(controller._tasks.is_running, ("events.read", "events.overview"))))
    # A closed popup cancels its requests; one that was connecting leaves its socket to the collector.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def check_visible() -> None:
    """Checks that the open dialog or popup is completely visible."""
    popup = active_popup()
    layout = popup.layout()
    assert layout is not None
    room = popup.screen().availableGeometry()
    assert clipped(popup) == []
    assert popup.height() >= min(layout.totalHeightForWidth(popup.width()), room.height())
    assert room.contains(popup.geometry())
    popup.close()


async def test_buttons_have_the_same_height(browse: Browse, actions: Actions) -> None:
    """In dialogs and popups."""
    async with browse() as (view, _controller):
        view.table.go_to(2)
        for name in ("delete_selected", "export_options", "summary"):
            actions[name].trigger()
            await until(lambda: QApplication.activeModalWidget() is not None)
            dialog = QApplication.activeModalWidget()
            assert isinstance(dialog, QDialog)
            await until(lambda: len(heights(dialog)) == 1)  # noqa: B023
            dialog.reject()
        for name in ("filter", "jump", "columns", "order"):
            if name == "filter":
                view.filter_controller.edit(QueryPart.TYPE, view.filter_bar.chip(QueryPart.TYPE))
            else:
                actions[name].trigger()
            await until(lambda: QApplication.activePopupWidget() is not None)
            opened = active_popup()
            assert len(heights(opened)) == 1, name
            opened.hide()
            opened.deleteLater()


def heights(dialog: QWidget) -> set[int]:
    """The heights of all buttons with text."""
    return {one.height() for one in dialog.findChildren(QPushButton) if one.isVisible() and one.text()}
