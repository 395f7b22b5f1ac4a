"""Notifies of new events while another window is active: in the system tray, or by sound without one."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.live.feed_pane import FeedPane
from cdb_desktop.ui.live.view import LiveView


class FeedNotifier(QObject):
    """Notifies of events in the feeds for which the user has switched it on."""

    def __init__(self, view: LiveView) -> None:
        super().__init__(view)
        self._view = view
        self._tray: QSystemTrayIcon | None = None
        self.recent: list[str] = []  # the last notifications
        view.signals.events_shown.connect(self._on_events_shown)

    def _on_events_shown(self, pane: FeedPane, number: int) -> None:
        count = pane.notifications.add(number, time.monotonic())
        if not count or self._view.isActiveWindow():
            return
        text = tr("New events: {count}", count=count)
        if pane.filter_text:
            text = f"{text} · {pane.filter_text}"
        self.recent = [*self.recent[-9:], text]
        QApplication.alert(self._view)
        if QSystemTrayIcon.isSystemTrayAvailable():
            self._show(text)
        else:
            QApplication.beep()

    def _show(self, text: str) -> None:
        if self._tray is None:
            self._tray = QSystemTrayIcon(self._view.window().windowIcon(), self)
            self._tray.activated.connect(self._activate_window)
            self._tray.messageClicked.connect(self._activate_window)
            self._tray.show()
        self._tray.showMessage(tr("Live feed"), text, self._tray.icon())

    def _activate_window(self) -> None:
        window = self._view.window()
        window.show()
        window.raise_()
        window.activateWindow()
