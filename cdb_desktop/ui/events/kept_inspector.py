"""Ties the inspector to its action, and remembers whether it stood open and how wide."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QObject, QSettings
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QSplitter, QWidget

_OPEN, _SIZES = "events/inspector", "events/splitter"
_WIDTH = 400


class KeptInspector(QObject):
    """The action shows and hides ``inspector``, the right one of the two parts of ``splitter``."""

    def __init__(self, splitter: QSplitter, inspector: QWidget, action: QAction, settings: QSettings) -> None:
        super().__init__(splitter)
        self._splitter = splitter
        self._inspector = inspector
        self._settings = settings
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 0)
        splitter.setSizes([3 * _WIDTH, _WIDTH])
        kept = settings.value(_SIZES)
        if isinstance(kept, QByteArray):
            splitter.restoreState(kept)
        splitter.splitterMoved.connect(self._keep_sizes)
        action.setChecked(settings.value(_OPEN, True, type=bool) is True)
        inspector.setVisible(action.isChecked())
        action.toggled.connect(self._show)

    def _show(self, shown: bool) -> None:
        self._settings.setValue(_OPEN, shown)
        self._inspector.setVisible(shown)

    def _keep_sizes(self) -> None:
        self._settings.setValue(_SIZES, self._splitter.saveState())
