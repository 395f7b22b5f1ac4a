"""The bell of a feed that tells of its new events; hidden where it does not. A click silences it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.widgets.buttons import IconButton


class AlarmMark(IconButton):
    """Seen while somebody who looks elsewhere is told."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(icon("bell", appearance), "", parent)
        self.setObjectName("live.bell")
        self.hide()
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        tip = QCoreApplication.translate(
            "Live", "Notifies of new events while another window is active; click to mute"
        )
        self.setToolTip(tip)
        self.setAccessibleName(tip)
