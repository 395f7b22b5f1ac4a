"""Every page, dialog and popup shows which widget has the focus."""

import asyncio
from pathlib import Path
from typing import Literal

import pytest
from PySide6.QtCore import QPoint, QRect, QSettings, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QHeaderView,
    QLabel,
    QPushButton,
    QScrollArea,
    QWidget,
)

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from tests.journeys.visit import visiting
from tests.journeys.walk import widget_path, widgets_of_all_states
from tests.server import serving

_AROUND = 3  # pixels around a widget in which its ring may be
_FEWEST = 30  # minimum number of pixels of a ring; more than the cursor of a text field


@pytest.mark.long
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.timeout(180)
async def test_the_focus_is_visible(
    folders: UserFolders, own_museum: Path, theme: Literal["light", "dark"]
) -> None:
    """Each widget in the tab order looks different while it has the focus."""
    settings = QSettings(str(folders.settings / "cdb-desktop.ini"), QSettings.Format.IniFormat)
    settings.setValue("appearance", theme)
    settings.sync()
    QApplication.setCursorFlashTime(0)
    seen: set[str] = set()
    unseen: set[str] = set()
    with serving(own_museum) as url:
        async with visiting(folders, Options(server=url, login="root", password="admin")) as visit:
            async for state, widget in widgets_of_all_states(visit):
                if not _takes_tab(widget) or (where := widget_path(widget)) in seen:
                    continue
                changed = await _changed(widget)
                if changed is None:
                    continue
                seen.add(where)
                if changed < _FEWEST:
                    unseen.add(f"{state}: {where} ({type(widget).__name__}, {changed} pixels)")
    assert len(seen) > 100
    assert not unseen, "\n" + "\n".join(sorted(unseen))


def _takes_tab(widget: QWidget) -> bool:
    if not widget.focusPolicy() & Qt.FocusPolicy.TabFocus or not widget.isEnabled():
        return False
    if isinstance(widget, QLabel | QHeaderView) or widget.focusProxy() is not None:
        return False
    return not isinstance(widget.parent(), QAbstractScrollArea | QAbstractSpinBox)


async def _changed(widget: QWidget) -> int | None:
    """How many pixels of a widget and around it the focus changes; None if it does not accept the focus."""
    window, before = widget.window(), QApplication.focusWidget()
    window.activateWindow()
    _scroll_to(widget)
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    await asyncio.sleep(0.01)
    if not widget.hasFocus() or not widget.isVisible():
        return None
    # As a Tab key does: styles draw focus rings only after keyboard input.
    window.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
    focused = _picture(widget)
    widget.clearFocus()
    await asyncio.sleep(0.01)
    if not widget.isVisible() or (isinstance(widget, QPushButton) and widget.isDefault()):
        return None  # the style marks the button that Return presses as it marks the one with the focus
    plain = _picture(widget)
    if before is not None:
        before.setFocus()
    return None if focused.isNull() or plain.isNull() else _different(focused, plain)


def _scroll_to(widget: QWidget) -> None:
    """Scrolls to a widget as Tab does, which setting the focus does not."""
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QScrollArea):
            parent.ensureWidgetVisible(widget)
        parent = parent.parentWidget()


def _picture(widget: QWidget) -> QImage:
    window = widget.window()
    place = QRect(widget.mapTo(window, QPoint()), widget.size())
    place = place.adjusted(-_AROUND, -_AROUND, _AROUND, _AROUND) & window.rect()
    return window.grab(place).toImage().convertToFormat(QImage.Format.Format_RGB32)


def _different(one: QImage, other: QImage) -> int:
    if one.size() != other.size():
        return one.width() * one.height()
    first, second = (bytes(image.constBits()) for image in (one, other))
    if first == second:
        return 0
    return sum(first[at : at + 4] != second[at : at + 4] for at in range(0, len(first), 4))
