"""What lies over the window for a moment: the palette and the sheet of keys, made when first wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QDockWidget, QWidget

from cdb_desktop.ui.window.page_factory import PageContext, PageFactory

if TYPE_CHECKING:
    from cdb_desktop.ui.palette.keys_sheet import KeysSheet
    from cdb_desktop.ui.palette.view import Palette


class Overlays(QObject):
    """Opens them at the actions that mean them, one at a time."""

    def __init__(self, context: PageContext, pages: PageFactory, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._context = context
        self._actions = actions = context.actions
        self._pages = pages
        self._palette: Palette | None = None
        self._keys: KeysSheet | None = None
        actions["palette"].triggered.connect(self._open_palette)
        actions["keys"].triggered.connect(self._open_keys)

    def _open_palette(self) -> None:
        if self._keys is not None:
            self._keys.close_sheet()
        if self._palette is None:
            self._palette = self._pages.palette(self._context, self._window)
        self._palette.open_palette()

    def _open_keys(self) -> None:
        if self._palette is not None:
            self._palette.close_sheet()
        self._keys = self._keys or self._pages.keys_sheet(self._context, self._window)
        self._keys.open_keys(self._menu_in_use())

    def _menu_in_use(self) -> str:
        """The menu of what has the focus: of the feed in its dock, or else of the page."""
        dock, focus = self._window.findChild(QDockWidget, "live"), QApplication.focusWidget()
        if dock is not None and focus is not None and dock.isAncestorOf(focus):
            return self._actions.spec("pause").menu
        page, specs = self._actions.page, map(self._actions.spec, self._actions)
        return next((spec.menu for spec in specs if page and spec.page == page), "")
