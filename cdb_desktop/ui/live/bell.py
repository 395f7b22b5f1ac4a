"""Tells somebody who looks elsewhere that something has come: in the tray, or else by sound."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.live.view import LiveView

translate = QCoreApplication.translate


class Bell(QObject):
    """Quiet while the window is the active one."""

    def __init__(self, view: LiveView) -> None:
        super().__init__(view)
        self._view = view
        self._tray: QSystemTrayIcon | None = None
        self.rung: list[str] = []
        view.alarmed.connect(self.ring)

    def ring(self, number: int, label: str) -> None:
        """So many events have come to the feed that shows what ``label`` tells."""
        if self._view.isActiveWindow():
            return
        words = translate("Live", "New events: %1").replace("%1", number_text(number))
        told = f"{words} · {label}" if label else words
        self.rung = [*self.rung[-9:], told]
        QApplication.alert(self._view)
        if QSystemTrayIcon.isSystemTrayAvailable():
            self._show(told)
        else:
            QApplication.beep()

    def _show(self, told: str) -> None:
        if self._tray is None:
            self._tray = QSystemTrayIcon(self._view.window().windowIcon(), self)
            self._tray.activated.connect(self._come)
            self._tray.messageClicked.connect(self._come)
            self._tray.show()
        self._tray.showMessage(translate("Live", "Live feed"), told, self._tray.icon())

    def _come(self) -> None:
        window = self._view.window()
        window.show()
        window.raise_()
        window.activateWindow()
