"""Tests of light, dark and as the platform has it."""

from __future__ import annotations

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
def test_a_choice_paints_the_application_at_once(
    qtbot: QtBot, qapp: QApplication, appearance: Appearance, choice: Choice, tokens: Tokens
) -> None:
    """Whatever the platform says, and whoever paints is told."""
    with qtbot.waitSignal(appearance.changed):
        appearance.choose(choice)
    assert appearance.tokens is tokens
    assert qapp.palette().color(QPalette.ColorRole.Base).name().upper() == tokens.ground


def test_a_choice_is_kept_for_the_next_start(qapp: QApplication, settings: QSettings) -> None:
    """A value that nobody knows counts as none."""
    Appearance(qapp, settings).choose("dark")
    assert Appearance(qapp, settings).tokens is DARK
    settings.setValue("appearance", "plaid")
    assert Appearance(qapp, settings).choice == "system"


def test_what_has_a_style_sheet_follows_too(qtbot: QtBot, appearance: Appearance) -> None:
    """Qt lets no change of the palette through to what lies below one."""
    splitter = QSplitter()
    qtbot.addWidget(splitter)
    splitter.setStyleSheet("QSplitter::handle { background: palette(mid); }")
    field = QLineEdit(splitter)
    splitter.show()
    appearance.choose("dark")
    assert field.palette().color(QPalette.ColorRole.Base).name().upper() == DARK.ground
    assert splitter.styleSheet()


def test_the_pages_of_tabs_follow_too(qtbot: QtBot, appearance: Appearance) -> None:
    """The sheet of a tab bar marks the whole tab widget, and Qt then passes it by."""
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
    """Told like a change of the colours, and one that nobody knows is the normal one."""
    told: list[int] = []
    appearance.changed.connect(lambda: told.append(appearance.row))
    for density in get_args(Density):
        appearance.choose_density(density)
    assert told == [20, 24, 30]


def test_nothing_moves_where_nobody_wants_it(appearance: Appearance) -> None:
    """A movement without a duration is a jump."""
    appearance.choose_motion("none")
    assert appearance.duration(200) == 0


@pytest.mark.parametrize("choice", ["light", "dark", "contrast"])
def test_an_empty_box_can_be_seen(qtbot: QtBot, appearance: Appearance, choice: Choice) -> None:
    """Alone or in a list: its outline has a contrast of 3 against what it stands on."""
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
def test_the_field_with_the_focus_can_be_seen(qtbot: QtBot, appearance: Appearance, choice: Choice) -> None:
    """Its outline has a contrast of 3 against the page."""
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


def test_the_system_may_ask_for_high_contrast() -> None:
    """That counts before light and dark."""
    scheme, wish = Qt.ColorScheme, Qt.ContrastPreference
    assert table_of_system(scheme.Light, wish.HighContrast) is HIGH_CONTRAST
    assert table_of_system(scheme.Dark, wish.NoPreference) is DARK
    assert table_of_system(scheme.Unknown, wish.NoPreference) is LIGHT


def _colours(widget: QWidget) -> set[str]:
    """The colours that make up at least a side of a box."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    seen = [image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())]
    return {colour for colour in set(seen) if seen.count(colour) >= 10}


@pytest.mark.parametrize("kind", [QPushButton, QToolButton, QCheckBox, QComboBox, QSpinBox, QLineEdit])
def test_nothing_to_click_is_lower_than_a_row(
    qtbot: QtBot, appearance: Appearance, kind: type[QWidget]
) -> None:
    """With a small typeface too, from which the style takes its heights."""
    control = kind()
    qtbot.addWidget(control)
    font = QFont(control.font())
    font.setPointSize(6)
    control.setFont(font)
    assert control.sizeHint().height() == ROWS["normal"]
