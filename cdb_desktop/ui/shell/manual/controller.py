"""Opens the manual from anywhere, and starts actions that it shows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSettings, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import delete, isValid

from cdb_desktop.foundation.lazy import lazy
from cdb_desktop.ui.actions import Actions, plain
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.help import MANUAL, SHOW, open_help
from cdb_desktop.ui.widgets.notice import NoticeBar
from cdb_desktop.ui.widgets.popup import Popup

if TYPE_CHECKING:
    from cdb_desktop.ui.shell.manual import first_steps, topics, window
else:
    first_steps = lazy("cdb_desktop.ui.shell.manual.first_steps")
    topics = lazy("cdb_desktop.ui.shell.manual.topics")
    window = lazy("cdb_desktop.ui.shell.manual.window")

_START = "welcome"  # the topic of what no topic explains
_PATIENCE = 20_000  # milliseconds until an action that cannot be started is given up
_VERSION = "window/version"  # the one that ran last
_SETTLING = 300  # milliseconds
_SHORT_PATIENCE = 1_500  # the same while the demo is open


class ManualController(QObject):
    """Opens addresses of topics (``manual:``) and of actions (``show:``), and executes the action ``manual``.

    Signals: ``demo_requested`` with an action to be tried in another instance of the program.
    """

    demo_requested = Signal(str)

    def __init__(
        self,
        main_window: QWidget,
        appearance: Appearance,
        settings: QSettings,
        actions: Actions,
        notice: NoticeBar,
    ) -> None:
        super().__init__(main_window)
        self._is_demo = False
        self._main_window = main_window
        self._appearance = appearance
        self._settings = settings
        self._actions = actions
        self._notice = notice
        self._window: window.ManualWindow | None = None
        self._wanted = ""
        self._patience = QTimer(self, singleShot=True)
        self._patience.timeout.connect(self._give_up)
        actions["manual"].triggered.connect(self._open_help)
        for signal in (actions.offered, actions.page_shown):
            signal.connect(self._try)
        for scheme in (MANUAL, SHOW):
            # The stubs expect bytes, which the call refuses.
            QDesktopServices.setUrlHandler(scheme, self, "open_address")  # type: ignore[arg-type]

    def enter_demo(self, pages: Mapping[str, QWidget]) -> None:
        """The demo was opened, on which actions may be tried; shows the first steps on its pages."""
        self._is_demo = True
        first_steps.add_first_steps(self._appearance, self._settings, pages)

    def leave_demo(self) -> None:
        """The demo was closed."""
        self._is_demo = False

    @Slot(QUrl)
    def open_address(self, address: QUrl) -> None:
        """Opens a topic, that of the focus if the address has none, or shows an action."""
        if address.scheme() == SHOW:
            self.show_action(address.path())
        else:
            topic = address.path() or topics.topic_of_focus(self._actions.page) or _START
            self.open_topic(topic, address.fragment())

    def open_topic(self, topic: str, section: str = "") -> None:
        """Shows a topic, which scrolls to ``section``, in the window of the manual."""
        # A menu would keep the keys, and a filter that another window closes is applied.
        while (popup := QApplication.activePopupWidget()) is not None:
            if isinstance(popup, Popup):
                popup.cancel()
            else:
                popup.close()
        if self._window is None or not isValid(self._window):
            self._window = window.ManualWindow(self._appearance, self._settings, self._main_window)
        self._window.open_topic(topic, section)

    def show_news(self, version: str) -> None:
        """Shows what is new when ``version`` runs for the first time, unless the program is new itself."""
        # Version 0.1 stored no version; the window's geometry is stored at the end of each run.
        is_used = self._settings.contains("window/geometry")
        if self._settings.value(_VERSION) != version:
            self._settings.setValue(_VERSION, version)
            if is_used:
                self.open_topic("whats-new")
                self._main_window.activateWindow()  # keys are meant for the program

    def _open_help(self) -> None:
        open_help()

    def close_window(self) -> None:
        """Closes the window of the manual."""
        if self._window is not None and isValid(self._window):
            self._window.close()
            delete(self._window)

    def show_action(self, name: str) -> None:
        """Starts an action on the demo, which is opened if nothing is open, else by ``demo_requested``."""
        actions = self._actions
        if name not in set(actions):
            return
        has_other = actions.is_connected or not actions.lacking("schema")
        if has_other and not self._is_demo and not actions.spec(name).always:
            self.demo_requested.emit(name)
            return
        self._main_window.activateWindow()
        if not has_other and not actions.spec(name).always:
            actions["demo"].trigger()
        self.start_when_possible(name)

    def start_when_possible(self, name: str) -> None:
        """Shows the page of an action, and triggers it as soon as it is enabled, unless that takes long."""
        self._forget()
        self._wanted = name
        self._actions[name].changed.connect(self._try)
        self._patience.start(_SHORT_PATIENCE if self._is_demo else _PATIENCE)
        self._try()

    def _try(self) -> None:
        name = self._wanted
        if not name:
            return
        page = self._actions.spec(name).page
        if page and page != self._actions.page and not self._actions.obstacle(page):
            self._actions[page].setChecked(True)
        if self._wanted and self._actions[name].isEnabled():
            self._forget()
            # Popups and menus open beside widgets of the page, which may not have been laid out yet.
            QTimer.singleShot(_SETTLING, self, partial(self._trigger, name))

    def _trigger(self, name: str) -> None:
        action = self._actions[name]
        if action.isCheckable() and action.isChecked():
            action.trigger()  # off, so that it is seen how it is switched on
        action.trigger()

    def _give_up(self) -> None:
        name = self._wanted
        self._forget()
        if name:
            title = plain(self._actions.spec(name).text)
            self._notice.show_notice("accent", title, self._actions.obstacle(name))

    def _forget(self) -> None:
        name, self._wanted = self._wanted, ""
        self._patience.stop()
        if name:
            self._actions[name].changed.disconnect(self._try)
