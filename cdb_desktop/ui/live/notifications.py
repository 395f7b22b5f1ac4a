"""Notifies while another window is active: in the system tray, or by sound without one."""

import time

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.live.feed_pane import FeedPane
from cdb_desktop.ui.live.view import LiveView

_MOST_RECENT = 10


class WindowNotifier(QObject):
    """The messages of one window, which are shown only while it is not active."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._tray: QSystemTrayIcon | None = None
        self.recent: list[str] = []  # the last notifications

    def notify(self, title: str, text: str, *, tray: bool = True, sound: bool = False) -> None:
        """Shows a message; ``sound`` is also made without a tray."""
        if self._widget.isActiveWindow():
            return
        self.recent = [*self.recent, text][-_MOST_RECENT:]
        QApplication.alert(self._widget)
        has_tray = QSystemTrayIcon.isSystemTrayAvailable()
        if tray and has_tray:
            self._show(title, text)
        if sound or (tray and not has_tray):
            QApplication.beep()

    def _show(self, title: str, text: str) -> None:
        if self._tray is None:
            self._tray = QSystemTrayIcon(self._widget.window().windowIcon(), self)
            self._tray.activated.connect(self._activate_window)
            self._tray.messageClicked.connect(self._activate_window)
            self._tray.show()
        self._tray.showMessage(title, text, self._tray.icon())

    def _activate_window(self) -> None:
        window = self._widget.window()
        window.show()
        window.raise_()
        window.activateWindow()


class FeedNotifier(QObject):
    """Notifies of events in the feeds for which the user has switched it on."""

    def __init__(self, view: LiveView, notifier: WindowNotifier) -> None:
        super().__init__(view)
        self._notifier = notifier
        view.signals.events_shown.connect(self._on_events_shown)

    def _on_events_shown(self, pane: FeedPane, number: int) -> None:
        count = pane.notifications.add(number, time.monotonic())
        if not count:
            return
        text = tr("New events: {count}", count=count)
        if pane.filter_text:
            text = f"{text} · {pane.filter_text}"
        self._notifier.notify(tr("Live feed"), text)
