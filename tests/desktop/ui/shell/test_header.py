"""Tests of the menu bar."""

import pytest
from PySide6.QtGui import QAction, QFont, QFontInfo
from PySide6.QtWidgets import QApplication, QMenu, QMenuBar
from pytestqt.qtbot import QtBot

from cdb_desktop.foundation.i18n import Language
from cdb_desktop.ui.actions import Actions, plain
from cdb_desktop.ui.shell.header import WindowHeader
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.conftest import SetLanguage
from tests.desktop.ui.finding import child_of

LARGE = 1.25
LOWEST = 768 - 28  # the smallest supported screen, without a title bar


def menus_of(crown: WindowHeader) -> list[QMenu]:
    """The menus of the bar."""
    bar = child_of(crown, QMenuBar)
    found = [action.menu() for action in bar.actions()]
    return [menu for menu in found if isinstance(menu, QMenu)]


def all_in(menu: QMenu) -> list[QAction]:
    """The actions of a menu and of its submenus."""
    found: list[QAction] = []
    for action in menu.actions():
        within = action.menu()
        found += all_in(within) if isinstance(within, QMenu) else [action]
    return [action for action in found if not action.isSeparator()]


def test_every_action_is_in_a_menu_in_its_order(qtbot: QtBot, appearance: Appearance) -> None:
    """Actions that are used less often have submenus; all menus fit on the smallest screen."""
    actions = Actions(appearance)
    crown = WindowHeader(appearance, actions)
    qtbot.addWidget(crown)
    menus = menus_of(crown)
    assert [plain(menu.title()) for menu in menus] == [plain(title) for title in actions.menus()]
    for menu, specs in zip(menus, actions.menus().values(), strict=True):
        assert all_in(menu) == [actions[spec.name] for spec in specs]
        assert menu.sizeHint().height() <= LOWEST
    (events,) = (menu for menu in menus if plain(menu.title()) == "Events")
    within = [one.text() for one in events.actions() if isinstance(one.menu(), QMenu)]
    assert [plain(title) for title in within] == ["Share", "Show", "Columns", "Event", "Export"]


def test_the_menu_of_a_page_is_shown_on_this_page_only(qtbot: QtBot, appearance: Appearance) -> None:
    """All other menus are always there."""
    actions = Actions(appearance)
    crown = WindowHeader(appearance, actions)
    qtbot.addWidget(crown)
    usual = ["File", "Edit", "View", "Live", "Help"]
    for page, own in (("events", "Events"), ("schema", "Schema"), ("errors", "")):
        actions.show_page(page)
        shown = [plain(menu.title()) for menu in menus_of(crown) if menu.menuAction().isVisible()]
        assert set(shown) == {*usual, *filter(None, [own])}


def test_menus_fit_with_a_large_font(qtbot: QtBot, qapp: QApplication, appearance: Appearance) -> None:
    """No menu scrolls."""
    usual = qapp.font()
    large = QFont(usual)
    large.setPointSizeF(QFontInfo(usual).pointSizeF() * LARGE)
    qapp.setFont(large)
    try:
        crown = WindowHeader(appearance, Actions(appearance))
        qtbot.addWidget(crown)
        assert [menu.title() for menu in menus_of(crown) if menu.sizeHint().height() > LOWEST] == []
    finally:
        qapp.setFont(usual)


@pytest.mark.parametrize(
    ("spoken", "titles"),
    [
        (
            "de",
            [
                *("Demodienst", "Teilen", "Anzeigen", "Spalten", "Ereignis", "Export"),
                *("Spalten und Tabellen", "Versionen", "Dateien", "Diagramm", "Tabellen anzeigen"),
                *("Gruppen", "Ausgewählte Tabellen"),
            ],
        ),
        (
            "en",
            [
                *("Demo service", "Share", "Show", "Columns", "Event", "Export"),
                *("Columns and tables", "Versions", "Files", "Diagram", "Show tables"),
                *("Groups", "Selected tables"),
            ],
        ),
    ],
)
def test_submenus_have_titles_in_both_languages(
    qtbot: QtBot, set_language: SetLanguage, appearance: Appearance, spoken: Language, titles: list[str]
) -> None:
    """As the menus of the bar do."""
    set_language(spoken)
    actions = Actions(appearance)
    crown = WindowHeader(appearance, actions)
    qtbot.addWidget(crown)
    within = [one.text() for menu in menus_of(crown) for one in menu.actions() if one.menu() is not None]
    assert [plain(text) for text in within] == titles
