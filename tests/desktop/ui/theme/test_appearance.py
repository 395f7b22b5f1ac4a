"""Tests of the light, dark and system appearance."""

from typing import get_args

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QFont, QImage, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QListWidget,
    QPushButton,
    QSpinBox,
    QSplitter,
    QTabWidget,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance, Choice, table_of_system
from cdb_desktop.ui.theme.measures import ROWS, Density
from cdb_desktop.ui.theme.style_sheets import FLAT_TABS
from cdb_desktop.ui.theme.tokens import DARK, HIGH_CONTRAST, LIGHT, Tokens
from tests.desktop.ui.theme.test_tokens import contrast


@pytest.mark.parametrize(
    ("choice", "tokens"), [("light", LIGHT), ("dark", DARK), ("contrast", HIGH_CONTRAST)]
)
def test_a_choice_applies_immediately(
    qtbot: QtBot, qapp: QApplication, appearance: Appearance, choice: Choice, tokens: Tokens
) -> None:
    """Whatever the system's setting is; a signal is emitted."""
    with qtbot.waitSignal(appearance.changed):
        appearance.choose(choice)
    assert appearance.tokens is tokens
    assert qapp.palette().color(QPalette.ColorRole.Base).name().upper() == tokens.ground


def test_a_choice_is_stored(qapp: QApplication, settings: QSettings) -> None:
    """Unknown values are ignored."""
    Appearance(qapp, settings).choose("dark")
    assert Appearance(qapp, settings).tokens is DARK
    settings.setValue("appearance", "plaid")
    assert Appearance(qapp, settings).choice == "system"


def test_widgets_with_a_style_sheet_follow_too(qtbot: QtBot, appearance: Appearance) -> None:
    """Qt does not propagate palette changes below a widget with a style sheet."""
    splitter = QSplitter()
    qtbot.addWidget(splitter)
    splitter.setStyleSheet("QSplitter::handle { background: palette(mid); }")
    field = QLineEdit(splitter)
    splitter.show()
    appearance.choose("dark")
    assert field.palette().color(QPalette.ColorRole.Base).name().upper() == DARK.ground
    assert splitter.styleSheet()


def test_the_pages_of_tabs_follow_too(qtbot: QtBot, appearance: Appearance) -> None:
    """The style sheet of a tab bar excludes the whole tab widget from Qt's propagation."""
    tabs, page = QTabWidget(), QWidget()
    qtbot.addWidget(tabs)
    tabs.addTab(page, "page")
    tabs.tabBar().setStyleSheet(FLAT_TABS)
    tabs.show()
    for choice in get_args(Choice):
        appearance.choose(choice)
        qtbot.waitUntil(lambda: _ground(page) == appearance.tokens.ground)


def _ground(widget: QWidget) -> str:
    return widget.palette().color(QPalette.ColorRole.Base).name().upper()


def test_density_is_the_height_of_rows(appearance: Appearance) -> None:
    """A signal is emitted, and an unknown density means the normal one."""
    heights: list[int] = []
    appearance.changed.connect(lambda: heights.append(appearance.row))
    for density in get_args(Density):
        appearance.choose_density(density)
    assert heights == [20, 24, 30]


def test_without_motion_animations_have_no_duration(appearance: Appearance) -> None:
    """They end immediately."""
    appearance.choose_motion("none")
    assert appearance.duration(200) == 0


@pytest.mark.parametrize("choice", ["light", "dark", "contrast"])
def test_an_unchecked_box_is_visible(qtbot: QtBot, appearance: Appearance, choice: Choice) -> None:
    """Alone or in a list: its outline has a contrast of 3 to its background."""
    appearance.choose(choice)
    tokens = appearance.tokens
    box, items = QCheckBox(), QListWidget()
    items.addItem("")
    items.item(0).setCheckState(Qt.CheckState.Unchecked)
    items.setFrameShape(QListWidget.Shape.NoFrame)
    for widget, ground in ((box, tokens.raised), (items, tokens.ground)):
        qtbot.addWidget(widget)
        widget.resize(40, 30)
        assert max(contrast(colour, ground) for colour in _colours(widget)) >= 3


@pytest.mark.parametrize("choice", ["light", "dark", "contrast"])
def test_the_focused_field_is_visible(qtbot: QtBot, appearance: Appearance, choice: Choice) -> None:
    """Its outline has a contrast of 3 to the page."""
    appearance.choose(choice)
    field = QLineEdit()
    qtbot.addWidget(field)
    field.resize(80, 30)
    with qtbot.waitActive(field):
        field.show()
        field.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    assert max(contrast(colour, appearance.tokens.raised) for colour in _colours(field)) >= 3


def test_the_system_may_request_high_contrast() -> None:
    """It has priority over light and dark."""
    scheme, wish = Qt.ColorScheme, Qt.ContrastPreference
    assert table_of_system(scheme.Light, wish.HighContrast) is HIGH_CONTRAST
    assert table_of_system(scheme.Dark, wish.NoPreference) is DARK
    assert table_of_system(scheme.Unknown, wish.NoPreference) is LIGHT


def _colours(widget: QWidget) -> set[str]:
    """The colors of at least as many pixels as a side of a box."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    seen = [image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())]
    return {colour for colour in set(seen) if seen.count(colour) >= 10}


@pytest.mark.parametrize("kind", [QPushButton, QToolButton, QCheckBox, QComboBox, QSpinBox, QLineEdit])
def test_no_clickable_widget_is_lower_than_a_row(
    qtbot: QtBot, appearance: Appearance, kind: type[QWidget]
) -> None:
    """Also with a small font, from which the style derives heights."""
    control = kind()
    qtbot.addWidget(control)
    font = QFont(control.font())
    font.setPointSize(6)
    control.setFont(font)
    assert control.sizeHint().height() == ROWS["normal"]
