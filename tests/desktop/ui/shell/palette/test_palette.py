"""Tests of the command palette over a window."""

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.shell.palette.palette import CommandPalette
from cdb_desktop.ui.shell.palette.sources import ActionSource, synonyms
from cdb_desktop.ui.theme.appearance import Appearance


@pytest.fixture
def actions(appearance: Appearance) -> Actions:
    """The actions of a session that may only list events."""
    made = Actions(appearance)
    made.offer(lambda right: right == "system.api.event.get")
    made.show_page("events")
    return made


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """The parent of the palette."""
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 600)
    return window


@pytest.fixture
def field(qtbot: QtBot, window: QWidget) -> QLineEdit:
    """A focused line edit in the window."""
    field = QLineEdit()
    QVBoxLayout(window).addWidget(field)
    window.show()
    with qtbot.waitActive(window):
        window.activateWindow()
    field.setFocus()
    return field


@pytest.fixture
def palette(
    window: QWidget, field: QLineEdit, actions: Actions, appearance: Appearance, settings: QSettings
) -> CommandPalette:
    """An open palette."""
    palette = CommandPalette(window, appearance, (ActionSource(actions, settings),))
    palette.open_palette()
    return palette


def test_it_lists_every_action_but_itself(palette: CommandPalette, actions: Actions) -> None:
    """Enabled actions come before disabled ones."""
    assert {row.name for row in palette.model.rows} == {
        name for name in actions if name != "palette" and not actions.spec(name).native
    }
    hindered = [bool(row.obstacle) for row in palette.model.rows]
    assert hindered == sorted(hindered)


def test_actions_of_the_page_precede_connecting(palette: CommandPalette, actions: Actions) -> None:
    """With a connection; without one the actions for connecting are first."""
    assert palette.model.rows[0].name == "search"
    assert _place(palette, "refresh") < _place(palette, "demo")
    assert _place(palette, "jump") < _place(palette, "refresh")
    actions.offer(None)
    palette.close_overlay()
    palette.open_palette()
    assert palette.model.rows[0].name == "demo"


def test_recent_actions_are_first(
    palette: CommandPalette, actions: Actions, appearance: Appearance, settings: QSettings, window: QWidget
) -> None:
    """In the next window too; matching the typed text has priority."""
    for name in ("refr", "keys", "refr"):
        palette.open_palette()
        QTest.keyClicks(palette.field, name)
        QTest.keyClick(palette.field, Qt.Key.Key_Return)
    again = CommandPalette(window, appearance, (ActionSource(actions, settings),))
    again.open_palette()
    assert [row.name for row in again.model.rows[:2]] == ["refresh", "keys"]
    QTest.keyClicks(again.field, "jump")
    assert again.model.rows[0].name == "jump"


def test_a_few_letters_and_enter_run_an_action(palette: CommandPalette, actions: Actions) -> None:
    """The palette closes before the action is triggered."""
    seen: list[bool] = []
    actions["refresh"].triggered.connect(lambda: seen.append(palette.isVisible()))
    QTest.keyClicks(palette.field, "refr")
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert seen == [False]


SYNONYMS = {
    "promote": "schema_promote",
    "merge": "schema_promote",
    "befördern": "schema_promote",
    "übernehmen": "schema_promote",
    "take over": "schema_promote",
    "import": "schema_import",
    "dark": "dark",
    "dunkelmodus": "dark",
    "shortcut": "keys",
    "logout": "disconnect",
    "veröffentlichen": "schema_commit",
}


def test_synonyms_of_both_languages_find_actions(palette: CommandPalette) -> None:
    """Among the first three, before names that merely have these letters somewhere."""
    for typed, name in SYNONYMS.items():
        palette.field.setText(typed)  # the keys of letters such as ö cannot be simulated
        assert name in [row.name for row in palette.model.rows[:3]], typed


def test_synonyms_are_of_actions(actions: Actions) -> None:
    """Every entry of the list belongs to an action."""
    assert synonyms("actions").keys() <= set(actions)


def test_actions_for_the_focused_widget_are_listed_with_the_reason(palette: CommandPalette) -> None:
    """They cannot be run from here, but have a key."""
    QTest.keyClicks(palette.field, "select all")
    (row,) = (row for row in palette.model.rows if row.name == "select_all")
    assert row.obstacle == "Press Ctrl+A where it is to apply."


def test_a_missing_right_is_named(palette: CommandPalette, actions: Actions) -> None:
    """The row of the disabled action names the right (§5.2)."""
    QTest.keyClicks(palette.field, "commit")
    row = palette.model.rows[0]
    assert (row.name, row.obstacle) == ("schema_commit", "Requires the right system.datamodel.commit.")
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()


def test_arrows_select_while_typing(palette: CommandPalette) -> None:
    """The line edit keeps the focus."""
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    QTest.keyClick(palette.field, Qt.Key.Key_Up)
    assert palette.list.currentIndex().row() == 1
    assert palette.field.hasFocus()


def test_escape_closes_it_and_restores_the_focus(palette: CommandPalette, field: QLineEdit) -> None:
    """No action is triggered."""
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert field.hasFocus()


def test_a_click_outside_closes_it(palette: CommandPalette, field: QLineEdit) -> None:
    """The click reaches the widget below."""
    field.setFocus(Qt.FocusReason.MouseFocusReason)
    assert not palette.isVisible()
    assert field.hasFocus()


def test_a_row_can_be_clicked(qtbot: QtBot, palette: CommandPalette, actions: Actions) -> None:
    """A click has the effect of Enter."""
    QTest.keyClicks(palette.field, "refresh")
    place = palette.list.visualRect(palette.model.index(0)).center()
    with qtbot.waitSignal(actions["refresh"].triggered):
        QTest.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=place)


def _place(palette: CommandPalette, name: str) -> int:
    return [row.name for row in palette.model.rows].index(name)
