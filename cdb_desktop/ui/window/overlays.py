"""What lies over the window for a moment: the palette and the sheet of keys, made when first wanted."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.palette.keys_sheet import KeysSheet
from cdb_desktop.ui.palette.view import Palette
from cdb_desktop.ui.theme.appearance import Appearance


class Overlays(QObject):
    """Opens them at the actions that mean them, one at a time."""

    def __init__(self, window: QWidget, appearance: Appearance, actions: Actions) -> None:
        super().__init__(window)
        self._window = window
        self._appearance = appearance
        self._actions = actions
        self._palette: Palette | None = None
        self._keys: KeysSheet | None = None
        actions["palette"].triggered.connect(self._open_palette)
        actions["keys"].triggered.connect(self._open_keys)

    def _open_palette(self) -> None:
        if self._keys is not None:
            self._keys.close_sheet()
        self._palette = self._palette or Palette(self._window, self._appearance, self._actions)
        self._palette.open_palette()

    def _open_keys(self) -> None:
        if self._palette is not None:
            self._palette.close_sheet()
        self._keys = self._keys or KeysSheet(self._window, self._appearance, self._actions)
        self._keys.open_keys()
