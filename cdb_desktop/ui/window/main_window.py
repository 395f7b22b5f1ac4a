"""The main window: puts rail, pages, dock, menu and status bar together and remembers how they stood."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSettings, Qt
from PySide6.QtGui import QActionGroup, QCloseEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QStackedWidget, QWidget

from cdb_desktop.client import Session
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.connection.start_view import StartView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.window.appearance_menu import follow_appearance
from cdb_desktop.ui.window.crown import Crown
from cdb_desktop.ui.window.rail import Rail
from cdb_desktop.ui.window.status_bar import StatusBar
from cdb_desktop.ui.window.workspace import Workspace

_DEFAULT_WIDTH, _DEFAULT_HEIGHT = 1280, 800
_LIVE_HEIGHT = 220
_KEPT = ("live", "events", "schema")
_ALWAYS = frozenset({"quit", "system", "light", "dark"})
_CONNECTED = frozenset({"events", "schema", "live", "pause", "refresh", "zoom_in", "zoom_out", "fit"})
_OF_EVENTS = frozenset(
    {"filter", "clear_filters", "query_back", "query_forward", "jump", "inspector", "export"}
)


class MainWindow(QMainWindow):
    """The frame; panes are put in with ``open`` and taken out with ``leave``."""

    def __init__(self, appearance: Appearance, settings: QSettings) -> None:
        super().__init__()
        self._settings = settings
        self.actions_by_name = Actions(appearance, self)
        self.start = StartView(appearance)
        self.status = StatusBar(appearance)
        self._crown = Crown(appearance, self.actions_by_name.menus())
        self.notice = self._crown.notice
        self._pages = QStackedWidget()
        self._live = QDockWidget(self)
        self._pane_of: dict[str, QWidget] = {}
        self._arrange(appearance)
        follow_appearance(self.actions_by_name, appearance)
        self._choose_pages()
        self._remember()
        self.leave()

    def open(self, workspace: Workspace, session: Session, service: str, colour: str) -> None:
        """Shows the panes of a connection; ``colour`` is the connection's, such as ``#1F5FBF``."""
        self._pane_of = {"events": workspace.events_view, "schema": workspace.schema_view}
        for pane in self._pane_of.values():
            self._pages.addWidget(pane)
        self._live.setWidget(workspace.live_view)
        self._live.setTitleBarWidget(workspace.live_view.strip)
        self._live.setVisible(self.actions_by_name["live"].isChecked())
        self._crown.show_colour(colour)
        user = session.user.displayname if session.user else ""
        self.setWindowTitle(f"{service} · {user}")
        self.status.show_connection(service, user)
        self.actions_by_name.offer(_ALWAYS | _CONNECTED | _OF_EVENTS, session.allows)
        self._show_page()

    def leave(self) -> None:
        """Takes the panes out; the start page is what remains."""
        self.actions_by_name.offer(_ALWAYS, lambda _right: False)
        self._live.hide()
        self._crown.show_colour(None)
        self.setWindowTitle(self.tr("Not connected"))
        self.status.show_nobody()
        self._pages.setCurrentWidget(self.start)
        for pane in self._pane_of.values():
            self._pages.removeWidget(pane)
            pane.deleteLater()
        self._pane_of = {}

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Writes down how the window stood."""
        self._settings.setValue("window/geometry", self.saveGeometry())
        self._settings.setValue("window/docks", self.saveState())
        for name in _KEPT:
            self._settings.setValue(f"window/{name}", self.actions_by_name[name].isChecked())
        super().closeEvent(event)

    def _arrange(self, appearance: Appearance) -> None:
        actions = self.actions_by_name
        self.setMenuWidget(self._crown)
        rail = Rail(appearance, [actions["events"], actions["schema"]], [actions["live"]])
        self.addToolBar(Qt.ToolBarArea.LeftToolBarArea, rail)
        self._pages.addWidget(self.start)
        self.setCentralWidget(self._pages)
        self.setStatusBar(self.status)
        self.addActions([action for listed in actions.menus().values() for action in listed])
        self._live.setObjectName("live")
        self._live.setWindowTitle(self.tr("Live feed"))
        areas = Qt.DockWidgetArea.BottomDockWidgetArea | Qt.DockWidgetArea.RightDockWidgetArea
        self._live.setAllowedAreas(areas)
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self._live)
        self.resizeDocks([self._live], [_LIVE_HEIGHT], Qt.Orientation.Vertical)
        actions["quit"].triggered.connect(self.close)

    def _choose_pages(self) -> None:
        actions = self.actions_by_name
        group = QActionGroup(self)
        for name in ("events", "schema"):
            group.addAction(actions[name])
            actions[name].toggled.connect(self._show_page)
        actions["events"].setChecked(True)
        actions["live"].setChecked(True)
        actions["live"].toggled.connect(self._live.setVisible)

    def _show_page(self) -> None:
        for name, pane in self._pane_of.items():
            if self.actions_by_name[name].isChecked():
                self._pages.setCurrentWidget(pane)

    def _remember(self) -> None:
        room = self.screen().availableSize()
        self.resize(min(_DEFAULT_WIDTH, room.width()), min(_DEFAULT_HEIGHT, room.height()))
        for key, restore in (("geometry", self.restoreGeometry), ("docks", self.restoreState)):
            kept = self._settings.value(f"window/{key}")
            if isinstance(kept, QByteArray):
                restore(kept)
        for name in _KEPT:
            if self._settings.contains(f"window/{name}"):
                self.actions_by_name[name].setChecked(
                    self._settings.value(f"window/{name}", type=bool) is True
                )
