"""The entries of open menus, whose texts have mnemonics."""

import re
from collections.abc import Iterator

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu

from cdb_desktop.ui.actions import plain

_MARK = re.compile(r"(?<!&)(?:&&)*&([^&])")


def open_menu() -> QMenu:
    """The menu that is open."""
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def shown_entries(menu: QMenu) -> list[QAction]:
    """The visible entries of a menu."""
    return [one for one in menu.actions() if one.isVisible() and not one.isSeparator()]


def texts(menu: QMenu) -> list[str]:
    """The texts of the entries of a menu."""
    return [plain(one.text()) for one in shown_entries(menu)]


def submenus(menu: QMenu) -> dict[str, QMenu]:
    """The submenus of a menu by their titles."""
    return {plain(one.text()): below for one in shown_entries(menu) if isinstance(below := one.menu(), QMenu)}


def all_entries(menu: QMenu) -> Iterator[QAction]:
    """The entries of a menu and of its submenus, but not the titles of these."""
    for one in shown_entries(menu):
        below = one.menu()
        if isinstance(below, QMenu):
            yield from all_entries(below)
        else:
            yield one


def entry(menu: QMenu, prefix: str) -> QAction:
    """The first entry of a menu or of its submenus that begins with a text."""
    found = [one for one in all_entries(menu) if plain(one.text()).startswith(prefix)]
    assert found, [plain(one.text()) for one in all_entries(menu)]
    return found[0]


def check_menu(menu: QMenu, most: int | None = 12) -> None:
    """Opens a menu and its submenus: at most 12 entries, different mnemonics in all or none."""
    menu.popup(QPoint())
    entries = shown_entries(menu)
    marks = [found[1].casefold() for one in entries if (found := _MARK.search(one.text()))]
    where = [one.text() for one in entries]
    assert entries, menu.objectName()
    assert len(marks) in (0, len(entries)), where
    assert len(set(marks)) == len(marks), where
    assert most is None or len(entries) <= most, where
    for below in submenus(menu).values():
        check_menu(below, most)
    menu.hide()
